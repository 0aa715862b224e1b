// The value of a statement for finished sums, with a name for each part that it uses several times.
#include "algebra/simplify.h"
#include "lower/contraction/contraction_builder.h"
#include "support/pointer_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The parts of a value that deserve a name, each after those that it is made of.
class RepeatedParts {
 public:
  explicit RepeatedParts(const ValueScope& scope) : scope_(scope) {}

  std::vector<Expr> of(const Expr& value) {
    visit(value);
    for (const Expr& e : chosen_) count_known(e);
    std::vector<Expr> out;
    for (const Expr& e : parts_)
      if (*uses_.find(e.get()) > 1) out.push_back(e);
    return out;
  }

 private:
  /// Indices of reads are not values, and of scalars nothing is computed ahead that a choice may leave out.
  void visit(const Expr& e) {
    if (uses_[e.get()]++ > 0) return;
    if (scope_.given.count(e.get()) != 0) return parts_.push_back(e);
    const auto* a = std::get_if<Apply>(&e->node);
    const auto* s = std::get_if<Select>(&e->node);
    const bool is_scalar = scope_.vector_var.empty();
    if (s && is_scalar) visit(s->cond), chosen_.insert(chosen_.end(), {s->yes, s->no});
    else if (a && is_scalar && e->type == DType::Bool)
      visit(a->args[0]), chosen_.insert(chosen_.end(), a->args.begin() + 1, a->args.end());
    else if (!std::holds_alternative<Read>(e->node)) each_child(e, [&](const Expr& c) { visit(c); });
    if (a && a->op == ScalarOp::Sq) ++uses_[a->args[0].get()];  // x*x
    const bool computed = a ? a->op != ScalarOp::Cast : s || std::holds_alternative<Read>(e->node);
    if (computed && e->type != DType::Bool) parts_.push_back(e);
  }

  /// What is computed in any case is used here too.
  void count_known(const Expr& e) {
    if (uses_.find(e.get())) ++uses_[e.get()];
    else if (!std::holds_alternative<Read>(e->node)) each_child(e, [&](const Expr& c) { count_known(c); });
  }

  const ValueScope& scope_;
  PointerMap<int> uses_;
  std::vector<Expr> parts_, chosen_;
};

}  // namespace

std::optional<Operand> named_lanes(ContractionBuilder& b, const Expr& value, ValueScope scope, Block& out) {
  for (const Expr& e : RepeatedParts(scope).of(value)) {
    auto part = lower_value(e, scope);
    if (!part) return std::nullopt;
    if (is_leaf(*part)) continue;
    const OperandType type = (*part)->type;
    const std::string name = b.fresh("t");
    out.push_back(s_let(name, *std::move(part)));
    scope.given[e.get()] = v_var(name, type);
  }
  return lower_lanes(value, scope);
}

}  // namespace tenon
