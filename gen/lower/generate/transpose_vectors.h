// Square blocks of vectors transposed in registers.
#pragma once

#include <functional>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

/// `rows` are as many vectors as each has lanes, a power of two: lane c of row r becomes lane r of row c, by rounds of
/// two-input shuffles. `named` gives each result a name.
std::vector<Operand> transpose_vectors(std::vector<Operand> rows, const std::function<Operand(Operand)>& named);

}  // namespace tenon
