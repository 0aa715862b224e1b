// Splits a recipe into tokens.
#include "support/recipe_tokens.h"

#include <charconv>

#include "support/c_names.h"
#include "support/recipe_syntax.h"

namespace tenon {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class RecipeScanner {
 public:
  explicit RecipeScanner(std::string_view text) : text_(text) {}

  std::vector<RecipeToken> run() {
    while (skip_blanks(), at_ < text_.size()) next();
    push(RecipeToken::Kind::line_end, at_, "");
    push(RecipeToken::Kind::end, at_, "");
    return std::move(tokens_);
  }

 private:
  char look(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void push(RecipeToken::Kind kind, size_t offset, std::string_view text) {
    RecipeToken t;
    t.kind = kind;
    t.offset = offset;
    t.text = std::string(text);
    tokens_.push_back(std::move(t));
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (look() == '#')
        while (at_ < text_.size() && look() != '\n') ++at_;
      else if (look() == ' ' || look() == '\t' || look() == '\r' || (look() == '\n' && depth_ > 0)) ++at_;
      else break;
    }
  }

  void next() {
    const char c = look();
    if (c == '\n') {
      push(RecipeToken::Kind::line_end, at_, "");
      ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(look(1)))) {
      number();
    } else if (is_word(c)) {
      const size_t begin = at_;
      while (is_word(look())) ++at_;
      push(RecipeToken::Kind::name, begin, text_.substr(begin, at_ - begin));
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else {
      punctuation();
    }
  }

  void number() {
    const size_t begin = at_;
    bool real = false;
    while (is_digit(look())) ++at_;
    if (look() == '.' && is_digit(look(1))) {
      real = true;
      ++at_;
      while (is_digit(look())) ++at_;
    } else if (look() == '.' && !is_word(look(1))) {
      real = true;
      ++at_;
    }
    if ((look() == 'e' || look() == 'E') &&
        (is_digit(look(1)) || ((look(1) == '-' || look(1) == '+') && is_digit(look(2))))) {
      real = true;
      at_ += 2;
      while (is_digit(look())) ++at_;
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
    push(real ? RecipeToken::Kind::real : RecipeToken::Kind::integer, begin, digits);
    RecipeToken& t = tokens_.back();
    const char* end = digits.data() + digits.size();
    const auto r = real ? std::from_chars(digits.data(), end, t.real) : std::from_chars(digits.data(), end, t.integer);
    if (r.ec != std::errc() || is_word(look())) throw RecipeError(begin, "this is not a number that 64 bits hold");
  }

  void quoted(char quote) {
    const size_t begin = at_++;
    while (look() != quote) {
      if (at_ >= text_.size() || look() == '\n') throw RecipeError(begin, "this text has no closing quote");
      ++at_;
    }
    push(RecipeToken::Kind::text, begin, text_.substr(begin + 1, at_ - begin - 1));
    ++at_;
  }

  void punctuation() {
    static constexpr std::string_view pairs[] = {"//", "==", "!=", "<=", ">=", "**"};
    static constexpr std::string_view singles = "()[],=:+-*/%<>";
    for (std::string_view p : pairs)
      if (text_.substr(at_, 2) == p) {
        push(RecipeToken::Kind::punctuation, at_, p);
        at_ += 2;
        return;
      }
    if (singles.find(look()) == std::string_view::npos) throw RecipeError(at_, "this character has no meaning here");
    if (look() == '(' || look() == '[') ++depth_;
    if ((look() == ')' || look() == ']') && depth_ > 0) --depth_;
    push(RecipeToken::Kind::punctuation, at_, text_.substr(at_, 1));
    ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<RecipeToken> tokens_;
};

}  // namespace

std::vector<RecipeToken> split_recipe(std::string_view text) { return RecipeScanner(text).run(); }

}  // namespace tenon
