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
      EXPECT_EQ(chunk.call->plan().variant, whole->plan().variant);
      rows += chunk.rows;
    }
    EXPECT_EQ(rows, 301);
    const auto tensors =
        value(DeviceTensors::create(shared_runtime(), data.inputs, {{data.output_key, data.output}}, 64));
    const auto bindings = value(tensors.bindings(*whole));
    HB_ASSERT_OK(tensors.poison_outputs());
    HB_ASSERT_OK(run_and_wait(*whole, bindings));
    const DeviceTensors::Read in_one = value(tensors.read(data.output_key));
    HB_ASSERT_OK(tensors.poison_outputs());
    HB_ASSERT_OK(chunked.run_and_wait(bindings));
    const DeviceTensors::Read in_many = value(tensors.read(data.output_key));
    EXPECT_EQ(in_many.guard, "");
    EXPECT_EQ(in_one.tensor.data, in_many.tensor.data);
  }
}

TEST(RowChunks, SmallCallsStayWhole) {
  const Package package = value(load_package(HALFBYTE_SOURCE_DIR "/kernels/com.microsoft.MatMulNBits"));
  const auto kernel = Kernel::create(shared_runtime(), package);
  const MatmulCall call{.M = 64, .K = 96, .N = 40, .bits = 4, .block_size = 32, .dtype = DType::float32};
  const Problem problem = value(matmul_problem(package, call));
  EXPECT_EQ(value(ChunkedCall::create(*kernel, problem, 1e9)).chunks().size(), 1u);
  EXPECT_EQ(value(ChunkedCall::create(*kernel, problem, 0)).chunks().size(), 1u);  // no bound
}

}  // namespace
}  // namespace halfbyte::gpu::testing
