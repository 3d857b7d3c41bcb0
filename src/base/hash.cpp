#include "base/hash.hpp"

#include <bit>
#include <cstring>
#include <format>

namespace halfbyte {
namespace {

// splitmix64's finalizer: every input bit reaches every output bit.
uint64_t scramble(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::string Hash128::hex() const { return std::format("{:016x}{:016x}", hi, lo); }

void Hasher::mix(uint64_t word) {
  a_ = scramble(a_ ^ word) + 0x9e3779b97f4a7c15ULL;
  b_ = scramble(b_ + std::rotl(word, 29)) ^ std::rotl(a_, 17);
}

Hasher& Hasher::add(std::string_view bytes) {
  mix(bytes.size());
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t n = bytes.size() < 8 ? bytes.size() : 8;
    for (size_t i = 0; i < n; ++i) word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    mix(word);
    bytes.remove_prefix(n);
  }
  return *this;
}

Hasher& Hasher::add(uint64_t value) {
  mix(value);
  return *this;
}

Hasher& Hasher::add(double value) {
  mix(std::bit_cast<uint64_t>(value == 0.0 ? 0.0 : value));
  return *this;
}

Hash128 Hasher::finish() const { return {scramble(a_ ^ std::rotl(b_, 32)), scramble(b_ + a_)}; }

}  // namespace halfbyte
