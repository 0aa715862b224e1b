// Small tensors of integers whose elements are extents, and the ops that move or add such elements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/op_semantics.h"
#include "ir/graph/size_bounds.h"

namespace tenon {

/// A tensor of integers that may depend on run-time sizes.
struct SizeTensor {
  DType dtype = DType::I64;
  std::vector<int64_t> dims;
  std::vector<SizeExpr> elements;
};

/// An op on such tensors, nullptr for an absent optional one: its results have `types`.
struct SizeCall {
  const std::string& op;
  const std::vector<const SizeTensor*>& inputs;
  const Attributes& attrs;
  const std::vector<TensorType>& types;
};

/// Its results. Ops that only move elements are evaluated on element
/// numbers instead of elements; sums, products, quotients and comparisons (1 where they hold) element by element.
/// Nothing for other ops.
std::optional<std::vector<SizeTensor>> compute_on_sizes(const OpSemantics& semantics, const SizeCall& call,
                                                        const std::vector<GraphSize>& sizes);

/// The elements of a constant where all are integers, reals of such values included; nothing otherwise.
std::optional<std::vector<SizeExpr>> whole_elements(const TensorData& data);
/// Whether the type holds all elements exactly: floats do not hold all integers.
bool is_exact(const SizeTensor& tensor, const std::vector<GraphSize>& sizes);

}  // namespace tenon
