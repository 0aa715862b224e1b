// Which kernels copy from dimension to dimension, so that a call may join these.
#include <optional>

#include "harness/library/kernel_forms.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kNone = 255;

/// The position of a size among those of the kernel; kNone where it is something else.
int position_of(const Kernel& k, const Expr& e) {
  const auto* size = e ? std::get_if<SizeRef>(&e->node) : nullptr;
  const auto at = find_if(k.sizes, [&](const Size& s) { return size && s.name == size->name; });
  return at == k.sizes.end() ? kNone : static_cast<int>(at - k.sizes.begin());
}

/// What an index does with the variable of its dim: a distance and a step, null where there is none.
struct Shift {
  Expr distance, step;
};

/// `o - L`, the same modulo a period, or `L + o*M` kept inside. Nothing if the index is another one.
std::optional<Shift> shift_of(const Expr& index, const std::string& var, const Expr& extent) {
  const auto of_var = [&](const Expr& e, Shift s) {
    return is_variable(e, var) ? std::optional(std::move(s)) : std::nullopt;
  };
  if (const Apply* least = as_apply(index, ScalarOp::Min)) {
    const Apply *most = as_apply(least->args[0], ScalarOp::Max), *last = as_apply(least->args[1], ScalarOp::Sub);
    const Apply* sum = most && is_zero(most->args[1]) ? as_apply(most->args[0], ScalarOp::Add) : nullptr;
    const Apply* product = sum ? as_apply(sum->args[1], ScalarOp::Mul) : nullptr;
    if (!product || !last || !same(last->args[0], extent) || !is_one(last->args[1])) return std::nullopt;
    return of_var(product->args[0], {sum->args[0], product->args[1]});
  }
  const Apply* mod = as_apply(index, ScalarOp::Mod);
  if (mod && !same(mod->args[1], extent)) return std::nullopt;
  const Expr& place = mod ? mod->args[0] : index;
  const Apply* difference = as_apply(place, ScalarOp::Sub);
  return difference ? of_var(difference->args[0], {difference->args[1], nullptr}) : of_var(place, {});
}

/// Whether it asks of sizes only whether they are 0: what is true of a product where it is true of a factor.
bool asks_for_empty(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a) return true;
  if (a->op == ScalarOp::Lt) return constant_value(a->args[1]).has_value();  // 1, or a rank
  if (a->op == ScalarOp::Eq || a->op == ScalarOp::Ne) return is_zero(a->args[1]);
  if (a->op == ScalarOp::Le) {
    const Apply* less = as_apply(a->args[1], ScalarOp::Sub);
    return less && is_one(less->args[1]) && is_zero(a->args[0]);
  }
  const bool logic = a->op == ScalarOp::And || a->op == ScalarOp::Or || a->op == ScalarOp::Not;
  return logic && all_of(a->args, asks_for_empty);
}

}  // namespace

std::vector<int> joined_dims(const LibraryKernel& of) {
  const Kernel& k = of.kernel;
  if (k.body.size() != 1 || !k.parts.empty() || k.call || !k.facts.empty()) return {};
  const KernelStatement& s = k.body[0];
  const auto* r = std::get_if<Read>(&s.value->node);
  if (!r || s.update != Update::Assign || s.where || is_in_recurrence(s) || s.loops.size() != kMaxRank) return {};
  const Tensor &from = k.tensor(r->tensor), &to = k.tensor(s.target);
  const bool reads = r->index.size() == kMaxRank && (!r->fill || is_leaf(r->fill));
  if (!reads || !all_of(k.checks, [](const Check& c) { return c.loops.empty() && asks_for_empty(c.holds); })) return {};
  std::vector<int> first;
  for (size_t d = 0; d < kMaxRank; ++d) {
    const std::string& var = s.loops[d].name;
    const auto shift = shift_of(r->index[d], var, from.dims[d]);
    if (!shift || !is_variable(s.index[d], var) || !same(s.loops[d].extent, to.dims[d])) return {};
    const Expr sizes[] = {from.dims[d], to.dims[d], from.strides[d], shift->distance, shift->step};
    for (size_t i = 0; i < std::size(sizes); ++i) {
      const int at = position_of(k, sizes[i]);
      if (sizes[i] && at == kNone) return {};
      if (d == 0) first.push_back(at);
      else if (at != (sizes[i] ? first[i] + static_cast<int>(d) : first[i])) return {};
    }
  }
  return first;
}

}  // namespace tenon
