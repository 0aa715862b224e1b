// A body alone, such as "Y[i] = 2*X[i] + alpha", as the definition file that it stands for.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// The definition of the op `body`, or why there is none.
struct BodyText {
  std::string text;   ///< a definition file
  std::string error;  ///< empty: the text is set
};

/// What is read and never defined is an input, what is defined and never read an output, all of one type of the class
/// `types`. An axis is as long as its index says: `i` runs over the size I, `*s` over the pack S. Other names are
/// attributes of the value 1.
BodyText body_definition(const std::string& body, std::string_view types);

}  // namespace tenon
