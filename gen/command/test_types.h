// The dtypes at which tests of an op are made: those of the command line, of the tests, and of the op.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/try_case.h"

namespace tenon {

/// Keys of these names; without any f32 where the op takes it, else the first that it takes, and those that its tests
/// name. None for an op without type variables. Stops where the op takes none of those named.
std::vector<DType> chosen_keys(const OpDef& def, const std::vector<std::string>& names,
                               const std::vector<TestCase>& tests);

/// The keys, and what tests say of other type variables: small types are there for those who name them.
std::vector<DType> dtypes_to_make(const OpDef& def, std::vector<DType> keys, const std::vector<TestCase>& tests);

/// Types of a test at one key; nothing where the test is about another key.
std::optional<std::map<std::string, DType>> types_of(const OpDef& def, const TestCase& test, std::optional<DType> key);

/// The dtype by which the uniform entry finds an op without type variables: that of its first tensor.
DType fixed_key(const TryCase& c);

}  // namespace tenon
