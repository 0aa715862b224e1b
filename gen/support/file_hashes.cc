// One line per file, in a form that is read back without a JSON parser.
#include "support/file_hashes.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "support/check.h"
#include "support/quoted.h"

namespace tenon {
namespace {

constexpr std::string_view kOutput = ",\n  \"output\": \"", kFiles = "\",\n  \"files\": [\n",
                           kPath = "    {\"path\": \"", kHash = "\", \"hash\": \"",
                           kOwnHash = "  \"manifest_hash\": \"";

/// Removes and returns the text up to the next `end`, and removes `end` too; empty if `end` does not occur.
std::string_view taken_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) return {};
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return out;
}

}  // namespace

bool FileHashes::wrote(const std::string& path, const std::string& bytes) const {
  const auto at = hashes.find(path);
  return at != hashes.end() && at->second == hash_of(bytes);
}

std::string with_file_hashes(std::string manifest, const FileHashes& table) {
  TENON_CHECK(manifest.ends_with("\n}\n"), "a manifest that is not an object of JSON");
  manifest.resize(manifest.size() - 3);
  manifest += fmt::format("{}{}{}", kOutput, table.output, kFiles);
  size_t left = table.hashes.size();
  for (const auto& [path, hash] : table.hashes) {
    TENON_CHECK(json_string(path).size() == path.size() + 2, "the path '{}' needs escapes", path);
    manifest += fmt::format("{}{}{}{}\"}}{}\n", kPath, path, kHash, hash, --left ? "," : "");
  }
  manifest += "  ],\n";
  return manifest + fmt::format("{}{}\"\n}}\n", kOwnHash, hash_of(manifest));
}

FileHashes read_file_hashes(const std::string& manifest) {
  FileHashes out;
  const size_t own = manifest.rfind(kOwnHash), table = manifest.rfind(kOutput);
  if (own == std::string::npos || table == std::string::npos || table > own) return out;
  const std::string_view before = std::string_view(manifest).substr(0, own);
  if (manifest.substr(own) != fmt::format("{}{}\"\n}}\n", kOwnHash, hash_of(before))) return out;
  std::string_view rest = before.substr(table + kOutput.size());
  out.output = taken_until(rest, kFiles);
  while (rest.starts_with(kPath)) {
    rest.remove_prefix(kPath.size());
    const std::string path(taken_until(rest, kHash));
    out.hashes[path] = taken_until(rest, "\"");
    taken_until(rest, "\n");
  }
  return out;
}

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
