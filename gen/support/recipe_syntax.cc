// Parser of recipes: recursive descent over their tokens.
#include "support/recipe_syntax.h"

#include <utility>

#include "support/ranges.h"
#include "support/tokens.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;

// Deeper nesting than a person writes would exhaust the stack.
constexpr int kMaxDepth = 200;
constexpr int kMaxChain = 1000;

/// Operators of one binding strength each, weakest first.
using Operators = std::vector<std::string_view>;
const std::vector<Operators> kLevels = {
    {"or"}, {"and"}, {"not"}, {"==", "!=", "<", "<=", ">", ">=", "in"}, {"+", "-"}, {"*", "/", "//", "%", "@"}, {"-"}};
constexpr size_t kNot = 2, kMinus = 6;  // prefix operators

class RecipeParser {
 public:
  explicit RecipeParser(std::string_view text) : tokens_(tokenize_recipe(text)) {}

  std::vector<RecipeStatement> statements() {
    std::vector<RecipeStatement> all;
    while (true) {
      while (look().kind == TokenKind::line_end) ++at_;
      if (look().kind == TokenKind::end) return all;
      all.push_back(statement());
      end_of_line();
    }
  }

  RecipeExpr single() {
    RecipeExpr e = expr();
    end_of_line();
    while (look().kind == TokenKind::line_end) ++at_;
    if (look().kind != TokenKind::end) fail("one expression is expected here");
    return e;
  }

