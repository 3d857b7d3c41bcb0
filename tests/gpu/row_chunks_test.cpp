// Long calls in short dispatches: the same bits as in one piece.
#include <gmock/gmock.h>

#include "gpu/host_run.hpp"
#include "gpu/row_chunks.hpp"
#include "hand_made.hpp"
#include "io/files.hpp"
#include "select/matmul_problem.hpp"
#include "verify/case.hpp"

namespace halfbyte::gpu::testing {
namespace {

void expect_bits_of_the_whole(const ChunkedCall& chunked, PreparedCall& whole, const CaseData& data) {
  const auto tensors =
      value(DeviceTensors::create(shared_runtime(), data.inputs, {{data.output_key, data.output}}, 64));
  const auto bindings = value(tensors.bindings(whole));
  HB_ASSERT_OK(tensors.poison_outputs());
  HB_ASSERT_OK(run_and_wait(whole, bindings));
  const DeviceTensors::Read in_one = value(tensors.read(data.output_key));
  HB_ASSERT_OK(tensors.poison_outputs());
  HB_ASSERT_OK(chunked.run_and_wait(bindings));
  const DeviceTensors::Read in_many = value(tensors.read(data.output_key));
  EXPECT_EQ(in_many.guard, "");
  EXPECT_EQ(in_one.tensor.data, in_many.tensor.data);
}

TEST(RowChunks, GiveTheBitsOfTheWhole) {
  const Package package = value(load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits"));
  const auto kernel = Kernel::create(shared_runtime(), package);
  for (const DType dtype : {DType::float32, DType::float16}) {
    if (dtype == DType::float16 && !kernel->device().profile().has_feature("shader-f16")) continue;
    const MatmulCall call{.M = 301, .K = 96, .N = 40, .bits = 4, .block_size = 32, .dtype = dtype, .zero_points = true};
    Case c;
    c.problem = value(matmul_problem(package, call));
    const CaseData data = value(make_case_data(package, c, 5));
    const auto whole = value(kernel->prepare(data.problem));
    const ChunkedCall chunked = value(ChunkedCall::create(*kernel, data.problem, 64.0 * 96 * 40));
    ASSERT_GE(chunked.chunks().size(), 3u);
    int64_t rows = 0;
    for (const RowChunk& chunk : chunked.chunks()) {
      EXPECT_EQ(chunk.first, rows);
      EXPECT_LE(chunk.rows, 128);
      ASSERT_EQ(chunk.calls.size(), 1u);
      EXPECT_EQ(chunk.calls[0]->plan().variant, whole->plan().variant);
      rows += chunk.rows;
    }
    EXPECT_EQ(rows, 301);
    expect_bits_of_the_whole(chunked, *whole, data);
  }
}

// Few rows of a wide matrix: there are no rows to split. One row is written in place, several are placed column by column.
TEST(RowChunks, ColumnsAreSplitWhereRowsAreFew) {
  const Package package = value(load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits"));
  const auto kernel = Kernel::create(shared_runtime(), package);
  for (const int64_t M : {1, 3})
    for (const DType dtype : {DType::float32, DType::float16})
      for (const std::string variant : {"", "scalar"}) {
        const MatmulCall call{.M = M, .K = 2048, .N = 1001, .dtype = dtype, .zero_points = true, .bias = true};
        Case c;
        c.problem = value(matmul_problem(package, call));
        const CaseData data = value(make_case_data(package, c, 5));
        const auto whole = value(kernel->prepare(data.problem, {.variant = variant}));
        SCOPED_TRACE(data.problem.id + " by " + whole->plan().variant);
        const double bound = static_cast<double>(M) * 2048 * 300;
        const ChunkedCall chunked = value(ChunkedCall::create(*kernel, data.problem, bound, {.variant = variant}));
        ASSERT_EQ(chunked.chunks().size(), 1u);
        const auto& calls = chunked.chunks()[0].calls;
        EXPECT_GE(calls.size(), 4u);
        for (const auto& part : calls) EXPECT_EQ(part->plan().variant, whole->plan().variant);
        expect_bits_of_the_whole(chunked, *whole, data);
      }
}

TEST(RowChunks, SmallCallsStayWhole) {
  const Package package = value(load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits"));
  const auto kernel = Kernel::create(shared_runtime(), package);
  const MatmulCall call{.M = 64, .K = 96, .N = 40, .bits = 4, .block_size = 32, .dtype = DType::float32};
  const Problem problem = value(matmul_problem(package, call));
  const ChunkedCall bounded = value(ChunkedCall::create(*kernel, problem, 1e9));
  EXPECT_EQ(bounded.chunks().size(), 1u);
  HB_ASSERT_OK(bounded.whole().wait());  // a process that ends while lavapipe compiles may crash in it
  EXPECT_EQ(value(ChunkedCall::create(*kernel, problem, 0)).chunks().size(), 1u);  // no bound
}

}  // namespace
}  // namespace halfbyte::gpu::testing
