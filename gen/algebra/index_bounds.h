// Proofs that an index is within its dim: linear reasoning over polynomials in sizes, attributes and index variables.
//
// Known facts: every size is >= 0; an index variable v of extent E has 0 <= v < E where it is used at all; the
// `require` entries; (a//b)*b <= a <= (a//b)*b + b - 1 for b > 0; bounds of max, min, clamp, select, abs, wrap,
// argmax, of sums of what is not negative and of narrow types; lets and intermediates of integers by their definitions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/polynomial.h"
#include "ir/number/interval.h"
#include "ir/op/op_def.h"

namespace tenon {

/// What the names of an op mean. Packs and list attributes stand for one of their dims, the same in all of an
/// expression.
struct BoundsContext {
  std::map<std::string, Syntax> extents;  ///< index variable → its extent
  std::map<std::string, Syntax> lets;     ///< let → its expression
  std::set<std::string> sizes;            ///< names that are >= 0: sizes and packs of shapes
  std::set<std::string> booleans;         ///< attributes that are 0 or 1
  std::map<std::string, int>
      lists;  ///< list attributes of fixed length → length: a fact about one is a fact about each element
  const std::map<std::string, ScalarFn, std::less<>>* functions = nullptr;  ///< scalar functions, inlined
  std::vector<Syntax> requires_;
  std::map<std::string, Interval> ranges;       ///< values that are bounded, by their types or by what defines them
  std::map<std::string, Interval> type_ranges;  ///< narrow types
  std::set<std::string> whole_data;             ///< values of integers
  std::map<std::string, Syntax> same_types;     ///< results of calls → a read of the argument whose type they have
  std::map<std::string, const Statement*> definitions;  ///< intermediates computed in integers: what defines them
  std::set<std::string> recurrent;                      ///< those of them that read themselves, or each other
  std::set<std::string> integer_types;                  ///< type variables that are integers for certain
  std::set<std::string> reals;                          ///< attributes and lets that are no integers
};

/// Proves inequalities in one op's context.
class IndexBounds {
 public:
  explicit IndexBounds(BoundsContext context);

  /// Index variables that have a value where the next questions are asked: their extents are at least 1.
  void within(const std::set<std::string>& variables);

  /// Whether an expression is an integer for certain, though its bounds may be unknown.
  bool whole(const Syntax& s);

  /// What a call of a function of the definitions stands for; nothing for other calls.
  std::optional<Syntax> inlined(const Syntax& s) const;

  const BoundsContext& context() const { return context_; }

  /// The accumulator of a fold: an integer if what it begins with is one for certain; within `range` if that is known.
  void accumulator(const std::string& name, const Syntax& start, const std::optional<Interval>& range);

  /// True if low <= high is proved. False says nothing.
  bool at_most(const Syntax& low, const Syntax& high);
  /// The same where the conditions hold.
  bool at_most(const Syntax& low, const Syntax& high, const std::vector<Syntax>& conditions);
  bool nonnegative(const Syntax& value);
  /// True if 0 <= value, or value < extent, can never hold.
  bool always_negative(const Syntax& value);
  bool always_at_least(const Syntax& value, const Syntax& extent);
  /// True if value < extent is proved.
  bool below(const Syntax& value, const Syntax& extent);
  /// True if both are the same polynomial once lets are expanded.
  bool equal(const Syntax& a, const Syntax& b);
  /// Whether the expression is one that the bounds can follow: integers, without reads of tensors.
  bool follows(const Syntax& value);
  /// The polynomial's text, for notes; the notation's text if it is none.
  std::string describe(const Syntax& value);
  /// `require` entries that contradict each other or themselves (position in the list), if that is proved.
  std::optional<std::size_t> contradiction();

 private:
  /// An alternative of a quantity: its value, and what holds when it has that value.
  struct Branch {
    Polynomial value;
    std::vector<Polynomial> facts;
  };
  /// A quantity that is not a plain name: facts (each >= 0) and, for max, min, select and abs, its alternatives.
  struct Quantity {
    std::vector<Polynomial> facts;
    std::vector<Branch> branches;
    std::vector<Polynomial> divisors;  ///< positive polynomials: rounding may be undone by multiplying with them
  };
  using Facts = std::vector<Polynomial>;

  std::optional<Polynomial> polynomial(const Syntax& s);
  std::optional<Polynomial> binary(const Syntax& s);
  std::optional<Polynomial> call(const Syntax& s);
  std::optional<Polynomial> name(const Syntax& s);
  std::optional<Polynomial> floor_division(const Polynomial& a, const Polynomial& b);
  std::optional<Polynomial> divisor(const Syntax& s);
  std::optional<Polynomial> power(const Syntax& s);
  std::optional<Polynomial> extremum_of(const Syntax& s);
  std::optional<Polynomial> extremum(const std::string& kind, const Polynomial& a, const Polynomial& b);
  std::optional<Polynomial> choice(const Syntax& s);
  std::optional<Polynomial> bounded(const std::string& kind, const std::optional<Polynomial>& low,
                                    const std::optional<Polynomial>& high, const std::string& key);
  std::optional<Polynomial> offset(const Syntax& s);
  std::optional<Polynomial> operand_number(const Syntax& s);
  std::optional<Polynomial> element(const Syntax& s);
  std::optional<Polynomial> list_element(const Syntax& s);
  std::optional<Polynomial> padded(const Syntax& s);
  std::optional<Polynomial> reduction(const Syntax& s);
  std::optional<Polynomial> bits(const Syntax& s);
  std::optional<std::int64_t> most_of(const Polynomial& p) const;
  std::optional<Polynomial> either_bits(const Syntax& s);
  std::optional<Polynomial> conversion(const Syntax& s);
  std::optional<Polynomial> left_shift(const Syntax& s);
  void forget(const std::string& name);
  bool integer_type(const std::string& type) const;
  bool whole_reduction(const Syntax& s);

  /// Facts (each >= 0) that a condition states; or that its negation states.
  Facts facts_of(const Syntax& condition, bool negated);
  bool positive(const Polynomial& p);

  Facts closure(const std::vector<Polynomial>& start, std::set<std::string>& quantities);
  bool prove(const Polynomial& goal, const Facts& extra, int splits);
  /// The same, limited to a few steps: for side conditions, most of which fail.
  bool prove_quickly(const Polynomial& goal);
  /// Searches for a proof within the remaining budget.
  bool settle(const Polynomial& goal);
  bool prove_split(const Polynomial& goal, const Facts& facts, const std::set<std::string>& quantities, int splits);

  BoundsContext context_;
  std::map<std::string, Quantity> quantities_;
  std::map<std::string, std::optional<Polynomial>> lets_;
  std::set<std::string> open_;          ///< lets and variables that are being expanded
  std::vector<Polynomial> scope_;       ///< the variables of `within`
  Facts known_;                         ///< from `require` and the sizes of shapes
  std::vector<std::string> recurring_;  ///< recurrent values whose definitions are being followed
  bool of_sizes_ = true;                ///< within a let or `require`, where a shift that does not fit is an error
  int depth_ = 0;
  int failures_ = 0;  ///< proofs that failed: each is a long search, and an op that has many is refused anyway
};

}  // namespace tenon
