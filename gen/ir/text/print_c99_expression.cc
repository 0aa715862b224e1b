// Spells expressions of C with the parentheses that they need.
#include <fmt/format.h>

#include <cctype>

#include "ir/text/print_c99.h"
#include "support/check.h"

namespace tenon {
namespace {

/// Binding strength: a larger one binds tighter.
enum Level : int {
  Lowest,
  Ternary,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Prefix,
  Postfix
};

Level level_of(std::string_view op) {
  const char second = op.size() > 1 ? op[1] : '\0';
  switch (op[0]) {
    case '+':
    case '-': return Additive;
    case '*':
    case '/':
    case '%': return Multiplicative;
    case '<':
    case '>': return second == op[0] ? Shift : Relational;
    case '=':
    case '!': return Equality;
    case '&': return second ? LogicalAnd : BitAnd;
    case '|': return second ? LogicalOr : BitOr;
    case '^': return BitXor;
    default: TENON_UNREACHABLE("operator {}", op);
  }
}

bool is_arithmetic(Level l) { return l == Additive || l == Multiplicative; }

/// The lowest precedence of an operand of a binary operator that needs no parentheses. Mixed bit, shift and logical
/// operators get parentheses that the grammar does not need: readers (and -Wparentheses) want them.
Level needed(Level outer, bool right) {
  if (is_arithmetic(outer)) return right ? static_cast<Level>(outer + 1) : outer;
  if (outer == Relational || outer == Equality) return Additive;
  if (outer == Shift) return Prefix;
  if (outer == LogicalAnd || outer == LogicalOr) return right ? Equality : outer;
  return right ? Prefix : outer;
}

/// A number with a sign: after a cast or another sign it is put in parentheses.
bool is_negative(const CExpr& e) {
  const auto* text = std::get_if<CText>(&e->node);
  const auto* number = std::get_if<CNumber>(&e->node);
  return (text && !text->text.empty() && text->text[0] == '-') || (number && number->value < 0);
}

/// `tn_f32x8`: a type of eight lanes.
bool is_vector_type(std::string_view type) {
  const size_t lanes = type.find_last_not_of("0123456789");
  return lanes != std::string_view::npos && lanes > 0 && lanes + 1 < type.size() && type[lanes] == 'x' &&
         std::isdigit(static_cast<unsigned char>(type[lanes - 1]));
}

class Printer {
 public:
  explicit Printer(std::string& text) : out(text) {}

  void expr(const CExpr& e, Level least) {
    std::visit([&](const auto& n) { print(n, least); }, e->node);
  }

 private:
  std::string& out;

  void open(bool paren) {
    if (paren) out += '(';
  }
  void close(bool paren) {
    if (paren) out += ')';
  }

