// Goals, facts and case distinctions; the polynomials themselves come from index_polynomial.cc.
#include "algebra/index_bounds.h"

#include <utility>

#include "algebra/polynomial.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {

IndexBounds::IndexBounds(BoundsContext context) : context_(std::move(context)) {
  for (const Syntax& condition : context_.requires_) {
    const Facts facts = facts_of(condition, false);
    append(known_, facts);
  }
  for (const auto& [name, value] : context_.lets) {
    if (context_.sizes.count(name) == 0) continue;
    if (const auto p = polynomial(name_node(name))) known_.push_back(*p);
  }
  of_sizes_ = false;
}

void IndexBounds::within(const std::set<std::string>& variables) {
  scope_.clear();
  for (const std::string& variable : variables)
    if (const auto p = polynomial(name_node(variable))) scope_.push_back(*p);
}

void IndexBounds::accumulator(const std::string& name, const Syntax& start, const std::optional<Interval>& range) {
  if (whole(start)) context_.reals.erase(name);
  else context_.reals.insert(name);
  forget(name);
  if (!range) return;
  const Polynomial q = Polynomial::quantity(name);
  quantities_[name].facts = {q - Polynomial::constant(range->lo), Polynomial::constant(range->hi) - q};
}

/// Drops the facts about a name that is redefined, and about values derived from it.
void IndexBounds::forget(const std::string& name) {
  std::erase_if(quantities_, [&](const auto& known) {
    const std::string& text = known.first;
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
  });
}

/// Facts about every quantity that is reached from the start, and the quantities themselves.
IndexBounds::Facts IndexBounds::closure(const std::vector<Polynomial>& start, std::set<std::string>& quantities) {
  Facts facts;
  std::vector<Polynomial> open = start;
  while (!open.empty()) {
    const Polynomial p = std::move(open.back());
    open.pop_back();
    for (const std::string& name : p.quantities()) {
      if (!quantities.insert(name).second) continue;
      const auto found = quantities_.find(name);
      if (found == quantities_.end()) continue;
      for (const Polynomial& fact : found->second.facts) {
        facts.push_back(fact);
        open.push_back(fact);
      }
      for (const Branch& branch : found->second.branches) open.push_back(branch.value);
    }
  }
  return facts;
}

bool IndexBounds::prove(const Polynomial& goal, const Facts& extra, int splits) {
  std::vector<Polynomial> start = known_;
  start.push_back(goal);
  append(start, scope_);
  append(start, extra);
  std::set<std::string> quantities;
  Facts facts = concat(closure(start, quantities), extra);
  append(facts, known_);
  if (never_negative(goal, facts, context_.sizes)) return true;
  for (const std::string& name : quantities) {
    const auto found = quantities_.find(name);
    if (found == quantities_.end()) continue;
    // Integers: goal >= 0 follows from d*goal + (d - 1) >= 0, which undoes the rounding of a division by d.
    for (const Polynomial& d : found->second.divisors) {
      if (never_negative(d * goal + d - Polynomial::constant(1), facts, context_.sizes)) return true;
    }
  }
  return splits > 0 && prove_split(goal, facts, quantities, splits);
}

/// Tries each quantity that has alternatives: the goal must hold in all of them.
bool IndexBounds::prove_split(const Polynomial& goal, const Facts& facts, const std::set<std::string>& quantities,
                              int splits) {
  for (const std::string& name : quantities) {
    const auto found = quantities_.find(name);
    if (found == quantities_.end() || found->second.branches.empty()) continue;
    const std::vector<Branch> branches = found->second.branches;
    const bool all = all_of(branches, [&](const Branch& branch) {
      Facts replaced = branch.facts;
      for (const Polynomial& fact : facts) replaced.push_back(replace(fact, name, branch.value));
      return prove(replace(goal, name, branch.value), replaced, splits - 1);
    });
    if (all) return true;
  }
  return false;
}

namespace {
constexpr int kSplits = 3;
constexpr int kPatience = 12;  // failures after which only short proofs are tried
}  // namespace

bool IndexBounds::positive(const Polynomial& p) {
  if (p.is_constant()) return p.constant_value() > 0;
  // A division by zero is an error of its own, before any read: a divisor that is never negative, as products of sizes
  // are, is at least 1.
  const bool sizes =
      p.terms.size() == 1 && p.terms.begin()->second > 0 &&
      all_of(p.terms.begin()->first, [&](const QuantityName& n) { return context_.sizes.count(n.text()) != 0; });
  return sizes || prove_quickly(p);
}

bool IndexBounds::prove_quickly(const Polynomial& goal) {
  std::set<std::string> quantities;
  Facts facts = closure({goal}, quantities);
  append(facts, known_);
  return never_negative(goal, facts, context_.sizes, 3);
}

bool IndexBounds::settle(const Polynomial& goal) {
  const bool proved = failures_ < kPatience ? prove(goal, {}, kSplits) : prove_quickly(goal);
  if (!proved) ++failures_;
  return proved;
}

bool IndexBounds::at_most(const Syntax& low, const Syntax& high) {
  const auto a = polynomial(low), b = polynomial(high);
  return a && b && settle(*b - *a);
}

bool IndexBounds::at_most(const Syntax& low, const Syntax& high, const std::vector<Syntax>& conditions) {
  const auto a = polynomial(low), b = polynomial(high);
  if (!a || !b) return false;
  const Polynomial goal = *b - *a;
  if (goal.is_constant()) return !goal.overflowed && goal.constant_value() >= 0;
  Facts facts;
  for (const Syntax& condition : conditions) append(facts, facts_of(condition, false));
  const bool proved = prove(goal, facts, failures_ < kPatience ? kSplits : 0);
  if (!proved) ++failures_;
  return proved;
}

bool IndexBounds::nonnegative(const Syntax& value) {
  const auto p = polynomial(value);
  return p && settle(*p);
}

bool IndexBounds::below(const Syntax& value, const Syntax& extent) {
  const auto a = polynomial(value), b = polynomial(extent);
  return a && b && settle(*b - *a - Polynomial::constant(1));
}

bool IndexBounds::always_negative(const Syntax& value) {
  const auto p = polynomial(value);
  return p && prove_quickly(-*p - Polynomial::constant(1));
}

bool IndexBounds::always_at_least(const Syntax& value, const Syntax& extent) {
  const auto a = polynomial(value), b = polynomial(extent);
  return a && b && prove_quickly(*a - *b);
}

bool IndexBounds::equal(const Syntax& a, const Syntax& b) {
  const auto p = polynomial(a), q = polynomial(b);
  return p && q ? *p == *q && !p->overflowed : same(a, b);
}

bool IndexBounds::follows(const Syntax& value) {
  const auto p = polynomial(value);
  return p && !p->overflowed;
}

std::string IndexBounds::describe(const Syntax& value) {
  const auto p = polynomial(value);
  return p && !p->overflowed ? print(*p) : print(value);
}

std::optional<std::size_t> IndexBounds::contradiction() {
  for (std::size_t i = 0; i < context_.requires_.size(); ++i) {
    for (const Polynomial& fact : facts_of(context_.requires_[i], false)) {
      if (never_negative(-fact - Polynomial::constant(1), {}, context_.sizes, 0)) return i;
    }
  }
  return std::nullopt;
}

}  // namespace tenon
