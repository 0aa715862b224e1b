// Words, numbers and punctuation of a recipe, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct RecipeToken {
  enum class Kind { name, integer, real, text, punctuation, line_end, end };
  Kind kind = Kind::end;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  size_t offset = 0;
};

/// Splits `text`; line ends inside brackets are dropped. The last token is `end`. Throws RecipeError.
std::vector<RecipeToken> split_recipe(std::string_view text);

}  // namespace tenon
