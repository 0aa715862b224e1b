// Sums over windows with run-time steps, as in gradients of windows: only terms whose index is a multiple of the step
// are counted.
#include <algorithm>

#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/lower_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// index % by == 0: the element number index//by, of which there are `extent`.
struct Step {
  Expr index, by;
  Expr number = nullptr;  ///< index//by
  Expr extent = nullptr;
  std::string var = {};  ///< takes the place of the number
};

bool holds_variable(const Expr& e) { return has_node<VarRef>(e); }

/// Whether the kernel says so. Elements are spread forwards: a step backwards would leave the temp.
bool is_said_positive(const Kernel& k, const Expr& by) {
  const Expr zero = constant_int(0), one = constant_int(1);
  const Expr said[] = {apply(ScalarOp::Gt, {by, zero}), apply(ScalarOp::Lt, {zero, by}), apply(ScalarOp::Ge, {by, one}),
                       apply(ScalarOp::Le, {one, by})};
  return any_of(k.facts, [&](const Expr& f) { return any_of(said, [&](const Expr& s) { return same(f, s); }); });
}

/// The steps of a condition that states nothing else; none otherwise. Bounds of the quotients follow from it or from
/// the reads.
std::vector<Step> steps_in(const Kernel& k, const Expr& where) {
  const std::vector<Expr> terms = conjuncts(where);
  std::vector<Step> out;
  for (const Expr& term : terms) {
    const Apply* equal = as_apply(term, ScalarOp::Eq);
    const Apply* rest = equal && is_zero(equal->args[1]) ? as_apply(equal->args[0], ScalarOp::Mod) : nullptr;
    if (rest && is_leaf(rest->args[1]) && is_said_positive(k, rest->args[1]))
      out.push_back({rest->args[0], rest->args[1], apply(ScalarOp::FloorDiv, {rest->args[0], rest->args[1]})});
  }
  for (const Expr& term : terms) {
    if (as_apply(term, ScalarOp::Eq)) continue;
    const Apply* below = as_apply(term, ScalarOp::Lt);
    const Apply* from = as_apply(term, ScalarOp::Ge);
    const Apply* bound = below ? below : from;
    const auto step = !bound ? out.end() : find_if(out, [&](const Step& s) { return same(s.number, bound->args[0]); });
    const bool plain = step != out.end() && (below ? !holds_variable(below->args[1]) : is_zero(from->args[1]));
    if (!plain) return {};
    if (below) step->extent = below->args[1];
  }
  const auto tests = std::count_if(terms.begin(), terms.end(), [](const Expr& t) { return as_apply(t, ScalarOp::Eq); });
  return static_cast<size_t>(tests) == out.size() ? out : std::vector<Step>();
}

bool has_number(const Expr& e, const std::vector<Step>& steps) {
  return any_node(e, [&](const Expr& n) { return any_of(steps, [&](const Step& s) { return same(s.number, n); }); });
}

/// The factor of a product that contains all quotients: it decides which terms count.
Expr factor_with(const Expr& value, const std::vector<Step>& steps) {
  if (const Apply* product = as_apply(value, ScalarOp::Mul)) {
    const bool left = has_number(product->args[0], steps), right = has_number(product->args[1], steps);
    if (left != right) return factor_with(product->args[left ? 0 : 1], steps);
  }
  if (const Apply* widened = as_apply(value, ScalarOp::Cast); widened && is_float(widened->args[0]->type))
    return factor_with(widened->args[0], steps);
  return value;
}

/// An extent of each number: where no condition bounds it, of the dimension outside of which the factor is 0.
bool know_extents(const Kernel& k, const Expr& factor, std::vector<Step>& steps) {
  const auto* r = std::get_if<Read>(&factor->node);
  const Constant* fill = r && r->fill ? as_constant(r->fill) : nullptr;
  if (fill && fill->f == 0 && is_float(r->fill->type))
    for (size_t d = 0; d < r->index.size(); ++d)
      for (Step& s : steps)
        if (!s.extent && same(r->index[d], s.number)) s.extent = k.tensor(r->tensor).dims[d];
  return all_of(steps, [](const Step& s) { return s.extent != nullptr; });
}

