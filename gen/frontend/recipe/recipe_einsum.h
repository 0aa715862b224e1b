// Einstein summation in recipes.
#pragma once

#include <string>

#include "frontend/recipe/recipe_call.h"

namespace tenon {

/// einsum('ij,jk->ik', A, B): an op made from the subscripts. An extent of one broadcasts, as in NumPy: where another
/// operand has more elements under its letter, the operand is read without that axis. Throws RecipeError.
RecipeValue einsum_of(RecipeContext& context, const std::string& subscripts, RecipeList operands, size_t offset);

}  // namespace tenon
