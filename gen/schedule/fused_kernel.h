// A kernel of a graph with the values that its tensors are, and the substitution that fuses two of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/expr.h"
#include "ir/kernel/kernel.h"

namespace tenon {

struct FusedKernel {
  Kernel kernel;
  std::vector<ValueId> values;       ///< per tensor; kNoValue for temps
  std::vector<std::string> origins;  ///< operators in it, as diagnostics name them
  RegionId region = kTopLevel;       ///< the innermost one that it is in
  std::vector<std::string> notes;    ///< why they are one kernel
};

/// How an operator's statements use the values that they read: what fusion decides by.
bool is_pointwise(const Kernel& kernel);  ///< one statement, no reduction in it
bool is_movement(const Kernel& kernel);   ///< pointwise, and the value is one read (perhaps padded or converted)

/// Puts `producer` into `consumer`: every read of `value` becomes the producer's formula at that element; statements of
/// the producer that make its temps come first. Nothing when the producer updates its output or makes it before its
/// last statement, or when the two shapes of the value do not nest.
std::optional<FusedKernel> substitute_producer(const FusedKernel& producer, const FusedKernel& consumer, ValueId value);

/// True when `consumer` reads `value` only at the element that it writes: fusing repeats no work.
bool reads_in_step(const FusedKernel& consumer, ValueId value);

/// A kernel takes in no more operators than this: fusing one more costs as much as the kernel is long, and so do the
/// lines of its C.
constexpr size_t kMostOperators = 128;
/// The two together keep within that.
bool fit_one_kernel(const FusedKernel& first, const FusedKernel& second);

/// The operators of a kernel for a reader: "pad + conv + relu", the first few of many.
std::string operators_of(const FusedKernel& kernel);

/// Operators and their places of two kernels that became `into`, in order.
void join_descriptions(const FusedKernel& first, const FusedKernel& second, FusedKernel& into);

/// Simplifies the kernel's formulas and checks with the least and the maximum element of each constant of whole
/// numbers: an index that always is inside is neither wrapped nor checked.
void use_constants(const Graph& graph, FusedKernel& kernel);

/// `e` with every reduction replaced by the first of those that compute the same.
Expr with_equal_sums_shared(const Expr& e);

}  // namespace tenon
