// The first line of each generated file of C: what wrote it, from what, and that it is its user's.
#pragma once

#include <string>

namespace tenon {

/// One comment and a line break; `source` says what the file was made from.
std::string provenance_line(const std::string& source);

}  // namespace tenon
