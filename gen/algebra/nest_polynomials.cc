// Reads values of a nest as polynomials.
#include "algebra/nest_polynomials.h"

#include <fmt/format.h>

#include <numeric>

#include "ir/number/interval.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Polynomial number(int64_t v) { return Polynomial::constant(v); }

/// The largest number that divides both operands of a division.
int64_t shared_factor(const Polynomial& a, const Polynomial& b) {
  int64_t shared = 0;
  for (const Polynomial* p : {&a, &b})
    for (const auto& [monomial, coefficient] : p->terms) shared = std::gcd(shared, coefficient);
  return shared;
}

/// The polynomial must be a single quantity.
const QuantityName& name_of(const Polynomial& quantity) { return quantity.terms.front().first[0]; }

/// Whether a loop is several loops merged into one: its index is split before anything else.
bool begins_with_quotient(const SFor& loop) {
  const auto* let = loop.body->empty() ? nullptr : std::get_if<SLet>(&loop.body->front().node);
  const auto* quotient = let ? std::get_if<VApply>(&let->value->node) : nullptr;
  if (!quotient || quotient->op != ScalarOp::FloorDiv) return false;
  const auto* of = std::get_if<VVar>(&quotient->args[0]->node);
  return of && of->name == loop.var;
}

}  // namespace

NestPolynomials::NestPolynomials(const Kernel& kernel, KnownQuantities& known) : known_(known) {
  for (const Size& s : kernel.sizes) {
    if (s.lo == s.hi) {
      sizes_[s.name] = number(s.lo);
      continue;
    }
    const Polynomial size = known_.add(s.name, false);
    known_.know(size - number(s.lo));
    if (s.hi != INT64_MAX) known_.know(number(s.hi) - size);
    sizes_[s.name] = size;
  }
}

Polynomial NestPolynomials::of(const Operand& v) {
  if (const auto c = constant_value(v)) return number(*c);
  if (v->type != OperandType{}) return unknown("value");
  if (const auto* x = std::get_if<VVar>(&v->node)) {
    const Polynomial* known = find_value(names_, x->name);
    return known ? *known : unknown(x->name);
  }
  if (const auto* s = std::get_if<VSize>(&v->node)) return sizes_.at(s->name);
  if (const auto* a = std::get_if<VAttr>(&v->node)) {
    const auto [at, fresh] = derived_.emplace(fmt::format("{}[{}]", a->name, a->element), Polynomial{});
    if (fresh) at->second = known_.add(a->name, false);
    return at->second;
  }
  if (const auto* s = std::get_if<VSelect>(&v->node)) return choice(of(s->yes), of(s->no));
  if (const auto* a = std::get_if<VApply>(&v->node)) return apply(*a);
  return unknown("value");
}

Polynomial NestPolynomials::apply(const VApply& a) {
  for (const Operand& x : a.args)
    if (x->type != OperandType{}) return unknown("value");
  const Polynomial x = of(a.args[0]);
  if (a.op == ScalarOp::Neg) return -x;
  if (a.op == ScalarOp::Cast) return x;
  if (a.args.size() != 2) return unknown("value");
  const Polynomial y = of(a.args[1]);
  switch (a.op) {
    case ScalarOp::Add: return x + y;
    case ScalarOp::Sub: return x - y;
    case ScalarOp::Mul: return x * y;
    case ScalarOp::FloorDiv: return quotient(x, y);
    case ScalarOp::Mod: return remainder(x, y);
    case ScalarOp::Min: return extremum(true, x, y);
    case ScalarOp::Max: return extremum(false, x, y);
    case ScalarOp::BitAnd: return multiple_below(x, y);
    default: return unknown("value");
  }
}

/// x & -y for a power of two y: the multiple of y below x.
Polynomial NestPolynomials::multiple_below(const Polynomial& x, const Polynomial& mask) {
  const int64_t step = mask.is_constant() ? -mask.constant_value() : 0;
  if (step <= 0 || (step & (step - 1)) != 0) return unknown("value");
  return number(step) * quotient(x, number(step));
}

/// The quotient and the remainder of an iteration's number are its digits, which take its place.
const Digit* NestPolynomials::digit(const Polynomial& of, const Polynomial& divisor) {
  if (of.terms.size() != 1 || of.terms.begin()->first.size() != 1 || of.terms.begin()->second != 1) return nullptr;
  const QuantityName name = of.terms.begin()->first[0];
  if (whole_numbers_.count(name)) return nullptr;
  if (const auto at = digits_.find(name); at != digits_.end())
    return at->second.divisor == divisor ? &at->second : nullptr;
  const auto at = std::find(numbers_.begin(), numbers_.end(), name);
  if (at == numbers_.end()) return nullptr;
  const PolynomialDivision count = divide(extents_.at(name), divisor);
  if (!count.rest.terms.empty() || divisor == extents_.at(name)) return nullptr;
  known_.know(divisor - number(1));  // there is an iteration
  const Polynomial q = known_.add("part", true), r = known_.add("part", true);
  known_.know(q), known_.know(r), known_.know(divisor - number(1) - r);
  known_.know(count.quotient - number(1) - q);
  const QuantityName high = name_of(q), low = name_of(r);
  extents_[high] = count.quotient;
  extents_[low] = divisor;
  *at = high;
  numbers_.push_back(low);
  whole_numbers_.insert(low);
  for (auto& [key, value] : names_) value = replace(value, name, divisor * q + r);
  return &(digits_[name] = {divisor, q, r});
}

