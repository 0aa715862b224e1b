// The scanner of the notations.
#include "support/tokens.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "support/c_names.h"
#include "support/function_ref.h"
#include "support/ranges.h"
#include "support/recipe_syntax.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 6> kWords = {"and", "or", "not", "inf", "true", "false"};
constexpr std::array<std::string_view, 11> kLongSigns = {
    "...", "..", "**", "//", "==", "!=", "<=", ">=", "+=", "*=", "-="};
/// Operators of other languages, and their spelling here.
constexpr std::pair<std::string_view, std::string_view> kForeignSigns[] = {
    {"<<", "shl(a, n)"},
    {">>", "shr(a, n)"},
    {"&&", "and"},
    {"||", "or"},
    {"&", "bit_and(a, b), or `and` between conditions"},
    {"|", "bit_or(a, b), or `or` between conditions"},
    {"^", "a**b for a power, bit_xor(a, b) for bits"},
    {"!", "not"},
    {"\u2212", "-"},
    {"\u2013", "-"},
    {"\u00d7", "*"},
    {"\u00b7", "*"},
    {"\u00f7", "/ or //"},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "!="},
    {"?", "select(condition, a, b)"},
    {"'", "the words of an enum without quotes"},
    {"\"", "the words of an enum without quotes"}};
/// Characters that look like a space: no-break, figure, narrow no-break, zero-width, ideographic.
constexpr std::array<std::string_view, 5> kForeignSpaces = {"\u00a0", "\u2007", "\u202f", "\u200b", "\u3000"};
constexpr std::string_view kLongMathSigns[] = {"<<", ">>", "<=", ">=", "==", "!="};

/// The differences between the notations.
struct Dialect {
  std::span<const std::string_view> long_signs;
  std::string_view short_signs;
  std::span<const std::pair<std::string_view, std::string_view>> foreign_signs;
  std::string_view line_ends;
  bool joins_lines;                           ///< inside brackets
  bool is_recipe;                             ///< texts in quotes; `and`, `or` and `not` are names
  std::string_view numbers, name, operators;  ///< for messages
};
constexpr Dialect kOps = {
    kLongSigns,
    "+-*/%<>=~,:.@()[]",
    kForeignSigns,
    "\n;",
    false,
    false,
    "write 12, 0x1f, 0.5, 1e-5; integers have at most 64 bits",
    "the notation has",
    "names are made of a-z, A-Z, 0-9 and _; operators are + - * / // % ** == != < <= > >= and or not"};
constexpr Dialect kMath = {kLongMathSigns,
                           "+-*/&|^~<>=,()",
                           {},
                           "\n",
                           true,
                           false,
                           "write 12, 0x1f, 0.5 or 1e-5",
                           "steps of a math entry have",
                           "operators are + - * / & | ^ ~ << >> < <= > >= == != and or not"};
constexpr std::string_view kLongRecipeSigns[] = {"//", "==", "!=", "<=", ">=", "**"};
constexpr Dialect kRecipes = {kLongRecipeSigns, "()[],=:+-*/%@<>", {}, "\n", true, true, "", "", ""};

