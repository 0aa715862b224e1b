// Syntax → typed expression: guards of indices, and what has to be checked at run time.
#include <fmt/format.h>

#include <utility>

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "library/expr_builder.h"
#include "library/type_rules.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {

/// Real numbers and u64 keep their type where they are no index.
Typed ExprBuilder::clamped(const Syntax& s) {
  const Typed x = value(s.children[0]), low = value(s.children[1]), high = value(s.children[2]);
  const auto real = [](const Typed& t) { return is_float(t.e->type); };
  const bool below_zero = low.flexible && constant_value(low.e).value_or(0) < 0;
  const bool large = x.e->type == DType::U64 && !below_zero;  // its upper half is negative as an i64
  const bool typed = !in_index_ && (real(x) || real(low) || real(high) || large);
  const Expr i = convert(x, DType::I64), lo = convert(low, DType::I64), hi = convert(high, DType::I64);
  if (!typed || (large && low.flexible && high.flexible))
    require_where_run(hi - lo, apply(ScalarOp::Le, {lo, hi}), CheckStatus::Shape, s);  // hi - lo may wrap
  if (typed) return unified(ScalarOp::Min, s, unified(ScalarOp::Max, s, x, low), high);
  const Expr inside = apply(ScalarOp::Min, {apply(ScalarOp::Max, {i, lo}), hi});
  const auto exact = [&](const Expr& end) { return integers_.of(end, IndexPart::Inner).exactness == Exactness::Exact; };
  if (exact(lo) && exact(hi)) integers_.guard(inside);
  return {inside, true};
}

Typed ExprBuilder::guard(const Syntax& s) {
  if (s.calls(Builtin::clamp)) return clamped(s);
  const bool outside = !std::exchange(in_index_, true);
  const Typed x = value(s.children[0]);
  in_index_ = !outside;
  if (outside && is_float(x.e->type))
    error(Code::E0601, s.children[0],
          fmt::format("{} takes an integer, not a number of {}", s.text, name_of(x.e->type)),
          {"convert it: cast(x, i64)"});
  const Expr i = convert(x, DType::I64);
  const Expr d = index(s.children[1]), zero_index = constant_int(0), one = constant_int(1);
  const auto guarded = [&](const Expr& e) {
    integers_.guard(e, d);
    return Typed{e, true};
  };
  if (s.calls(Builtin::wrap)) {
    unsure_ = unsure_ || is_later(i);
    require_data(
        apply(ScalarOp::And, {apply(ScalarOp::Ge, {i, apply(ScalarOp::Neg, {d})}), apply(ScalarOp::Lt, {i, d})}),
        CheckStatus::Range, s);
    return guarded(tenon::select(apply(ScalarOp::Lt, {i, zero_index}), i + d, i));
  }
  if (lies_within(i, d)) return {i, true};
  require_choice(d - one, s);
  const Expr two = constant_int(2);
  if (s.calls(Builtin::mirror)) {
    const Expr m = apply(ScalarOp::Mod, {i, two * d});
    return guarded(tenon::select(apply(ScalarOp::Lt, {m, d}), m, two * d - one - m));
  }
  const Expr period = apply(ScalarOp::Max, {two * d - two, one});
  const Expr m = apply(ScalarOp::Mod, {i, period});
  return guarded(tenon::select(apply(ScalarOp::Lt, {m, d}), m, period - m));
}

/// 0 <= i < extent wherever the statement's loops are.
bool ExprBuilder::lies_within(const Expr& i, const Expr& extent) const {
  const Ranges ranges = ranges_of(statement_.loops);
  return proves_le(constant_int(0), i, ranges) && proves_lt(i, extent, ranges);
}

namespace {

/// max(x, 1), whatever the type of x.
bool is_positive(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && a->op == ScalarOp::Max &&
         any_of(a->args, [](const Expr& x) { return constant_value(x).value_or(0) > 0; });
}

}  // namespace

/// A nonzero divisor. An extent of 0 has no elements, so no division by it is executed and any divisor will do.
Expr ExprBuilder::divisor(const Expr& divisor, const Syntax& place) {
  const auto known = constant_value(divisor);
  if ((known && *known != 0) || is_positive(divisor)) return divisor;
  if (known && (place.kind != SyntaxKind::name || scope_.binding.attrs.contains(place.text)))
    error(Code::E0506, place, "the divisor is 0");
  const bool from_data = has_node<Read>(divisor) || has_node<AttrRef>(divisor) || has_node<VarRef>(divisor);
  const Expr holds = apply(ScalarOp::Ne, {divisor, constant_int(0, divisor->type)});
  if (from_data) require_data(holds, CheckStatus::Range, place);
  else require_where_run(divisor - constant_int(1, divisor->type), holds, CheckStatus::Range, place);
  if (is_later(divisor)) return tenon::select(holds, divisor, constant_int(1, divisor->type));
  return known ? constant_int(1, divisor->type) : divisor;
}

/// Whether the recurrence that is being computed makes what the expression reads.
bool ExprBuilder::is_later(const Expr& e) const {
  return any_read(e, [&](const Read& r) { return later_.count(r.tensor) != 0; });
}

namespace {

/// The comparisons of integers that hold where the condition does.
std::vector<const Apply*> comparisons(const Expr& condition) {
  std::vector<const Apply*> out;
  for (const Expr& part : conjuncts(condition)) {
    const auto* a = std::get_if<Apply>(&part->node);
    if (a && a->args.size() == 2 && a->args[0]->type == DType::I64) out.push_back(a);
  }
  return out;
}

/// Constants that a condition compares with a variable, and their neighbours: if it holds anywhere, it holds at one of
/// these.
void candidates(const Expr& where, const std::string& var, std::vector<Expr>& out) {
  for (const Apply* a : comparisons(where))
    for (size_t side = 0; side < 2; ++side) {
      const auto affine = affine_in(a->args[side], var);
      if (!affine || !is_one(affine->coefficient) || mentions(a->args[1 - side], var)) continue;
      const Expr there = a->args[1 - side] - affine->rest;
      for (const int64_t nearby : {0, -1, 1}) out.push_back(there + constant_int(nearby));
    }
}

}  // namespace

