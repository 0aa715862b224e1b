// Accumulators: initial values, updates, and the combination of parts and lanes.
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/check.h"

namespace tenon {
namespace {

/// The products whose sum `e` is, one after the other; false where it is no such sum.
bool products_of(const Expr& e, std::vector<const Apply*>& out) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a) return false;
  if (a->op == ScalarOp::Add) return products_of(a->args[0], out) && products_of(a->args[1], out);
  out.push_back(a);
  return a->op == ScalarOp::Mul || a->op == ScalarOp::Sq;
}

}  // namespace

Operand Generator::identity(Reducer op, OperandType type) const {
  if (op == Reducer::ArgMax) op = Reducer::Max;
  if (op == Reducer::ArgMin) op = Reducer::Min;
  return v_constant(*as_constant(identity_of(op, type.dtype)), type);
}

Operand Generator::combine(Reducer op, const Operand& a, const Operand& b) const {
  if (op == Reducer::Fold) return b;
  // the new value first: the test for NaN is then not on the dependency chain between running values
  if (op == Reducer::Max || op == Reducer::ArgMax) return v_apply(ScalarOp::Max, {b, a});
  if (op == Reducer::Min || op == Reducer::ArgMin) return v_apply(ScalarOp::Min, {b, a});
  return v_apply(step_of(op), {a, b});
}

Operand Generator::masked(const Operand& v, const Operand& mask, Reducer op) const {
  const int bits = v->type.dtype == DType::Bool ? v->type.mask_bits : dtype_row(v->type.dtype).bits;
  return v_select(mask_as(mask, bits), v, identity(op, v->type));
}

void Generator::begin(const TreeBegin& b) {
  const Accumulator& a = tree_.accumulators[static_cast<size_t>(b.accumulator)];
  AccumulatorState& state = accumulators_[static_cast<size_t>(b.accumulator)];
  const bool split = a.split.lanes * a.split.parts > 1;
  const int lanes = split ? a.split.lanes : lanes_.lanes;
  const int parts = rows_ > 0 ? rows_ : split ? a.split.parts : lanes_.parts;
  const DType type = is_positional(a.op) ? a.compared : a.type;
  state.type = {type, lanes, lanes > 1 && type == DType::Bool ? isa_.vector_bits / lanes : 0};
  state.position_type = {lanes > 1 && bytes_of(type) <= 4 ? DType::I32 : DType::I64, lanes, 0};
  state.names.clear();
  state.positions.clear();
  state.lost.clear();
  Bundle running, start;
  if (b.start) {
    start_leaf({b.start});
    start = spread(value(b.start), parts);
  }
  for (int u = 0; u < parts; ++u) {
    state.names.push_back(take_name(parts > 1 ? a.name + std::to_string(u) : a.name));
    Operand first = b.start ? start[static_cast<size_t>(u)] : identity(a.op, state.type);
    if (b.start && first->type.dtype == DType::Bool) first = mask_as(first, state.type.mask_bits);
    out_->push_back({SVar{state.names.back(), first}});
    if (!is_positional(a.op)) running.push_back(v_var(state.names.back(), state.type));
    if (a.compensated) {
      state.lost.push_back(take_name(state.names.back() + "_lost"));
      out_->push_back({SVar{state.lost.back(), v_const(0, state.type)}});
    }
    if (!is_positional(a.op)) continue;
    state.positions.push_back(take_name(state.names.back() + "_at"));
    // below 0: no element was kept yet
    out_->push_back({SVar{state.positions.back(), v_const(a.masked ? -1 : 0, state.position_type)}});
    running.push_back(v_cast(v_var(state.positions.back(), state.position_type), a.type));
  }
  vars_[accumulator_name(b.accumulator)] = running;
}

/// Where the load is inactive the value is 0, so that a sum needs no mask.
bool Generator::zero_when_inactive(const Expr& e) {
  if (const auto* r = std::get_if<Read>(&e->node)) return !r->fill && varies(e) && !known_value(r->tensor, r->index);
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a) return false;
  if (a->op == ScalarOp::Cast || a->op == ScalarOp::Sq || a->op == ScalarOp::Neg || a->op == ScalarOp::Abs)
    return zero_when_inactive(a->args[0]);
  return a->op == ScalarOp::Mul && zero_when_inactive(a->args[0]) && zero_when_inactive(a->args[1]);
}

