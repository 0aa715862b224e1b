// What the processor and the system of this machine have, by the names that levels ask for.
#pragma once

#include <string_view>

namespace tenon {

/// `feature`: a field of `features` in templates/runtime/library_level.c.in, such as "avx2". Ends the program for a
/// name that no row of host_features.cc knows.
bool host_has(std::string_view feature);

}  // namespace tenon
