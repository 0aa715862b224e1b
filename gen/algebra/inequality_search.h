// The search for a proof that a polynomial is never negative, given others that are not.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "algebra/polynomial.h"

namespace tenon {

/// True if `goal` is found to be a sum of products of facts (each >= 0), nonnegative quantities and nonnegative
/// numbers. `nonnegative` are quantities known to be >= 0; facts of the form q - c >= 0 add to them. `steps` bounds the
/// number of facts used.
bool never_negative(const Polynomial& goal, const std::vector<Polynomial>& facts, std::set<std::string> nonnegative,
                    int steps = 7);

}  // namespace tenon
