// Einstein summation: a subscripts string such as "bij,bjk->bik" as the definition file that it stands for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon {

/// The definition of one op, or why there is none.
struct EinsumText {
  std::string name;   // of the op: einsum_bij_bjk_to_bik
  std::string text;   // a definition file
  std::string error;  // empty: name and text are set
};

/// Subscripts as NumPy reads them: letters, `...` for any dims, `->` with the result's letters; without it those that
/// occur once, in alphabetical order. More than two operands are multiplied from the left, so that each product is a
/// contraction of its own.
EinsumText einsum_definition(std::string_view subscripts);

}  // namespace tenon
