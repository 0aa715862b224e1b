// Replaces the axes of elementwise kernels by one.
#include <functional>

#include "schedule/fused_kernel.h"
#include "schedule/index_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The elements of a dense tensor of fixed extents; -1 of another one.
int64_t dense_elements(const Tensor& t) {
  int64_t n = 1;
  for (const Expr& d : t.dims) {
    const auto c = constant_value(d);
    if (!c || *c < 1) return -1;
    n *= *c;
  }
  return is_dense(t) ? n : -1;
}

class Flattener {
 public:
  explicit Flattener(Kernel k) : k_(std::move(k)) {}

  Kernel run() {
    if (!is_flat_inside()) return std::move(k_);
    for (Tensor& t : k_.tensors)
      if (!t.dims.empty()) {
        t.dims = {constant_int(count_)};
        t.strides = {constant_int(1)};
      }
    for (KernelStatement& s : k_.body) {
      if (s.loops.empty()) continue;
      s.loops.resize(1);
      s.loops[0].extent = constant_int(count_);
      index_ = var_ref(s.loops[0].name);
      s.index = {index_};
      s.value = flat(s.value);
    }
    return std::move(k_);
  }

 private:
  bool is_flat_inside() {
    if (k_.call || !k_.checks.empty() || has_recurrence(k_)) return false;
    for (const Tensor& t : k_.tensors) {
      if (t.dims.empty()) continue;
      if (!dims_.empty() && !same(dims_, t.dims)) return false;
      dims_ = t.dims;
      count_ = dense_elements(t);
      if (count_ < 0 || !t.extent.empty()) return false;
    }
    return dims_.size() > 1 && all_of(k_.body, [&](const KernelStatement& s) {
             return s.update == Update::Assign && !s.where && (s.loops.empty() || is_at_own_index(s)) &&
                    reads_own_index(s);
           });
  }

  /// Whether the loops are over the whole target, in the order of its axes.
  bool is_at_own_index(const KernelStatement& s) const {
    if (s.loops.size() != dims_.size() || s.index.size() != dims_.size()) return false;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const auto* v = std::get_if<VarRef>(&s.index[d]->node);
      if (!v || v->name != s.loops[d].name || !same(s.loops[d].extent, dims_[d])) return false;
    }
    return true;
  }

  /// Whether the value uses only elements at the statement's own index and single values.
  bool reads_own_index(const KernelStatement& s) const {
    bool own = true;
    const std::function<void(const Expr&)> look = [&](const Expr& e) {
      if (std::holds_alternative<Reduce>(e->node) || std::holds_alternative<VarRef>(e->node)) own = false;
      const auto* r = std::get_if<Read>(&e->node);
      if (!r) return each_child(e, look);
      own = own && !r->fill && (r->index.empty() || same(r->index, s.index));
    };
    look(s.value);
    return own;
  }

  Expr flat(const Expr& e) const {
    const auto* r = std::get_if<Read>(&e->node);
    if (!r) return map_children(e, [&](const Expr& c) { return flat(c); });
    if (r->index.empty()) return e;
    Read read = *r;
    read.index = {index_};
    return std::make_shared<const ExprNode>(ExprNode{e->type, std::move(read)});
  }

  Kernel k_;
  std::vector<Expr> dims_;
  int64_t count_ = 0;
  Expr index_;
};

}  // namespace

Kernel with_flat_elements(Kernel k) { return Flattener(std::move(k)).run(); }

}  // namespace tenon
