// A small constant matrix as a function of the generated program: straight-line vector code.
#pragma once

#include <string>

#include "algebra/winograd_transform.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// A function (from, to; from_step, from_next, to_step, to_next, count): `count` times, columns of `matrix` many
/// vectors, from_step elements apart, become rows of it many, to_step apart; the next time begins from_next and to_next
/// elements on. What rows or columns have in common is computed once.
InnerFunction matrix_function(const Matrix& matrix, const std::string& name, const std::string& comment,
                              const OperandType& type);

}  // namespace tenon
