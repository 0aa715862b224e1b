// Expressions of the notation by recursive descent.
#include "opdef/notation/notation_parser.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "ir/op/integer_value.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

using notation::node;

constexpr int kDeepest = 200;         // nesting limit; keeps every recursive walk of a tree within its stack
constexpr int kMostOperators = 4000;  // of one text

constexpr std::array<std::string_view, 14> kReducers = {"sum",     "prod",   "max",    "min",     "any",
                                                        "all",     "argmax", "argmin", "bit_xor", "bit_or",
                                                        "bit_and", "fold",   "max_at", "min_at"};

}  // namespace

Syntax notation::node(SyntaxKind kind, std::string_view text, SourceSpan span) {
  Syntax result;
  result.kind = kind;
  result.text = text;
  result.span = std::move(span);
  return result;
}

bool is_reducer(std::string_view name) { return contains(kReducers, name); }

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  if (token.kind == TokenKind::line_end) return "the end of the line";
  return fmt::format("'{}'", token.text);
}

NotationParser::NotationParser(const PlacedText& text, Diagnostics& diagnostics, bool lines)
    : text_(text), diagnostics_(diagnostics) {
  const std::size_t before = diagnostics.size();
  tokens_ = tokenize(text, diagnostics);
  tokens_clean_ = diagnostics.size() == before;
  if (!lines) window(0, tokens_.size() - 1);
}

void NotationParser::window(std::size_t begin, std::size_t end) {
  view_.clear();
  std::copy_if(tokens_.begin() + static_cast<std::ptrdiff_t>(begin), tokens_.begin() + static_cast<std::ptrdiff_t>(end),
               std::back_inserter(view_), [](const Token& t) { return t.kind != TokenKind::line_end; });
  sentinel_ = tokens_[end];
  at_ = 0;
  end_ = view_.size();
  depth_ = 0;
  operators_ = 0;
}

const Token& NotationParser::peek(std::size_t ahead) const {
  return at_ + ahead < end_ ? view_[at_ + ahead] : sentinel_;
}

Token NotationParser::take() {
  const Token token = peek();
  if (at_ < end_) ++at_;
  return token;
}

bool NotationParser::at_end() const { return at_ >= end_; }

bool NotationParser::take_if(std::string_view sign) {
  if (at_end() || !peek().is(sign)) return false;
  ++at_;
  return true;
}

/// What to write where something else follows than the bracket that closes `opened`.
std::string NotationParser::unclosed(const Token& opened) const {
  const Token& next = peek();
  if (next.is("=")) return "a comparison is written ==";
  if (next.text == "for") return "the variables of a reduction are in front of what is reduced: sum[k](X[k])";
  if (next.is(":")) return "a condition is written behind the variables, and there are no slices: sum[k : k < n](X[k])";
  const SourceSpan place = span(opened);
  return fmt::format("it closes the '{}' of line {}, column {}", opened.text, place.line(), place.column());
}

bool NotationParser::expect(std::string_view sign, const Token* opened) {
  if (take_if(sign)) return true;
  std::vector<std::string> notes = {opened != nullptr ? unclosed(*opened)
                                    : sign == ".."    ? "a range is written k in a .. b"
                                                      : "a bracket, comma or operator may be missing before it"};
  const SourceSpan here = span(peek());
  if (peek().kind == TokenKind::end && here.known() && here.file->text().substr(here.begin, 1) == ",")
    notes.push_back("in a list of YAML a comma ends the entry: put it in quotes");
  fail(Code::E0303, peek(), fmt::format("'{}' is expected here, not {}", sign, describe(peek())), std::move(notes));
  return false;
}

void NotationParser::fail(Code code, const Token& token, std::string message, std::vector<std::string> notes) {
  fail(code, span(token), std::move(message), std::move(notes));
}

void NotationParser::fail(Code code, const SourceSpan& place, std::string message, std::vector<std::string> notes) {
  if (!failed_) diagnostics_.error(code, place, std::move(message), std::move(notes));
  failed_ = true;
  at_ = end_;
}

SourceSpan NotationParser::span_from(const Token& first) const {
  const std::size_t last = at_ > 0 ? view_[at_ - 1].end : first.end;
  return text_.span(first.begin, std::max(last, first.end));
}

bool NotationParser::enter() {
  if (++depth_ <= kDeepest && ++operators_ <= kMostOperators) return true;
  fail(Code::E0305, peek(), fmt::format("this is nested more than {} deep", kDeepest),
       {"give parts of the expression names of their own"});
  return false;
}

bool NotationParser::depth_allowed(const Syntax& tree) {
  std::vector<std::pair<const Syntax*, int>> open = {{&tree, 1}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    if (depth > kDeepest) {
      fail(Code::E0305, at->span, fmt::format("this is nested more than {} deep", kDeepest),
           {"give parts of the expression names of their own"});
      return false;
    }
    for (const Syntax& child : at->children) open.emplace_back(&child, depth + 1);
  }
  return true;
}

