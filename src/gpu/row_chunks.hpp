// A call whose dispatches are kept short: the rows of A, and where that is not enough the columns of the result, are computed in chunks, each submitted by
// itself, so that no watchdog ends a long dispatch (Windows: 2 s; Adreno has lost the device before) and other users of the GPU get their turn.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "gpu/host_run.hpp"
#include "gpu/kernel.hpp"

namespace halfbyte::gpu {

struct RowChunk {
  int64_t first = 0, rows = 0;
  std::vector<std::shared_ptr<PreparedCall>> calls;  // one, or one for each part of the columns
  uint64_t a_offset = 0, y_offset = 0;               // bytes from where A and Y begin
};

class ChunkedCall {
 public:
  // Chunks of at most `max_products` multiply-adds (rows * K * columns), but of no fewer rows than buffer offsets can be aligned to; columns are only
  // split where so few rows are still too many products, and where weights lie row of N by row of N. The variant is the one that the whole problem
  // would get, and adds up in the same order (Plan::hold), so that the result is the same bits as in one piece; where it cannot run a chunk, the
  // best one for it.
  // One chunk when the problem is small enough, or with 0: no bound. Errors: those of Kernel::prepare; unsupported when there is a bound and the
  // package does not say what it computes.
  static Result<ChunkedCall> create(Kernel& kernel, const Problem& problem, double max_products,
                                    const SelectOptions& options = {});

  std::span<const RowChunk> chunks() const { return chunks_; }

  // Records and submits one chunk after the other, waiting for each, with the tensors of the whole problem. Errors: as run_and_wait.
  Result<void> run_and_wait(std::span<const TensorBinding> tensors) const;
  // The same with tensors in host memory; outputs by manifest key.
  Result<HostTensors> run(const HostTensors& inputs) const;

  const PreparedCall& whole() const { return *whole_; }  // never run when there are several chunks

 private:
  std::shared_ptr<PreparedCall> whole_;
  std::string a_, y_;
  std::vector<RowChunk> chunks_;
};

}  // namespace halfbyte::gpu
