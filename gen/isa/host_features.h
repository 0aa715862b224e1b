// The features of this machine's processor and system, by the names that levels use.
#pragma once

#include <string_view>

namespace tenon {

/// `feature`: a field of `features` in templates/runtime/library_level.c.in, such as "avx2". Ends the program for a
/// name that no row of host_features.cc knows.
bool host_has(std::string_view feature);

}  // namespace tenon