/// A number of 64 bits that i64 does not hold is one literal: next to a real number it is not taken for negative.
Syntax NotationParser::literal_or(Syntax binary) {
  const auto value = failed_ ? std::nullopt : integer_value(binary);
  if (!value || within(WideInterval{*value, *value}, integers_of(DType::I64))) return binary;
  if (!fits_64_bits(*value)) {
    fail(Code::E0304, binary.span, "this integer does not fit in 64 bits",
         {"a real number has a decimal point: 2.0**64"});
    return binary;
  }
  Syntax literal = node(SyntaxKind::integer, "", binary.span);
  literal.integer = static_cast<std::int64_t>(static_cast<std::uint64_t>(*value));
  return literal;
}

Syntax NotationParser::binary(const Token& op, Syntax left, Syntax right) {
  if (++operators_ > kMostOperators)
    fail(Code::E0305, op, "this expression has too many operators", {"give parts of it names of their own"});
  Syntax result = node(SyntaxKind::binary, op.text, join(left.span, right.span));
  result.children.push_back(std::move(left));
  result.children.push_back(std::move(right));
  return literal_or(std::move(result));
}

namespace {
// Left-associative levels, loosest first; comparisons and negation are between the second and the third.
const std::vector<std::vector<std::string_view>> kLevels = {{"or"}, {"and"}, {"+", "-"}, {"*", "/", "//", "%"}};
constexpr std::size_t kSums = 2;
constexpr std::array<std::string_view, 6> kComparisons = {"==", "!=", "<=", ">=", "<", ">"};

bool one_of(const Token& token, const auto& signs) {
  return token.kind == TokenKind::sign && contains(signs, token.text);
}
}  // namespace

Syntax NotationParser::expression() {
  Syntax result;
  if (!enter()) return result;
  result = binary_level(0);
  --depth_;
  return result;
}

Syntax NotationParser::binary_level(std::size_t level) {
  if (level == kLevels.size()) return unary();
  const auto next = [&] { return level + 1 == kSums ? negation() : binary_level(level + 1); };
  Syntax left = next();
  while (!failed_ && !at_end() && one_of(peek(), kLevels[level])) {
    const Token op = take();
    left = binary(op, std::move(left), next());
  }
  return left;
}

Syntax NotationParser::negation() {
  if (at_end() || !peek().is("not")) return comparison();
  const Token op = take();
  if (!enter()) return {};
  Syntax operand = negation();
  --depth_;
  Syntax result = node(SyntaxKind::unary, "not", join(span(op), operand.span));
  result.children.push_back(std::move(operand));
  return result;
}

/// `a < b <= c` means `a < b and b <= c`.
Syntax NotationParser::comparison() {
  Syntax left = binary_level(kSums);
  if (failed_ || at_end() || !one_of(peek(), kComparisons)) return left;
  Token op = take();
  Syntax right = binary_level(kSums);
  Syntax result = binary(op, std::move(left), right);
  while (!failed_ && !at_end() && one_of(peek(), kComparisons)) {
    op = take();
    Syntax next = binary_level(kSums);
    Token conjunction = op;
    conjunction.text = "and";
    result = binary(conjunction, std::move(result), binary(op, std::move(right), next));
    right = std::move(next);
  }
  return result;
}

Syntax NotationParser::unary() {
  if (at_end() || !(peek().is("-") || peek().is("+"))) return power();
  const Token op = take();
  if (!enter()) return {};
  Syntax operand = unary();
  --depth_;
  if (op.text == "+") return operand;
  Syntax result = node(SyntaxKind::unary, "-", join(span(op), operand.span));
  result.children.push_back(std::move(operand));
  return result;
}

Syntax NotationParser::power() {
  Syntax base = primary();
  if (failed_ || at_end() || !peek().is("**")) return base;
  const Token op = take();
  if (!enter()) return base;
  Syntax exponent = unary();
  --depth_;
  return binary(op, std::move(base), std::move(exponent));
}

Syntax NotationParser::number(const Token& token) {
  Syntax result = node(token.kind == TokenKind::integer ? SyntaxKind::integer : SyntaxKind::real, "", span(token));
  result.integer = token.integer;
  if (token.kind == TokenKind::real) {
    result.real = token.real;
    result.text = token.text;
  }
  return result;
}

Syntax NotationParser::primary() {
  const Token& token = peek();
  if (!at_end()) {
    if (token.kind == TokenKind::integer || token.kind == TokenKind::real) return number(take());
    if (token.kind == TokenKind::name) return named();
    if (token.is("[")) return list();
    if (token.is("(")) {
      const Token opened = take();
      Syntax inner = expression();
      if (!failed_ && !at_end() && (peek().kind == TokenKind::name || peek().kind == TokenKind::integer))
        fail(Code::E0303, peek(), fmt::format("')' is expected here, not {}", describe(peek())),
             {"an operator may be missing; an expression in the index of a split dim has parentheses: (g (m + 1))"});
      if (!failed_) expect(")", &opened);
      return inner;
    }
    if (token.is("*")) {
      fail(Code::E0315, token, "a pack is not allowed here",
           {"*p is an index, a reduced variable, or an argument of lin and size"});
      return {};
    }
  }
  fail(Code::E0302, token, fmt::format("an expression is expected here, not {}", describe(token)),
       {token.is(":") ? "there are no slices: a whole row is read by a variable, X[i,k]"
                      : "a number, a name, a read X[i], a call f(x) or a reduction sum[k](e) is expected here"});
  return {};
}

