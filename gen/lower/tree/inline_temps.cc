// inline-temps: a temp that is cheap to compute, or read in one place that runs no more often than it is defined,
// disappears into its readers; statements whose result nobody reads go.
#include <algorithm>
#include <set>

#include "algebra/normal_fills.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

/// Operations that are still cheaper than a store and a load.
constexpr int kCheap = 3;
/// Operations that a temp may add to its readers: where each temp is read twice, the text would double at every step.
constexpr int kMostCopies = 128;

bool is_own_index(const KernelStatement& s) {
  if (s.index.size() != s.loops.size()) return false;
  std::set<std::string> seen;
  for (const Expr& e : s.index) {
    const auto* v = std::get_if<VarRef>(&e->node);
    if (!v || !seen.insert(v->name).second) return false;
  }
  return true;
}

int cost(const Expr& e, bool& reduces) {
  if (std::holds_alternative<Reduce>(e->node)) reduces = true;
  int n = is_costly(e) ? 100 : 0;
  const auto* a = std::get_if<Apply>(&e->node);
  if ((a && a->op != ScalarOp::Cast) || std::holds_alternative<Select>(e->node)) n += 1;
  if (const auto* r = std::get_if<Read>(&e->node); r && !r->fill) return n;
  each_child(e, [&](const Expr& c) {
    if (n <= 100) n += cost(c, reduces);
  });
  return n;
}

/// How often a temporary is read, and the maximum number of variables around its reads.
struct Uses {
  int reads = 0;
  size_t variables = 0;
  bool filled = false;
};

void count(const Expr& e, int tensor, size_t variables, Uses& uses) {
  if (const auto* r = std::get_if<Read>(&e->node); r && r->tensor == tensor) {
    uses.reads += 1;
    uses.variables = std::max(uses.variables, variables);
    uses.filled = uses.filled || r->fill;
  }
  const auto* n = std::get_if<Reduce>(&e->node);
  each_child(e, [&](const Expr& c) { count(c, tensor, variables + (n ? n->vars.size() : 0), uses); });
}

class Inliner {
 public:
  explicit Inliner(const Kernel& k) : k_(k) {
    writers_.assign(k.tensors.size(), 0);
    for (const KernelStatement& s : k.body) ++writers_[static_cast<size_t>(s.target)];
  }

  Kernel run() {
    for (size_t i = k_.body.size(); i-- > 0;) {
      const KernelStatement& s = k_.body[i];
      if (k_.tensor(s.target).role != Role::Temp || writers_[static_cast<size_t>(s.target)] != 1) continue;
      Uses uses;
      for (size_t j = 0; j < k_.body.size(); ++j) count_in(k_.body[j], s.target, uses);
      if (uses.reads > 0 && !inlinable(s, uses)) continue;
      const KernelStatement definition = s;
      erase_statement(k_.body, i);
      if (uses.reads > 0) replace(definition);
    }
    return std::move(k_);
  }

  /// Checks run before all statements, so they compute for themselves what they need of the values that these make.
  Kernel with_own_checks() {
    for (size_t i = k_.body.size(); i-- > 0;) {
      const KernelStatement& s = k_.body[i];
      const bool whole = s.update == Update::Assign && !is_in_recurrence(s) && is_own_index(s) &&
                         writers_[static_cast<size_t>(s.target)] == 1;
      if (!whole) continue;
      for (Check& c : k_.checks) c.holds = in(c.holds, s);
    }
    return std::move(k_);
  }

 private:
  static void count_in(const KernelStatement& s, int tensor, Uses& uses) {
    count(s.value, tensor, s.loops.size(), uses);
    if (s.where) count(s.where, tensor, s.loops.size(), uses);
    for (const Expr& e : s.index) count(e, tensor, s.loops.size(), uses);
  }

  bool inlinable(const KernelStatement& s, const Uses& uses) const {
    if (s.update != Update::Assign || is_in_recurrence(s) || !is_own_index(s)) return false;
    // A value in the memory of an output may be overwritten between the definition and a reader.
    const bool stable = all_reads(s.value, [&](const Read& r) {
      return writers_[static_cast<size_t>(r.tensor)] <= 1 && !k_.tensor(r.tensor).shared;
    });
    bool reduces = false;
    const int c = cost(s.value, reduces);
    if (!stable || reduces) return false;
    return (c <= kCheap && c * uses.reads <= kMostCopies) || (uses.reads == 1 && uses.variables <= s.loops.size());
  }

  void replace(const KernelStatement& definition) {
    for (KernelStatement& s : k_.body) map_exprs(s, [&](const Expr& e) { return in(e, definition); });
  }

  Expr in(const Expr& e, const KernelStatement& definition) const {
    const Expr r = map_children(e, [&](const Expr& c) { return in(c, definition); });
    const auto* read = std::get_if<Read>(&r->node);
    if (!read || read->tensor != definition.target) return r;
    std::map<std::string, Expr> vars;
    for (size_t d = 0; d < read->index.size(); ++d)
      vars.emplace(std::get<VarRef>(definition.index[d]->node).name, read->index[d]);
    const Expr value = substitute(definition.value, vars);
    return read->fill ? select(inside(read->index, k_.tensor(read->tensor).dims), value, read->fill) : value;
  }

  Kernel k_;
  std::vector<int> writers_;
};

}  // namespace

Kernel inline_temps(const Kernel& k) { return Inliner(k).run(); }

Kernel checks_without_temps(const Kernel& k) { return Inliner(k).with_own_checks(); }

}  // namespace tenon
