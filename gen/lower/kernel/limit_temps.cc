// limit-temps: a temp whose readers all ignore elements beyond a bound is computed up to that bound only: the
// scores that `sum[j : j < Len[b]]` reads, for as many j as the length says.
#include <fmt/format.h>

#include <map>

#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/loop_bounds.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The conditions of all reads of a temp, over the variables of its own statement.
class CommonBounds {
 public:
  CommonBounds(const Kernel& k, const KernelStatement& of)
      : k_(k), of_(of), ranges_(ranges_of(of.loops, size_ranges(k))) {}

  void note(const KernelStatement& s) {
    for (const Expr& e : s.index) visit(e, {});
    if (s.where) visit(s.where, {});
    visit(s.value, s.where ? conjuncts(s.where) : std::vector<Expr>());
  }

  void visit(const Expr& e, const std::vector<Expr>& held) {
    if (const auto* r = std::get_if<Read>(&e->node); r && r->tensor == of_.target) add(*r, held);
    const auto* n = std::get_if<Reduce>(&e->node);
    if (!n || !n->where) return each_child(e, [&](const Expr& c) { visit(c, held); });
    visit(n->where, held);
    if (n->start) visit(n->start, held);
    std::vector<Expr> inside = concat(held, conjuncts(n->where));
    visit(n->value, inside);
  }

  /// A lower and an upper bound at most, of one variable.
  Expr condition() const {
    if (!common_ || common_->empty()) return nullptr;
    std::vector<Expr> kept;
    for (const LoopVar& v : of_.loops)
      for (const bool from : {true, false})
        for (const Expr& c : *common_)
          if (const auto b = bound_of(c, v.name); b && b->from == from && !mentions(b->limit, v.name)) {
            kept.push_back(c);
            break;
          }
    return kept.empty() || kept.size() > 2 ? nullptr : conjunction(kept);
  }

 private:
  void add(const Read& r, const std::vector<Expr>& held) {
    std::map<std::string, Expr> own;  // the reader's variables → those of the statement
    for (size_t d = 0; d < r.index.size(); ++d)
      if (const auto* v = std::get_if<VarRef>(&r.index[d]->node); v && !r.fill) own.emplace(v->name, of_.index[d]);
    std::vector<Expr> here;
    for (const Expr& c : held)
      if (own.size() == r.index.size() && translates(c, own))
        if (const Expr mine = substitute(c, own); always_defined(k_, mine, ranges_)) here.push_back(mine);
    if (!common_) common_ = std::move(here);
    else
      std::erase_if(*common_, [&](const Expr& c) { return none_of(here, [&](const Expr& o) { return same(c, o); }); });
  }

  /// Whether it uses no variables but those of the statement, and reads only inputs.
  bool translates(const Expr& c, const std::map<std::string, Expr>& own) const {
    return !any_node(c, [&](const Expr& e) {
      const auto* v = std::get_if<VarRef>(&e->node);
      const auto* r = std::get_if<Read>(&e->node);
      return (v && !own.contains(v->name)) || std::holds_alternative<Reduce>(e->node) ||
             (r && k_.tensor(r->tensor).role != Role::Input);
    });
  }

  const Kernel& k_;
  const KernelStatement& of_;
  const Ranges ranges_;
  std::optional<std::vector<Expr>> common_;  ///< nothing: no read yet
};

}  // namespace

Kernel limit_temps(const Kernel& kernel) {
  Kernel k = kernel;
  for (size_t i = k.body.size(); i-- > 0;) {
    KernelStatement& s = k.body[i];
    const auto joined = [](const KernelStatement& o) { return is_in_recurrence(o) || o.joined > 0; };
    const auto writes = [&](const KernelStatement& o) { return o.target == s.target; };
    if (k.tensor(s.target).role != Role::Temp || s.update != Update::Assign || s.where || joined(s) ||
        (i + 1 < k.body.size() && joined(k.body[i + 1])) || count_if(k.body, writes) > 1 ||
        !all_of(s.index, [](const Expr& e) { return std::holds_alternative<VarRef>(e->node); }))
      continue;
    CommonBounds bounds(k, s);
    for (const Check& c : k.checks) bounds.visit(c.holds, {});
    for (const KernelStatement& o : k.body) bounds.note(o);
    s.where = bounds.condition();
    if (s.where)
      k.notes.push_back(fmt::format("{}: only where {}", k.tensor(s.target).name, to_text(s.where, tensor_names(k))));
  }
  return k;
}

}  // namespace tenon
