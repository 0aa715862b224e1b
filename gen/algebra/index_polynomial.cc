// Index expressions as polynomials: a term that is not a sum or product becomes a quantity of its own, with the facts
// that bound it.
#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "algebra/index_bounds.h"
#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"
#include "support/ranges.h"

namespace tenon {

namespace {

constexpr int kDeepest = 60;
constexpr std::size_t kRecurring = 3;  ///< recurrent values within each other that are followed

Polynomial one() { return Polynomial::constant(1); }

/// Replaces parameters by arguments.
Syntax substitute(const Syntax& s, const std::vector<std::string>& params, const std::vector<Syntax>& arguments) {
  if (s.is(SyntaxKind::name)) {
    const auto at = std::find(params.begin(), params.end(), s.text);
    if (at != params.end()) return arguments[static_cast<std::size_t>(at - params.begin())];
  }
  Syntax result = s;
  for (Syntax& child : result.children) child = substitute(child, params, arguments);
  return result;
}

bool mentions(const Syntax& s, const std::string& name) {
  return any_within(s, [&](const Syntax& node) {
    return (node.is(SyntaxKind::name) || node.is(SyntaxKind::pack)) && node.text == name;
  });
}

/// Whether a reduction within `s` is over a variable that one of `values` mentions.
bool captures(const Syntax& s, const std::vector<Syntax>& values) {
  const auto is_mentioned = [&](const Syntax& variable) {
    return any_of(values, [&](const Syntax& v) { return mentions(v, variable.text); });
  };
  return any_within(
      s, [&](const Syntax& node) { return node.is(SyntaxKind::reduce) && any_of(node.variables(), is_mentioned); });
}

/// What an intermediate holds where it is read: its definition with its variables replaced by the indices of the read.
/// Packs and split dims must be read as they are defined.
std::optional<Syntax> value_at(const Statement& definition, const Syntax& read) {
  if (definition.subs.size() != read.children.size()) return std::nullopt;
  std::vector<std::string> variables;
  std::vector<Syntax> indices;
  for (std::size_t k = 0; k < read.children.size(); ++k) {
    if (same(definition.subs[k], read.children[k])) continue;
    if (!definition.subs[k].is(SyntaxKind::name)) return std::nullopt;
    variables.push_back(definition.subs[k].text);
    indices.push_back(read.children[k]);
  }
  if (captures(definition.value, indices)) return std::nullopt;
  return substitute(definition.value, variables, indices);
}

}  // namespace

/// An element of a list attribute, of an input whose type bounds it, or of an intermediate of integers; other data
/// has no known bounds.
std::optional<Polynomial> IndexBounds::element(const Syntax& s) {
  if (context_.lists.count(s.text) != 0) return list_element(s);
  if (const Interval* range = find_value(context_.ranges, s.text))
    return bounded("value", Polynomial::constant(range->lo), Polynomial::constant(range->hi), print(s));
  const auto definition = context_.definitions.find(s.text);
  if (definition == context_.definitions.end()) return std::nullopt;
  const bool recurrent = context_.recurrent.count(s.text) != 0;
  // What a recurrent value was made of before is any integer.
  const bool within = contains(recurring_, s.text);
  if (recurrent && (within || recurring_.size() >= kRecurring)) return Polynomial::quantity(print(s));
  const auto value = value_at(*definition->second, s);
  if (!value) return std::nullopt;
  if (recurrent) recurring_.push_back(s.text);
  const auto found = polynomial(*value);
  if (recurrent) recurring_.pop_back();
  return found;
}

/// What holds for a list as a whole holds for the element that a variable chooses, too.
std::optional<Polynomial> IndexBounds::list_element(const Syntax& s) {
  if (s.children.size() != 1 || context_.reals.count(s.text) != 0) return std::nullopt;
  const std::string name = print(s);
  const Polynomial q = Polynomial::quantity(name);
  if (s.children[0].is(SyntaxKind::integer) || quantities_.count(name) != 0) return q;
  Quantity quantity;
  for (const Polynomial& fact : known_) {
    Polynomial of_element = replace(fact, s.text, q);
    if (!(of_element == fact)) quantity.facts.push_back(std::move(of_element));
  }
  quantities_[name] = std::move(quantity);
  return q;
}

bool IndexBounds::integer_type(const std::string& type) const {
  const auto dtype = dtype_from_name(type);
  return (dtype && is_int(*dtype)) || context_.integer_types.count(type) != 0;
}

/// The place of the first of an expression's children that is a value.
std::size_t IndexBounds::first_value(const Syntax& s) { return s.calls(Builtin::select) ? 1 : 0; }

/// Whether an expression is an integer for certain, though its bounds may be unknown.
bool IndexBounds::whole(const Syntax& s) {
  if (s.is(SyntaxKind::integer)) return true;  // also where a proof would overflow
  if (s.is(SyntaxKind::subscript) && context_.whole_data.count(s.text) != 0) return true;
  const auto parts = [&] {
    return std::all_of(s.children.begin() + static_cast<std::ptrdiff_t>(first_value(s)), s.children.end(),
                       [&](const Syntax& c) { return whole(c); });
  };
  if (s.is(SyntaxKind::unary) && s.text == "-") return parts();
  if (s.is(SyntaxKind::binary) && (s.text == "+" || s.text == "-" || s.text == "*" || s.text == "//" || s.text == "%"))
    return parts();
  if (s.calls(Builtin::select, Builtin::padded, Builtin::opt, Builtin::clamp)) return parts();
  if (s.is(SyntaxKind::call) && has_flag(s.text, 'W')) return parts();
  // A real becomes an integer, whatever it is.
  if (s.calls(Builtin::cast)) return s.children[1].is(SyntaxKind::name) && integer_type(s.children[1].text);
  if (s.is(SyntaxKind::reduce)) return whole_reduction(s);
  return polynomial(s).has_value();
}

std::optional<Polynomial> IndexBounds::polynomial(const Syntax& s) {
  if (depth_ >= kDeepest) return std::nullopt;
  ++depth_;
  std::optional<Polynomial> result;
  switch (s.kind) {
    case SyntaxKind::integer: result = Polynomial::constant(s.integer); break;
    case SyntaxKind::boolean: result = Polynomial::constant(s.integer); break;
    case SyntaxKind::name: result = name(s); break;
    case SyntaxKind::unary:
      if (s.text == "-") {
        if (const auto operand = polynomial(s.children[0])) result = -*operand;
      }
      break;
    case SyntaxKind::binary: result = binary(s); break;
    case SyntaxKind::call: result = call(s); break;
    case SyntaxKind::each: result = polynomial(s.children[0]); break;
    case SyntaxKind::subscript: result = element(s); break;
    case SyntaxKind::reduce: result = reduction(s); break;
    case SyntaxKind::real:
    case SyntaxKind::infinity:
    case SyntaxKind::pack:
    case SyntaxKind::group:
    case SyntaxKind::keyword:
    case SyntaxKind::list: break;
  }
  --depth_;
  if (result && result->overflowed) return std::nullopt;
  return result;
}

std::optional<Polynomial> IndexBounds::name(const Syntax& s) {
  if (context_.reals.count(s.text) != 0) return std::nullopt;
  if (const auto let = context_.lets.find(s.text); let != context_.lets.end()) {
    if (const auto* done = find_value(lets_, s.text)) return *done;
    if (!open_.insert(s.text).second) return std::nullopt;
    const bool outside = std::exchange(of_sizes_, true);
    const auto value = polynomial(let->second);
    of_sizes_ = outside;
    open_.erase(s.text);
    // An extent that is not a polynomial is a quantity of its own.
    const bool size = context_.sizes.count(s.text) != 0 ||
                      any_of(context_.extents, [&](const auto& variable) { return variable.second.is_name(s.text); });
    return lets_[s.text] = value ? value : size ? std::optional(Polynomial::quantity(s.text)) : std::nullopt;
  }
  if (const auto variable = context_.extents.find(s.text);
      variable != context_.extents.end() && quantities_.count(s.text) == 0) {
    Quantity& q = quantities_[s.text];
    q.facts.push_back(Polynomial::quantity(s.text));
    if (const auto extent = polynomial(variable->second))
      quantities_[s.text].facts.push_back(*extent - one() - Polynomial::quantity(s.text));
  }
  if (context_.booleans.count(s.text) != 0 && quantities_.count(s.text) == 0) {
    quantities_[s.text].facts = {Polynomial::quantity(s.text), one() - Polynomial::quantity(s.text)};
  }
  return Polynomial::quantity(s.text);
}

std::optional<Polynomial> IndexBounds::binary(const Syntax& s) {
  if (s.text == "**") return power(s);
  if (s.is_condition()) return bounded("condition", Polynomial(), one(), print(s));
  const auto a = polynomial(s.children[0]), b = s.text == "%" ? divisor(s.children[1]) : polynomial(s.children[1]);
  // The rest of any integer is between 0 and its divisor. (A division by zero is an error of its own.)
  if (!a && b && s.text == "%" && positive(*b) && whole(s.children[0]))
    return bounded("rest", Polynomial(), *b - one(), print(s));
  if (!a || !b || s.text == "/") return std::nullopt;
  if (s.text == "+") return *a + *b;
  if (s.text == "-") return *a - *b;
  if (s.text == "*") return *a * *b;
  const auto quotient = floor_division(*a, *b);
  if (!quotient || s.text == "//") return quotient;
  return *a - *b * *quotient;  // a % b
}

/// What a rest is taken by: a size stays what it is as a u64.
std::optional<Polynomial> IndexBounds::divisor(const Syntax& s) {
  if (!s.calls(Builtin::cast) || !s.children[1].is_name("u64")) return polynomial(s);
  const auto value = polynomial(s.children[0]);
  return value && prove_quickly(*value) ? value : std::nullopt;
}

std::optional<Polynomial> IndexBounds::power(const Syntax& s) {
  const auto base = polynomial(s.children[0]);
  if (!base || !s.children[1].is(SyntaxKind::integer) || s.children[1].integer < 0 || s.children[1].integer > 8)
    return std::nullopt;
  Polynomial result = one();
  for (std::int64_t i = 0; i < s.children[1].integer; ++i) result = result * *base;
  return result;
}

namespace {

/// In parentheses, unless it is one name or number.
std::string operand(const std::string& text) {
  const bool word = all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return word ? text : fmt::format("({})", text);
}

}  // namespace

std::optional<Polynomial> IndexBounds::floor_division(const Polynomial& a, const Polynomial& b) {
  if (b.is_constant() && b.constant_value() > 0)
    if (const PolynomialDivision exact = divide(a, b); exact.rest.terms.empty()) return exact.quotient;
  const std::string key = fmt::format("({}//{})", operand(print(a)), operand(print(b)));
  const Polynomial q = Polynomial::quantity(key);
  if (quantities_.count(key) != 0) return q;
  if (positive(b)) {
    Quantity quantity;
    quantity.facts = {a - b * q, b * q + b - one() - a, b - one()};
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

/// Of integers: those of which nothing is known leave the bounds that the others give.
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

/// The part before one of several stretches plus its own extent is at most the sum of all.
std::optional<Polynomial> IndexBounds::offset(const Syntax& s) {
  const auto sum = polynomial(call_node("sum_of", s.children, s.span)), own = polynomial(s.children[0]);
  return bounded("size", Polynomial(), sum && own ? std::optional(*sum - *own) : std::nullopt, print(s));
}

std::optional<Polynomial> IndexBounds::inlined(const Syntax& s) {
  if (context_.functions == nullptr) return std::nullopt;
  const auto found = context_.functions->find(s.text);
  if (found == context_.functions->end() || found->second.params.size() != s.children.size()) return std::nullopt;
  return polynomial(substitute(found->second.value, found->second.params, s.children));
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
      return bounded("index", Polynomial(), *extent - one(), print(s));
    }
    case Builtin::count: return bounded("count", Polynomial(), std::nullopt, print(s.children[0]));
    case Builtin::size:
    case Builtin::rank:
    case Builtin::dim:
    case Builtin::lin:
    case Builtin::sum_of:
    case Builtin::operand: return bounded("size", Polynomial(), std::nullopt, print(s));
    case Builtin::offset: return offset(s);
    case Builtin::keep:
    case Builtin::permute:
    case Builtin::concat:
    case Builtin::drop: return bounded("pack", Polynomial(), std::nullopt, print(s));
    case Builtin::cast: return conversion(s);
    default: break;
  }
  if ((s.text == "max" || s.text == "min") && n >= 2) return extremum_of(s);
  std::vector<Polynomial> arguments;
  for (const Syntax& child : s.children) {
    const auto p = polynomial(child);
    if (!p) return inlined(s);
    arguments.push_back(*p);
  }
  if (s.text == "abs" && n == 1) return extremum("max", arguments[0], -arguments[0]);
  if (s.text == "sq" && n == 1) return arguments[0] * arguments[0];
  if (s.calls(Builtin::ceildiv)) {
    const auto quotient = floor_division(-arguments[0], arguments[1]);
    if (quotient) return -*quotient;
  }
  return inlined(s);
}

IndexBounds::Facts IndexBounds::facts_of(const Syntax& s, bool negated) {
  if (s.is(SyntaxKind::unary) && s.text == "not") return facts_of(s.children[0], !negated);
  if (!s.is(SyntaxKind::binary)) return {};
  if (s.text == (negated ? "or" : "and")) {
    Facts facts = facts_of(s.children[0], negated);
    const Facts more = facts_of(s.children[1], negated);
    append(facts, more);
    return facts;
  }
  if (s.text == "or" || s.text == "and") return {};
  const auto sign = scalar_op_from_sign(s.text), op = negated && sign ? opposite(*sign) : sign;
  const auto a = polynomial(s.children[0]), b = polynomial(s.children[1]);
  Facts facts = a && b && op ? comparison_facts(*op, *a, *b) : Facts{};
  // A fact about a list attribute as a whole holds for each of its elements.
  for (const auto& [list, length] : context_.lists) {
    const std::size_t whole = facts.size();
    for (std::size_t i = 0; i < whole; ++i) {
      for (int k = 0; k < length; ++k) {
        const Polynomial element = replace(facts[i], list, Polynomial::quantity(fmt::format("{}[{}]", list, k)));
        if (!(element == facts[i])) facts.push_back(element);
      }
    }
  }
  return facts;
}

}  // namespace tenon
