// Interval arithmetic in 128 bits over expressions, with what wrapping leaves of the numbers.
#include "algebra/integer_states.h"

#include <algorithm>
#include <optional>

#include "support/ranges.h"

namespace tenon {
namespace {

using Wide = IntegerState::Wide;
using Bounds = WideInterval;

/// Where products of two extents or variables are taken to fit an i64.
constexpr Wide kUsualDim = Wide{1} << 30, kLargestDim = kMostInMemory;

IntegerState whole(DType type, Exactness exactness) {
  const auto [lo, hi] = integers_of(type);
  return {exactness, lo, hi};
}

/// The interval that the results at the four corners span; nothing where one does not fit 128 bits.
template <class F>
std::optional<Bounds> spanned(const IntegerState& a, const IntegerState& b, F f) {
  Bounds out;
  bool first = true;
  for (const Wide x : {a.lo, a.hi})
    for (const Wide y : {b.lo, b.hi}) {
      Wide v = 0;
      if (!f(x, y, v)) return std::nullopt;
      out = first ? Bounds{v, v} : Bounds{std::min(out.lo, v), std::max(out.hi, v)};
      first = false;
    }
  return out;
}

std::optional<Bounds> product(const IntegerState& a, const IntegerState& b) {
  return spanned(a, b, [](Wide x, Wide y, Wide& v) { return !__builtin_mul_overflow(x, y, &v); });
}

/// The result of sums and products, for which equality modulo a power of two is enough.
IntegerState ring(DType type, Exactness exactness, const std::optional<Bounds>& bounds) {
  if (bounds && within(*bounds, integers_of(type))) return {exactness, bounds->lo, bounds->hi};
  return whole(type, std::max(exactness, Exactness::Congruent));
}

/// The result of what needs the numbers themselves.
IntegerState order(DType type, Exactness exactness, const std::optional<Bounds>& bounds) {
  return ring(type, exactness == Exactness::Exact ? exactness : Exactness::Wrong, bounds);
}

/// The smallest 2^n - 1 that is not below the number.
Wide all_bits(Wide most) {
  Wide bits = 0;
  while (bits < most) bits = 2 * bits + 1;
  return bits;
}

/// Only the lowest number divided by -1 leaves the type.
std::optional<Bounds> quotient(const IntegerState& a, IntegerState b) {
  const Wide most = std::max(-a.lo, a.hi);
  if (b.lo < 0) return Bounds{-most, most};
  b = {b.exactness, std::max(b.lo, Wide{1}), std::max(b.hi, Wide{1})};  // a division by 0 is not executed
  return spanned(a, b, [](Wide x, Wide y, Wide& v) { return v = floor_quotient(x, y), true; });
}

IntegerState conversion(const Expr& e, const Expr& from, const IntegerState& x) {
  if (!is_integral(from->type)) return whole(e->type, Exactness::Exact);
  const bool wider = e->type == DType::Bool || dtype_row(e->type).bits > dtype_row(from->type).bits;
  return (wider ? order : ring)(e->type, x.exactness, Bounds{x.lo, x.hi});
}

IntegerState bitwise(DType type, ScalarOp op, const IntegerState& x, const IntegerState& y) {
  const Exactness worst = std::max(x.exactness, y.exactness);
  if (op != ScalarOp::BitAnd)
    return ring(type, worst, x.lo < 0 || y.lo < 0 ? integers_of(type) : Bounds{0, all_bits(std::max(x.hi, y.hi))});
  // A mask leaves the lowest bits, which are right.
  const auto masks = [&](const IntegerState& m) { return m.exactness == Exactness::Exact && m.lo >= 0; };
  const bool right = worst != Exactness::Wrong && (masks(x) || masks(y));
  const Exactness exactness = right ? Exactness::Exact : worst;
  if (x.lo < 0 && y.lo < 0) return ring(type, exactness, integers_of(type));
  return ring(type, exactness, Bounds{0, x.lo < 0 ? y.hi : y.lo < 0 ? x.hi : std::min(x.hi, y.hi)});
}

/// x shifted by a count that is known.
std::optional<IntegerState> factor_of_shift(const IntegerState& count) {
  if (count.lo != count.hi || count.lo < 0 || count.lo > 62) return std::nullopt;
  const Wide factor = Wide{1} << static_cast<int>(count.lo);
  return IntegerState{count.exactness, factor, factor};
}

/// How many values the variables of a reduction take at most.
Wide count_of(const std::vector<LoopVar>& vars) {
  Wide count = 1;
  for (const LoopVar& v : vars)
    count = std::min(Wide{kMostInMemory}, count * constant_value(v.extent).value_or(kMostInMemory));
  return std::max(count, Wide{0});
}

/// Sums and products of indices, which are right modulo 2^64.
bool is_ring_operation(const Expr& e) {
  constexpr ScalarOp kOps[] = {ScalarOp::Add, ScalarOp::Sub, ScalarOp::Neg, ScalarOp::Mul};
  const auto* a = std::get_if<Apply>(&e->node);
  return a && e->type == DType::I64 && contains(kOps, a->op);
}

Expr as_unsigned(const Expr& e) {
  if (is_ring_operation(e)) return map_children(e, [](const Expr& x) { return as_unsigned(x); });
  const bool bounded = as_constant(e) || std::holds_alternative<VarRef>(e->node);
  return bounded ? e : cast_to(cast_to(e, DType::U64), DType::I64);
}

void visit_parts(const Expr& e, IndexPart part, FunctionRef<void(const Expr&, IndexPart)> f) {
  if (std::holds_alternative<AttrRef>(e->node) || std::holds_alternative<SizeRef>(e->node)) f(e, part);
  const auto* read = std::get_if<Read>(&e->node);
  const auto* reduce = std::get_if<Reduce>(&e->node);
  size_t argument = 0;
  each_child(e, [&](const Expr& x) {
    const IndexPart inner = part_of_argument(e, argument++, part);
    const bool bounds = reduce != nullptr && x == reduce->where;
    visit_parts(x, read != nullptr && x != read->fill ? IndexPart::Term : bounds ? IndexPart::Inner : inner, f);
  });
}

}  // namespace

void for_each_part(const Kernel& k, FunctionRef<void(const Expr&, IndexPart)> f) {
  for_each_statement(k, [&](const KernelStatement& s) {
    for (const Expr& e : s.index) visit_parts(e, IndexPart::Term, f);
    visit_parts(s.value, IndexPart::Value, f);
    if (s.where) visit_parts(s.where, IndexPart::Value, f);
  });
}

int64_t most_of(IndexPart part) {
  return part == IndexPart::Factor ? INT32_MAX : part == IndexPart::Term ? int64_t{1} << 61 : INT64_MAX;
}

IndexPart part_of_argument(const Expr& e, size_t argument, IndexPart part) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (part == IndexPart::Value || (a && a->op == ScalarOp::Cast)) return part;
  if (a && a->op == ScalarOp::Mul) return IndexPart::Factor;
  constexpr ScalarOp kSums[] = {ScalarOp::Add, ScalarOp::Sub, ScalarOp::Neg};
  constexpr ScalarOp kChoices[] = {ScalarOp::Min, ScalarOp::Max, ScalarOp::Abs};
  // Loops over the periods of a quotient or remainder end at sums with the divisor; what is divided may be any number.
  const bool divisor = a && (a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Mod) && argument == 1;
  if (a && (divisor || contains(kSums, a->op))) return std::max(part, IndexPart::Term);
  // A number alone in a minimum may be any, but not what a product has of it.
  const bool chosen = std::holds_alternative<Select>(e->node) || (a && contains(kChoices, a->op));
  return chosen && part == IndexPart::Factor ? part : IndexPart::Inner;
}