Syntax NotationParser::named() {
  const Token name = take();
  if (name.text == "inf") return node(SyntaxKind::infinity, "", span(name));
  if (name.text == "true" || name.text == "false") {
    Syntax result = node(SyntaxKind::boolean, "", span(name));
    result.integer = name.text == "true" ? 1 : 0;
    return result;
  }
  if (!at_end() && peek().is("[")) {
    if (is_reducer(name.text)) return reduction(name);
    take();
    Syntax result = node(SyntaxKind::subscript, name.text, {});
    result.children = subs();
    result.span = span_from(name);
    if (!failed_ && !at_end() && peek().is("(") && !peek().space_before) {
      fail(Code::E0402, name, fmt::format("there is no reducer '{}'", name.text),
           {fmt::format("reducers are: {}", joined(kReducers, ", "))});
    }
    return result;
  }
  if (!at_end() && peek().is("(")) {
    take();
    std::vector<Syntax> given = arguments();
    return call_node(std::string(name.text), std::move(given), span_from(name));
  }
  return node(SyntaxKind::name, name.text, span(name));
}

Syntax NotationParser::list() {
  const Token opened = take();
  Syntax result = node(SyntaxKind::list, "", {});
  while (!failed_ && !at_end() && !peek().is("]")) {
    result.children.push_back(expression());
    if (!take_if(",")) break;
  }
  if (!failed_) expect("]", &opened);
  result.span = span_from(opened);
  return result;
}

Syntax NotationParser::reduced_variable() {
  const Token first = peek();
  const bool pack = take_if("*");
  if (at_end() || peek().kind != TokenKind::name) {
    fail(Code::E0310, peek(), fmt::format("a variable to reduce over is expected here, not {}", describe(peek())),
         {"write sum[k](e), sum[j, *q](e) or sum[k : k <= i](e)"});
    return {};
  }
  const Token name = take();
  Syntax result = node(pack ? SyntaxKind::pack : SyntaxKind::name, name.text, span_from(first));
  if (!pack && !at_end() && peek().kind == TokenKind::name && peek().text == "in") range(result);
  return result;
}

/// `in a .. b` after the name of a variable.
void NotationParser::range(Syntax& variable) {
  take();
  variable.children.push_back(expression());
  if (!failed_ && expect("..")) variable.children.push_back(expression());
}

bool NotationParser::range_ahead() const {
  return !at_end() && peek().kind == TokenKind::name && peek(1).kind == TokenKind::name && peek(1).text == "in";
}

/// `a = start,` of a fold.
Syntax NotationParser::accumulator() {
  const Token name = peek();
  if (name.kind != TokenKind::name || !peek(1).is("=")) {
    fail(Code::E0310, name, fmt::format("the accumulator of the fold is expected here, not {}", describe(name)),
         {"write fold[k](a = start, expression over a)"});
    return {};
  }
  take();
  take();
  Syntax result = node(SyntaxKind::keyword, name.text, span(name));
  result.children.push_back(expression());
  if (!failed_) expect(",");
  return result;
}

Syntax NotationParser::reduction(const Token& name) {
  const Token opened = take();
  Syntax result = node(SyntaxKind::reduce, name.text, {});
  Syntax variables = node(SyntaxKind::list, "", span(opened));
  do {
    variables.children.push_back(reduced_variable());
  } while (!failed_ && take_if(","));
  variables.span = span_from(opened);
  std::vector<Syntax> predicate;
  if (!failed_ && take_if(":")) predicate.push_back(expression());
  if (!failed_ && !at_end() && (peek().is("=") || one_of(peek(), kComparisons)))
    fail(Code::E0303, peek(), fmt::format("']' is expected here, not {}", describe(peek())),
         {fmt::format("a range is written {0}[k in a .. b](…), a condition {0}[k : k < n](…)", name.text)});
  if (!failed_) expect("]", &opened);
  if (!failed_ && (at_end() || !peek().is("("))) {
    fail(Code::E0310, peek(), fmt::format("'(' and what is reduced are expected after {}[…]", name.text),
         {fmt::format("write {}[k](expression)", name.text),
          fmt::format("a value that is called {} cannot be read: use another name", name.text)});
  }
  const Token bracket = take();
  std::vector<Syntax> start;
  if (!failed_ && name.text == "fold") start.push_back(accumulator());
  Syntax value = failed_ ? Syntax() : expression();
  if (!failed_ && !start.empty() && value.is(SyntaxKind::name) && peek().is("="))
    fail(Code::E0303, peek(), "a fold has one accumulator",
         {"for several, write statements over k that read their elements at k - 1"});
  if (!failed_) expect(")", &bracket);
  result.children.push_back(std::move(variables));
  result.children.push_back(std::move(value));
  append(result.children, std::move(predicate));
  append(result.children, std::move(start));
  result.span = span_from(name);
  return result;
}

}  // namespace tenon
