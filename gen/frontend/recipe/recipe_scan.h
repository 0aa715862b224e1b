// The function `scan` of recipes: a loop whose body is a function of the recipe.
#pragma once

#include "frontend/recipe/run_recipe.h"

namespace tenon {

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
