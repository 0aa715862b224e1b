// The same element under two shapes: index lists of one tensor turned into those of another view of the same contiguous
// memory.
#pragma once

#include <optional>
#include <vector>

#include "algebra/simplify.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// `index` addresses `from`; the result addresses the same element of `to`, which is in the same memory. Nothing when
/// the two shapes do not nest for all sizes, or when an index would have to be divided by what only run time knows.
std::optional<std::vector<Expr>> reindex(const Tensor& from, const std::vector<Expr>& index, const Tensor& to);

/// Whether extents and strides are the same.
bool same_shape(const Tensor& a, const Tensor& b);

/// Whether the index has a remainder in the fastest dim: it walks lines that another shape of the tensor splits.
bool splits_line(const Tensor& t, const std::vector<Expr>& index);

/// Whether the elements follow each other without gaps, the last dim fastest; of an extent of 1 no stride matters.
bool is_dense(const Tensor& t);

/// Whether `index` of `in` is the element that `written` is of `out`, which may be in the same memory.
bool same_element(const Tensor& in, const std::vector<Expr>& index, const Tensor& out, const std::vector<Expr>& written,
                  const Ranges& ranges);

}  // namespace tenon