/// A position requires an element that satisfies the condition. If one is known to exist there is no run-time check; an
/// extent of 0 is covered by another check.
void ExprBuilder::require_any(const std::vector<LoopVar>& vars, const Expr& where, const Syntax& place) {
  const Ranges ranges = ranges_of(reducing_, ranges_of(statement_.loops));
  std::vector<Expr> tries = {constant_int(0), vars[0].extent - constant_int(1)};
  candidates(where, vars[0].name, tries);
  const bool sure = vars.size() == 1 && any_of(tries, [&](const Expr& t) {
                      const Expr there = simplify(t, ranges);
                      return proves_le(constant_int(0), there, ranges) && proves_lt(there, vars[0].extent, ranges) &&
                             is_one(simplify(substitute(where, {{vars[0].name, there}}), ranges));
                    });
  if (!sure)
    require_data(reduce(Reducer::Any, vars, where, constant_int(1, DType::Bool), DType::Bool), CheckStatus::Shape,
                 place);
}

void ExprBuilder::require_choice(const Expr& slack, const Syntax& place) {
  require_where_run(slack, apply(ScalarOp::Ge, {slack, constant_int(0)}), CheckStatus::Shape, place);
}

namespace {

/// Where lo <= x and x < hi, there is a number from lo on below hi.
bool leave_room(const std::vector<Expr>& conditions, const LinearForm& slack, const Ranges& ranges) {
  std::vector<const Apply*> known;
  for (const Expr& condition : conditions) append(known, comparisons(condition));
  for (const Apply* low : known)
    for (const Apply* high : known) {
      if (low->op != ScalarOp::Le || high->op != ScalarOp::Lt || !same(low->args[1], high->args[0])) continue;
      LinearForm spare = slack - (linear_form(high->args[1]) - linear_form(low->args[0]));
      ++spare.constant;
      if (proves_not_negative(spare, ranges)) return true;
    }
  return false;
}

}  // namespace

/// Facts under which `slack` >= 0 is proved: the statement is executed only if the extents of its loops are at least 1.
void ExprBuilder::require_where_run(const Expr& slack, Expr holds, CheckStatus status, const Syntax& place) {
  std::vector<LoopVar> loops = concat(statement_.loops, reducing_);
  Ranges ranges;
  for (const LoopVar& v : loops)
    if (const auto* size = std::get_if<SizeRef>(&v.extent->node)) ranges.size_lo[size->name] = 1;
  const LinearForm form = linear_form(slack);
  for (const LoopVar& v : loops) {
    LinearForm spare = form - linear_form(v.extent);
    ++spare.constant;
    if (proves_not_negative(spare, ranges)) return;
    const auto extent = constant_value(v.extent);
    if (!extent || *extent < 1) holds = apply(ScalarOp::Or, {apply(ScalarOp::Lt, {v.extent, constant_int(1)}), holds});
  }
  if (!proves_not_negative(form, ranges) && !leave_room(path_, form, ranges)) require_data(holds, status, place);
}

/// Checks are made before anything is stored, where no fold has run yet.
void ExprBuilder::refuse_running(const std::string& accumulator, const Syntax& place) {
  const bool guard = place.calls(Builtin::wrap, Builtin::clamp, Builtin::reflect, Builtin::mirror);
  const bool choice = place.is(SyntaxKind::reduce);
  error(guard ? Code::E0503 : Code::E0506, place,
        fmt::format("the accumulator '{}' of a fold is not checked{}", accumulator,
                    guard    ? ""
                    : choice ? fmt::format(", and {} may have no elements here", place.text)
                             : ", and may be 0 here"),
        {guard    ? "write padded(X[…], v), clamp with bounds in order, or %, which no value leaves"
         : choice ? "choose by select over all elements, such as argmax[k](select(condition, X[k], -inf))"
                  : "write max(…, 1) for the divisor"});
}

void ExprBuilder::require_data(Expr holds, CheckStatus status, const Syntax& place) {
  if (const auto c = constant_value(simplify(holds)); c && *c) return;
  const auto runs_in = [](const Expr& e) {
    return [&e](const auto& named) {
      const auto* ref = std::get_if<VarRef>(&named.second.e->node);
      return ref && mentions(e, ref->name);
    };
  };
  if (const auto at = find_if(running_, runs_in(holds)); at != running_.end()) return refuse_running(at->first, place);
  for (size_t i = path_.size(); i-- > 0;)
    if (none_of(running_, runs_in(path_[i]))) holds = apply(ScalarOp::Or, {apply(ScalarOp::Not, {path_[i]}), holds});
  Check check{{}, holds, status, one_line(place.span.known() ? place.span.text() : std::string_view())};
  const auto add = [&](const LoopVar& v) {
    if (mentions(holds, v.name) || is_presence(kernel_, v.extent)) check.loops.push_back(v);
  };
  for (const LoopVar& v : statement_.loops) add(v);
  for (const LoopVar& v : reducing_) add(v);
  for (const Check& c : kernel_.checks)
    if (same(c.holds, check.holds) && c.loops.size() == check.loops.size()) return;
  kernel_.checks.push_back(std::move(check));
}

}  // namespace tenon
