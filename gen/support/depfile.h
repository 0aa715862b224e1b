// The text of a dependency file in Make's syntax, as CMake's DEPFILE and ninja read it.
#pragma once

#include <string>
#include <vector>

namespace tenon {

/// The rule, or the first name that Make and Ninja have no common spelling for.
struct DepfileText {
  std::string text;
  std::string unspeakable;
};

/// One rule: `target` depends on `dependencies`, sorted and without repetition. For a generated directory DIR the
/// target is DIR/sources.txt.
DepfileText depfile_text(const std::string& target, std::vector<std::string> dependencies);

}  // namespace tenon
