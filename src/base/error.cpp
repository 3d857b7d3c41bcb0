#include "base/error.hpp"

namespace halfbyte {

std::string Error::to_string() const {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) text += std::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) text += std::format(":{}", where.column);
    text += ": ";
  }
  text += message;
  for (const auto& note : notes) text += "\n  " + note;
  return text;
}

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid_argument";
    case ErrorCode::parse: return "parse";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::io: return "io";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::not_eligible: return "not_eligible";
    case ErrorCode::limit: return "limit";
    case ErrorCode::out_of_memory: return "out_of_memory";
    case ErrorCode::device_lost: return "device_lost";
    case ErrorCode::gpu: return "gpu";
    case ErrorCode::timeout: return "timeout";
    case ErrorCode::internal: return "internal";
  }
  return "internal";
}

}  // namespace halfbyte
