// Compilation of expressions to slots.
#include "oracle/compiled_expr.h"

#include "support/check.h"

namespace tenon {

struct ExprCompiler::Visitor {
  ExprCompiler& compiler;
  DType type;
  CompiledExpr operator()(const Constant& c) const { return leaf({c.i, c.f}); }
  CompiledExpr operator()(const VarRef& v) const {
    CompiledExpr out;
    out.kind = CompiledExpr::Kind::variable;
    if (const auto r = compiler.running_slots_.find(v.name); r != compiler.running_slots_.end()) {
      out.kind = CompiledExpr::Kind::running;
      out.slot = r->second;
      return out;
    }
    const auto s = compiler.slots_.find(v.name);
    TENON_CHECK(s != compiler.slots_.end(), "variable {} is not bound", v.name);
    out.slot = s->second;
    return out;
  }
  CompiledExpr operator()(const SizeRef& s) const { return leaf({compiler.call_.sizes.at(s.name)}); }
  CompiledExpr operator()(const AttrRef& a) const {
    return leaf(compiler.call_.attrs.at(a.name).at(static_cast<size_t>(a.element)));
  }
  CompiledExpr operator()(const Read& r) const {
    CompiledExpr out = node(CompiledExpr::Kind::read);
    out.slot = r.tensor;
    out.padded = r.fill != nullptr;
    for (const Expr& e : r.index) out.parts.push_back(compiler.compile(e));
    if (r.fill) out.parts.push_back(compiler.compile(r.fill));
    return out;
  }
  CompiledExpr operator()(const Apply& a) const {
    CompiledExpr out = node(CompiledExpr::Kind::apply);
    out.op = a.op;
    for (const Expr& e : a.args) out.parts.push_back(compiler.compile(e));
    return out;
  }
  CompiledExpr operator()(const Reduce& r) const {
    CompiledExpr out = node(CompiledExpr::Kind::reduce);
    out.reducer = r.op;
    const CompiledExpr start = r.start ? compiler.compile(r.start) : CompiledExpr();
    out.loops = compiler.bind(r.vars);
    if (r.start) {
      out.slot = static_cast<int>(compiler.running_values_++);
      compiler.running_slots_[r.running] = out.slot;
    }
    out.parts.push_back(compiler.compile(r.value));
    out.guarded = r.where != nullptr;
    if (r.where) out.parts.push_back(compiler.compile(r.where));
    if (r.start) out.parts.push_back(start);
    return out;
  }
  CompiledExpr operator()(const Select& s) const {
    CompiledExpr out = node(CompiledExpr::Kind::select);
    out.parts = {compiler.compile(s.cond), compiler.compile(s.yes), compiler.compile(s.no)};
    return out;
  }
  CompiledExpr node(CompiledExpr::Kind k) const {
    CompiledExpr out;
    out.kind = k;
    out.type = type;
    return out;
  }
  CompiledExpr leaf(Number n) const {
    CompiledExpr out = node(CompiledExpr::Kind::constant);
    out.value = n;
    return out;
  }
};

std::vector<std::pair<int, int64_t>> ExprCompiler::bind(const std::vector<LoopVar>& loops) {
  std::vector<std::pair<int, int64_t>> out;
  for (const LoopVar& v : loops) {
    const int slot = static_cast<int>(variables_++);
    slots_[v.name] = slot;
    out.emplace_back(slot, evaluate_size(v.extent, call_));
  }
  return out;
}

CompiledExpr ExprCompiler::compile(const Expr& e) {
  CompiledExpr out = std::visit(Visitor{*this, e->type}, e->node);
  out.type = e->type;
  return out;
}

}  // namespace tenon
