// Building C expressions and statements.
#include "ir/nest/c_ast.h"

#include <fmt/format.h>

namespace tenon {
namespace {

template <class T>
CExpr make(T node) {
  return CExpr::made(std::move(node));
}

}  // namespace

CExpr c_text(std::string text) { return make(CText{std::move(text)}); }
CExpr c_number(int64_t value, std::string name) { return make(CNumber{value, std::move(name)}); }
CExpr c_unary(std::string_view op, CExpr operand) { return make(CUnary{op, std::move(operand)}); }
CExpr c_binary(CExpr left, std::string_view op, CExpr right) {
  return make(CBinary{op, std::move(left), std::move(right)});
}
CExpr c_equal(CExpr a, CExpr b) { return c_binary(std::move(a), "==", std::move(b)); }
CExpr c_nonzero(CExpr a) { return c_binary(std::move(a), "!=", c_number(0)); }
CExpr c_less(CExpr a, CExpr b) { return c_binary(std::move(a), "<", std::move(b)); }
CExpr c_and(CExpr a, CExpr b) { return c_binary(std::move(a), "&&", std::move(b)); }
CExpr c_or(CExpr a, CExpr b) { return c_binary(std::move(a), "||", std::move(b)); }
CExpr c_call(std::string callee, std::vector<CExpr> args) { return make(CCall{std::move(callee), std::move(args)}); }
CExpr c_row(std::string_view spelling, std::vector<CExpr> args) { return make(CRow{spelling, std::move(args)}); }
CExpr c_index(CExpr base, CExpr index) { return make(CIndex{std::move(base), std::move(index)}); }
CExpr c_member(CExpr base, std::string field) { return make(CMember{std::move(base), std::move(field)}); }
CExpr c_arrow(CExpr base, std::string field) { return make(CMember{std::move(base), std::move(field), true}); }
CExpr c_cast(std::string type, CExpr operand) { return make(CCast{std::move(type), std::move(operand)}); }
CExpr c_conditional(CExpr cond, CExpr yes, CExpr no) {
  return make(CConditional{std::move(cond), std::move(yes), std::move(no)});
}
CExpr c_braces(std::string type, std::vector<CExpr> items) { return make(CBraces{std::move(type), std::move(items)}); }
CExpr c_list(std::vector<CExpr> items) { return c_braces("", std::move(items)); }
CExpr c_initializer(std::vector<CInit> items, bool rows) { return make(CInitializer{std::move(items), rows}); }
std::string index_literal(int64_t v) {
  if (v > INT32_MAX || v < -INT32_MAX) return v == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", v);
  return fmt::format("{}", v);
}
bool is_simple(const CExpr& e) {
  return std::holds_alternative<CText>(e->node) || std::holds_alternative<CNumber>(e->node);
}

CStmt c_declare(std::string type, std::string name, CExpr init) {
  return {CDeclaration{std::move(type), std::move(name), "", std::move(init)}};
}
CStmt c_declare_array(std::string type, std::string name, std::string suffix, CExpr init) {
  return {CDeclaration{std::move(type), std::move(name), std::move(suffix), std::move(init)}};
}
CStmt c_assign(CExpr to, CExpr value, std::string_view op) {
  return {CAssignment{std::move(to), op, std::move(value)}};
}
CStmt c_evaluate(CExpr value) { return {CEvaluation{std::move(value)}}; }
CStmt c_return(CExpr value) { return {CReturn{std::move(value)}}; }
CStmt c_comment(std::string text) { return {CComment{std::move(text)}}; }
CStmt c_paragraph(std::string text) { return {CComment{std::move(text), true}}; }
CStmt c_if(CExpr cond, CBlock then, CBlock otherwise) {
  return {CIf{std::move(cond), std::move(then), std::move(otherwise)}};
}

namespace {

class Reads {
 public:
  std::set<std::string> names;

  void block(const CBlock& b) {
    for (const CStmt& s : b) std::visit([&](const auto& n) { statement(n); }, s.node);
  }

 private:
  void expr(const CExpr& e) {
    if (e) std::visit([&](const auto& n) { node(n); }, e->node);
  }
  void all(const std::vector<CExpr>& list) {
    for (const CExpr& e : list) expr(e);
  }

  void node(const CText& n) { names.insert(n.text); }
  void node(const CNumber&) {}
  void node(const CUnary& n) { expr(n.operand); }
  void node(const CBinary& n) { expr(n.left), expr(n.right); }
  void node(const CCall& n) { all(n.args); }
  void node(const CRow& n) { all(n.args); }
  void node(const CIndex& n) { expr(n.base), expr(n.index); }
  void node(const CMember& n) { expr(n.base); }
  void node(const CCast& n) { expr(n.operand); }
  void node(const CConditional& n) { expr(n.cond), expr(n.yes), expr(n.no); }
  void node(const CBraces& n) { all(n.items); }
  void node(const CInitializer& n) {
    for (const CInit& item : n.items) expr(item.value);
  }

  void statement(const CDeclaration& n) { expr(n.init); }
  void statement(const CDeclarations& n) {
    for (const CObject& v : n.variables) expr(v.init);
  }
  void statement(const CAssignment& n) {
    if (n.op != "=" || !std::holds_alternative<CText>(n.to->node)) expr(n.to);
    expr(n.value);
  }
  void statement(const CEvaluation& n) { expr(n.value); }
  void statement(const CFor& n) { expr(n.begin), expr(n.cond), block(n.body); }
  void statement(const CIf& n) { expr(n.cond), block(n.then), block(n.otherwise); }
  void statement(const CSwitch& n) {
    expr(n.value);
    for (const CCase& c : n.cases) block(c.body);
  }
  void statement(const CScope& n) { block(n.body); }
  void statement(const CReturn& n) { expr(n.value); }
  void statement(const CBreak&) {}
  void statement(const CComment&) {}
  void statement(const CBodyLines&) {}
};

}  // namespace

std::set<std::string> variables_read(const CBlock& b) {
  Reads reads;
  reads.block(b);
  return std::move(reads.names);
}

void drop_assignments(CBlock& block, const std::set<std::string>& not_needed) {
  const auto drop = [&](CBlock& b) { drop_assignments(b, not_needed); };
  for (CStmt& s : block) {
    if (const auto* a = std::get_if<CAssignment>(&s.node); a && a->op == "=") {
      const auto* to = std::get_if<CText>(&a->to->node);
      if (to && not_needed.count(to->text)) s = c_evaluate(c_cast("void", a->value));
    } else if (auto* i = std::get_if<CIf>(&s.node)) {
      drop(i->then), drop(i->otherwise);
    } else if (auto* f = std::get_if<CFor>(&s.node)) {
      drop(f->body);
    } else if (auto* w = std::get_if<CSwitch>(&s.node)) {
      for (CCase& c : w->cases) drop(c.body);
    } else if (auto* x = std::get_if<CScope>(&s.node)) {
      drop(x->body);
    }
  }
}

}  // namespace tenon
