// Quotients, extrema, choices and calls as quantities of their own, with the facts that bound them.
#include <fmt/format.h>

#include <utility>

#include "algebra/index_bounds.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// In parentheses, unless it is one name or number.
std::string operand(const std::string& text) { return all_of(text, is_word) ? text : fmt::format("({})", text); }

}  // namespace

std::optional<Polynomial> IndexBounds::floor_division(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant() && b.constant_value() > 0)
    if (const PolynomialDivision exact = divide(a, b); exact.rest.terms.empty()) return exact.quotient;
  const std::string key = fmt::format("({}//{})", operand(print(a)), operand(print(b)));
  const Polynomial q = Polynomial::quantity(key);
  if (quantities_.count(key) != 0) return q;
  if (positive(b)) {
    Quantity quantity;
    quantity.facts = {a - b * q, b * q + b - Polynomial::constant(1) - a, b - Polynomial::constant(1)};
    quantity.divisors = {b};
    quantities_[key] = quantity;
    if (prove_quickly(a)) quantities_[key].facts.push_back(q);
    if (const auto most = b.is_constant() ? most_of(a) : std::nullopt; most && *most >= 0)
      quantities_[key].facts.push_back(Polynomial::constant(*most / b.constant_value()) - q);
  } else {
    quantities_[key] = {};
  }
  return q;
}

/// A quantity between two bounds, either of which may be unknown.
std::optional<Polynomial> IndexBounds::bounded(const std::string& kind, const std::optional<Polynomial>& low,
                                               const std::optional<Polynomial>& high, const std::string& key) {
  const std::string name = key.ends_with(')') || key.ends_with(']') ? key : fmt::format("{}({})", kind, key);
  Quantity quantity;
  const Polynomial q = Polynomial::quantity(name);
  if (low) quantity.facts.push_back(q - *low);
  if (high) quantity.facts.push_back(*high - q);
  quantities_.emplace(name, std::move(quantity));
  return q;
}

std::optional<Polynomial> IndexBounds::extremum(const std::string& kind, const Polynomial& a, const Polynomial& b) {
  if (a == b) return a;
  const std::string name = fmt::format("{}({}, {})", kind, print(a), print(b));
  const Polynomial q = Polynomial::quantity(name);
  if (quantities_.count(name) != 0) return q;
  const Polynomial a_above = kind == "max" ? a - b : b - a;
  Quantity quantity;
  quantity.facts = kind == "max" ? Facts{q - a, q - b} : Facts{a - q, b - q};
  quantity.branches = {{a, {a_above}}, {b, {-a_above}}};
  quantities_[name] = std::move(quantity);
  return q;
}

/// For integers: arguments with unknown bounds do not weaken the bounds given by the others.
std::optional<Polynomial> IndexBounds::extremum_of(const Syntax& s) {
  std::optional<Polynomial> known;
  bool all = true;
  for (const Syntax& child : s.children) {
    const auto p = polynomial(child);
    if (!p && !whole(child)) return std::nullopt;
    all = all && p;
    if (p) known = known ? extremum(s.text, *known, *p) : p;
  }
  if (all || !known) return known;
  return s.text == "max" ? bounded("max", known, std::nullopt, print(s))
                         : bounded("min", std::nullopt, known, print(s));
}

std::optional<Polynomial> IndexBounds::choice(const Syntax& s) {
  const auto a = polynomial(s.children[1]), b = polynomial(s.children[2]);
  if (!a || !b) return std::nullopt;
  if (*a == *b) return a;
  const std::string name = print(s);
  if (quantities_.count(name) == 0) {
    Quantity quantity;
    quantity.branches = {{*a, facts_of(s.children[0], false)}, {*b, facts_of(s.children[0], true)}};
    quantities_[name] = std::move(quantity);
  }
  return Polynomial::quantity(name);
}

/// The element that is read, or its substitute if there is none.
std::optional<Polynomial> IndexBounds::padded(const Syntax& s) {
  const auto a = polynomial(s.children[0]), b = polynomial(s.children[1]);
  if (!a || !b) return std::nullopt;
  const std::string name = print(s);
  quantities_.emplace(name, Quantity{{}, {{*a, {}}, {*b, {}}}, {}});
  return Polynomial::quantity(name);
}

/// The offset of one of several segments plus its extent is at most the sum of all extents.
std::optional<Polynomial> IndexBounds::offset(const Syntax& s) {
  const auto sum = polynomial(call_node("sum_of", s.children, s.span)), own = polynomial(s.children[0]);
  return bounded("size", Polynomial(), sum && own ? std::optional(*sum - *own) : std::nullopt, print(s));
}

