// The first line of each generated file of C: the generator, its input, and the licence of the output.
#pragma once

#include <string>

namespace tenon {

/// One comment and a line break; `source` says what the file was made from.
std::string provenance_line(const std::string& source);

}  // namespace tenon
