// Simplification rules, bottom up, one visit a shared node.
#include "algebra/simplify.h"

#include <cmath>
#include <functional>

#include "algebra/overflow.h"
#include "support/ranges.h"

namespace tenon {
namespace {

int64_t wrap_to(int64_t v, DType type) {
  const int bits = dtype_row(type).bits;
  if (type == DType::Bool) return v != 0;
  if (bits == 64) return v;
  const uint64_t low = static_cast<uint64_t>(v) & ((uint64_t{1} << bits) - 1);
  if (is_signed_int(type) && (low >> (bits - 1)) != 0) return static_cast<int64_t>(low) - (int64_t{1} << bits);
  return static_cast<int64_t>(low);
}
Expr boolean(bool v) { return constant_int(v ? 1 : 0, DType::Bool); }

class Simplifier {
 public:
  explicit Simplifier(const Ranges& ranges) : ranges_(ranges) {}

  Expr run(const Expr& e) {
    if (!e || is_leaf(e)) return e;
    if (e.use_count() == 1) return without_note(e);  // one parent alone holds it: it is met once
    if (const Expr* done = done_.find(e.get())) return *done;
    const Expr r = without_note(e);
    kept_.push_back(e);
    done_[e.get()] = r;
    return r;
  }

 private:
  Expr without_note(const Expr& e) {
    return std::holds_alternative<Reduce>(e->node) ? reduction(e)
                                                   : rule(map_children(e, [&](const Expr& c) { return run(c); }));
  }
  Expr reduction(const Expr& e) {
    const auto& r = std::get<Reduce>(e->node);
    const Ranges inner = ranges_of(r.vars, ranges_);
    Simplifier s(inner);
    Expr out = map_children(e, [&](const Expr& c) { return s.run(c); });
    const auto& n = std::get<Reduce>(out->node);
    if (n.where && is_one(n.where)) return reduce_like(n, n.vars, nullptr, n.value, out->type);
    return out;
  }

  Expr rule(const Expr& e) {
    if (const auto* s = std::get_if<Select>(&e->node)) return selection(e, *s);
    const auto* a = std::get_if<Apply>(&e->node);
    if (!a) return e;
    if (a->op == ScalarOp::Cast) return cast(e, a->args[0]);
    if (e->type == DType::Bool) return predicate(e, *a);
    if (is_int(e->type)) return integer(e, *a);
    return is_float(e->type) ? real(e, *a) : e;
  }

  static Expr real(const Expr& e, const Apply& a) {
    if (a.op == ScalarOp::Abs && as_constant(a.args[0]))
      return constant_float(std::fabs(as_constant(a.args[0])->f), e->type);
    if (a.args.size() != 2) return e;
    const Expr &x = a.args[0], &y = a.args[1];
    if (a.op == ScalarOp::Mul && is_float_one(x)) return y;
    if (a.op == ScalarOp::Mul && is_float_one(y)) return x;
    if (a.op == ScalarOp::Sub && is_float_zero(y)) return x;  // the sum of -0 and 0, however, is 0
    const bool computed = e->type == DType::F32 || e->type == DType::F64;
    return computed && as_constant(x) && as_constant(y) ? folded(e, a.op, real_value(x), real_value(y)) : e;
  }

  /// What the kernel would compute from two numbers, rounded as it would round; infinities, NaN and -0 are left to it.
  static Expr folded(const Expr& e, ScalarOp op, double x, double y) {
    double exact = 0;
    switch (op) {
      case ScalarOp::Add: exact = x + y; break;
      case ScalarOp::Sub: exact = x - y; break;
      case ScalarOp::Mul: exact = x * y; break;
      default: return e;
    }
    // double precision is large enough that rounding the result again gives the correctly rounded float
    const double rounded = e->type == DType::F32 ? static_cast<double>(static_cast<float>(exact)) : exact;
    return std::isfinite(rounded) && !(rounded == 0.0 && std::signbit(rounded)) ? constant_float(rounded, e->type) : e;
  }

  static bool is_float_one(const Expr& e) {
    const Constant* c = as_constant(e);
    return c && is_float(e->type) && c->f == 1.0;
  }

