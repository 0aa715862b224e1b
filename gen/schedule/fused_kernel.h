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

/// The maximum number of operators in a kernel: the cost of fusing one more, and its C, grow with the length of the
/// kernel.
constexpr size_t kMostOperators = 128;
/// Whether both together stay within that.
bool fit_one_kernel(const FusedKernel& first, const FusedKernel& second);

/// The operators of a kernel for a reader: "pad + conv + relu", the first few of many.
std::string operators_of(const FusedKernel& kernel);

/// Operators and their places of two kernels that became `into`, in order.
void join_descriptions(const FusedKernel& first, const FusedKernel& second, FusedKernel& into);

/// Simplifies the kernel's formulas and checks using the minimum and maximum of each integer constant: an index that is
/// always inside is neither wrapped nor checked.
void use_constants(const Graph& graph, FusedKernel& kernel);

/// `e` with every reduction replaced by the first of those that compute the same.
Expr with_equal_sums_shared(const Expr& e);

/// A sum of products whose operands take a variable apart, as `v // k` and `v % k` with one constant k (groups and
/// their filters under an element-wise reader, rows and columns of a flattened image, heads and their features), with
/// two loops instead of it where the kernel then is a contraction, and so one that runs from panels and register
/// tiles. Any other sum has two loops for the variables that walk split lines: each of these is one run of elements.
Kernel with_split_loops(const Kernel& kernel);

/// The kernel with one axis instead of several, where its statements only read elements at the index that they write,
/// of dense tensors of one fixed shape, and single values; as it is where they do more. Short last axes, such as those
/// of 3x3 filters, fill no vector.
Kernel with_flat_elements(Kernel k);

}  // namespace tenon
