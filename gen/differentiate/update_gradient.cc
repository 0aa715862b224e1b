// The chain rule through updates other than sums.
#include "differentiate/gradient_steps.h"
#include "differentiate/scalar_derivative.h"

namespace tenon {
namespace {

Expr computed(const Expr& e) { return cast_to(e, dtype_row(e->type).compute); }
Expr is_equal(const Expr& a, const Expr& b) { return apply(ScalarOp::Eq, {computed(a), computed(b)}); }

class UpdateReverser {
 public:
  UpdateReverser(Kernel& kernel, const KernelStatement& update, const UpdateAdjoint& adjoint, FreshNames& names)
      : kernel_(kernel), update_(update), adjoint_(adjoint), names_(names) {
    for (const LoopVar& v : adjoint.element) element_.push_back(var_ref(v.name));
  }

  /// The last step that wrote an element gives it its value.
  UpdateGradient last() {
    const int writer = note("writer", DType::I64, constant_int(0));
    combine(writer, Update::Last, step());
    return by_writer(writer);
  }

  /// The previous value counts as a step before all others.
  UpdateGradient extreme(const Expr& before) {
    const Expr none = constant_int(INT64_MAX);
    const Expr kept = is_equal(before, result(element_));
    const int writer = note("writer", DType::I64, select(kept, constant_int(0), none));
    combine(writer, Update::Min, select(is_equal(update_.value, result(update_.index)), step(), none));
    return by_writer(writer);
  }

  /// The product of all other factors, from the product of the nonzero factors and the number of zeros.
  UpdateGradient product(const Expr& before) {
    const DType compute = dtype_row(update_.value->type).compute;
    const Expr was = computed(before), factor = computed(update_.value);
    const Expr one = constant_float(1, compute);
    const int zeros = note("zeros", DType::I64, select(is_zero(was), constant_int(1), constant_int(0)));
    combine(zeros, Update::Add, select(is_zero(factor), constant_int(1), constant_int(0)));
    const int rest = note("product", compute, select(is_zero(was), one, was));
    combine(rest, Update::Mul, select(is_zero(factor), one, factor));
    const auto others = [&](const Expr& e, const std::vector<Expr>& at) {
      const Expr zero = constant_float(0, compute), all = read_of(rest, compute, at);
      const Expr count = read_of(zeros, DType::I64, at);
      return select(is_zero(e), select(is_equal(count, constant_int(1)), all, zero),
                    select(is_equal(count, constant_int(0)), apply(ScalarOp::Div, {all, e}), zero));
    };
    return {chained(adjoint_.at(update_.index), others(factor, update_.index)),
            chained(adjoint_.at(element_), others(was, element_))};
  }

 private:
  static Expr is_zero(const Expr& e) { return is_equal(e, constant_float(0, e->type)); }

  Expr result(const std::vector<Expr>& at) const {
    return read_of(update_.target, kernel_.tensor(update_.target).dtype, at);
  }

  /// Numbers of the steps, from 1.
  Expr step() const {
    Expr out = constant_int(0);
    for (const LoopVar& v : update_.loops) out = out * v.extent + var_ref(v.name);
    return out + constant_int(1);
  }

  UpdateGradient by_writer(int writer) const {
    const auto given_by = [&](const std::vector<Expr>& at, const Expr& by) {
      const Expr gradient = adjoint_.at(at);
      return select(is_equal(read_of(writer, DType::I64, at), by), gradient, constant_float(0, gradient->type));
    };
    return {given_by(update_.index, step()), given_by(element_, constant_int(0))};
  }

  /// A tensor in addition to the target, with this value at `element_`.
  int note(const std::string& name, DType dtype, const Expr& value) {
    const int at = kernel_.add_temp(names_(name), dtype, kernel_.tensor(update_.target).dims);
    add({at, element_, Update::Assign, value, adjoint_.element, ""});
    return at;
  }

  void combine(int tensor, Update how, const Expr& value) {
    KernelStatement s = update_;
    s.target = tensor;
    s.update = how;
    s.value = value;
    add(std::move(s));
  }

  void add(KernelStatement s) {
    s.formula = fmt::format("{}, next to {}", kernel_.tensor(s.target).name, kernel_.tensor(update_.target).name);
    kernel_.body.push_back(std::move(s));
  }

  Kernel& kernel_;
  const KernelStatement& update_;
  const UpdateAdjoint& adjoint_;
  FreshNames& names_;
  std::vector<Expr> element_;
};

}  // namespace

UpdateGradient update_gradient(Kernel& kernel, const KernelStatement& update, const Expr& before,
                               const UpdateAdjoint& adjoint, FreshNames& names) {
  UpdateReverser reverser(kernel, update, adjoint, names);
  if (update.update == Update::Last) return reverser.last();
  return update.update == Update::Mul ? reverser.product(before) : reverser.extreme(before);
}

}  // namespace tenon