  /// 0, not -0.
  static bool is_float_zero(const Expr& e) {
    const Constant* c = as_constant(e);
    return c && is_float(e->type) && c->f == 0.0 && !std::signbit(c->f);
  }

  Expr selection(const Expr& e, const Select& s) {
    if (const auto c = constant_value(s.cond)) return *c ? s.yes : s.no;
    if (same(s.yes, s.no)) return s.yes;
    if (e->type == DType::Bool) {
      const auto y = constant_value(s.yes), n = constant_value(s.no);
      if (y && n) return *y ? s.cond : apply(ScalarOp::Not, {s.cond});
    }
    // select(d != 0, d, 0) is d; of floats -0 would be another 0
    const auto* c = std::get_if<Apply>(&s.cond->node);
    if (!c || !is_int(e->type) || (c->op != ScalarOp::Eq && c->op != ScalarOp::Ne)) return e;
    const Expr &differing = c->op == ScalarOp::Ne ? s.yes : s.no, &equal = c->op == ScalarOp::Ne ? s.no : s.yes;
    for (const size_t side : {size_t{0}, size_t{1}})
      if (same(c->args[side], differing) && same(c->args[1 - side], equal)) return differing;
    return e;
  }

  Expr cast(const Expr& e, const Expr& x) {
    const Constant* c = as_constant(x);
    const auto* inner = std::get_if<Apply>(&x->node);
    const bool widened = inner && inner->op == ScalarOp::Cast && inner->args[0]->type == e->type &&
                         dtype_row(e->type).compute == x->type;
    if (widened) return inner->args[0];  // there and back: nothing was lost
    const bool from_int = is_integral(x->type);
    const bool to_int = is_integral(e->type);
    if (c && from_int && to_int) return constant_int(wrap_to(c->i, e->type), e->type);
    if (c && from_int && (e->type == DType::F32 || e->type == DType::F64) && std::abs(c->i) <= (int64_t{1} << 24))
      return constant_float(static_cast<double>(c->i), e->type);
    if (c && x->type == DType::F64 && e->type == DType::F32)
      return constant_float(static_cast<double>(static_cast<float>(c->f)), e->type);
    if (c && x->type == DType::F32 && e->type == DType::F64)
      return constant_float(static_cast<double>(static_cast<float>(c->f)), e->type);
    return e;
  }

  Expr predicate(const Expr& e, const Apply& a) {
    const Expr &x = a.args[0], y = a.args.size() > 1 ? a.args[1] : nullptr;
    const std::optional<int64_t> cx = constant_value(x), cy = constant_value(y);
    switch (a.op) {
      case ScalarOp::Not:
        if (cx) return boolean(!*cx);
        return e;
      case ScalarOp::And:
        if (cx) return *cx ? y : x;
        if (cy) return *cy ? x : y;
        return same(x, y) ? x : e;
      case ScalarOp::Or:
        if (cx) return *cx ? x : y;
        if (cy) return *cy ? y : x;
        return same(x, y) ? x : e;
      default: break;
    }
    if (y && cx && cy && is_integral(x->type))
      return known(e, x->type == DType::U64 ? compare(a.op, static_cast<uint64_t>(*cx), static_cast<uint64_t>(*cy))
                                            : compare(a.op, *cx, *cy));
    if ((a.op == ScalarOp::Eq || a.op == ScalarOp::Ne) && is_zero(y) && has_set_bit(x))
      return boolean(a.op == ScalarOp::Ne);
    if (y && x->type == DType::I64) return comparison(e, a.op, x, y);
    if (y && is_int(x->type)) return compare_integers(e, a.op, x, y);
    if (y && as_constant(x) && as_constant(y) && is_float(x->type))
      return known(e, compare(a.op, real_value(x), real_value(y)));
    return e;
  }

  /// An integer one of whose bits is 1, as in `x | 1`.
  static bool has_set_bit(const Expr& x) {
    const auto* a = std::get_if<Apply>(&x->node);
    return a && a->op == ScalarOp::BitOr &&
           any_of(a->args, [](const Expr& part) { return constant_value(part).value_or(0) != 0; });
  }

  /// The number that a constant is in its type.
  static double real_value(const Expr& x) {
    const double f = as_constant(x)->f;
    return x->type == DType::F64 ? f : static_cast<double>(static_cast<float>(f));
  }

