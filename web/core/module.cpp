// The module's exports, four C functions: a command is a JSON text in the module's memory, and so is its answer.
//   {"value": ...} or {"error": {"code", "message", "where", "notes", "text"}}
// malloc and free are exported too, for tensors.
#include <emscripten/emscripten.h>

#include <new>

#include "session.hpp"

namespace {

using halfbyte::web::Json;

std::string& answer() {
  static std::string text;
  return text;
}

std::string failure(const halfbyte::Error& error) {
  return Json{{"error", halfbyte::web::to_json(error)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string perform_text(std::string_view request) {
  static halfbyte::web::Session session;
  try {
    const Json json = Json::parse(request);
    const auto value = halfbyte::web::perform(session, json);
    if (!value) return failure(value.error());
    return Json{{"value", *value}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  } catch (const std::bad_alloc&) {
    return failure({halfbyte::ErrorCode::out_of_memory, "the module's memory is used up", {}, {}});
  } catch (const std::exception& e) {
    return failure(
        {halfbyte::ErrorCode::internal, std::string("a command ended with an exception: ") + e.what(), {}, {}});
  }
}

}  // namespace

extern "C" {

// Where the answer begins; it stays until the next command.
EMSCRIPTEN_KEEPALIVE const char* halfbyte_perform(const char* request, size_t bytes) {
  answer() = perform_text({request, bytes});
  return answer().data();
}

EMSCRIPTEN_KEEPALIVE size_t halfbyte_answer_bytes() { return answer().size(); }
}
