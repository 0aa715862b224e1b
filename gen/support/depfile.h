// The text of a dependency file in Make's syntax, as CMake's DEPFILE and ninja read it.
#pragma once

#include <string>
#include <vector>

namespace tenon {

/// One rule: `target` depends on `dependencies`, sorted and without repetition; blanks, '#' and '$' in names are
/// escaped. For a generated directory DIR the target is DIR/sources.txt.
std::string depfile_text(const std::string& target, std::vector<std::string> dependencies);

}  // namespace tenon
