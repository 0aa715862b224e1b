// Linear forms: extracting them from an expression, and proving signs by replacing every variable with its worst bound.
#include "algebra/linear.h"

#include "support/ranges.h"

namespace tenon {
namespace {

void add_term(LinearForm& form, const Expr& atom, int64_t factor) {
  for (auto it = form.terms.begin(); it != form.terms.end(); ++it) {
    int64_t sum = 0;
    if (!same(it->first, atom) || __builtin_add_overflow(it->second, factor, &sum)) continue;
    it->second = sum;
    if (sum == 0) form.terms.erase(it);
    return;
  }
  if (factor != 0) form.terms.emplace_back(atom, factor);
}

/// A constant near the limit of the type stays an opaque atom: sums with it would overflow.
void add_constant(LinearForm& form, const Expr& e, int64_t c, int64_t factor) {
  constexpr int64_t kMost = int64_t{1} << 61;
  int64_t product = 0, sum = 0;
  const bool fits =
      !__builtin_mul_overflow(c, factor, &product) && !__builtin_add_overflow(form.constant, product, &sum);
  if (!fits || product > kMost || product < -kMost || sum > kMost || sum < -kMost) return add_term(form, e, factor);
  form.constant = sum;
}

void collect(const Expr& e, int64_t factor, LinearForm& out) {
  if (const auto c = constant_value(e)) return add_constant(out, e, *c, factor);
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || e->type != DType::I64) return add_term(out, e, factor);
  switch (a->op) {
    case ScalarOp::Add: collect(a->args[0], factor, out); return collect(a->args[1], factor, out);
    case ScalarOp::Sub: collect(a->args[0], factor, out); return collect(a->args[1], -factor, out);
    case ScalarOp::Neg: return collect(a->args[0], -factor, out);
    case ScalarOp::Mul:
      for (const size_t side : {size_t{0}, size_t{1}}) {
        const auto c = constant_value(a->args[side]);
        int64_t product = 0;
        if (c && !__builtin_mul_overflow(factor, *c, &product)) return collect(a->args[1 - side], product, out);
      }
      return add_term(out, e, factor);
    default: return add_term(out, e, factor);
  }
}

/// The minimum or maximum value of a type as an i64; empty if a product with it could overflow 64 bits.
std::optional<int64_t> end_of_type(DType type, bool least) {
  if (type == DType::Bool) return least ? 0 : 1;
  if (is_unsigned_int(type) && type != DType::U64 && least) return 0;
  const int bits = dtype_row(type).bits;
  if (!is_int(type) || bits > 16) return std::nullopt;
  const int64_t values = int64_t{1} << bits;
  if (is_unsigned_int(type)) return values - 1;
  return least ? -values / 2 : values / 2 - 1;
}

/// The element must be inside its tensor.
const Interval* element_range(const Expr& e, const Ranges& ranges) {
  const auto* r = std::get_if<Read>(&e->node);
  const auto at = r && !r->fill ? ranges.elements.find(r->tensor) : ranges.elements.end();
  return at == ranges.elements.end() ? nullptr : &at->second;
}

/// The worst bound of a term's atom: replacing the atom with it does not increase the form. Null if unbounded.
Expr worst_end(const Expr& atom, bool positive, const Ranges& ranges) {
  if (const auto* v = std::get_if<VarRef>(&atom->node)) {
    if (positive) return is_accumulator(v->name) ? nullptr : constant_int(0);
    const auto it = ranges.extents.find(v->name);
    return it == ranges.extents.end() ? nullptr : it->second - constant_int(1);
  }
  if (const Interval* known = element_range(atom, ranges)) return constant_int(positive ? known->lo : known->hi);
  const auto* s = std::get_if<SizeRef>(&atom->node);
  if (s && positive) {
    const auto it = ranges.size_lo.find(s->name);
    return it == ranges.size_lo.end() ? nullptr : constant_int(it->second);
  }
  if (s) {
    if (const Expr* most = find_value(ranges.size_most, s->name)) return *most;
    const auto it = ranges.size_hi.find(s->name);
    return it == ranges.size_hi.end() ? nullptr : constant_int(it->second);
  }
  const auto* a = std::get_if<Apply>(&atom->node);
  if (a && positive && a->op == ScalarOp::Mod && constant_value(a->args[1]).value_or(0) > 0) return constant_int(0);
  if (a && !positive && a->op == ScalarOp::Mod && constant_value(a->args[1]).value_or(0) > 0)
    return constant_int(*constant_value(a->args[1]) - 1);
  if (a && !positive && a->op == ScalarOp::FloorDiv && constant_value(a->args[1]).value_or(0) > 0) {
    const Expr most = worst_end(a->args[0], false, ranges);
    const LinearForm n = most ? linear_form(most) : LinearForm{-1, {}};
    return n.terms.empty() && n.constant >= 0 ? constant_int(n.constant / *constant_value(a->args[1])) : nullptr;
  }
  if (a && a->op == ScalarOp::Cast) {
    if (const Interval* known = is_int(a->args[0]->type) ? element_range(a->args[0], ranges) : nullptr)
      return constant_int(positive ? known->lo : known->hi);
    const auto end = end_of_type(a->args[0]->type, positive);
    return end ? constant_int(*end) : nullptr;
  }
  if (a && positive && a->op == ScalarOp::Max) {
    const auto c = constant_value(a->args[1]);
    return c ? constant_int(*c) : nullptr;
  }
  if (a && !positive && a->op == ScalarOp::Min) {
    for (const Expr& side : a->args)
      if (constant_value(side)) return side;
    return nullptr;
  }
  if (a && positive && (a->op == ScalarOp::Mul || a->op == ScalarOp::FloorDiv || a->op == ScalarOp::Min) &&
      proves_not_negative(linear_form(a->args[0]), ranges) && proves_not_negative(linear_form(a->args[1]), ranges))
    return constant_int(0);
  return nullptr;
}

}  // namespace

