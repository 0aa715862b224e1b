// Spells statements, functions and files of C: indentation, braces, line breaks.
#include "ir/text/print_c99.h"

#include <fmt/format.h>

#include "support/long_lines.h"

namespace tenon {
namespace {

constexpr size_t kStep = 2;  ///< columns a level

class StatementPrinter {
 public:
  explicit StatementPrinter(std::string& text) : out(text) {}

  void block(const CBlock& b, size_t indent) {
    for (const CStmt& s : b) std::visit([&](const auto& n) { print(n, indent); }, s.node);
  }
  void comment(std::string_view text, size_t indent) {
    while (true) {
      const size_t end = text.find('\n');
      out += with_broken_lines(fmt::format("{:{}}/* {} */\n", "", indent, text.substr(0, end)));
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
    append_c99(out, e);
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
  void print(const CDeclarations& n, size_t indent) {
    begin(indent).text(n.type);
    for (const CObject& v : n.variables) {
      text(&v == &n.variables.front() ? " " : ", ").text(v.declarator);
      if (v.init) text(" = ").expr(v.init);
    }
    text(";").end(indent);
  }
  void print(const CAssignment& n, size_t indent) {
    begin(indent).expr(n.to).text(" ").text(n.op).text(" ").expr(n.value).text(";").end(indent);
  }
  void print(const CEvaluation& n, size_t indent) { begin(indent).expr(n.value).text(";").end(indent); }

  void print(const CFor& n, size_t indent) {
    if (n.unroll > 0) line(fmt::format("#pragma GCC unroll {}", n.unroll), indent);
    begin(indent).text("for (");
    if (!n.type.empty()) text(n.type).text(" ").text(n.var).text(" = ").expr(n.begin);
    text("; ").expr(n.cond).text("; ").text(n.step).text(") {").end(indent);
    block(n.body, indent + kStep);
    line("}", indent);
  }
  static const CIf* alternative(const CIf& n) {
    return n.otherwise.size() == 1 ? std::get_if<CIf>(&n.otherwise[0].node) : nullptr;
  }
  void print(const CIf& n, size_t indent) {
    begin(indent);
    branches(n, indent);
  }
  /// Continues the current line; an alternative that is itself an `if` becomes `else if`.
  void branches(const CIf& n, size_t indent) {
    text("if (").expr(n.cond).text(") {").end(indent);
    block(n.then, indent + kStep);
    if (!n.otherwise.empty()) {
      begin(indent).text("} else ");
      if (const CIf* next = alternative(n)) return branches(*next, indent);
      text("{").end(indent);
      block(n.otherwise, indent + kStep);
    }
    line("}", indent);
  }
  void print(const CSwitch& n, size_t indent) {
    begin(indent).text("switch (").expr(n.value).text(") {").end(indent);
    const auto finish = [&] { line("break;", indent + kStep); };
    for (const CCase& c : n.cases) {
      for (const int64_t v : c.values) line(fmt::format("case {}:", index_literal(v)), indent);
      block(c.body, indent + kStep);
      finish();
    }
    line("default:", indent);
    finish();
    line("}", indent);
  }
  void print(const CScope& n, size_t indent) {
    line("{", indent);
    block(n.body, indent + kStep);
    line("}", indent);
  }
  void print(const CReturn& n, size_t indent) {
    begin(indent).text("return");
    if (n.value) text(" ").expr(n.value);
    text(";").end(indent);
  }
  void print(const CBreak&, size_t indent) { line("break;", indent); }
  void print(const CComment& n, size_t indent) {
    if (n.apart) out += '\n';
    comment(n.text, indent);
  }
  void print(const CBodyLines& n, size_t) { out += with_broken_lines(n.text); }
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

}  // namespace

std::string print_banner(std::string_view text) {
  if (text.empty()) return {};
  if (text.find('\n') == std::string_view::npos) return with_broken_lines(fmt::format("/* {} */\n", text));
  std::string out = "/*\n";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += end == 0 ? " *" : " * ";
    out += text.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return out + " */\n";
}

std::string print_c99(const CFunction& f) {
  if (!f.text.empty()) return f.text;
  std::string out = print_banner(f.comment);
  append_broken_line(out, head_of(f) + " {", 0);
  StatementPrinter(out).block(f.body, kStep);
  out += "}\n";
  return out;
}

std::string print_c99(const CBlock& statements) {
  std::string out;
  StatementPrinter(out).block(statements, 0);
  return out;
}

std::string print_c99(const CObject& object) {
  std::string out = object.declarator;
  if (object.init) out += " = " + print_c99(object.init);
  return with_broken_lines(out + ";\n");
}

std::string print_c99(const CStruct& s) {
  std::string out = print_banner(s.comment) + "typedef struct {\n";
  for (const CField& f : s.fields) {
    out += "  " + f.declarator + ";";
    if (!f.comment.empty()) out += fmt::format(" /* {} */", f.comment);
    out += '\n';
  }
  return out + "} " + s.name + ";\n";
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
    if (const auto* s = std::get_if<CStruct>(&item)) out += print_c99(*s);
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