  void print(const CText& n, Level least) {
    const bool paren = least > Prefix && !n.text.empty() && n.text[0] == '-';
    open(paren);
    out += n.text;
    close(paren);
  }
  void print(const CNumber& n, Level least) {
    const bool paren = least > Prefix && n.value < 0 && n.value != INT64_MIN;
    open(paren);
    out += index_literal(n.value);
    close(paren);
  }
  void print(const CUnary& n, Level least) {
    const bool paren = least > Prefix;
    open(paren);
    out += n.op;
    const auto* inner = std::get_if<CUnary>(&n.operand->node);
    const bool apart = (inner && inner->op == n.op) || is_negative(n.operand);
    expr(n.operand, apart ? Postfix : Prefix);
    close(paren);
  }
  void print(const CBinary& n, Level least) {
    const Level l = level_of(n.op);
    const bool paren = l < least;
    open(paren);
    side(n.left, l, n.op, false);
    out += ' ';
    out += n.op;
    out += ' ';
    side(n.right, l, n.op, true);
    close(paren);
  }
  /// The left operand may continue a chain of the same operator; other bit and logical operators are in parentheses.
  void side(const CExpr& e, Level outer, std::string_view op, bool right) {
    Level need = needed(outer, right);
    if (const auto* b = std::get_if<CBinary>(&e->node); b && b->op != op && !right) {
      if (outer <= BitAnd && outer >= BitOr) need = Prefix;
      if (outer == LogicalAnd || outer == LogicalOr) need = Equality;
    }
    expr(e, need);
  }
  void print(const CCall& n, Level) {
    out += n.callee;
    list(n.args, '(', ')');
  }
  /// The operand of a cast of vectors, which keeps the bits: another one before it changes nothing.
  void cast_vector(const CExpr& e) {
    const auto* inner = std::get_if<CCast>(&e->node);
    if (inner && is_vector_type(inner->type)) return cast_vector(inner->operand);
    // without optimisation some functions of compilers' headers are macros, which commas in braces would confuse
    const auto* lanes = std::get_if<CBraces>(&e->node);
    const bool paren = lanes && lanes->items.size() > 1;
    open(paren);
    expr(e, is_negative(e) ? Postfix : Prefix);
    close(paren);
  }
  void print(const CRow& n, Level least) {
    const bool paren = least >= Postfix && n.spelling.front() == '(';
    open(paren);
    const std::string_view s = n.spelling;
    for (size_t i = 0; i < s.size(); ++i) {
      if (s[i] != '$') {
        out += s[i];
        continue;
      }
      const size_t k = static_cast<size_t>(s[++i] - '0');
      TENON_CHECK(k < n.args.size(), "row '{}' has {} arguments", n.spelling, n.args.size());
      const bool whole =
          i >= 2 && (s[i - 2] == '(' || s[i - 2] == ' ') && i + 1 < s.size() && (s[i + 1] == ',' || s[i + 1] == ')');
      if (!whole && i >= 2 && s[i - 2] == ')') cast_vector(n.args[k]);
      else expr(n.args[k], whole ? Lowest : Postfix);
    }
    close(paren);
  }
  void print(const CIndex& n, Level) {
    expr(n.base, Postfix);
    out += '[';
    expr(n.index, Lowest);
    out += ']';
  }
  void print(const CMember& n, Level) {
    expr(n.base, Postfix);
    out += n.pointer ? "->" : ".";
    out += n.field;
  }
  void print(const CCast& n, Level least) {
    const bool paren = least > Prefix;
    open(paren);
    out += '(';
    out += n.type;
    out += ')';
    if (is_vector_type(n.type)) cast_vector(n.operand);
    else expr(n.operand, is_negative(n.operand) ? Postfix : Prefix);
    close(paren);
  }
  void print(const CConditional& n, Level least) {
    const bool paren = least > Lowest;
    open(paren);
    expr(n.cond, Equality);
    out += " ? ";
    expr(n.yes, Ternary);
    out += " : ";
    expr(n.no, Ternary);
    close(paren);
  }
  void print(const CBraces& n, Level) {
    if (!n.type.empty()) {
      out += '(';
      out += n.type;
      out += ')';
    }
    list(n.items, '{', '}');
  }
  void print(const CInitializer& n, Level) {
    out += '{';
    for (const CInit& item : n.items) {
      const bool last = &item == &n.items.back();
      if (n.rows) out += "\n    ";
      if (!item.guard.empty()) out.replace(out.size() - 4, 4, fmt::format("#if {}\n    ", item.guard));
      if (!item.member.empty()) out += fmt::format(".{} = ", item.member);
      expr(item.value, Lowest);
      if (!last || n.rows) out += n.rows ? "," : ", ";
      if (!item.comment.empty()) out += fmt::format(" /* {} */", item.comment);
      if (!item.guard.empty()) out += "\n#else\n    NULL,\n#endif";
    }
    out += n.rows ? "\n}" : "}";
  }
  void list(const std::vector<CExpr>& items, char left, char right) {
    out += left;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += ", ";
      expr(items[i], Lowest);
    }
    out += right;
  }
};

}  // namespace

void append_c99(std::string& out, const CExpr& e) { Printer(out).expr(e, Lowest); }

std::string print_c99(const CExpr& e) {
  std::string out;
  append_c99(out, e);
  return out;
}

}  // namespace tenon