LinearForm linear_form(const Expr& e) {
  LinearForm form;
  collect(e, 1, form);
  return form;
}

LinearForm operator-(const LinearForm& a, const LinearForm& b) {
  LinearForm r = a;
  r.constant -= b.constant;
  for (const auto& [atom, factor] : b.terms) add_term(r, atom, -factor);
  return r;
}

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b) {
  const LinearForm d = linear_form(a) - linear_form(b);
  return d.terms.empty() ? std::optional(d.constant) : std::nullopt;
}

Expr to_expr(const LinearForm& form) {
  Expr e;
  for (const auto& [atom, factor] : form.terms)
    if (factor > 0) e = e ? e + constant_int(factor) * atom : constant_int(factor) * atom;
  const bool constant_last = e && form.constant < 0;
  if (!constant_last) e = e ? e + constant_int(form.constant) : constant_int(form.constant);
  for (const auto& [atom, factor] : form.terms)
    if (factor < 0) e = e - constant_int(-factor) * atom;
  return constant_last ? e - constant_int(-form.constant) : e;
}

void add_loops(Ranges& ranges, const std::vector<LoopVar>& loops) {
  for (const LoopVar& v : loops) ranges.extents[v.name] = v.extent;
}

void add_least_sizes(Ranges& ranges, const std::vector<Expr>& facts) {
  for (const Expr& f : facts) {
    const auto* a = std::get_if<Apply>(&f->node);
    const bool least = a && (a->op == ScalarOp::Gt || a->op == ScalarOp::Ge || a->op == ScalarOp::Eq);
    const auto* s = least ? std::get_if<SizeRef>(&a->args[0]->node) : nullptr;
    const auto n = s ? constant_value(a->args[1]) : std::nullopt;
    if (!n) continue;
    int64_t& lo = ranges.size_lo.emplace(s->name, 0).first->second;
    lo = std::max(lo, *n + (a->op == ScalarOp::Gt ? 1 : 0));
  }
}

Ranges ranges_of(const std::vector<LoopVar>& loops, Ranges ranges) {
  add_loops(ranges, loops);
  return ranges;
}

bool proves_not_negative(LinearForm form, const Ranges& ranges) {
  // Variables are replaced first, sizes last, after those that other sizes bound: what replaces them often cancels
  // against a size, or against a minimum of some.
  for (int round = 0; round < 24; ++round) {
    if (form.terms.empty()) return form.constant >= 0;
    const auto rank = [&](const auto& t) {
      if (std::holds_alternative<VarRef>(t.first->node)) return 0;
      const auto* s = std::get_if<SizeRef>(&t.first->node);
      return !s ? 1 : t.second < 0 && ranges.size_most.contains(s->name) ? 2 : 3;
    };
    const auto it = std::min_element(form.terms.begin(), form.terms.end(),
                                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    const auto [atom, factor] = *it;
    const Expr end = worst_end(atom, factor > 0, ranges);
    if (!end) return false;
    form.terms.erase(it);
    collect(end, factor, form);
  }
  return false;
}

bool proves_le(const Expr& a, const Expr& b, const Ranges& ranges) {
  return proves_not_negative(linear_form(b) - linear_form(a), ranges);
}

bool proves_lt(const Expr& a, const Expr& b, const Ranges& ranges) {
  LinearForm d = linear_form(b) - linear_form(a);
  d.constant -= 1;
  return proves_not_negative(std::move(d), ranges);
}

namespace {

/// The value of an operation on constants, where it is one.
Expr folded(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  const bool constants = a && all_of(a->args, [](auto& x) { return constant_value(x); });
  return constants ? to_expr(linear_form(e)) : e;
}

}  // namespace

std::optional<AffineIn> affine_in(const Expr& e, const std::string& var) {
  if (const auto* v = std::get_if<VarRef>(&e->node); v && v->name == var)
    return AffineIn{constant_int(1), constant_int(0)};
  if (!mentions(e, var)) return AffineIn{constant_int(0), e};
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || e->type != DType::I64) return std::nullopt;
  if (a->op == ScalarOp::Neg) {
    const auto x = affine_in(a->args[0], var);
    if (!x) return std::nullopt;
    return AffineIn{folded(constant_int(-1) * x->coefficient), constant_int(0) - x->rest};
  }
  if (a->op != ScalarOp::Add && a->op != ScalarOp::Sub && a->op != ScalarOp::Mul) return std::nullopt;
  const auto x = affine_in(a->args[0], var), y = affine_in(a->args[1], var);
  if (!x || !y) return std::nullopt;
  if (a->op == ScalarOp::Add) return AffineIn{folded(x->coefficient + y->coefficient), x->rest + y->rest};
  if (a->op == ScalarOp::Sub) return AffineIn{folded(x->coefficient - y->coefficient), x->rest - y->rest};
  if (is_zero(x->coefficient)) return AffineIn{x->rest * y->coefficient, x->rest * y->rest};
  if (is_zero(y->coefficient)) return AffineIn{x->coefficient * y->rest, x->rest * y->rest};
  return std::nullopt;
}

}  // namespace tenon