Polynomial NestPolynomials::quotient(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant() && b.constant_value() == 1) return a;
  if (const int64_t shared = shared_factor(a, b); shared > 1) return quotient(divided(a, shared), divided(b, shared));
  if (const Digit* d = digit(a, b)) return d->quotient;
  if (!is_positive(b)) return unknown("quotient");
  const PolynomialDivision parts = divide(a, b);
  if (known_.proves(parts.rest, {}) && known_.proves(b - number(1) - parts.rest, {})) return parts.quotient;
  if (parts.rest.is_constant() && b.is_constant()) {
    return parts.quotient + number(floor_quotient(parts.rest.constant_value(), b.constant_value()));
  }
  const std::string key = fmt::format("({})//({})", print(parts.rest), print(b));
  const auto at = derived_.find(key);
  const Polynomial q = parts.quotient + (at != derived_.end() ? at->second : derived_[key] = rounded(parts.rest, b));
  // That it is not negative follows for integers only; proofs of its multiples need it as a fact.
  if (!parts.quotient.terms.empty() && known_.proves(a, {})) known_.know(q);
  return q;
}

/// A quotient that is not a polynomial. Quotients of upper bounds of the dividend are tighter than fractions.
Polynomial NestPolynomials::rounded(const Polynomial& a, const Polynomial& b) {
  Facts most;
  for (const Polynomial& bound : known_.upper_bounds(a)) most.push_back(quotient(bound, b));
  const Polynomial q = known_.add("quotient", known_.varies(a) || known_.varies(b));
  known_.know(a - b * q);
  known_.know(b * q + b - number(1) - a);
  if (known_.proves(a, {})) known_.know(q);
  for (const Polynomial& bound : most) known_.know(bound - q);
  return q;
}

Polynomial NestPolynomials::remainder(const Polynomial& a, const Polynomial& b) {
  if (const int64_t shared = shared_factor(a, b); shared > 1)
    return number(shared) * remainder(divided(a, shared), divided(b, shared));
  if (const Digit* d = digit(a, b)) return d->remainder;
  if (!is_positive(b)) return unknown("remainder");
  return a - b * quotient(a, b);
}

Polynomial NestPolynomials::extremum(bool least, const Polynomial& a, const Polynomial& b) {
  if (known_.proves(b - a, {})) return least ? a : b;
  if (known_.proves(a - b, {})) return least ? b : a;
  const auto [at, fresh] =
      derived_.emplace(fmt::format("{}({}, {})", least ? "min" : "max", print(a), print(b)), Polynomial{});
  if (!fresh) return at->second;
  const Polynomial m = known_.add(least ? "min" : "max", known_.varies(a) || known_.varies(b));
  for (const Polynomial* x : {&a, &b}) known_.know(least ? *x - m : m - *x);
  known_.know_choice(m, a, b);
  return at->second = m;
}

Polynomial NestPolynomials::choice(const Polynomial& a, const Polynomial& b) {
  if (a == b) return a;
  if (const int64_t shared = shared_factor(a, b); shared > 1)
    return number(shared) * choice(divided(a, shared), divided(b, shared));
  const Polynomial c = known_.add("choice", inside_);
  known_.know_choice(c, a, b);
  return c;
}

void NestPolynomials::open(const SFor& loop) {
  const Polynomial begin = of(loop.begin), end = of(loop.end);
  if (loop.step <= 0) {
    names_[loop.var] = unknown(loop.var);
    return;
  }
  const Polynomial span = end - begin;
  PolynomialDivision turns = divide(span, number(loop.step));
  // proofs hold for real numbers too, so that a known number of turns is rounded here
  if (span.is_constant()) turns = {number(floor_quotient(span.constant_value() + loop.step - 1, loop.step)), {}};
  if (turns.rest.terms.empty() && turns.quotient == number(1)) {
    names_[loop.var] = begin;
    return;
  }
  const Polynomial turn = known_.add(loop.var, inside_);
  known_.know(turn);
  if (turns.rest.terms.empty()) known_.know(turns.quotient - number(1) - turn);
  else known_.know(span - number(1) - number(loop.step) * turn);
  names_[loop.var] = begin + number(loop.step) * turn;
}

void NestPolynomials::open_shared(const SFor& loop) {
  inside_ = true;
  const Polynomial end = of(loop.end);
  if (end == number(1)) {
    names_[loop.var] = of(loop.begin);
    return;
  }
  const Polynomial turn = known_.add(loop.var, true);
  known_.know(turn);
  known_.know(end - number(1) - turn);
  numbers_ = {name_of(turn)};
  if (!begins_with_quotient(loop)) whole_numbers_.insert(numbers_[0]);
  extents_[numbers_[0]] = end;
  names_[loop.var] = of(loop.begin) + number(loop.step) * turn;
}

std::vector<Polynomial> NestPolynomials::numbers() const {
  return mapped(numbers_, [&](const QuantityName& n) { return Polynomial::quantity(n); });
}

Facts NestPolynomials::facts_of(const Operand& condition, bool holds) {
  const auto* a = std::get_if<VApply>(&condition->node);
  if (!a || a->args.size() != 2) return {};
  if (a->op == (holds ? ScalarOp::And : ScalarOp::Or)) {
    Facts out = facts_of(a->args[0], holds);
    append(out, facts_of(a->args[1], holds));
    return out;
  }
  if (a->args[0]->type != OperandType{}) return {};
  const auto op = holds ? std::optional(a->op) : opposite(a->op);
  const Polynomial x = of(a->args[0]), y = of(a->args[1]);
  return op ? comparison_facts(*op, x, y) : Facts{};
}

Polynomial NestPolynomials::lane(int64_t lanes, const Operand& active) {
  const Polynomial l = known_.add("lane", true);
  known_.know(l);
  known_.know(number(lanes - 1) - l);
  if (active) known_.know(of(active) - number(1) - l);
  return l;
}

}  // namespace tenon
