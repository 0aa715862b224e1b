// Which variables C reads.
#include "ir/nest/c_reads.h"

namespace tenon {
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
