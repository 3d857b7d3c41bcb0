// libFuzzer's entry to one target, HALFBYTE_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const halfbyte::fuzz::Target* const target = halfbyte::fuzz::find_target(HALFBYTE_FUZZ_TARGET);
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
