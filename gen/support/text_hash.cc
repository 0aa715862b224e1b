// FNV-1a by words instead of bytes, each one mixed downwards.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "support/file_hashes.h"

namespace tenon {
namespace {

constexpr size_t kWord = sizeof(uint64_t);

/// Up to eight bytes as a number that is the same on every machine.
uint64_t word_of(const char* bytes, size_t count) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

}  // namespace

std::string hash_of(std::string_view text) {
  uint64_t h = 14695981039346656037ull ^ text.size();
  const auto mix = [&h](uint64_t word) {
    h = (h ^ word) * 1099511628211ull;
    h ^= h >> 32;
  };
  for (; text.size() >= kWord; text.remove_prefix(kWord)) mix(word_of(text.data(), kWord));
  mix(word_of(text.data(), text.size()));
  return fmt::format("{:016x}", h);
}

}  // namespace tenon
