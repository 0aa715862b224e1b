// Which packs of an op may be reordered by a call: those whose variables are used only as subscripts.
#include <set>

#include "harness/library/kernel_forms.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_size(const Expr& e, const std::string& name) {
  const auto* s = std::get_if<SizeRef>(&e->node);
  return s && s->name == name;
}

bool is_variable(const Expr& e, const std::set<std::string>& variables) {
  const auto* v = std::get_if<VarRef>(&e->node);
  return v && variables.count(v->name) != 0;
}

/// The order in which it combines elements does not matter.
bool commutes(const Reduce& r, const Kernel& k) {
  if (r.op == Reducer::Sum || r.op == Reducer::Prod) return k.reassociate;
  return !is_positional(r.op) && r.op != Reducer::Fold;
}

/// Looks at what a kernel does with one size, the extent of a pack.
class PackUse {
 public:
  PackUse(const Kernel& k, std::string size) : k_(k), size_(std::move(size)) {}

  PackFreedom freedom() {
    if (k_.call || !k_.parts.empty() || has_recurrence(k_)) return PackFreedom::none;
    for (const Check& c : k_.checks) {
      collect(c.loops, looped_);
      look(c.holds);
    }
    for (const KernelStatement& s : k_.body) look_at(s);
    if (!plain_ || (!reduced_.empty() && !looped_.empty())) return PackFreedom::none;
    return reduced_.empty() ? PackFreedom::moved : PackFreedom::permuted;
  }

 private:
  /// The dimension of a tensor that has the pack's extent; -1: none.
  int dim_of(int tensor) {
    const Tensor& t = k_.tensor(tensor);
    int at = -1;
    for (size_t d = 0; d < t.dims.size(); ++d) {
      if (!is_size(t.dims[d], size_)) continue;
      if (at >= 0) plain_ = false;
      at = static_cast<int>(d);
    }
    return at;
  }

  void collect(const std::vector<LoopVar>& loops, std::set<std::string>& into) {
    for (const LoopVar& v : loops)
      if (is_size(v.extent, size_)) into.insert(v.name);
      else look(v.extent);
  }

  /// The pack's dimension has one of its variables as subscript, and no other has.
  void look_at_index(int tensor, const std::vector<Expr>& index) {
    const int dim = dim_of(tensor);
    for (size_t d = 0; d < index.size(); ++d) {
      if (static_cast<int>(d) != dim) look(index[d]);
      else if (!is_variable(index[d], looped_) && !is_variable(index[d], reduced_)) plain_ = false;
    }
  }

  void look_at(const KernelStatement& s) {
    collect(s.loops, looped_);
    if (s.update != Update::Assign || s.where) plain_ = false;
    const bool has_loop = any_of(s.loops, [&](const LoopVar& v) { return looped_.count(v.name) != 0; });
    if (has_loop && dim_of(s.target) < 0) plain_ = false;
    look_at_index(s.target, s.index);
    look(s.value);
  }

  /// `P < 1`: whether there are elements at all, which no order changes.
  bool asks_whether_empty(const Expr& e) const {
    const auto* a = std::get_if<Apply>(&e->node);
    return a && a->op == ScalarOp::Lt && is_size(a->args[0], size_) && is_one(a->args[1]);
  }

  void look(const Expr& e) {
    if (!e || !plain_ || asks_whether_empty(e)) return;
    if (is_size(e, size_) || is_variable(e, looped_) || is_variable(e, reduced_)) {
      plain_ = false;
      return;
    }
    if (const auto* read = std::get_if<Read>(&e->node)) {
      look_at_index(read->tensor, read->index);
      look(read->fill);
      return;
    }
    if (const auto* r = std::get_if<Reduce>(&e->node)) {
      const size_t before = reduced_.size();
      collect(r->vars, reduced_);
      if (reduced_.size() != before && !commutes(*r, k_)) plain_ = false;
      look(r->where);
      look(r->value);
      look(r->start);
      return;
    }
    each_child(e, [&](const Expr& child) { look(child); });
  }

  const Kernel& k_;
  const std::string size_;
  std::set<std::string> looped_, reduced_;  ///< variables over the pack
  bool plain_ = true;
};

/// The kernel's size that is the whole pack; "" if there is none or it is also used in other ways.
std::string size_of_pack(const LibraryKernel& k, const std::string& pack) {
  std::string name;
  for (size_t i = 0; i < k.size_sources.size(); ++i) {
    const auto* whole = std::get_if<FromPack>(&k.size_sources[i]);
    const auto* rank = std::get_if<FromPackRank>(&k.size_sources[i]);
    if (rank && rank->pack == pack) return "";
    if (!whole || whole->pack != pack) continue;
    if (whole->dim != -1 || !name.empty()) return "";
    name = k.kernel.sizes[i].name;
  }
  return name;
}

}  // namespace

PackFreedom freedom_of(const LibraryOp& op, const std::string& pack) {
  const OpDef& def = *op.def;
  const auto optional = [](const TensorDef& t) { return t.optional; };
  const auto plan = op.packs.find(pack);
  if (plan == op.packs.end() || plan->second != PackPlan::Collapsed || op.is_gradient() || !op.permuted.empty() ||
      op.kernels.empty() || any_of(def.outputs, optional))
    return PackFreedom::none;
  PackFreedom least = PackFreedom::none;
  for (size_t i = 0; i < op.kernels.size(); ++i) {
    const std::string size = size_of_pack(op.kernels[i], pack);
    const PackFreedom here = size.empty() ? PackFreedom::none : PackUse(op.kernels[i].kernel, size).freedom();
    if (i > 0 && here != least) return PackFreedom::none;
    least = here;
  }
  return least;
}

}  // namespace tenon
