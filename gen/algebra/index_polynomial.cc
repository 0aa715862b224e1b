// Index expressions as polynomials: a term that is not a sum or product becomes a quantity of its own, with the facts
// that bound it.
#include <fmt/format.h>

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
  // Earlier elements of a recurrence may be any integer.
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

/// Whether an expression is an integer for certain, though its bounds may be unknown.
bool IndexBounds::whole(const Syntax& s) {
  if (s.is(SyntaxKind::integer)) return true;  // also where a proof would overflow
  if (s.is(SyntaxKind::subscript) && context_.whole_data.count(s.text) != 0) return true;
  const auto parts = [&] {
    return std::all_of(s.children.begin() + (s.calls(Builtin::select) ? 1 : 0), s.children.end(),
                       [&](const Syntax& c) { return whole(c); });
  };
  if (s.is(SyntaxKind::unary) && s.text == "-") return parts();
  if (s.is(SyntaxKind::binary) && (s.text == "+" || s.text == "-" || s.text == "*" || s.text == "//" || s.text == "%"))
    return parts();
  if (s.calls(Builtin::select, Builtin::padded, Builtin::opt, Builtin::clamp)) return parts();
  if (s.is(SyntaxKind::call) && has_flag(s.text, 'W')) return parts();
  // A conversion from a real number gives an integer.
  if (s.calls(Builtin::cast, Builtin::bits))
    return s.children[1].is(SyntaxKind::name) && integer_type(s.children[1].text);
  if (s.is(SyntaxKind::reduce)) return whole_reduction(s);
  const auto body = s.is(SyntaxKind::call) ? inlined(s) : std::nullopt;
  return body ? whole(*body) : polynomial(s).has_value();
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
  // The remainder of any integer is between 0 and its divisor. (A division by zero is a separate error.)
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

/// The divisor of a remainder: a size keeps its value when converted to u64.
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