/// The number of one of several tensors is less than their count.
std::optional<Polynomial> IndexBounds::operand_number(const Syntax& s) {
  const auto count = polynomial(call_node("count", s.children, s.span));
  return bounded("size", Polynomial(), count ? std::optional(*count - Polynomial::constant(1)) : std::nullopt,
                 print(s));
}

namespace {

constexpr int kMostParts = 2000;  // of an expression in which all calls are expanded: larger ones prove nothing

using Functions = std::map<std::string, ScalarFn, std::less<>>;

const ScalarFn* function_called(const Functions& functions, const Syntax& s) {
  const ScalarFn* found = s.is(SyntaxKind::call) ? find_value(functions, s.text) : nullptr;
  return found != nullptr && found->params.size() == s.children.size() ? found : nullptr;
}

/// Subtracts the parts of an expression in which all calls are expanded from `left`; false if there are more, as in
/// functions that call themselves.
bool fits(const Syntax& s, const Functions& functions, const std::map<std::string, int>& arguments, int& left) {
  const int* argument = s.is(SyntaxKind::name) ? find_value(arguments, s.text) : nullptr;
  if ((left -= argument != nullptr ? *argument : 1) < 0) return false;
  std::map<std::string, int> inner;
  const ScalarFn* called = function_called(functions, s);
  for (std::size_t i = 0; i < s.children.size(); ++i) {
    const int before = left;
    if (!fits(s.children[i], functions, arguments, left)) return false;
    if (called != nullptr) inner[called->params[i]] = before - left;
  }
  return called == nullptr || fits(called->value, functions, inner, left);
}

}  // namespace

std::optional<Syntax> IndexBounds::inlined(const Syntax& s) const {
  if (context_.functions == nullptr) return std::nullopt;
  const ScalarFn* found = function_called(*context_.functions, s);
  int left = kMostParts;
  if (found == nullptr || !fits(s, *context_.functions, {}, left)) return std::nullopt;
  return substitute(found->value, found->params, s.children);
}

std::optional<Polynomial> IndexBounds::call(const Syntax& s) {
  const std::size_t n = s.children.size();
  if ((s.text == "bit_and" || s.text == "bit_or" || s.text == "bit_xor" || s.text == "shr") && n == 2) return bits(s);
  if (s.text == "shl" && n == 2) return left_shift(s);
  switch (s.function) {
    case Builtin::select: return choice(s);
    case Builtin::padded:
    case Builtin::opt: return padded(s);
    case Builtin::clamp: return bounded("clamp", polynomial(s.children[1]), polynomial(s.children[2]), print(s));
    case Builtin::wrap:
    case Builtin::reflect:
    case Builtin::mirror: {
      const auto extent = polynomial(s.children[1]);
      if (!extent) return std::nullopt;
      return bounded("index", Polynomial(), *extent - Polynomial::constant(1), print(s));
    }
    case Builtin::count: return bounded("count", Polynomial(), std::nullopt, print(s.children[0]));
    case Builtin::size:
    case Builtin::rank:
    case Builtin::dim:
    case Builtin::lin:
    case Builtin::sum_of: return bounded("size", Polynomial(), std::nullopt, print(s));
    case Builtin::offset: return offset(s);
    case Builtin::operand: return operand_number(s);
    case Builtin::keep:
    case Builtin::permute:
    case Builtin::concat:
    case Builtin::drop: return bounded("pack", Polynomial(), std::nullopt, print(s));
    case Builtin::cast: return conversion(s);
    default: break;
  }
  if ((s.text == "max" || s.text == "min") && n >= 2) return extremum_of(s);
  if (const auto body = inlined(s)) return polynomial(*body);
  if (s.text == "sign" && n == 1 && whole(s.children[0]))
    return bounded("sign", Polynomial::constant(-1), Polynomial::constant(1), print(s));
  std::vector<Polynomial> arguments;
  for (const Syntax& child : s.children) {
    const auto p = polynomial(child);
    if (!p) return std::nullopt;
    arguments.push_back(*p);
  }
  if (s.text == "abs" && n == 1) return extremum("max", arguments[0], -arguments[0]);
  if (s.text == "sq" && n == 1) return arguments[0] * arguments[0];
  if (s.calls(Builtin::ceildiv)) {
    const auto quotient = floor_division(-arguments[0], arguments[1]);
    if (quotient) return -*quotient;
  }
  return std::nullopt;
}

}  // namespace tenon
