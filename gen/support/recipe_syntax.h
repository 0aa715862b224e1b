// The language of recipes: how tensors are computed by calls of ops. It is the `main` of a graph in YAML, the right
// side of the rows that map ONNX operators, and both sides of rewrite rules, where `**name` stands for a node's other
// attributes.
//
//   recipe     := { statement newline }
//   statement  := [ name { ',' name } '=' ] expr
//   expr       := or [ 'if' or 'else' expr ]
//   or … sum   := Python's or, and, not, comparisons, + - * / // % and unary minus, with Python's precedence
//   postfix    := primary { '[' expr ']' | '[' [expr] ':' [expr] ']' }
//   primary    := number | 'text' | name | name '(' [argument {',' argument}] ')' | '(' expr ')' | list
//   argument   := expr | '*' expr | '**' name | name '=' expr
//   list       := '[' [expr {',' expr}] ']' | '[' expr 'for' name 'in' expr ']'
//
// `#` begins a comment; a line ends inside no bracket.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct PlacedText;

/// The call of a function whose body is in error.
struct RecipeInlined {
  std::string function;
  std::shared_ptr<const PlacedText> body;
  size_t called_at = 0;  // byte of the caller's recipe
};

/// An error at byte `offset` of a recipe. Thrown inside the readers of recipes, never out of them.
struct RecipeError : std::runtime_error {
  RecipeError(size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  size_t offset;
  /// Where `offset` counts in a function's body: its call, the call of the function that makes this one, and so on
  /// outwards.
  std::vector<RecipeInlined> inlined;
};

/// An expression. `text` is the name, string or operator; `args` the operands, arguments or elements. A splat's is `**`
/// before a name.
struct RecipeExpr {
  enum class Kind {
    integer,
    real,
    text,
    name,
    call,
    unary,
    binary,
    conditional,
    list,
    comprehension,
    index,
    slice,
    splat,
    keyword,
    nothing
  };
  Kind kind = Kind::nothing;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  std::vector<RecipeExpr> args;
  size_t offset = 0;
};

/// `targets = value`; no targets for a bare expression.
struct RecipeStatement {
  std::vector<std::string> targets;
  RecipeExpr value;
  size_t offset = 0;
};

/// `name(parameters): body`, inlined at each call. A function of host values or a module of tensors.
struct RecipeFunction {
  std::vector<std::string> parameters;
  std::vector<RecipeStatement> body;  // the last one is the result
  /// The location of the body, if its writer reads the errors: they are reported there. Otherwise at the call.
  std::shared_ptr<const PlacedText> text = nullptr;
};
using RecipeFunctions = std::map<std::string, RecipeFunction>;

/// `name(a, b)`, what a function begins with.
struct RecipeHead {
  std::string name;
  std::vector<std::string> parameters;
};
/// Nothing where the text is something else.
std::optional<RecipeHead> parse_recipe_head(std::string_view text);
/// The words of a text, between blanks and line ends.
std::vector<std::string> words_of(std::string_view text);
/// Parses a whole recipe; throws RecipeError.
std::vector<RecipeStatement> parse_recipe(std::string_view text);
/// Parses one expression; throws RecipeError.
RecipeExpr parse_recipe_expr(std::string_view text);

}  // namespace tenon
