// divide-once: x[p,d]/z[p], with z a sum of this kernel, becomes x[p,d]*z_inverse[p]: one division a row instead of one
// an element.
#include <fmt/format.h>

#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class DivideOnce {
 public:
  explicit DivideOnce(const Kernel& k) : k_(k) {}

  Kernel run() {
    if (!k_.reassociate) return std::move(k_);
    for (size_t i = 0; i < k_.body.size(); ++i) {
      at_ = i;
      const Expr before = k_.body[i].value;  // a copy: the body grows meanwhile
      const Expr value = rewrite(before, k_.body[i].loops.size());
      k_.body[at_].value = value;
      i = at_;
    }
    return std::move(k_);
  }

 private:
  Expr rewrite(const Expr& e, size_t variables) {
    if (const auto* reduction = std::get_if<Reduce>(&e->node)) variables += reduction->vars.size();
    const Expr r = map_children(e, [&](const Expr& c) { return rewrite(c, variables); });
    const auto* a = std::get_if<Apply>(&r->node);
    if (!a || a->op != ScalarOp::Div || !is_float(r->type)) return r;
    const auto* divisor = std::get_if<Read>(&a->args[1]->node);
    if (!divisor || divisor->fill || variable_dims(*divisor) >= variables) return r;
    const int inverse = inverse_of(divisor->tensor);
    return inverse < 0 ? r : apply(ScalarOp::Mul, {a->args[0], read_of(inverse, r->type, divisor->index)});
  }

  static size_t variable_dims(const Read& r) {
    size_t n = 0;
    for (const Expr& i : r.index) n += constant_value(i) ? 0 : 1;
    return n;
  }

  /// Whether several statements make the tensor: the sum is not what its readers read, or not what all of them do.
  bool is_changed(int tensor) const {
    return count_if(k_.body, [&](const KernelStatement& s) { return s.target == tensor; }) > 1;
  }

  /// The temp of reciprocals, made after the statement that sums; -1 where the tensor is not a sum.
  int inverse_of(int tensor) {
    if (const auto it = inverses_.find(tensor); it != inverses_.end()) return it->second;
    for (size_t i = 0; i < at_; ++i) {
      const KernelStatement& s = k_.body[i];
      const auto* sum = std::get_if<Reduce>(&s.value->node);
      const Tensor t = k_.tensor(tensor);
      if (s.target != tensor || t.role != Role::Temp || !sum || sum->op != Reducer::Sum || s.update != Update::Assign ||
          is_in_recurrence(s) || is_changed(tensor))
        continue;
      const int made = add_temp(k_, fmt::format("{}_inverse", t.name), t.dtype, t.dims);
      KernelStatement division = s;
      division.target = made;
      division.value = apply(ScalarOp::Div, {constant_of(1, t.dtype), read_of(tensor, t.dtype, s.index)});
      k_.body.insert(k_.body.begin() + static_cast<std::ptrdiff_t>(i) + 1, division);
      ++at_;
      inverses_.emplace(tensor, made);
      return made;
    }
    inverses_.emplace(tensor, -1);
    return -1;
  }

  Kernel k_;
  size_t at_ = 0;
  std::map<int, int> inverses_;
};

}  // namespace

Kernel divide_once(const Kernel& k) { return DivideOnce(k).run(); }

}  // namespace tenon
