// One 128-bit identity for everything that is cached, labelled, tuned or logged. Not cryptographic; stable across
// processes, platforms and versions of the compiler, since it names files of the persistent program cache.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace halfbyte {

struct Hash128 {
  uint64_t hi = 0;
  uint64_t lo = 0;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;  // 32 lower-case digits
};

// Feed it fields; the length of every string goes in too, so ("ab","c") and ("a","bc") differ.
class Hasher {
 public:
  Hasher& add(std::string_view bytes);
  Hasher& add(uint64_t value);
  Hasher& add(double value);  // by bits; -0.0 counts as 0.0
  Hasher& add(const Hash128& value) { return add(value.hi).add(value.lo); }
  Hash128 finish() const;

 private:
  void mix(uint64_t word);
  uint64_t a_ = 0x9ae16a3b2f90404fULL;
  uint64_t b_ = 0xc3a5c85c97cb3127ULL;
};

}  // namespace halfbyte

template <>
struct std::hash<halfbyte::Hash128> {
  size_t operator()(const halfbyte::Hash128& h) const noexcept { return static_cast<size_t>(h.lo); }
};
