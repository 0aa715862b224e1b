// How generated C gets memcpy and similar functions.
#pragma once

#include <string>

namespace tenon {

/// Lines for the internal header: string.h where there is a C library, else the declarations of what freestanding
/// compilers call by themselves. `freestanding`: always the declarations.
std::string memory_functions(bool freestanding);

}  // namespace tenon
