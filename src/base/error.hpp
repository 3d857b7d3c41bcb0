// What went wrong, as a value. The library never throws, prints, aborts or exits: every function that can fail returns
// Result<T>, and exceptions of third-party code stop at the folder that calls it.
//
// Wording of a message: lower case, one sentence, no full stop; says what, where and what would be right, with the numbers.
//   good: "input bT has shape [128,3,16] but K=128 with block_size 32 needs [128,4,16]"
#pragma once

#include <expected>
#include <format>
#include <string>
#include <utility>
#include <vector>

namespace halfbyte {

enum class ErrorCode {
  invalid_argument,  // the caller's value is wrong (shape, attribute, option)
  parse,             // text or bytes are not in the format they claim (JSON, expression, template, .npy, .onnx)
  not_found,         // a file, a variant, an adapter
  io,                // a file could not be read or written
  unsupported,       // understood, but not done here (g_idx, prepacked weights, rank 5)
  not_eligible,      // no variant, or not the forced one, can run this problem on this device; notes say why
  limit,             // a device limit is exceeded; the message has the limit's name, its value and what was needed
  out_of_memory,
  device_lost,
  gpu,  // WebGPU reported an error
  timeout,
  internal,  // a bug in halfbyte
};

// A place in a text; line and column count from 1, 0 means unknown. Columns count bytes.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const SourceLocation&) const = default;
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  SourceLocation where;
  std::vector<std::string> notes;  // further sentences, e.g. one for each variant not chosen

  // "file:line:column: message", then each note indented on a line of its own.
  std::string to_string() const;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, SourceLocation where = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where), {}});
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

// A stable lower-case name of the code ("invalid_argument"), for JSON output and tests.
const char* to_string(ErrorCode code);

}  // namespace halfbyte

// Returns the error of a Result from the enclosing function, or goes on with its value in `var`.
#define HB_CONCAT_INNER(a, b) a##b
#define HB_CONCAT(a, b) HB_CONCAT_INNER(a, b)
#define HB_TRY_IMPL(tmp, var, expr)                             \
  auto tmp = (expr);                                            \
  if (!tmp) return ::std::unexpected(::std::move(tmp).error()); \
  var = ::std::move(*tmp)
#define HB_TRY(var, expr) HB_TRY_IMPL(HB_CONCAT(hb_try_, __LINE__), var, expr)
#define HB_CHECK(expr)                                                                                 \
  do {                                                                                                 \
    if (auto hb_check_ = (expr); !hb_check_) return ::std::unexpected(::std::move(hb_check_).error()); \
  } while (false)
