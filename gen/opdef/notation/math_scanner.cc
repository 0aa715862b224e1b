// The scanner of math entries.
#include "opdef/notation/math_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tenon {
namespace {

constexpr std::string_view kLongMathSigns[] = {"<<", ">>", "<=", ">=", "==", "!="};
constexpr std::string_view kShortMathSigns = "+-*/&|^~<>=,()";

bool word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool read_number(std::string_view spelling, MathToken& token) {
  const char* end = spelling.data() + spelling.size();
  if (spelling.starts_with("0x")) {
    token.kind = MathTokenKind::integer;
    return std::from_chars(spelling.data() + 2, end, token.integer, 16).ptr == end;
  }
  if (spelling.find_first_of(".e") == std::string_view::npos) {
    token.kind = MathTokenKind::integer;
    return std::from_chars(spelling.data(), end, token.integer).ptr == end;
  }
  token.kind = MathTokenKind::real;
  const auto [stop, error] = std::from_chars(spelling.data(), end, token.real);
  return stop == end && error == std::errc();
}

std::size_t number_end(std::string_view text, std::size_t at) {
  const bool hexadecimal = text.substr(at, 2) == "0x";
  std::size_t end = at;
  while (end < text.size()) {
    const char c = text[end];
    const bool exponent_sign = !hexadecimal && (c == '+' || c == '-') && text[end - 1] == 'e';
    if (!word_part(c) && c != '.' && !exponent_sign) break;
    ++end;
  }
  return end;
}

std::size_t sign_end(std::string_view text, std::size_t at) {
  for (const std::string_view sign : kLongMathSigns)
    if (text.substr(at, 2) == sign) return at + 2;
  return kShortMathSigns.find(text[at]) != std::string_view::npos ? at + 1 : at;
}

}  // namespace

bool scan_math(const PlacedText& placed, std::vector<MathToken>& out, Diagnostics& diagnostics) {
  const std::string_view text = placed.text;
  int depth = 0;
  std::size_t at = 0;
  const auto push = [&](MathTokenKind kind, std::size_t end) {
    out.push_back({kind, text.substr(at, end - at), at, end});
    at = end;
  };
  while (at < text.size()) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '\n' && depth == 0) {
      push(MathTokenKind::line_end, at + 1);
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (c >= '0' && c <= '9') {
      push(MathTokenKind::integer, number_end(text, at));
      if (read_number(out.back().text, out.back())) continue;
      diagnostics.error(Code::E0304, placed.span(out.back().begin, out.back().end),
                        fmt::format("'{}' is not a number", out.back().text), {"write 12, 0x1f, 0.5 or 1e-5"});
      return false;
    } else if (word_part(c)) {
      std::size_t end = at;
      while (end < text.size() && word_part(text[end])) ++end;
      push(MathTokenKind::name, end);
    } else {
      const std::size_t end = sign_end(text, at);
      if (end == at) {
        diagnostics.error(Code::E0301, placed.span(at, at + 1),
                          fmt::format("steps of a math entry have no character '{}'", c),
                          {"operators are + - * / & | ^ ~ << >> < <= > >= == != and or not"});
        return false;
      }
      depth += (c == '(') - (c == ')');
      push(MathTokenKind::sign, end);
    }
  }
  out.push_back({MathTokenKind::end, {}, text.size(), text.size()});
  return true;
}

}  // namespace tenon