/// A product, or two where the order of additions is free, go into the total by one instruction each.
bool Generator::add_products(const TreeAccumulate& a, const AccumulatorState& state) {
  std::vector<const Apply*> products;
  constexpr size_t kMost = 2;  // each waits for the one before
  if (!products_of(a.value, products) || products.size() > kMost || (products.size() > 1 && !k_.reassociate) ||
      uses_[a.value.get()] > 1)
    return false;
  for (const Apply* p : products) {
    const Bundle x = spread(value(p->args[0]), lanes_.parts), y = spread(value(p->args.back()), lanes_.parts);
    for (size_t u = 0; u < static_cast<size_t>(lanes_.parts); ++u)
      out_->push_back(
          s_assign(state.names[u], v_apply(ScalarOp::Fma, {x[u], y[u], v_var(state.names[u], state.type)})));
  }
  return true;
}

void Generator::accumulate(const TreeAccumulate& a) {
  start_leaf({a.where, a.value});
  if (a.where && !varies(a.where)) {
    const Operand cond = scalar(a.where, 0);
    TreeAccumulate always = a;
    always.where = nullptr;
    Block then = block([&] { accumulate(always); });
    out_->push_back(s_if(cond, std::move(then)));
    return;
  }
  if (!a.where || defined_by_facts(k_, a.value, ranges_)) return accumulate_lanes(a);
  const Operand some = in_any_lane(a.where, lanes_.active != nullptr);
  Block then = block([&] {
    start_leaf({a.where, a.value});
    accumulate_lanes(a);
  });
  out_->push_back(s_if(some, std::move(then)));
}

void Generator::accumulate_lanes(const TreeAccumulate& a) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a.accumulator)];
  if (is_positional(acc.op)) return accumulate_position(a);
  if (acc.compensated) return add_compensated(a);
  const AccumulatorState& state = accumulators_[static_cast<size_t>(a.accumulator)];
  const bool split = acc.split.lanes > 1;
  const bool mask_tail =
      split && lanes_.active && !(acc.op == Reducer::Sum && varies(a.value) && zero_when_inactive(a.value));
  if (acc.op == Reducer::Sum && is_float(acc.type) && isa_.fma && !a.where && !mask_tail && add_products(a, state))
    return;
  const Bundle x = spread(value(a.value), lanes_.parts);
  const Bundle where = a.where ? spread(value(a.where), lanes_.parts) : Bundle{};
  for (size_t u = 0; u < static_cast<size_t>(lanes_.parts); ++u) {
    const Operand total = v_var(state.names[u], state.type);
    Operand v = x[u];
    if (v->type.dtype == DType::Bool) v = mask_as(v, state.type.mask_bits);
    if (a.where && acc.op == Reducer::Fold) {
      const int bits = v->type.dtype == DType::Bool ? v->type.mask_bits : dtype_row(v->type.dtype).bits;
      v = v_select(mask_as(where[u], bits), v, total);
    } else if (a.where) {
      v = masked(v, where[u], acc.op);
    }
    if (mask_tail)
      v = masked(v,
                 lane_mask(state.type.dtype == DType::Bool ? state.type.mask_bits : dtype_row(state.type.dtype).bits),
                 acc.op);
    if (ends_early_) return settle(acc.op, state.names[u], total, v);
    out_->push_back(s_assign(state.names[u], combine(acc.op, total, v)));
  }
}