 private:
  const Token& look(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool sees(std::string_view p, size_t ahead = 0) const { return look(ahead).is(p); }
  bool sees_word(std::string_view w) const { return look().kind == TokenKind::name && look().text == w; }
  bool sees_operator(const Operators& spellings) const {
    return (look().kind == TokenKind::sign || look().kind == TokenKind::name) && contains(spellings, look().text);
  }
  [[noreturn]] void fail(const std::string& message) const { throw RecipeError(look().begin, message); }

  bool take(std::string_view p) {
    if (!sees(p)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view p) {
    if (!take(p)) fail("'" + std::string(p) + "' is expected here");
  }
  std::string name() {
    if (look().kind != TokenKind::name) fail("a name is expected here");
    return std::string(tokens_[at_++].text);
  }
  void end_of_line() {
    if (look().kind == TokenKind::end) return;
    if (look().kind != TokenKind::line_end) fail("the end of the statement is expected here");
    ++at_;
  }

  static RecipeExpr make(Kind kind, size_t offset, std::string_view text, std::vector<RecipeExpr> args = {}) {
    RecipeExpr e;
    e.kind = kind;
    e.offset = offset;
    e.text = text;
    e.args = std::move(args);
    return e;
  }

  bool starts_assignment() const {
    size_t k = 0;
    while (look(k).kind == TokenKind::name && sees(",", k + 1)) k += 2;
    return look(k).kind == TokenKind::name && sees("=", k + 1);
  }

  RecipeStatement statement() {
    RecipeStatement s;
    chain_ = 0;
    s.offset = look().begin;
    if (starts_assignment()) {
      do s.targets.push_back(name());
      while (take(","));
      expect("=");
    }
    s.value = expr();
    return s;
  }

  RecipeExpr expr() {
    if (++depth_ > kMaxDepth) fail("this expression is nested too deeply");
    RecipeExpr e = operators();
    if (sees_word("if")) {
      const size_t offset = tokens_[at_++].begin;
      RecipeExpr condition = operators();
      if (!sees_word("else")) fail("'else' is expected here");
      ++at_;
      RecipeExpr otherwise = expr();
      e = make(Kind::conditional, offset, "if", {std::move(condition), std::move(e), std::move(otherwise)});
    }
    --depth_;
    return e;
  }

  RecipeExpr operators(size_t level = 0) {
    if (level == kLevels.size()) return power();
    const Operators& spellings = kLevels[level];
    if (level == kNot || level == kMinus) {
      if (!sees_operator(spellings)) return operators(level + 1);
      if (++depth_ > kMaxDepth) fail("this expression is nested too deeply");
      const Token op = tokens_[at_++];
      RecipeExpr e = make(Kind::unary, op.begin, op.text, {operators(level)});
      --depth_;
      return e;
    }
    RecipeExpr e = operators(level + 1);
    while (sees_operator(spellings)) e = infix(std::move(e), level + 1);
    return e;
  }

  RecipeExpr infix(RecipeExpr left, size_t level) {
    if (++chain_ > kMaxChain) fail("this statement is too long: give its parts names");
    const Token op = tokens_[at_++];
    RecipeExpr right = operators(level);
    return make(Kind::binary, op.begin, op.text, {std::move(left), std::move(right)});
  }

  // x**-y is a power too, and x**y**z is x**(y**z).
  RecipeExpr power() {
    RecipeExpr e = postfix();
    if (!sees("**")) return e;
    if (++depth_ > kMaxDepth) fail("this expression is nested too deeply");
    e = infix(std::move(e), kMinus);
    --depth_;
    return e;
  }

  RecipeExpr postfix() {
    RecipeExpr e = primary();
    while (sees("[")) {
      if (++chain_ > kMaxChain) fail("this statement is too long: give its parts names");
      const size_t offset = tokens_[at_++].begin;
      RecipeExpr from = sees(":") ? make(Kind::nothing, offset, "") : expr();
      if (take(":")) {
        RecipeExpr to = sees("]") ? make(Kind::nothing, offset, "") : expr();
        e = make(Kind::slice, offset, "", {std::move(e), std::move(from), std::move(to)});
      } else {
        e = make(Kind::index, offset, "", {std::move(e), std::move(from)});
      }
      expect("]");
    }
    return e;
  }

  RecipeExpr primary() {
    const Token t = look();
    if (t.kind == TokenKind::integer || t.kind == TokenKind::real) {
      ++at_;
      RecipeExpr e = make(t.kind == TokenKind::integer ? Kind::integer : Kind::real, t.begin, t.text);
      e.integer = t.integer;
      e.real = t.real;
      return e;
    }
    if (t.kind == TokenKind::text) {
      ++at_;
      return make(Kind::text, t.begin, t.text);
    }
    if (take("(")) {
      RecipeExpr e = expr();
      expect(")");
      return e;
    }
    if (sees("[")) return list();
    if (t.kind != TokenKind::name) fail("an expression is expected here");
    ++at_;
    return sees("(") ? call(t) : make(Kind::name, t.begin, t.text);
  }

  RecipeExpr call(const Token& callee) {
    std::vector<RecipeExpr> args;
    expect("(");
    while (!sees(")")) {
      args.push_back(argument());
      if (!take(",")) break;
    }
    expect(")");
    return make(Kind::call, callee.begin, callee.text, std::move(args));
  }

  RecipeExpr argument() {
    const size_t offset = look().begin;
    if (take("*")) return make(Kind::splat, offset, "", {expr()});
    if (take("**")) {
      const size_t at = look().begin;
      return make(Kind::splat, offset, "**", {make(Kind::name, at, name())});
    }
    if (look().kind == TokenKind::name && sees("=", 1)) {
      const std::string keyword = name();
      expect("=");
      return make(Kind::keyword, offset, keyword, {expr()});
    }
    return expr();
  }

  RecipeExpr list() {
    const size_t offset = look().begin;
    expect("[");
    std::vector<RecipeExpr> elements;
    while (!sees("]")) {
      elements.push_back(sees("*") ? argument() : expr());
      if (elements.size() == 1 && sees_word("for")) return comprehension(offset, std::move(elements[0]));
      if (!take(",")) break;
    }
    expect("]");
    return make(Kind::list, offset, "", std::move(elements));
  }

  RecipeExpr comprehension(size_t offset, RecipeExpr element) {
    ++at_;
    const std::string variable = name();
    if (!sees_word("in")) fail("'in' is expected here");
    ++at_;
    RecipeExpr over = expr();
    expect("]");
    return make(Kind::comprehension, offset, variable, {std::move(element), std::move(over)});
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int chain_ = 0;
};

}  // namespace

std::optional<RecipeHead> parse_recipe_head(std::string_view text) {
  const auto named = [](const RecipeExpr& a) { return a.kind == RecipeExpr::Kind::name; };
  try {
    const RecipeExpr call = parse_recipe_expr(text);
    if (call.kind != RecipeExpr::Kind::call || !all_of(call.args, named)) return std::nullopt;
    return RecipeHead{call.text, mapped(call.args, &RecipeExpr::text)};
  } catch (const RecipeError&) {
    return std::nullopt;
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<RecipeStatement> parse_recipe(std::string_view text) { return RecipeParser(text).statements(); }
RecipeExpr parse_recipe_expr(std::string_view text) { return RecipeParser(text).single(); }

}  // namespace tenon
