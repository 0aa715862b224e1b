// The words of the notations of ops, of math entries and of recipes: names, numbers, signs and line ends, each with its
// location.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

enum class TokenKind { name, integer, real, text, sign, line_end, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< into what was cut; of a text in quotes what is between them
  std::size_t begin = 0;
  std::size_t end = 0;
  bool space_before = false;
  std::int64_t integer = 0;
  double real = 0;

  bool is(std::string_view sign_text) const { return kind == TokenKind::sign && text == sign_text; }
};

/// Cuts text into tokens; the last one is `end`. `and`, `or`, `not` are signs. `#` begins a comment. Reports what is no
/// token and goes on.
std::vector<Token> tokenize(const PlacedText& text, Diagnostics& diagnostics);
/// The same for steps of math entries, which have operators on bits; line ends inside parentheses are blanks.
std::vector<Token> tokenize_math(const PlacedText& text, Diagnostics& diagnostics);
/// The same for recipes, which have texts in quotes; `and`, `or`, `not` are names, line ends inside brackets are
/// blanks. Throws RecipeError.
std::vector<Token> tokenize_recipe(std::string_view text);

/// A name as definitions may introduce it: a letter, then letters, digits and underscores, at most 64, no word of the
/// notation.
bool is_name(std::string_view text);

}  // namespace tenon
