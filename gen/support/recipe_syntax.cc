// Parser of recipes: recursive descent over their tokens.
#include "support/recipe_syntax.h"

#include <utility>

#include "support/recipe_tokens.h"

namespace tenon {
namespace {

using Kind = RecipeExpr::Kind;
using Token = RecipeToken::Kind;

// Deeper nesting than a person writes would exhaust the stack.
constexpr int kMaxDepth = 200;
constexpr int kMaxChain = 1000;

class RecipeParser {
 public:
  explicit RecipeParser(std::string_view text) : tokens_(split_recipe(text)) {}

  std::vector<RecipeStatement> statements() {
    std::vector<RecipeStatement> all;
    while (true) {
      while (look().kind == Token::line_end) ++at_;
      if (look().kind == Token::end) return all;
      all.push_back(statement());
      end_of_line();
    }
  }

  RecipeExpr single() {
    RecipeExpr e = expr();
    end_of_line();
    while (look().kind == Token::line_end) ++at_;
    if (look().kind != Token::end) fail("one expression is expected here");
    return e;
  }

 private:
  const RecipeToken& look(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool sees(std::string_view p, size_t ahead = 0) const {
    return look(ahead).kind == Token::punctuation && look(ahead).text == p;
  }
  bool sees_word(std::string_view w) const { return look().kind == Token::name && look().text == w; }
  [[noreturn]] void fail(const std::string& message) const { throw RecipeError(look().offset, message); }

  bool take(std::string_view p) {
    if (!sees(p)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view p) {
    if (!take(p)) fail("'" + std::string(p) + "' is expected here");
  }
  std::string name() {
    if (look().kind != Token::name) fail("a name is expected here");
    return tokens_[at_++].text;
  }
  void end_of_line() {
    if (look().kind != Token::line_end) fail("the end of the statement is expected here");
    ++at_;
  }

  static RecipeExpr make(Kind kind, size_t offset, std::string text, std::vector<RecipeExpr> args = {}) {
    RecipeExpr e;
    e.kind = kind;
    e.offset = offset;
    e.text = std::move(text);
    e.args = std::move(args);
    return e;
  }

  bool starts_assignment() const {
    size_t k = 0;
    while (look(k).kind == Token::name && sees(",", k + 1)) k += 2;
    return look(k).kind == Token::name && sees("=", k + 1);
  }

  RecipeStatement statement() {
    RecipeStatement s;
    chain_ = 0;
    s.offset = look().offset;
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
    RecipeExpr e = disjunction();
    if (sees_word("if")) {
      const size_t offset = tokens_[at_++].offset;
      RecipeExpr condition = disjunction();
      if (!sees_word("else")) fail("'else' is expected here");
      ++at_;
      RecipeExpr otherwise = expr();
      e = make(Kind::conditional, offset, "if", {std::move(condition), std::move(e), std::move(otherwise)});
    }
    --depth_;
    return e;
  }

  RecipeExpr disjunction() {
    RecipeExpr e = conjunction();
    while (sees_word("or")) e = infix(std::move(e), &RecipeParser::conjunction);
    return e;
  }
  RecipeExpr conjunction() {
    RecipeExpr e = negation();
    while (sees_word("and")) e = infix(std::move(e), &RecipeParser::negation);
    return e;
  }
  RecipeExpr negation() {
    if (!sees_word("not")) return comparison();
    if (++depth_ > kMaxDepth) fail("this expression is nested too deeply");
    const size_t offset = tokens_[at_++].offset;
    RecipeExpr e = make(Kind::unary, offset, "not", {negation()});
    --depth_;
    return e;
  }
  RecipeExpr comparison() {
    RecipeExpr e = sum();
    while (sees("==") || sees("!=") || sees("<") || sees("<=") || sees(">") || sees(">=") || sees_word("in"))
      e = infix(std::move(e), &RecipeParser::sum);
    return e;
  }
  RecipeExpr sum() {
    RecipeExpr e = term();
    while (sees("+") || sees("-")) e = infix(std::move(e), &RecipeParser::term);
    return e;
  }
  RecipeExpr term() {
    RecipeExpr e = factor();
    while (sees("*") || sees("/") || sees("//") || sees("%")) e = infix(std::move(e), &RecipeParser::factor);
    return e;
  }
  RecipeExpr factor() {
    if (!sees("-")) return postfix();
    if (++depth_ > kMaxDepth) fail("this expression is nested too deeply");
    const size_t offset = tokens_[at_++].offset;
    RecipeExpr e = make(Kind::unary, offset, "-", {factor()});
    --depth_;
    return e;
  }

  RecipeExpr infix(RecipeExpr left, RecipeExpr (RecipeParser::*operand)()) {
    if (++chain_ > kMaxChain) fail("this statement is too long: give its parts names");
    const RecipeToken op = tokens_[at_++];
    RecipeExpr right = (this->*operand)();
    return make(Kind::binary, op.offset, op.text, {std::move(left), std::move(right)});
  }

  RecipeExpr postfix() {
    RecipeExpr e = primary();
    while (sees("[")) {
      if (++chain_ > kMaxChain) fail("this statement is too long: give its parts names");
      const size_t offset = tokens_[at_++].offset;
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
    const RecipeToken t = look();
    if (t.kind == Token::integer || t.kind == Token::real) {
      ++at_;
      RecipeExpr e = make(t.kind == Token::integer ? Kind::integer : Kind::real, t.offset, t.text);
      e.integer = t.integer;
      e.real = t.real;
      return e;
    }
    if (t.kind == Token::text) {
      ++at_;
      return make(Kind::text, t.offset, t.text);
    }
    if (take("(")) {
      RecipeExpr e = expr();
      expect(")");
      return e;
    }
    if (sees("[")) return list();
    if (t.kind != Token::name) fail("an expression is expected here");
    ++at_;
    return sees("(") ? call(t) : make(Kind::name, t.offset, t.text);
  }

  RecipeExpr call(const RecipeToken& callee) {
    std::vector<RecipeExpr> args;
    expect("(");
    while (!sees(")")) {
      args.push_back(argument());
      if (!take(",")) break;
    }
    expect(")");
    return make(Kind::call, callee.offset, callee.text, std::move(args));
  }

  RecipeExpr argument() {
    const size_t offset = look().offset;
    if (take("*")) return make(Kind::splat, offset, "", {expr()});
    if (take("**")) {
      const size_t at = look().offset;
      return make(Kind::splat, offset, "**", {make(Kind::name, at, name())});
    }
    if (look().kind == Token::name && sees("=", 1)) {
      std::string keyword = name();
      expect("=");
      return make(Kind::keyword, offset, std::move(keyword), {expr()});
    }
    return expr();
  }

  RecipeExpr list() {
    const size_t offset = look().offset;
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
    std::string variable = name();
    if (!sees_word("in")) fail("'in' is expected here");
    ++at_;
    RecipeExpr over = expr();
    expect("]");
    return make(Kind::comprehension, offset, std::move(variable), {std::move(element), std::move(over)});
  }

  std::vector<RecipeToken> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int chain_ = 0;
};

}  // namespace

std::vector<RecipeStatement> parse_recipe(std::string_view text) { return RecipeParser(text).statements(); }
RecipeExpr parse_recipe_expr(std::string_view text) { return RecipeParser(text).single(); }

}  // namespace tenon
