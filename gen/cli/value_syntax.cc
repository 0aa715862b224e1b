// Parsers of flag values: each takes the whole text or nothing.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "cli/flags.h"
#include "support/c_names.h"
#include "support/parse_number.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int max_rank = 8;
constexpr int64_t arena_alignment = 64;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<int64_t> parse_count(std::string_view text) {
  const auto value = parse_number<int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// "64K" → 65536; nothing where it is no number of bytes that 62 bits hold.
std::optional<int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view units = "KMG";
  const size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  const int shift = unit == std::string_view::npos ? 0 : static_cast<int>(10 * (unit + 1));
  if (shift > 0) text.remove_suffix(1);
  const auto count = parse_count(text);
  if (!count || *count > (INT64_MAX >> 1 >> shift)) return std::nullopt;
  return *count << shift;
}

bool have_one_macro(std::string_view a, std::string_view b) {
  const auto same = [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

std::optional<std::vector<std::string>> parse_name_list(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view part : split(text, ',')) {
    if (part.empty()) return std::nullopt;
    names.emplace_back(part);
  }
  return names;
}

std::optional<std::vector<int>> parse_ranks(std::string_view text) {
  std::set<int> ranks;
  for (std::string_view part : split(text, ',')) {
    const auto ends = split(part, '-');
    const auto low = parse_count(ends.front());
    const auto high = parse_count(ends.back());
    if (ends.size() > 2 || !low || !high || *low > *high || *high > max_rank) return std::nullopt;
    for (int64_t rank = *low; rank <= *high; ++rank) ranks.insert(static_cast<int>(rank));
  }
  return std::vector<int>(ranks.begin(), ranks.end());
}

std::optional<SizeBound> parse_size_bound(std::string_view text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  const std::string_view range = text.substr(equals + 1);
  const size_t dots = range.find("..");
  const auto low = parse_count(range.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : parse_count(range.substr(dots + 2));
  if (!low || !high || *low > *high) return std::nullopt;
  return SizeBound{std::string(text.substr(0, equals)), *low, *high};
}

std::string parse_arena(std::string_view text, std::vector<MemoryRegion>& regions) {
  const auto parts = split(text, ',');
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    MemoryRegion region;
    region.name = parts[i].substr(0, equals);
    if (region.name.empty())
      return fmt::format("'{}' is not NAME=BYTES,... such as fast=64K,slow=2M: a name is missing", text);
    if (!is_c_name(region.name)) return fmt::format("'{}' is not a C name", region.name);
    for (const MemoryRegion& other : regions)
      if (have_one_macro(other.name, region.name))
        return fmt::format("'{}' is there twice; capitals make no difference", region.name);
    if (equals != std::string_view::npos) region.budget = parse_bytes(parts[i].substr(equals + 1));
    if (equals != std::string_view::npos && !region.budget)
      return fmt::format("{}: '{}' is not a number of bytes such as 65536, 64K, 2M or 1G", region.name,
                         parts[i].substr(equals + 1));
    if (!region.budget && i + 1 < parts.size())
      return fmt::format("{} has no budget: only the last region may take all that is needed", region.name);
    if (region.budget && *region.budget < arena_alignment)
      return fmt::format("{}: {} bytes hold nothing, values begin at multiples of {}; leave it out", region.name,
                         *region.budget, arena_alignment);
    regions.push_back(std::move(region));
  }
  return {};
}

bool is_c_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text[0]) && all_of(text, is_word) && !is_reserved(text, NamesOf::model);
}

}  // namespace tenon