void IntegerStates::define(const KernelStatement& s) {
  const DType type = kernel_.tensor(s.target).dtype;
  if (!is_integral(type)) return;
  // The proofs follow what has one definition.
  const bool again = defined_.contains({s.target, largest_dim_}) || s.update != Update::Assign;
  for (const Wide dim : {kUsualDim, kLargestDim}) {
    largest_dim_ = dim;
    defined_[{s.target, dim}] = again ? whole(type, Exactness::Exact) : of(s.value, IndexPart::Value);
  }
}

IntegerState IntegerStates::of(const Expr& e, IndexPart part) {
  done_.clear();
  return state(e, part);
}

IntegerState IntegerStates::state(const Expr& e, IndexPart part) {
  const auto done = done_.find({e.get(), part});
  if (done != done_.end()) return done->second;
  const IntegerState found = computed(e, part);
  const auto guarded = guards_.find(e.get());
  IntegerState& out = done_[{e.get(), part}] = found;
  if (guarded == guards_.end()) return out;
  out.exactness = Exactness::Exact;
  if (const Expr& extent = guarded->second.second) out = {Exactness::Exact, 0, state(extent, part).hi - 1};
  return out;
}

bool IntegerStates::stays_within(const Expr& index, const Expr& extent) {
  const IntegerState at = of(index, IndexPart::Term);
  if (at.exactness != Exactness::Wrong) return true;
  const auto known = constant_value(extent);
  const Apply* rest = as_apply(index, ScalarOp::Mod);
  return at.lo >= 0 && (known ? at.hi < *known : rest && same(rest->args[1], extent));
}

