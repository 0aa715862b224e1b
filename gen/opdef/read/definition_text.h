// A body or an einsum as the definition file that it stands for.
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace tenon {

/// A definition of one op, or why there is none.
struct DefinitionText {
  std::string name;   ///< of the op: einsum_bij_bjk_to_bik
  std::string text;   ///< a definition file
  std::string error;  ///< empty: name and text are set
};

/// Of a body alone, such as "Y[i] = 2*X[i] + alpha". What is read and never defined is an input, what is defined and
/// never read an output, all of one type of the class `types`. The op is called `body`. An axis is as long as its index
/// says: `i` runs over the size I, `*s` over the pack S. Other names are attributes of the value 1.
Result<std::string> body_definition(const std::string& body, std::string_view types);

/// Of an Einstein summation such as "bij,bjk->bik". Subscripts as NumPy reads them: letters, `...` for any dims, `->`
/// with the result's letters; without it those that occur once, in alphabetical order. More than two operands are
/// multiplied from the left, so that each product is a contraction of its own.
DefinitionText einsum_definition(std::string_view subscripts);

}  // namespace tenon