/// Whether later elements cannot change the accumulator: the same step from the same integer, a larger or smaller
/// position, another condition.
void Generator::settle(Reducer op, const std::string& name, const Operand& total, const Operand& v) {
  const Stmt leave{SLeave{}};
  if (op == Reducer::Fold) {  // compared before it changes; several in a loop end together
    const std::string next = take_name("next"), same = take_name("same");
    out_->push_back({SLet{next, v}});
    const Operand equal = v_apply(ScalarOp::Eq, {v_var(next, v->type), total});
    out_->push_back({SLet{same, equal}});
    settled_.push_back(v_var(same, equal->type));
    out_->push_back(s_assign(name, v_var(next, v->type)));
    return;
  }
  out_->push_back(s_assign(name, combine(op, total, v)));
  if (op == Reducer::Any || op == Reducer::All)
    out_->push_back(s_if(op == Reducer::Any ? total : v_apply(ScalarOp::Not, {total}), {leave}));
  else out_->push_back(leave);
}

/// The first value is the total; the rounding errors of adding the others are accumulated separately.
void Generator::add_compensated(const TreeAccumulate& a) {
  const AccumulatorState& state = accumulators_[static_cast<size_t>(a.accumulator)];
  const Bundle x = spread(value(a.value), lanes_.parts);
  Block first, others;
  for (size_t u = 0; u < state.names.size(); ++u) {
    const Operand total = v_var(state.names[u], state.type), lost = v_var(state.lost[u], state.type);
    first.push_back(s_assign(state.names[u], x[u]));
    const Operand error = v_apply(ScalarOp::SumError, {total, x[u]});
    others.push_back(s_assign(state.lost[u], v_apply(ScalarOp::Add, {lost, error})));
    others.push_back(s_assign(state.names[u], v_apply(ScalarOp::Add, {total, x[u]})));
  }
  if (!a.position) return void(out_->insert(out_->end(), others.begin(), others.end()));
  out_->push_back(s_if(v_apply(ScalarOp::Eq, {scalar(a.position, 0), v_int(0)}), std::move(first), std::move(others)));
}

void Generator::end_compensated(const TreeEnd& e) {
  const AccumulatorState& state = accumulators_[static_cast<size_t>(e.accumulator)];
  Bundle result;
  for (size_t u = 0; u < state.names.size(); ++u)
    result.push_back(v_apply(ScalarOp::Add, {v_var(state.names[u], state.type), v_var(state.lost[u], state.type)}));
  vars_[accumulator_name(e.accumulator)] = result;
}

/// Whether a value replaces the best so far: the first best element wins, and the first NaN wins over all. `backwards`:
/// the value precedes those seen so far.
Operand Generator::beats(Reducer op, const Operand& v, const Operand& best, bool backwards) {
  const bool most = op == Reducer::ArgMax;
  if (backwards) {
    const Operand reaches = v_apply(most ? ScalarOp::Ge : ScalarOp::Le, {v, best});
    return is_float(best->type.dtype) ? v_apply(ScalarOp::Or, {v_apply(ScalarOp::Ne, {v, v}), reaches}) : reaches;
  }
  if (!is_float(best->type.dtype)) return v_apply(most ? ScalarOp::Gt : ScalarOp::Lt, {v, best});
  const Operand keeps = v_apply(most ? ScalarOp::Le : ScalarOp::Ge, {v, best});
  return v_apply(ScalarOp::And, {v_apply(ScalarOp::Not, {keeps}), v_apply(ScalarOp::Eq, {best, best})});
}

