// Names of accumulators, which no variable of a loop has.
#pragma once

#include <string>

namespace tenon {

inline std::string accumulator_named(const std::string& name) { return "acc." + name; }
/// Variables of loops are not negative; accumulators may have any value.
inline bool is_accumulator(const std::string& variable) { return variable.starts_with("acc."); }

}  // namespace tenon