  /// Of types whose ranges are not followed: an integer with itself, and one that has no sign with 0.
  static Expr compare_integers(const Expr& e, ScalarOp op, const Expr& x, const Expr& y) {
    const bool equal = same(x, y), no_sign = is_unsigned_int(x->type);
    switch (op) {
      case ScalarOp::Lt: return decide(e, false, equal || (no_sign && is_zero(y)));
      case ScalarOp::Le: return decide(e, equal || (no_sign && is_zero(x)), false);
      case ScalarOp::Gt: return decide(e, false, equal || (no_sign && is_zero(x)));
      case ScalarOp::Ge: return decide(e, equal || (no_sign && is_zero(y)), false);
      case ScalarOp::Eq: return decide(e, equal, false);
      case ScalarOp::Ne: return decide(e, false, equal);
      default: return e;
    }
  }

  Expr comparison(const Expr& e, ScalarOp op, const Expr& x, const Expr& y) {
    switch (op) {
      case ScalarOp::Lt: return decide(e, below(x, y), at_most(y, x));
      case ScalarOp::Le: return decide(e, at_most(x, y), below(y, x));
      case ScalarOp::Gt: return decide(e, below(y, x), at_most(x, y));
      case ScalarOp::Ge: return decide(e, at_most(y, x), below(x, y));
      case ScalarOp::Eq: return decide(e, same(x, y), below(x, y) || below(y, x));
      case ScalarOp::Ne: return decide(e, below(x, y) || below(y, x), same(x, y));
      default: return e;
    }
  }
  // Elements of tensors wrap on overflow of 64 bits, which linear forms do not model.
  bool at_most(const Expr& x, const Expr& y) const { return proves_le(x, y, ranges_) && !may_wrap(x) && !may_wrap(y); }
  bool below(const Expr& x, const Expr& y) const { return proves_lt(x, y, ranges_) && !may_wrap(x) && !may_wrap(y); }
  bool from_0_below(const Expr& x, const Expr& y) const {
    return below(x, y) && proves_not_negative(linear_form(x), ranges_);
  }
  static Expr known(const Expr& e, std::optional<bool> holds) { return holds ? boolean(*holds) : e; }
  static Expr decide(const Expr& e, bool yes, bool no) { return yes ? boolean(true) : no ? boolean(false) : e; }

  Expr integer(const Expr& e, const Apply& a) {
    if (a.op == ScalarOp::Neg) {
      const auto* inner = std::get_if<Apply>(&a.args[0]->node);
      return inner && inner->op == ScalarOp::Neg ? inner->args[0] : e;
    }
    if (a.args.size() != 2 || a.args[0]->type != e->type || a.args[1]->type != e->type) return e;
    const Expr &x = a.args[0], &y = a.args[1];
    const auto cx = constant_value(x), cy = constant_value(y);
    if (cx && cy) return fold(e, a.op, *cx, *cy);
    const bool divides = a.op == ScalarOp::FloorDiv || a.op == ScalarOp::Mod;
    if (divides && cx == 0) return x;  // that no divisor is 0 is checked before
    switch (a.op) {
      case ScalarOp::Add: return cx == 0 ? y : cy == 0 ? x : collected(e);
      case ScalarOp::Sub: return cy == 0 ? x : collected(e);
      case ScalarOp::Mul:
        if (cx == 0 || cy == 1) return x;
        return cy == 0 || cx == 1 ? y : e;
      case ScalarOp::FloorDiv: return e->type == DType::I64 ? quotient(e, x, y, cy) : e;
      case ScalarOp::Mod: return e->type == DType::I64 ? remainder(e, x, y, cy) : e;
      case ScalarOp::Min:
        if (e->type != DType::I64) return e;
        return at_most(x, y) ? x : at_most(y, x) ? y : e;
      case ScalarOp::Max:
        if (e->type != DType::I64) return e;
        return at_most(x, y) ? y : at_most(y, x) ? x : e;
      default: return e;
    }
  }

