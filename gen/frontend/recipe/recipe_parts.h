// Tensors cut into parts along an axis.
#pragma once

#include <string>

#include "frontend/recipe/recipe_call.h"
#include "frontend/recipe/run_recipe.h"

namespace tenon {

/// The tensor that a value is. Throws RecipeError where it is none.
ValueId tensor_of(const RecipeValue& v, size_t offset);

/// split(x, axis=0, sizes=[…]): as many equal parts as the recipe names, or parts of these extents. A list. Throws
/// RecipeError.
RecipeValue split_tensor(RecipeContext& context, const HostArguments& given, size_t offset);

/// einsum('ij,jk->ik', A, B): an op made from the subscripts. An extent of one broadcasts, as in NumPy: where another
/// operand has more elements under its letter, the operand is read without that axis. Throws RecipeError.
RecipeValue einsum_of(RecipeContext& context, const std::string& subscripts, RecipeList operands, size_t offset);

/// `scan('f', carried, slices, fixed, reversed)`: for each position t of axis 0 of the tensors in `slices`, from the
/// last one on if `reversed`, calls f(t, carried …, slices at t …, fixed …), which returns the next carried values and
/// then parts of results. The value is a list of the carried values at the end, then of tensors of all parts along axis
/// 0. `fixed` holds any values. Throws RecipeError at `offset`.
RecipeValue scan_recipe(RecipeContext& context, const RecipeList& args, size_t offset);

/// `item(X, i)`: element i of axis 0, without that axis; of a constant it is a constant of its own.
RecipeValue item_of(RecipeContext& context, const RecipeList& args, size_t offset);
/// `stretch(X, i, n)`: elements i … i + n - 1 of axis 0; of a constant they are a constant of its own.
RecipeValue stretch_of(RecipeContext& context, const RecipeList& args, size_t offset);

}  // namespace tenon
