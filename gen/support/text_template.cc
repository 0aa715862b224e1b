// Finds the holes of a template, checks values against their types and puts them in.
#include "support/text_template.h"

#include <cstdint>
#include <optional>

#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

enum class HoleType : uint8_t { text, id, integer, block };

struct Hole {
  std::string_view name;
  HoleType type = HoleType::text;
  size_t begin = 0;
  size_t end = 0;
};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_name_char(char c) { return is_lower(c) || is_decimal(c) || c == '_'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size() && is_name_char(text[at])) ++at;
  return at;
}

std::optional<HoleType> hole_type(std::string_view word) {
  static constexpr std::pair<std::string_view, HoleType> types[] = {
      {"text", HoleType::text}, {"id", HoleType::id}, {"int", HoleType::integer}, {"block", HoleType::block}};
  for (const auto& [name, type] : types)
    if (name == word) return type;
  return std::nullopt;
}

// The next hole at or after `from`; "@x" without the closing sign, as in an address, is not a hole.
std::optional<Hole> next_hole(std::string_view text, size_t from) {
  for (size_t at = text.find('@', from); at != std::string_view::npos; at = text.find('@', at + 1)) {
    if (at + 1 >= text.size() || !is_lower(text[at + 1])) continue;
    const size_t name_end = end_of_name(text, at + 1);
    Hole hole{text.substr(at + 1, name_end - at - 1), HoleType::text, at, name_end + 1};
    if (name_end < text.size() && text[name_end] == ':') {
      const size_t type_end = end_of_name(text, name_end + 1);
      const auto type = hole_type(text.substr(name_end + 1, type_end - name_end - 1));
      if (!type || type_end >= text.size() || text[type_end] != '@') continue;
      hole.type = *type;
      hole.end = type_end + 1;
      return hole;
    }
    if (name_end < text.size() && text[name_end] == '@') return hole;
  }
  return std::nullopt;
}

bool fits(HoleType type, std::string_view value) {
  const auto rest_is = [&](size_t from, auto predicate) {
    return value.size() > from &&
           std::all_of(value.begin() + static_cast<std::ptrdiff_t>(from), value.end(), predicate);
  };
  switch (type) {
    case HoleType::text: return value.find('\n') == std::string_view::npos;
    case HoleType::id:
      return !value.empty() && is_letter(value[0]) && rest_is(0, [](char c) { return is_letter(c) || is_decimal(c); });
    case HoleType::integer: return rest_is(!value.empty() && value[0] == '-' ? 1 : 0, is_decimal);
    case HoleType::block: return true;
  }
  TENON_UNREACHABLE("hole type");
}

// Appends `block` with each nonempty line indented by `indentation`, and a newline after the last line.
void append_block(std::string& out, std::string_view block, std::string_view indentation) {
  while (!block.empty()) {
    const size_t end = std::min(block.find('\n'), block.size());
    const std::string_view line = block.substr(0, end);
    if (!line.empty()) out.append(indentation).append(line);
    out.push_back('\n');
    block.remove_prefix(std::min(end + 1, block.size()));
  }
}

/// The first line of `text`, with its newline.
std::string_view first_line(std::string_view text) {
  return text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
}

/// The text without the lines of sections that do not apply, and without those that begin and end sections.
std::string apply_sections(const std::string& name, std::string_view text, const std::vector<Feature>& features) {
  std::string out;
  bool kept = true;
  for (std::string_view line; !text.empty(); text.remove_prefix(line.size())) {
    line = first_line(text);
    if (!line.starts_with("//@ ")) {
      if (kept) out.append(line);
      continue;
    }
    const std::string_view words = line.substr(4, line.size() - 5);
    const bool wanted = words.starts_with("with ");
    const auto feature = find_if(features, [&](const Feature& f) {
      return words.starts_with("with") && words.substr(words.find(' ') + 1) == f.name;
    });
    TENON_CHECK(words == "end" || feature != features.end(), "{}: there is no feature for '{}'", name, words);
    kept = words == "end" || feature->on == wanted;
  }
  return out;
}

}  // namespace

std::vector<std::string> TextTemplate::hole_names() const {
  std::vector<std::string> names;
  for (auto hole = next_hole(text_, 0); hole; hole = next_hole(text_, hole->end))
    if (!contains(names, hole->name)) names.emplace_back(hole->name);
  return names;
}

std::string TextTemplate::fill(const std::vector<HoleValue>& values, const std::vector<Feature>& features) const {
  const std::string frame = apply_sections(name_, text_, features);
  const std::string_view text = frame;
  std::string out;
  size_t copied = 0;
  for (auto hole = next_hole(text, 0); hole; hole = next_hole(text, copied)) {
    const auto value = find_if(values, [&](const HoleValue& v) { return v.name == hole->name; });
    TENON_CHECK(value != values.end(), "{}: no value for the hole '{}'", name_, hole->name);
    TENON_CHECK(fits(hole->type, value->text), "{}: '{}' does not fit the hole '{}'", name_, value->text, hole->name);
    out.append(text.substr(copied, hole->begin - copied));
    copied = hole->end;
    if (hole->type != HoleType::block) {
      out.append(value->text);
      continue;
    }
    const size_t line_begin = out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1;
    const std::string indentation = out.substr(line_begin);
    TENON_CHECK(
        indentation.find_first_not_of(' ') == std::string::npos && (copied == text.size() || text[copied] == '\n'),
        "{}: the block hole '{}' is not alone on its line", name_, hole->name);
    out.resize(line_begin);
    append_block(out, value->text, indentation);
    if (copied < text.size()) ++copied;
  }
  out.append(text.substr(copied));
  const std::vector<std::string> names = hole_names();
  for (const HoleValue& value : values)
    TENON_CHECK(contains(names, value.name), "{}: no hole is called '{}'", name_, value.name);
  return out;
}

}  // namespace tenon
