// Tensors cut into parts along an axis, and put side by side along a new one.
#pragma once

#include "frontend/recipe_call.h"

namespace tenon {

/// The tensor that a value is. Throws RecipeError where it is none.
ValueId tensor_of(const RecipeValue& v, size_t offset);

/// split(x, axis=0, sizes=[…]): as many equal parts as the recipe names, or parts of these extents. A list. Throws RecipeError.
RecipeValue split_tensor(RecipeContext& context, const HostArguments& given, size_t offset);

/// stack(a, b, …, axis=0): the tensors as slices of a new axis, which is number `axis` of the result. Throws RecipeError.
RecipeValue stack_tensors(RecipeContext& context, const HostArguments& given, size_t offset);

}  // namespace tenon
