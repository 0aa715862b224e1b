// Recursive descent over the steps of math entries.
#include "opdef/notation/math_parser.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "support/joined.h"
#include "support/tokens.h"

namespace tenon {
namespace {

/// Operators of one binding strength, weakest first; comparisons are between `and` and `|`.
constexpr std::string_view kMathLevels[][6] = {
    {"or"}, {"and"}, {"<", "<=", ">", ">=", "==", "!="}, {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/"}};
constexpr size_t kNotLevel = 2;
constexpr int kDepth = 100;

std::string_view type_name(MathType t) {
  return t == MathType::Float ? "a float" : t == MathType::Int ? "an integer" : "a condition";
}

bool fits(char letter, MathType t) {
  if (letter == 'a') return t != MathType::Mask;
  return letter == (t == MathType::Float ? 'f' : t == MathType::Int ? 'i' : 'm');
}

std::optional<MathOp> find_op(std::string_view spelling, size_t arguments) {
  for (const MathOpRow& row : all_math_ops())
    if (row.spelling == spelling && row.arguments.size() == arguments) return row.op;
  return std::nullopt;
}

class Parser {
 public:
  Parser(const PlacedText& text, MathScope& scope, Diagnostics& diagnostics)
      : text_(text), scope_(scope), diagnostics_(diagnostics) {
    const size_t before = diagnostics.size();
    tokens_ = tokenize_math(text, diagnostics);
    failed_ = diagnostics.size() > before;
  }

  bool failed() const { return failed_; }

  bool steps(std::vector<MathStep>& out) {
    while (!failed_ && peek().kind != TokenKind::end) {
      if (peek().kind == TokenKind::line_end) {
        ++at_;
        continue;
      }
      step(out);
      if (!failed_ && peek().kind != TokenKind::end && peek().kind != TokenKind::line_end)
        fail(Code::E0308, "a step ends with its line", "one step a line; an operator or bracket may be missing");
    }
    return !failed_;
  }

  MathExpr whole() {
    MathExpr e = expression();
    while (peek().kind == TokenKind::line_end) ++at_;
    if (peek().kind != TokenKind::end)
      fail(Code::E0308, "the expression ends before this", "an operator may be missing");
    return e;
  }

 private:
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view sign) const {
    return (peek().kind == TokenKind::sign || peek().kind == TokenKind::name) && peek().text == sign;
  }
  bool take_if(std::string_view sign) {
    if (failed_ || !is(sign)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take_if(sign)) fail(Code::E0303, fmt::format("'{}' is expected here", sign), fmt::format("write '{}'", sign));
  }
  SourceSpan place(const Token& t) const {
    return text_.span(t.begin, std::max(t.end, t.begin + (t.begin < text_.text.size() ? 1 : 0)));
  }
  SourceSpan place_from(const Token& first) const {
    return text_.span(first.begin, at_ > 0 ? tokens_[at_ - 1].end : first.end);
  }
  void fail(Code code, std::string message, std::string note) {
    fail(code, place(peek()), std::move(message), std::move(note));
  }
  void fail(Code code, SourceSpan where, std::string message, std::string note) {
    if (!failed_) diagnostics_.error(code, std::move(where), std::move(message), {std::move(note)});
    failed_ = true;
  }

  void step(std::vector<MathStep>& out) {
    std::vector<Token> names;
    do {
      if (peek().kind != TokenKind::name)
        return fail(Code::E0306, "a step begins with the name of its value", "write name = expression");
      names.push_back(peek());
      ++at_;
    } while (take_if(","));
    expect("=");
    if (failed_) return;
    if (names.size() > 1) return unpack(names, out);
    const std::string name(names[0].text);
    if (is("rare")) return rare(names[0], out);
    MathExpr value = expression();
    define(names[0], value.type);
    out.push_back(MathLet{name, std::move(value)});
  }

  void define(const Token& name, MathType type) {
    if (failed_) return;
    if (!is_name(name.text) || name.text == "nan")
      return fail(Code::E0204, place(name), fmt::format("'{}' cannot be the name of a value", name.text),
                  "choose another name");
    if (!scope_.names.emplace(name.text, type).second)
      fail(Code::E0406, place(name), fmt::format("'{}' has a value already", name.text),
           "each step defines a name of its own");
  }

  void unpack(const std::vector<Token>& names, std::vector<MathStep>& out) {
    const Token first = peek();
    const std::string function(first.text);
    ++at_;
    const MathFunction* f = first.kind == TokenKind::name && is("(") ? callee(function, first) : nullptr;
    if (f == nullptr)
      return fail(Code::E0306, place(first), "several names take the results of a call", "write a, b = function(x)");
    MathUnpack step{{}, {function, arguments(*f)}, {}};
    if (failed_) return;
    if (f->results.size() != names.size())
      return fail(Code::E0426, place_from(first), fmt::format("{} has {} results", function, f->results.size()),
                  "give one name a result");
    for (size_t i = 0; i < names.size(); ++i) {
      step.names.emplace_back(names[i].text);
      step.types.push_back(f->results[i].type);
      define(names[i], step.types.back());
    }
    out.push_back(std::move(step));
  }

  void rare(const Token& name, std::vector<MathStep>& out) {
    const Token first = peek();
    ++at_;
    std::vector<MathExpr> parts = list();
    if (failed_) return;
    if (parts.size() != 3 || parts[0].type != MathType::Mask || parts[1].type != parts[2].type ||
        !std::holds_alternative<MathCall>(parts[1].node))
      return fail(Code::E0403, place_from(first), "rare takes a condition, a call and the usual value",
                  "write rare(x > 1e5, slow(x), usual)");
    define(name, parts[1].type);
    out.push_back(MathRare{std::string(name.text), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
  }

  MathExpr expression(size_t level = 0) {
    if (level == std::size(kMathLevels)) return unary();
    if (level == kNotLevel && is("not")) {
      const Token first = peek();
      ++at_;
      std::vector<MathExpr> args;
      args.push_back(expression(level));
      return apply(MathOp::Not, std::move(args), first);
    }
    const Token first = peek();
    MathExpr left = expression(level + 1);
    while (!failed_) {
      std::string_view found;
      for (const std::string_view op : kMathLevels[level])
        if (!op.empty() && is(op)) found = op;
      if (found.empty()) break;
      ++at_;
      std::vector<MathExpr> args;
      args.push_back(std::move(left));
      args.push_back(expression(level + 1));
      left = apply(*find_op(found, 2), std::move(args), first);
    }
    return left;
  }

  MathExpr unary() {
    const Token first = peek();
    if (is("-") || is("~")) {
      ++at_;
      std::vector<MathExpr> args;
      args.push_back(unary());
      if (failed_) return {};
      // A negative constant is one number, not an operation.
      if (auto* n = std::get_if<MathNumber>(&args[0].node); n != nullptr && first.text == "-")
        return {MathType::Float, MathNumber{-n->value}};
      if (auto* i = std::get_if<MathInteger>(&args[0].node))
        return {MathType::Int, MathInteger{mask(first.text == "-" ? 0 - i->bits : ~i->bits)}};
      return apply(first.text == "-" ? MathOp::Neg : MathOp::BitNot, std::move(args), first);
    }
    return primary();
  }

  uint64_t mask(uint64_t bits) const { return bytes_of(scope_.dtype) == 4 ? bits & 0xffffffffu : bits; }

  MathExpr primary() {
    const Token first = peek();
    if (failed_ || ++depth_ > kDepth) {
      fail(Code::E0305, "this is nested too deeply", "give parts of it names of their own");
      return {};
    }
    MathExpr e;
    if (take_if("(")) {
      e = expression();
      expect(")");
    } else if (first.kind == TokenKind::integer) {
      ++at_;
      const auto bits = static_cast<uint64_t>(first.integer);
      e = {MathType::Int, MathInteger{bits}};
      if (mask(bits) != bits)
        fail(Code::E0304, place(first), "this integer is larger than the entry's type",
             "write at most 8 hexadecimal digits for f32");
    } else if (first.kind == TokenKind::real) {
      ++at_;
      e = {MathType::Float, MathNumber{first.real}};
    } else if (first.kind == TokenKind::name) {
      ++at_;
      e = is("(") ? called(first) : named(first);
    } else {
      fail(Code::E0302, "a number, a name, a call or a parenthesis is expected here", "the step may end too early");
    }
    --depth_;
    return e;
  }

  MathExpr named(const Token& name) {
    if (name.text == "inf") return {MathType::Float, MathNumber{std::numeric_limits<double>::infinity()}};
    if (name.text == "nan") return {MathType::Float, MathNumber{std::numeric_limits<double>::quiet_NaN()}};
    const auto found = scope_.names.find(std::string(name.text));
    if (found != scope_.names.end()) return {found->second, MathName{found->first}};
    std::vector<std::string> known;
    for (const auto& [n, t] : scope_.names) known.push_back(n);
    fail(Code::E0401, place(name), fmt::format("nothing before defines '{}'", name.text),
         did_you_mean(name.text, known, "values are the arguments and the results of earlier steps"));
    return {};
  }

  std::vector<MathExpr> list() {
    std::vector<MathExpr> args;
    expect("(");
    if (take_if(")")) return args;
    do args.push_back(expression());
    while (!failed_ && take_if(","));
    expect(")");
    return args;
  }

  MathExpr called(const Token& name) {
    for (const MathOpRow& row : all_math_ops())
      if (row.spelling == name.text && !row.is_operator()) return apply(row.op, list(), name);
    const MathFunction* f = callee(std::string(name.text), name);
    if (f == nullptr) return {};
    MathExpr e{MathType::Float, MathCall{f->name, arguments(*f)}};
    if (failed_) return {};
    if (f->results.size() != 1)
      fail(Code::E0426, place(name), fmt::format("{} has {} results", f->name, f->results.size()),
           "take them apart: a, b = function(x)");
    if (!failed_) e.type = f->results[0].type;
    return e;
  }

  const MathFunction* callee(const std::string& name, const Token& token) {
    if (failed_) return nullptr;
    const MathFunction* f = scope_.lookup(name, place(token));
    if (f == nullptr) failed_ = true;
    return f;
  }

  std::vector<MathExpr> arguments(const MathFunction& f) {
    const Token first = peek();
    std::vector<MathExpr> args = list();
    if (failed_) return args;
    bool good = args.size() == f.parameters.size();
    for (size_t i = 0; good && i < args.size(); ++i) good = args[i].type == f.parameters[i].type;
    const auto text = [](const MathParameter& p) { return fmt::format("{} {}", type_name(p.type), p.name); };
    if (!good)
      fail(Code::E0403, place_from(first), fmt::format("these are not the arguments of {}", f.name),
           "it takes " + joined(f.parameters, ", ", text));
    return args;
  }

  /// The index, and as many numbers as two registers hold.
  MathExpr lookup(std::vector<MathExpr> args, const Token& first) {
    const size_t entries = bytes_of(scope_.dtype) == 4 ? 32 : 16;
    bool good = args.size() == 1 + entries && args[0].type == MathType::Int;
    for (size_t i = 1; good && i < args.size(); ++i) good = std::holds_alternative<MathNumber>(args[i].node);
    if (!good)
      fail(Code::E0436, place_from(first), fmt::format("a lookup takes an integer and {} numbers", entries),
           "write lookup(i, 1.0, 0.5, …)");
    return {MathType::Float, MathApply{MathOp::Lookup, std::move(args)}};
  }

  MathExpr apply(MathOp op, std::vector<MathExpr> args, const Token& first) {
    if (failed_) return {};
    const MathOpRow& row = math_op_row(op);
    if (op == MathOp::Lookup) return lookup(std::move(args), first);
    bool good = args.size() == row.arguments.size();
    std::optional<MathType> any;
    for (size_t i = 0; good && i < args.size(); ++i) {
      good = fits(row.arguments[i], args[i].type);
      if (row.arguments[i] != 'a') continue;
      if (any && *any != args[i].type) good = false;
      any = args[i].type;
    }
    if (!good) {
      const std::string got = joined(args, ", ", [](const MathExpr& a) { return type_name(a.type); });
      fail(Code::E0436, place_from(first), fmt::format("'{}' does not take {}", row.spelling, got),
           "numbers with a point are floats, others integers; bits() and float_of() turn one into the other");
      return {};
    }
    const MathType type = row.result == 'a'   ? *any
                          : row.result == 'f' ? MathType::Float
                          : row.result == 'i' ? MathType::Int
                                              : MathType::Mask;
    return {type, MathApply{op, std::move(args)}};
  }

  const PlacedText& text_;
  MathScope& scope_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

bool parse_math_steps(const PlacedText& text, MathScope& scope, std::vector<MathStep>& out, Diagnostics& diagnostics) {
  Parser parser(text, scope, diagnostics);
  return !parser.failed() && parser.steps(out);
}

bool parse_math_expression(const PlacedText& text, MathScope& scope, MathExpr& out, Diagnostics& diagnostics) {
  Parser parser(text, scope, diagnostics);
  if (parser.failed()) return false;
  out = parser.whole();
  return !parser.failed();
}

}  // namespace tenon
