// Variables of an expression replaced by expressions.
#include <utility>

#include "ir/kernel/expr.h"
#include "support/pointer_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Preserves sharing: a node with several owners becomes one node again.
class Substitution {
 public:
  explicit Substitution(const std::map<std::string, Expr>& vars) : vars_(vars) {}

  Expr run(const Expr& e) {
    if (const auto* v = std::get_if<VarRef>(&e->node)) {
      return value_or(vars_, v->name, e);
    }
    if (is_leaf(e)) return e;
    const bool shared = e.use_count() > 1;
    if (shared)
      if (const Expr* done = done_.find(e.get())) return *done;
    const Expr own = apart(e);
    if (own != e) renamed_.push_back(own);
    Expr out = map_children(own, [&](const Expr& c) { return run(c); });
    if (shared) done_[e.get()] = out;
    return out;
  }

 private:
  bool is_meant(const std::string& name) const {
    return any_of(vars_, [&](const auto& v) { return v.first != name && mentions(v.second, name); });
  }
  /// The node; a reduction whose variable a replacement mentions, with another variable, which cannot capture it.
  Expr apart(const Expr& e) const {
    const auto* r = std::get_if<Reduce>(&e->node);
    if (!r) return e;
    std::vector<LoopVar> own = r->vars;
    std::map<std::string, Expr> names;
    for (LoopVar& v : own) {
      std::string name = v.name;
      if (!is_meant(name)) continue;
      while (is_meant(name) || vars_.count(name) || mentions(e, name)) name += "_inner";
      names.emplace(std::exchange(v.name, name), var_ref(name));
    }
    if (names.empty()) return e;
    return reduce_like(*r, own, r->where ? substitute(r->where, names) : nullptr, substitute(r->value, names), e->type);
  }

  const std::map<std::string, Expr>& vars_;
  PointerMap<Expr> done_;
  std::vector<Expr> renamed_;  ///< the keys of done_ stay alive
};

}  // namespace

Expr substitute(const Expr& e, const std::map<std::string, Expr>& vars) {
  return vars.empty() ? e : Substitution(vars).run(e);
}

Expr with_expr(const Expr& e, const Expr& from, const Expr& to) {
  if (same(e, from)) return to;
  return map_children(e, [&](const Expr& c) { return with_expr(c, from, to); });
}

bool same_reduction(const Expr& e, const Expr& other) {
  const auto &a = std::get<Reduce>(e->node), &b = std::get<Reduce>(other->node);
  if (a.op != b.op || e->type != other->type || a.vars.size() != b.vars.size() || !a.where != !b.where) return false;
  std::map<std::string, Expr> names;
  for (size_t i = 0; i < a.vars.size(); ++i) {
    if (!same(a.vars[i].extent, b.vars[i].extent)) return false;
    names[a.vars[i].name] = var_ref(b.vars[i].name);
  }
  return same(substitute(a.value, names), b.value) && (!a.where || same(substitute(a.where, names), b.where));
}

namespace {
Expr with_new_tensors(const Expr& e, FunctionRef<int(int)> to) {
  const Expr below = map_children(e, [&](const Expr& c) { return with_new_tensors(c, to); });
  const auto* r = std::get_if<Read>(&below->node);
  return r && to(r->tensor) != r->tensor ? read_of(to(r->tensor), below->type, r->index, r->fill) : below;
}
}  // namespace

Expr with_tensors(const Expr& e, const std::vector<int>& to) {
  return with_new_tensors(e, [&](int t) { return to[static_cast<size_t>(t)]; });
}

Expr with_tensor(const Expr& e, int from, int to) {
  return e ? with_new_tensors(e, [&](int t) { return t == from ? to : t; }) : e;
}

}  // namespace tenon
