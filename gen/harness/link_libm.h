// The lines of a CMake file that link libm, if kernels call <math.h>; the target's name is to be put in.
#pragma once

#include <string_view>

namespace tenon {

constexpr std::string_view kLinkLibm = "if(UNIX)\n  target_link_libraries({0} PUBLIC m)\nendif()";

}  // namespace tenon
