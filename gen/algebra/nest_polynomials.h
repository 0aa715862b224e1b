// Values of a nest as polynomials in quantities: names are replaced by what they stand for, quotients and extrema
// become quantities of their own.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "algebra/known_quantities.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// The index of a parallel loop, or a part of it that a division extracted.
struct Digit {
  Polynomial divisor, quotient, remainder;
};

class NestPolynomials {
 public:
  NestPolynomials(const Kernel& kernel, KnownQuantities& known);

  /// The polynomial that a value is; a quantity of which nothing is known where it is none.
  Polynomial of(const Operand& value);
  void let(const std::string& name, Polynomial value) { names_[name] = std::move(value); }
  /// A variable that is assigned to.
  void forget(const std::string& name) { names_.erase(name); }

  /// The variable of a loop; facts about it are added to the quantities.
  void open(const SFor& loop);
  /// The same for a parallel loop: its numbers are what differs between iterations.
  void open_shared(const SFor& loop);
  /// The meaning of `numbers` once the whole loop body is known.
  std::vector<Polynomial> numbers() const;

  /// Facts that hold where the condition does.
  Facts facts_of(const Operand& condition, bool holds);
  /// Elements 0 ... count-1.
  Polynomial lane(int64_t lanes, const Operand& active);

  std::map<std::string, Polynomial>& names() { return names_; }

 private:
  Polynomial apply(const VApply& a);
  Polynomial quotient(const Polynomial& a, const Polynomial& b);
  Polynomial rounded(const Polynomial& a, const Polynomial& b);
  Polynomial remainder(const Polynomial& a, const Polynomial& b);
  Polynomial multiple_below(const Polynomial& x, const Polynomial& mask);
  Polynomial extremum(bool least, const Polynomial& a, const Polynomial& b);
  Polynomial choice(const Polynomial& a, const Polynomial& b);
  /// A value about which nothing is known.
  Polynomial unknown(std::string_view word) { return known_.add(word, inside_); }
  const Digit* digit(const Polynomial& number, const Polynomial& divisor);
  bool is_positive(const Polynomial& p) { return known_.proves(p - Polynomial::constant(1), {}); }

  KnownQuantities& known_;
  std::map<std::string, Polynomial> names_, sizes_, derived_;
  std::map<QuantityName, Polynomial> extents_;  ///< numbers of the shared loop by their names: how many there are
  std::map<QuantityName, Digit> digits_;
  std::vector<QuantityName> numbers_;
  std::set<QuantityName> whole_numbers_;  ///< those of them that are not taken apart
  bool inside_ = false;
};

}  // namespace tenon
