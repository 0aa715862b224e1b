// Two reductions are the same when one is the other after its variables took the other's names.
#include <map>
#include <vector>

#include "schedule/fused_kernel.h"

namespace tenon {
namespace {

bool same_or_none(const Expr& a, const Expr& b) { return a && b ? same(a, b) : !a && !b; }

bool computes_the_same(const Expr& e, const Expr& other) {
  const auto &a = std::get<Reduce>(e->node), &b = std::get<Reduce>(other->node);
  if (a.op != b.op || e->type != other->type || a.vars.size() != b.vars.size()) return false;
  std::map<std::string, Expr> names;
  for (size_t i = 0; i < a.vars.size(); ++i) {
    if (!same(a.vars[i].extent, b.vars[i].extent)) return false;
    names[a.vars[i].name] = var_ref(b.vars[i].name);
  }
  return same(substitute(a.value, names), b.value) &&
         same_or_none(a.where ? substitute(a.where, names) : nullptr, b.where);
}

class Sharer {
 public:
  Expr go(const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return map_children(e, [&](const Expr& c) { return go(c); });
    for (const Expr& first : first_)
      if (computes_the_same(e, first)) return first;
    first_.push_back(e);
    return e;
  }

 private:
  std::vector<Expr> first_;
};

}  // namespace

Expr with_equal_sums_shared(const Expr& e) { return Sharer().go(e); }

}  // namespace tenon