/// The statement as three: a temp of zeros, the factor of each number spread over it by the steps, and the sum of all
/// terms, in which the temp takes the place of the factor. Without steps a sum of products has tiles, others vectors.
class Spreading {
 public:
  Spreading(const Kernel& k, std::vector<Step> steps) : out_(k), steps_(std::move(steps)) {}

  /// The number of the temp; -1 where the factor depends on what its numbers depend on.
  int run() {
    const KernelStatement sum = out_.body.back();
    const Reduce r = std::get<Reduce>(sum.value->node);
    const Expr factor = factor_with(r.value, steps_);
    if (!is_float(factor->type) || has_node<Reduce>(factor) || !know_extents(out_, factor, steps_)) return -1;
    Expr value = factor;
    for (size_t i = 0; i < steps_.size(); ++i) {
      steps_[i].var = "spread_" + std::to_string(i);
      value = with_expr(value, steps_[i].number, var_ref(steps_[i].var));
    }
    std::vector<LoopVar> around;
    for (const auto* vars : {&sum.loops, &r.vars})
      for (const LoopVar& v : *vars) {
        if (!mentions(value, v.name)) continue;
        if (holds_variable(v.extent) || any_of(steps_, [&](const Step& s) { return mentions(s.index, v.name); }))
          return -1;
        around.push_back(v);
      }
    const int temp = add_temp(around, factor->type);
    fill(temp, around, value);
    std::vector<Expr> at = var_refs(around);
    for (const Step& s : steps_) at.push_back(s.index);
    const Expr spread = read_of(temp, factor->type, at, constant_of(0, factor->type));
    KernelStatement rest = sum;
    rest.value = reduce_like(r, r.vars, nullptr, with_expr(r.value, factor, spread), sum.value->type);
    out_.body.push_back(std::move(rest));
    return temp;
  }

  Kernel take() && { return std::move(out_); }

 private:
  int add_temp(const std::vector<LoopVar>& around, DType type) {
    std::vector<Expr> dims = mapped(around, &LoopVar::extent);
    for (const Step& s : steps_)
      dims.push_back(apply(ScalarOp::Max, {(s.extent - constant_int(1)) * s.by + constant_int(1), constant_int(0)}));
    return out_.add_temp("spread", type, std::move(dims));
  }

  void fill(int temp, const std::vector<LoopVar>& around, const Expr& value) {
    out_.body.pop_back();
    KernelStatement zeros, each;
    zeros.target = each.target = temp;
    const std::vector<Expr> dims = out_.tensor(temp).dims;
    for (size_t d = 0; d < dims.size(); ++d) zeros.loops.push_back({"zero_" + std::to_string(d), dims[d]});
    zeros.index = var_refs(zeros.loops);
    zeros.value = constant_of(0, value->type);
    each.loops = around;
    each.index = var_refs(around);
    for (const Step& s : steps_) {
      each.loops.push_back({s.var, s.extent});
      each.index.push_back(var_ref(s.var) * s.by);
    }
    each.update = Update::Last;
    each.value = value;
    out_.body.push_back(std::move(zeros));
    out_.body.push_back(std::move(each));
  }

  Kernel out_;
  std::vector<Step> steps_;
};

}  // namespace

std::optional<SpreadKernel> spread_sums(const Kernel& k) {
  if (k.body.empty() || k.call || !k.found.empty() || has_recurrence(k)) return std::nullopt;
  const KernelStatement& last = k.body.back();
  const auto* r = std::get_if<Reduce>(&last.value->node);
  if (!r || r->op != Reducer::Sum || !r->where || last.update != Update::Assign || !last.masks_by_zero)
    return std::nullopt;
  for (size_t i = 0; i + 1 < k.body.size(); ++i)
    if (k.body[i].update != Update::Assign || k.tensor(k.body[i].target).role != Role::Temp) return std::nullopt;
  std::vector<Step> steps = steps_in(k, r->where);
  if (steps.empty()) return std::nullopt;
  Spreading spreading(k, std::move(steps));
  const int temp = spreading.run();
  if (temp < 0) return std::nullopt;
  return SpreadKernel{std::move(spreading).take(), temp};
}

}  // namespace tenon