/// Code, first byte, end, message and note of what is no token.
using Fault = FunctionRef<void(Code, std::size_t, std::size_t, std::string, std::string)>;

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  Scanner(std::string_view text, const Dialect& dialect, Fault fault) : text_(text), dialect_(dialect), fault_(fault) {}

  std::vector<Token> run() {
    while (skip_blanks(), at_ < text_.size()) next();
    push(TokenKind::end, at_);
    return std::move(tokens_);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' ||
                 (text_[at_] == '\n' && dialect_.joins_lines && depth_ > 0)) {
        ++at_;
      } else {
        return;
      }
      space_ = true;
    }
  }

  Token& push(TokenKind kind, std::size_t end) {
    Token token;
    token.kind = kind;
    token.text = text_.substr(at_, end - at_);
    token.begin = at_;
    token.end = end;
    token.space_before = space_;
    space_ = false;
    at_ = end;
    return tokens_.emplace_back(token);
  }

  void next() {
    const char c = text_[at_];
    if (dialect_.line_ends.find(c) != std::string_view::npos) {
      push(TokenKind::line_end, at_ + 1);
    } else if (letter(c)) {
      word();
    } else if (digit(c) || (c == '.' && at_ + 1 < text_.size() && digit(text_[at_ + 1]))) {
      number();
    } else if (dialect_.is_recipe && (c == '\'' || c == '"')) {
      quoted(c);
    } else {
      sign();
    }
  }

  void word() {
    std::size_t end = at_;
    while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const bool is_operator = !dialect_.is_recipe && (word == "and" || word == "or" || word == "not");
    push(is_operator ? TokenKind::sign : TokenKind::name, end);
  }

  void number() {
    std::size_t end = at_;
    bool whole = true;
    const bool hexadecimal = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
    if (hexadecimal) end += 2;
    while (end < text_.size() &&
           (digit(text_[end]) || letter(text_[end]) || is_fraction(end) || is_exponent_sign(end, hexadecimal))) {
      if (!hexadecimal && (text_[end] == '.' || text_[end] == 'e' || text_[end] == 'E')) whole = false;
      ++end;
    }
    const std::string_view spelling = text_.substr(at_, end - at_);
    Token& token = push(whole ? TokenKind::integer : TokenKind::real, end);
    if (whole ? read_whole(spelling, hexadecimal, token) : read_real(spelling, token)) return;
    fault_(Code::E0304, token.begin, token.end, fmt::format("'{}' is not a number", spelling),
           std::string(dialect_.numbers));
  }

  void quoted(char quote) {
    const std::size_t end = std::min(text_.find(quote, at_ + 1), text_.find('\n', at_ + 1));
    if (end == std::string_view::npos || text_[end] == '\n')
      return fault_(Code::E0303, at_, text_.size(), "this text has no closing quote", "");
    ++at_;
    push(TokenKind::text, end);
    ++at_;
  }

  /// A point inside of a number, but not the `..` of a range.
  bool is_fraction(std::size_t i) const { return text_[i] == '.' && !(i + 1 < text_.size() && text_[i + 1] == '.'); }
  bool is_exponent_sign(std::size_t i, bool hexadecimal) const {
    return !hexadecimal && (text_[i] == '-' || text_[i] == '+') && (text_[i - 1] == 'e' || text_[i - 1] == 'E') &&
           i > at_;
  }

  static bool read_whole(std::string_view spelling, bool hexadecimal, Token& token) {
    const std::string_view digits = hexadecimal ? spelling.substr(2) : spelling;
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    token.integer = static_cast<std::int64_t>(value);
    token.real = static_cast<double>(value);
    return error == std::errc() && end == digits.data() + digits.size();
  }

  static bool read_real(std::string_view spelling, Token& token) {
    const auto [end, error] = std::from_chars(spelling.data(), spelling.data() + spelling.size(), token.real);
    return error == std::errc() && end == spelling.data() + spelling.size();
  }

  void sign() {
    const std::string_view rest = text_.substr(at_);
    if (rest[0] == '(' || rest[0] == '[') ++depth_;
    if ((rest[0] == ')' || rest[0] == ']') && depth_ > 0) --depth_;
    for (const std::string_view candidate : dialect_.long_signs) {
      if (rest.substr(0, candidate.size()) == candidate) {
        push(TokenKind::sign, at_ + candidate.size());
        return;
      }
    }
    for (const auto& [sign, instead] : dialect_.foreign_signs) {
      if (rest.substr(0, sign.size()) != sign) continue;
      fault_(Code::E0301, at_, at_ + sign.size(), fmt::format("the notation has no '{}'", sign),
             fmt::format("write {}", instead));
      at_ += sign.size();
      return;
    }
    if (dialect_.short_signs.find(rest[0]) != std::string_view::npos) {
      push(TokenKind::sign, at_ + 1);
      return;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0u) == 0x80u) ++end;
    const std::string_view character = text_.substr(at_, end - at_);
    if (contains(kForeignSpaces, character))
      fault_(Code::E0301, at_, end, "this is not an ordinary space", "write a space or nothing");
    else
      fault_(Code::E0301, at_, end, fmt::format("{} no character '{}'", dialect_.name, character),
             std::string(dialect_.operators));
    at_ = end;
  }

  std::string_view text_;
  const Dialect& dialect_;
  Fault fault_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool space_ = false;
};

std::vector<Token> scan(const PlacedText& text, const Dialect& dialect, Diagnostics& diagnostics) {
  const auto report = [&](Code code, std::size_t begin, std::size_t end, std::string message, std::string note) {
    diagnostics.error(code, text.span(begin, end), std::move(message), {std::move(note)});
  };
  return Scanner(text.text, dialect, report).run();
}

}  // namespace

std::vector<Token> tokenize(const PlacedText& text, Diagnostics& diagnostics) { return scan(text, kOps, diagnostics); }

std::vector<Token> tokenize_math(const PlacedText& text, Diagnostics& diagnostics) {
  return scan(text, kMath, diagnostics);
}

std::vector<Token> tokenize_recipe(std::string_view text) {
  const auto fail = [](Code code, std::size_t begin, std::size_t, const std::string& message, const std::string&) {
    throw RecipeError(begin, code == Code::E0301   ? "this character has no meaning here"
                             : code == Code::E0304 ? "this is not a number that 64 bits hold"
                                                   : message);
  };
  std::vector<Token> tokens = Scanner(text, kRecipes, fail).run();
  for (const Token& t : tokens)
    if (t.kind == TokenKind::integer && t.integer < 0) fail(Code::E0304, t.begin, t.end, "", "");
  return tokens;
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 64 || !letter(text[0]) || text[0] == '_') return false;
  if (contains(kWords, text)) return false;
  return all_of(text, is_word);
}

}  // namespace tenon