Expr IntegerStates::unsigned_where_wrapping(const Expr& index) {
  if (const auto* s = std::get_if<Select>(&index->node); s && !guards_.contains(index.get()))
    return select(s->cond, unsigned_where_wrapping(s->yes), unsigned_where_wrapping(s->no));
  largest_dim_ = kUsualDim;
  done_.clear();
  const bool wraps = any_wraps(index);
  largest_dim_ = kLargestDim;
  return wraps ? as_unsigned(index) : index;
}

bool IntegerStates::any_wraps(const Expr& index) {
  if (!is_ring_operation(index)) return false;
  const IntegerState s = state(index, IndexPart::Term);
  const auto& args = std::get<Apply>(index->node).args;
  return Bounds{s.lo, s.hi} == integers_of(DType::I64) || any_of(args, [&](const Expr& x) { return any_wraps(x); });
}

IntegerState IntegerStates::computed(const Expr& e, IndexPart part) {
  if (const Constant* c = as_constant(e); c && is_integral(e->type)) {
    const Wide v = e->type == DType::U64 ? Wide{static_cast<uint64_t>(c->i)} : Wide{c->i};
    return {Exactness::Exact, v, v};
  }
  if (const auto* v = std::get_if<VarRef>(&e->node); v && !accumulators_.contains(v->name))
    return {Exactness::Exact, 0, largest_dim_};
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return symbol(s->name, part);
  if (std::holds_alternative<AttrRef>(e->node) && e->type == DType::I64)
    return symbol(std::get<AttrRef>(e->node).name, part);
  if (const auto* r = std::get_if<Read>(&e->node)) return element(e, *r);
  if (const auto* r = std::get_if<Reduce>(&e->node)) return reduced(e, *r, part);
  if (const auto* a = std::get_if<Apply>(&e->node)) return applied(e, *a, part);
  const auto* s = std::get_if<Select>(&e->node);
  if (!s || !is_integral(e->type)) return whole(e->type, Exactness::Exact);
  const IndexPart inner = part_of_argument(e, 0, part);
  const IntegerState cond = state(s->cond, inner), yes = state(s->yes, inner), no = state(s->no, inner);
  const Exactness arms = std::max(yes.exactness, no.exactness);
  return {cond.exactness == Exactness::Exact ? arms : Exactness::Wrong, std::min(yes.lo, no.lo),
          std::max(yes.hi, no.hi)};
}

/// A size, or an integer that the call gives or computes.
IntegerState IntegerStates::symbol(const std::string& name, IndexPart part) const {
  const auto size = find_if(kernel_.sizes, [&](const Size& s) { return s.name == name; });
  if (size != kernel_.sizes.end() && size->lo >= 0)
    return {Exactness::Exact, size->lo, std::min(Wide{size->hi}, largest_dim_)};
  const auto attr = find_if(kernel_.attrs, [&](const Attr& a) { return a.name == name; });
  const bool limited = size != kernel_.sizes.end() || (attr != kernel_.attrs.end() && attr->limited);
  const Wide most = most_of(part);
  return limited && part >= IndexPart::Term ? IntegerState{Exactness::Exact, -most, most}
                                            : whole(DType::I64, Exactness::Exact);
}

