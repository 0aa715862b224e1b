// Parsers of flag values: each takes the whole text or nothing.
#include "cli/value_syntax.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "support/c_names.h"

namespace tenon {
namespace {

constexpr int max_rank = 8;

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
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
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

bool is_c_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), is_word) &&
         !is_reserved(text, NamesOf::model);
}

}  // namespace tenon
