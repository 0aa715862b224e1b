// Tensors cut into parts along an axis.
#pragma once

#include "frontend/recipe/recipe_call.h"

namespace tenon {

/// The tensor that a value is. Throws RecipeError where it is none.
ValueId tensor_of(const RecipeValue& v, size_t offset);

/// split(x, axis=0, sizes=[…]): as many equal parts as the recipe names, or parts of these extents. A list. Throws
/// RecipeError.
RecipeValue split_tensor(RecipeContext& context, const HostArguments& given, size_t offset);

}  // namespace tenon