IntegerState IntegerStates::element(const Expr& e, const Read& r) {
  if (!is_integral(e->type)) return whole(e->type, Exactness::Exact);
  const auto found = defined_.find({r.tensor, largest_dim_});
  if (found == defined_.end())
    return whole(e->type, group_.contains(r.tensor) && r.tensor != target_ ? Exactness::Wrong : Exactness::Exact);
  IntegerState out = found->second;
  if (any_of(r.index, [&](const Expr& at) { return state(at, IndexPart::Term).exactness == Exactness::Wrong; }))
    out.exactness = Exactness::Wrong;  // another element
  if (!r.fill) return out;
  const IntegerState fill = state(r.fill, IndexPart::Value);
  return {std::max(out.exactness, fill.exactness), std::min(out.lo, fill.lo), std::max(out.hi, fill.hi)};
}

/// The proofs follow places, sums and conditions; other reductions may be any number to them.
IntegerState IntegerStates::reduced(const Expr& e, const Reduce& r, IndexPart part) {
  if (is_positional(r.op)) return {Exactness::Exact, 0, largest_dim_};
  if (r.op != Reducer::Sum && e->type != DType::Bool) return whole(e->type, Exactness::Exact);
  const IndexPart inner = part_of_argument(e, 0, part);
  const bool kept = !r.where || state(r.where, inner).exactness == Exactness::Exact;
  const IntegerState value = state(r.value, inner);
  const Exactness exactness = kept ? value.exactness : Exactness::Wrong;
  if (r.op != Reducer::Sum) return order(e->type, exactness, Bounds{0, 1});
  return ring(e->type, exactness, product(value, {Exactness::Exact, 0, count_of(r.vars)}));
}

IntegerState IntegerStates::applied(const Expr& e, const Apply& a, IndexPart part) {
  const IntegerState x = state(a.args[0], part_of_argument(e, 0, part));
  const IntegerState y = a.args.size() > 1 ? state(a.args[1], part_of_argument(e, 1, part)) : x;
  if (!is_integral(e->type)) return whole(e->type, Exactness::Exact);
  const Exactness worst = std::max(x.exactness, y.exactness);
  switch (a.op) {
    case ScalarOp::Cast: return conversion(e, a.args[0], x);
    case ScalarOp::Add: return ring(e->type, worst, Bounds{x.lo + y.lo, x.hi + y.hi});
    case ScalarOp::Sub: return ring(e->type, worst, Bounds{x.lo - y.hi, x.hi - y.lo});
    case ScalarOp::Neg: return ring(e->type, worst, Bounds{-x.hi, -x.lo});
    case ScalarOp::Mul:
    case ScalarOp::Sq: return ring(e->type, worst, product(x, y));
    case ScalarOp::Min: return order(e->type, worst, Bounds{std::min(x.lo, y.lo), std::min(x.hi, y.hi)});
    case ScalarOp::Max: return order(e->type, worst, Bounds{std::max(x.lo, y.lo), std::max(x.hi, y.hi)});
    case ScalarOp::Abs: return order(e->type, worst, Bounds{std::max<Wide>({x.lo, -x.hi, 0}), std::max(-x.lo, x.hi)});
    case ScalarOp::FloorDiv: return order(e->type, worst, quotient(x, y));
    case ScalarOp::Mod:
      return order(e->type, worst, y.lo < 0 ? integers_of(e->type) : Bounds{0, std::max(y.hi, Wide{1}) - 1});
    case ScalarOp::BitAnd:
    case ScalarOp::BitOr:
    case ScalarOp::BitXor: return bitwise(e->type, a.op, x, y);
    case ScalarOp::Shl:
      if (const auto factor = factor_of_shift(y)) return ring(e->type, worst, product(x, *factor));
      return whole(e->type, Exactness::Wrong);
    case ScalarOp::Shr:
      if (const auto factor = factor_of_shift(y)) return order(e->type, worst, quotient(x, *factor));
      return order(e->type, worst, Bounds{std::min<Wide>(x.lo, 0), std::max<Wide>(x.hi, 0)});
    default: return order(e->type, worst, e->type == DType::Bool ? Bounds{0, 1} : integers_of(e->type));
  }
}

}  // namespace tenon
