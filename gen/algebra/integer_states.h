// What is left of integers by arithmetic that wraps. The proofs that an index is in range take integers as unbounded:
// they hold for a kernel where nothing wraps, and for sums of products that wrap alone, but not for a comparison, a
// minimum or a quotient of what has wrapped.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "ir/kernel/kernel.h"
#include "ir/number/interval.h"
#include "support/function_ref.h"

namespace tenon {

/// The number; a number that is equal to it modulo the range of its type; some other number.
enum class Exactness : uint8_t { Exact, Congruent, Wrong };

/// `lo` and `hi` bound what the kernel computes.
struct IntegerState {
  using Wide = WideInteger;
  Exactness exactness;
  Wide lo, hi;
};

/// Where an expression is: outside of indices, in an index below other operations, a term of an index, a factor of one.
/// A call of a library refuses attributes that are larger than most_of() of their places.
enum class IndexPart : uint8_t { Value, Inner, Term, Factor };
int64_t most_of(IndexPart part);
/// The place of an argument of an expression that is at `part`.
IndexPart part_of_argument(const Expr& e, size_t argument, IndexPart part);

/// Calls f for the sizes and attributes in a kernel's statements, with their places.
void for_each_part(const Kernel& k, FunctionRef<void(const Expr&, IndexPart)> f);

/// The elements of a tensor, and the steps of a loop, are not more than this: memory and time end before.
constexpr int64_t kMostInMemory = int64_t{1} << 48;

class IntegerStates {
 public:
  explicit IntegerStates(const Kernel& kernel) : kernel_(kernel) {}

  /// The statements that follow define these tensors, which read each other.
  void begin_group(std::set<int> tensors) { group_ = std::move(tensors); }
  /// A statement that defines the tensor is being built.
  void begin(int target) { target_ = target; }
  /// A definition or an update of a tensor of integers.
  void define(const KernelStatement& s);
  /// `e` is a number of 0 … extent - 1, whatever it is made of; with no extent it is clamped.
  void guard(const Expr& e, Expr extent = nullptr) { guards_[e.get()] = {e, std::move(extent)}; }
  /// The accumulator of a fold, which may be any number of its type.
  void accumulate(const std::string& name) { accumulators_.insert(name); }

  IntegerState of(const Expr& e, IndexPart part);
  /// Whether an index that is proved to be within the extent is so in the kernel, too.
  bool stays_within(const Expr& index, const Expr& extent);
  /// The index, with conversions to u64 and back around what the call gives in it if its sums and products may leave
  /// i64. These tell the emitter to compute them without signs.
  Expr unsigned_where_wrapping(const Expr& index);

 private:
  IntegerState state(const Expr& e, IndexPart part);
  IntegerState computed(const Expr& e, IndexPart part);
  bool any_wraps(const Expr& index);
  IntegerState symbol(const std::string& name, IndexPart part) const;
  IntegerState element(const Expr& e, const Read& r);
  IntegerState reduced(const Expr& e, const Reduce& r, IndexPart part);
  IntegerState applied(const Expr& e, const Apply& a, IndexPart part);

  const Kernel& kernel_;
  std::map<std::pair<int, IntegerState::Wide>, IntegerState> defined_;  ///< by the largest dim
  std::map<const ExprNode*, std::pair<Expr, Expr>> guards_;  ///< with the expressions themselves, which keep the nodes
  std::map<std::pair<const ExprNode*, IndexPart>, IntegerState> done_;  ///< within one question
  std::set<std::string> accumulators_;
  std::set<int> group_;
  int target_ = -1;
  IntegerState::Wide largest_dim_ = kMostInMemory;
};

}  // namespace tenon
