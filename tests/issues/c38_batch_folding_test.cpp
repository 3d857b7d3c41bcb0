// C38 performance cliff: batch dimensions are rows like any other: the same programs, dispatches and bits, however A's rows are arranged.
// Time is not asserted: equal dispatches of equal programs take the same.
#include "field_case.hpp"

namespace halfbyte::issues {
namespace {

// What computes it: each pass's program and grid.
std::vector<std::string> work_of(const Plan& plan) {
  std::vector<std::string> work{plan.variant};
  for (const PassPlan& pass : plan.passes)
    work.push_back(
        std::format("{} {}x{}x{}", pass.program.hex(), pass.dispatch[0], pass.dispatch[1], pass.dispatch[2]));
  return work;
}

// A spec, and other arrangements of its rows.
struct Folding {
  Spec flat;
  std::vector<Shape> arrangements;
};

Folding published() {
  return {{.M = 3448,
           .N = 1536,
           .K = 512,
           .expect = {{"first", 0.0849609375}, {"last", -0.041015625}, {"wsum", 261.1123046875}}},
          {{3448, 1, 512}, {1, 3448, 512}, {431, 8, 512}}};
}

// The same in small, for devices that are CPUs.
Folding small(int64_t M, DType dtype) {
  Folding f{{.M = M, .N = 70, .K = 96, .zp = true, .bias = true, .dtype = dtype}, {{M, 1, 96}, {1, M, 96}}};
  if (M % 8 == 0) f.arrangements.push_back({M / 8, 8, 96});
  return f;
}

TEST_F(FieldCase, C38_BatchDimensionsFoldIntoRows) {
  HB_NEED_DEVICE();
  std::vector<Folding> all;
  for (const int64_t M : {1, 40})
    for (const DType dtype : {DType::float32, DType::float16}) all.push_back(small(M, dtype));
  if (!too_slow_for_sweeps()) all.push_back(published());
  for (const auto& [flat, arrangements] : all) {
    const Outputs whole = run(flat, Which::chosen);
    ASSERT_EQ(whole.size(), 1U);
    const auto& [variant, y] = *whole.begin();
    const auto work = work_of(value(plan_problem(package(), kernel()->device().profile(), problem(flat))));
    for (const Shape& shape : arrangements) {
      SCOPED_TRACE(to_string(shape));
      Spec folded = flat;
      folded.a_shape = shape;
      EXPECT_EQ(work_of(value(plan_problem(package(), kernel()->device().profile(), problem(folded)))), work);
      const HostTensor out = run_forced(*kernel(), folded, variant);
      EXPECT_EQ(out.data, y.data);
      Shape wanted = shape;
      wanted.back() = flat.N;
      EXPECT_EQ(out.shape, wanted);
    }
  }
}

}  // namespace
}  // namespace halfbyte::issues
