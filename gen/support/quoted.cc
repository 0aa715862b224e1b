// JSON, C strings, C comments, the shell, and the dependency files of Make and Ninja.
#include "support/quoted.h"

#include <fmt/format.h>

#include <cstdint>

namespace tenon {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// Length in bytes of a character at the start of `text` that turns the direction of writing (U+200E, U+200F,
/// U+202A to U+202E, U+2066 to U+2069) or ends a line (U+2028, U+2029); else 0.
size_t invisible_length(std::string_view text) {
  if (text.size() < 3 || text.substr(0, 1) != "\xe2") return 0;
  const auto second = static_cast<unsigned char>(text[1]), third = static_cast<unsigned char>(text[2]);
  const bool in_80 = second == 0x80 && ((third >= 0xa8 && third <= 0xae) || third == 0x8e || third == 0x8f);
  const bool in_81 = second == 0x81 && third >= 0xa6 && third <= 0xa9;
  return in_80 || in_81 ? 3 : 0;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  const bool valid = first_invalid_utf8(text) == text.size();
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else if (is_control(c)) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else if (!valid && static_cast<unsigned char>(c) > 0x7f) out += "\xef\xbf\xbd";
    else out += c;
  }
  return out + "\"";
}

std::string c_string_inside(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 32 || u > 126) {
      out += fmt::format("\\{:03o}", u);
      continue;
    }
    if (c == '"' || c == '\\' || c == '?') out += '\\';
    out += c;
  }
  return out;
}

std::string comment_inside(std::string_view text) {
  std::string out;
  const auto last = [&out] { return out.empty() ? ' ' : out.back(); };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const size_t invisible = invisible_length(text.substr(i));
    if (is_control(c) || invisible > 0) {
      if (last() != ' ') out += ' ';
      i += invisible > 0 ? invisible - 1 : 0;
      continue;
    }
    if ((last() == '*' && c == '/') || (last() == '/' && c == '*')) out += ' ';
    out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += is_control(c) ? ' ' : c;
  }
  return out;
}

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<std::string> depfile_word(std::string_view name) {
  // Characters that are special to Make and have no escape that Ninja understands too.
  constexpr std::string_view without_spelling = "\n\r\t;|*?[<>^`";
  if (name.empty() || name.find_first_of(without_spelling) != std::string_view::npos) return std::nullopt;
  if (name[0] == '~' || name.back() == ':' || name.back() == '\\' || name.back() == ')') return std::nullopt;
  std::string out;
  size_t backslashes = 0;
  for (const char c : name) {
    const bool special = c == '#' || c == ':' || c == '$' || c == '%';
    if (special && backslashes > 0) return std::nullopt;
    if (c == ' ') out.append(backslashes + 1, '\\');
    if (c == '#' || c == ':') out += '\\';
    if (c == '$') out += '$';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

namespace {

/// Length of the valid sequence at `at`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  std::uint32_t point = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0u) != 0x80u) return 0;
    point = point << 6 | (byte(at + i) & 0x3Fu);
  }
  const std::uint32_t least = length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u;
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < least || point > 0x10FFFF || surrogate ? 0 : length;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return at;
}

std::string one_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      out += text[at];
      continue;
    }
    out.erase(out.find_last_not_of(kBlanks) + 1);
    const bool opened = out.empty() || std::string_view("([{").find(out.back()) != std::string_view::npos;
    if (!opened) out += ' ';
    const size_t next = text.find_first_not_of(kBlanks, at);
    at = (next == std::string_view::npos ? text.size() : next) - 1;
  }
  return out;
}

}  // namespace tenon
