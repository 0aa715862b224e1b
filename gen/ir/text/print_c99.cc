// Spells C: parentheses, indentation, line breaks.
#include "ir/text/print_c99.h"

#include <fmt/format.h>

#include "support/check.h"
#include "support/long_lines.h"

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
    const bool paren = least >= Prefix && !n.text.empty() && n.text[0] == '-';
    open(paren);
    out += n.text;
    close(paren);
  }
  void print(const CNumber& n, Level least) {
    const bool paren = least >= Prefix && n.value < 0 && n.value != INT64_MIN;
    open(paren);
    out += index_literal(n.value);
    close(paren);
  }
  void print(const CUnary& n, Level least) {
    const bool paren = least > Prefix;
    open(paren);
    out += n.op;
    const auto* inner = std::get_if<CUnary>(&n.operand->node);
    const bool apart = inner && inner->op == n.op;
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
      expr(n.args[k], whole ? Lowest : Postfix);
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
    out += '.';
    out += n.field;
  }
  void print(const CCast& n, Level least) {
    const bool paren = least > Prefix;
    open(paren);
    out += '(';
    out += n.type;
    out += ')';
    expr(n.operand, Prefix);
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

class StatementPrinter {
 public:
  explicit StatementPrinter(std::string& text) : out(text) {}

  void block(const CBlock& b, size_t indent) {
    for (const CStmt& s : b) std::visit([&](const auto& n) { print(n, indent); }, s.node);
  }
  void comment(std::string_view text, size_t indent) {
    while (true) {
      const size_t end = text.find('\n');
      out.append(indent, ' ');
      out += "/* ";
      out += text.substr(0, end);
      out += " */\n";
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

 private:
  std::string& out;
  size_t begun = 0;  ///< where the line at hand begins

  StatementPrinter& begin(size_t indent) {
    begun = out.size();
    out.append(indent, ' ');
    return *this;
  }
  StatementPrinter& text(std::string_view s) {
    out += s;
    return *this;
  }
  StatementPrinter& expr(const CExpr& e) {
    Printer(out).expr(e, Lowest);
    return *this;
  }
  void end(size_t indent) {
    if (out.size() - begun <= kCodeColumns) {
      out += '\n';
      return;
    }
    std::string line = out.substr(begun);
    out.resize(begun);
    append_broken_line(out, std::move(line), indent);
  }
  void line(std::string_view s, size_t indent) { begin(indent).text(s).end(indent); }

  void print(const CDeclaration& n, size_t indent) {
    const bool apart = n.type.back() != '*' || n.type.ends_with("*restrict");
    begin(indent).text(n.type).text(apart ? " " : "").text(n.name).text(n.suffix);
    if (n.init) text(" = ").expr(n.init);
    text(";").end(indent);
  }
  void print(const CAssignment& n, size_t indent) {
    begin(indent).expr(n.to).text(" ").text(n.op).text(" ").expr(n.value).text(";").end(indent);
  }
  void print(const CEvaluation& n, size_t indent) { begin(indent).expr(n.value).text(";").end(indent); }
  void print(const CFor& n, size_t indent) {
    begin(indent)
        .text("for (")
        .text(n.type)
        .text(" ")
        .text(n.var)
        .text(" = ")
        .expr(n.begin)
        .text("; ")
        .expr(n.cond)
        .text("; ")
        .text(n.step)
        .text(") {")
        .end(indent);
    block(n.body, indent + 2);
    line("}", indent);
  }
  void print(const CIf& n, size_t indent) {
    begin(indent).text("if (").expr(n.cond).text(") {").end(indent);
    block(n.then, indent + 2);
    if (!n.otherwise.empty()) {
      line("} else {", indent);
      block(n.otherwise, indent + 2);
    }
    line("}", indent);
  }
  void print(const CScope& n, size_t indent) {
    line("{", indent);
    block(n.body, indent + 2);
    line("}", indent);
  }
  void print(const CReturn& n, size_t indent) {
    begin(indent).text("return");
    if (n.value) text(" ").expr(n.value);
    text(";").end(indent);
  }
  void print(const CComment& n, size_t indent) { comment(n.text, indent); }
  void print(const CBodyLines& n, size_t) { out += n.text; }
};

std::string head_of(const CFunction& f) {
  std::string s = f.specifiers;
  if (!s.empty()) s += ' ';
  s += f.result;
  if (s.back() != '*') s += ' ';
  s += f.name;
  s += '(';
  for (size_t i = 0; i < f.params.size(); ++i) {
    if (i > 0) s += ", ";
    s += f.params[i];
  }
  if (f.params.empty()) s += "void";
  s += ')';
  return s;
}

/// A comment of several lines as one block, with an asterisk in front of each line.
void append_banner(std::string& out, std::string_view text) {
  if (text.find('\n') == std::string_view::npos) {
    out += "/* ";
    out += text;
    out += " */\n";
    return;
  }
  out += "/*\n";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += end == 0 ? " *" : " * ";
    out += text.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  out += " */\n";
}

}  // namespace

std::string print_c99(const CExpr& e) {
  std::string out;
  Printer(out).expr(e, Lowest);
  return out;
}

std::string print_c99(const CFunction& f) {
  if (!f.text.empty()) return f.text;
  std::string out;
  if (!f.comment.empty()) append_banner(out, f.comment);
  append_broken_line(out, head_of(f) + " {", 0);
  StatementPrinter(out).block(f.body, 2);
  out += "}\n";
  return out;
}

std::string print_c99(const CObject& object) {
  std::string out = object.declarator;
  if (object.init) out += " = " + print_c99(object.init);
  return with_broken_lines(out + ";\n");
}

std::string print_c99(const CFile& file) {
  std::string out;
  const CItem* before = nullptr;
  for (const CItem& item : file.items) {
    const bool together = before && std::holds_alternative<CObject>(*before) && std::holds_alternative<CObject>(item);
    if (before && !together) out += '\n';
    if (const auto* f = std::get_if<CFunction>(&item)) out += print_c99(*f);
    if (const auto* l = std::get_if<CLines>(&item)) out += l->text;
    if (const auto* o = std::get_if<CObject>(&item)) out += print_c99(*o);
    before = &item;
  }
  return out;
}

std::string print_prototype(const CFunction& f) {
  std::string out;
  append_broken_line(out, head_of(f) + ";", 0);
  return out;
}

}  // namespace tenon