  /// Combines constants and equal atoms of a sum if that makes it shorter.
  static Expr collected(const Expr& e) {
    if (e->type != DType::I64) return e;
    const LinearForm form = linear_form(e);
    size_t leaves = 0;
    walk(e, [&](const Expr& n) {
      const auto* a = std::get_if<Apply>(&n->node);
      const bool inner = a && (a->op == ScalarOp::Add || a->op == ScalarOp::Sub);
      leaves += inner ? 0 : 1;
      return inner;
    });
    return form.terms.size() + (form.constant != 0 ? 1 : 0) < leaves ? to_expr(form) : e;
  }

  static Expr fold(const Expr& e, ScalarOp op, int64_t x, int64_t y) {
    const bool wraps = op == ScalarOp::Add || op == ScalarOp::Sub || op == ScalarOp::Mul;
    if (!wraps && (e->type == DType::U64 || (y == -1 && (op == ScalarOp::FloorDiv || op == ScalarOp::Mod)))) return e;
    const auto r = compute(op, x, y);
    return r ? constant_int(wrap_to(*r, e->type), e->type) : e;
  }

  /// Splits x into multiple·c + rest with 0 <= rest < c, when that can be proved.
  bool split(const Expr& x, int64_t c, Expr& multiple, Expr& rest) const {
    LinearForm whole, part;
    const LinearForm form = linear_form(x);
    for (const auto& [atom, factor] : form.terms)
      (factor % c == 0 ? whole : part).terms.emplace_back(atom, factor % c == 0 ? factor / c : factor);
    whole.constant = floor_quotient(form.constant, c);
    part.constant = *compute(ScalarOp::Mod, form.constant, c);
    rest = to_expr(part);
    multiple = to_expr(whole);
    return proves_not_negative(part, ranges_) && proves_lt(rest, constant_int(c), ranges_) && !may_wrap(x);
  }

  Expr quotient(const Expr& e, const Expr& x, const Expr& y, std::optional<int64_t> c) const {
    Expr m, r;
    if (c == 1) return x;
    if (c && *c > 0) return split(x, *c, m, r) ? m : e;
    if (from_0_below(x, y)) return constant_int(0);
    return e;
  }
  Expr remainder(const Expr& e, const Expr& x, const Expr& y, std::optional<int64_t> c) const {
    Expr m, r;
    if (c == 1) return constant_int(0);
    if (c && *c > 0) return split(x, *c, m, r) ? r : e;
    if (from_0_below(x, y)) return x;
    return e;
  }

  const Ranges& ranges_;
  PointerMap<Expr> done_;
  std::vector<Expr> kept_;
};

size_t mix(size_t h, size_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

/// Hash of a node whose children are already shared and are identified by address.
size_t hash_of(const Expr& e) {
  size_t h = mix(static_cast<size_t>(e->type), e->node.index());
  if (const auto* c = std::get_if<Constant>(&e->node))
    h = mix(mix(h, static_cast<size_t>(c->i)), std::hash<double>()(c->f));
  if (const auto* v = std::get_if<VarRef>(&e->node)) h = mix(h, std::hash<std::string>()(v->name));
  if (const auto* s = std::get_if<SizeRef>(&e->node)) h = mix(h, std::hash<std::string>()(s->name));
  if (const auto* t = std::get_if<AttrRef>(&e->node))
    h = mix(h, std::hash<std::string>()(t->name) + static_cast<size_t>(t->element));
  if (const auto* r = std::get_if<Read>(&e->node)) h = mix(h, static_cast<size_t>(r->tensor));
  if (const auto* a = std::get_if<Apply>(&e->node)) h = mix(h, static_cast<size_t>(a->op));
  each_child(e, [&](const Expr& c) { h = mix(h, reinterpret_cast<size_t>(c.get())); });
  return h;
}

}  // namespace

Expr simplify(const Expr& e, const Ranges& ranges) { return Simplifier(ranges).run(e); }

Expr SharedExprs::share(const Expr& e) {
  if (!e) return e;
  if (const Expr* done = done_.find(e.get())) return *done;
  Expr r = map_children(e, [&](const Expr& c) { return share(c); });
  const size_t h = hash_of(r);
  const auto [first, last] = by_hash_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (same(it->second, r)) {
      r = it->second;
      break;
    }
  if (r == e || first == last) by_hash_.emplace(h, r);
  kept_.push_back(e);
  done_[e.get()] = r;
  done_[r.get()] = r;
  return r;
}

}  // namespace tenon