void Generator::accumulate_position(const TreeAccumulate& a) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a.accumulator)];
  const AccumulatorState& state = accumulators_[static_cast<size_t>(a.accumulator)];
  const Bundle x = spread(value(a.value), lanes_.parts);
  const Bundle where = a.where ? spread(value(a.where), lanes_.parts) : Bundle{};
  const int bits = dtype_row(state.type.dtype).bits;
  const bool runs_over_lanes = acc.split.lanes > 1;
  Operand start;
  for (size_t u = 0; u < static_cast<size_t>(lanes_.parts); ++u) {
    const Operand best = v_var(state.names[u], state.type), at = v_var(state.positions[u], state.position_type);
    const Operand v = named("x", x[u]);
    Operand better = beats(acc.op, v, best, acc.backwards);
    if (acc.masked)
      better =
          v_apply(ScalarOp::Or, {mask_as(v_apply(ScalarOp::Lt, {at, v_const(0, state.position_type)}), bits), better});
    if (a.where) better = v_apply(ScalarOp::And, {better, mask_as(where[u], bits)});
    if (runs_over_lanes && lanes_.active) better = v_apply(ScalarOp::And, {better, lane_mask(bits)});
    // a mask register is not a variable: the compiler merges the comparisons of both selects
    const bool in_register = !acc.masked && isa_.row("mask_eq", state.type.dtype, state.type.lanes) &&
                             isa_.row("select_by", state.position_type.dtype, state.type.lanes);
    if (!in_register) better = named("better", better);
    const Operand first = v_cast(scalar(a.position, static_cast<int>(u)), state.position_type.dtype);
    Operand here = runs_over_lanes ? v_ramp(first, state.type.lanes) : v_splat(first, state.type.lanes);
    if (runs_over_lanes && lanes_.parts > 1) {  // the parts lie behind one another
      if (u == 0) start = here = named("here", here);
      else here = v_apply(ScalarOp::Add, {start, v_const(static_cast<double>(u) * acc.split.lanes, here->type)});
    }
    out_->push_back(
        s_assign(state.positions[u], v_select(mask_as(better, dtype_row(state.position_type.dtype).bits), here, at)));
    out_->push_back(s_assign(state.names[u], v_select(better, v, best)));
  }
}

void Generator::end(const TreeEnd& e) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(e.accumulator)];
  if (is_positional(acc.op)) return end_position(e);
  if (acc.compensated) return end_compensated(e);
  if (acc.split.lanes * acc.split.parts <= 1) return;
  const AccumulatorState& state = accumulators_[static_cast<size_t>(e.accumulator)];
  Bundle parts = vars_[accumulator_name(e.accumulator)];
  while (parts.size() > 1) {
    Bundle half;
    for (size_t u = 0; u + 1 < parts.size(); u += 2) half.push_back(combine(acc.op, parts[u], parts[u + 1]));
    if (parts.size() % 2 != 0) half.push_back(parts.back());
    parts = std::move(half);
  }
  const Operand total = state.type.lanes > 1 ? v_fold(acc.op, parts[0]) : parts[0];
  vars_[accumulator_name(e.accumulator)] = {named(acc.name + "_all", total)};
}

void Generator::end_position(const TreeEnd& e) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(e.accumulator)];
  const AccumulatorState& state = accumulators_[static_cast<size_t>(e.accumulator)];
  Bundle result;
  if (acc.split.lanes <= 1) {
    for (const std::string& p : state.positions) result.push_back(v_cast(v_var(p, state.position_type), acc.type));
    vars_[accumulator_name(e.accumulator)] = result;
    return;
  }
  const Reducer extreme = acc.op == Reducer::ArgMax ? Reducer::Max : Reducer::Min;
  Operand top = v_var(state.names[0], state.type);
  for (size_t u = 1; u < state.names.size(); ++u) top = combine(extreme, top, v_var(state.names[u], state.type));
  const Operand best = v_splat(named(acc.name + "_best", v_fold(extreme, top)), state.type.lanes);
  const Operand none = v_const(state.position_type.dtype == DType::I32 ? 2147483647.0 : 9.2e18, state.position_type);
  Operand first;
  for (size_t u = 0; u < state.names.size(); ++u) {
    const Operand v = v_var(state.names[u], state.type);
    Operand is_best = v_apply(ScalarOp::Eq, {v, best});
    if (is_float(state.type.dtype)) is_best = v_apply(ScalarOp::Or, {is_best, v_apply(ScalarOp::Ne, {v, v})});
    const Operand position = v_var(state.positions[u], state.position_type);
    is_best = mask_as(is_best, dtype_row(state.position_type.dtype).bits);
    if (acc.masked)
      is_best = v_apply(ScalarOp::And, {is_best, v_apply(ScalarOp::Ge, {position, v_const(0, state.position_type)})});
    const Operand at = v_select(is_best, position, none);
    first = first ? v_apply(ScalarOp::Min, {first, at}) : at;
  }
  vars_[accumulator_name(e.accumulator)] = {named(acc.name + "_first", v_cast(v_fold(Reducer::Min, first), acc.type))};
}

}  // namespace tenon
