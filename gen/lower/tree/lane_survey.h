// A loop's iterations as lanes of a vector: whether that is possible, the width, and the cost.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/linear.h"
#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"
#include "lower/tree/place_temps.h"
#include "support/function_ref.h"
#include "support/pointer_map.h"

namespace tenon {

/// The kernel whose loops are surveyed, with the ranges of its sizes.
struct SurveyedKernel {
  const Kernel& kernel;
  const Isa& isa;
  const LoopTree& tree;
  const Ranges& ranges;
};

class LaneSurvey {
 public:
  /// Surveys `loop`, which is marked as a vector loop already: `places` of temps are those of such a tree. Of several
  /// parts of one lane each value is a scalar, which may be anywhere in memory.
  LaneSurvey(const SurveyedKernel& of, const TreeLoop& loop, const std::vector<TempPlace>& places);

  /// Elements far apart are gathered one by one, which pays off next to expensive functions. Scalar copies of complex
  /// numbers are fast enough, and shorter.
  bool possible() const {
    return possible_ && (!far_ || (costly_ > 0 && !has_loops_)) && (!complex_ || computes_complex_);
  }
  /// Loads and stores of neighbours in either order, other loads, functions of some cost, bytes of the widest value.
  int neighbours() const { return neighbours_; }
  int strided() const { return strided_; }
  int costly() const { return costly_; }
  /// Operations on values that differ between iterations.
  int operations() const { return operations_; }
  int widest() const { return widest_; }
  /// Bytes of the narrowest integer or truth value that is stored; many if there is none.
  int narrowest_stored() const { return narrowest_; }
  /// The most runs that a read takes elements of in turns; 0 without such reads.
  int64_t turns() const { return turns_; }
  /// Random words whose blocks neighbours share.
  int draws() const { return draws_; }
  bool has_loops() const { return has_loops_; }
  /// Accumulators that run over the loop.
  const std::set<int>& reduced() const { return reduced_; }

 private:
  void tree(const Tree& t);
  void define(const TreeDefine& d);
  void accumulate(const TreeAccumulate& a);
  bool varies(const Expr& e);
  void value(const Expr& e);
  void read(const Expr& e, const Read& r);
  void apply(const Expr& e, const Apply& a);
  void select(const Select& s);
  /// Elements from one lane to the next; nothing when lanes are spaced irregularly.
  std::optional<Expr> stride(int tensor, const std::vector<Expr>& index);
  bool has_wide_products(const Expr& e) const;
  bool has_complex_form(const Expr& e);
  void refuse() { possible_ = false; }

  const Kernel& k_;
  const Isa& isa_;
  const LoopTree& tree_;
  const std::string var_;
  const bool interior_;
  const bool scalars_;
  const bool from_zero_;
  Ranges ranges_;
  const std::vector<TempPlace>& places_;
  std::set<int> begun_, reduced_;
  std::set<int> varying_temps_;
  std::set<std::string> varying_accumulators_;
  PointerMap<std::pair<Expr, bool>> varies_;  ///< with the node itself: its address must not become another one's
  PointerMap<bool> seen_;
  bool possible_ = true, has_loops_ = false, far_ = false, complex_ = false, computes_complex_ = false;
  int neighbours_ = 0, strided_ = 0, costly_ = 0, operations_ = 0, widest_ = 1, draws_ = 0, narrowest_ = 16;
  int64_t turns_ = 0;
};

/// What a read of tensor elements is seen from a loop: its index, and what the tensor's dimensions are apart.
struct IndexInLoop {
  const std::vector<Expr>& index;
  const std::vector<Expr>& strides;
  const std::string& var;
};
/// The number of consecutive iterations that read the same element, each such group reading the next one: a power of
/// two above 1. Nothing where elements are read in another way. `varies` tells what differs between iterations.
std::optional<int64_t> repeats(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges);

/// Runs of elements that a loop reads in turns: `count` of them, a power of two above 1, each `step` elements after the
/// one before.
struct Turns {
  int64_t count = 0;
  Expr step;
};
/// The runs of a read at `v % count` in one dimension and at `v // count` in another. Nothing where elements are read
/// in another way.
std::optional<Turns> takes_turns(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges);

}  // namespace tenon
