// The notation as a tree: bodies, lets, requires, dims' expressions and defaults, with their position in the
// text.
//
//   statement := name '[' sub,* ']' combine expr | name,+ '=' call            (op_def.h)
//   Syntax    := integer | real | infinity | boolean | name
//              | unary(op, x) | binary(op, x, y)
//              | subscript(name, sub,*) | pack(name) | each(x) | group(x+)
//              | call(name, argument,*) | keyword(name, x) | reduce(reducer, variables, x, predicate?) | list(x,*)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/function_ref.h"
#include "support/source_span.h"

namespace tenon {

enum class SyntaxKind : std::uint8_t {
  integer,    ///< 12: `integer` holds the bits (u64 literals above 2^63 wrap)
  real,       ///< 0.5: `real` holds the value, `text` the spelling
  infinity,   ///< inf
  boolean,    ///< true, false: `integer` 1 or 0
  name,       ///< i, N, alpha, an enum's word: `text`
  unary,      ///< `text` "-" or "not"; children {x}
  binary,     ///< `text` + - * / // % ** == != < <= > >= and or; children {x, y}
  subscript,  ///< X[i, *p]: `text` the tensor, pack or list attribute; children the subs
  pack,       ///< *p as a sub, an argument or a reduced variable: `text` the pack variable or pack
  each,       ///< *(begin + s*step) or *permute(s, perm): children {x}; packs inside x are taken dimension by dimension
  group,      ///< (g m): one stored dimension's logical subs; children the parts, outermost first
  call,       ///< f(x, axis=1): `text` the function; children the arguments, keywords last
  keyword,    ///< axis=1 as an argument: `text` the name; children {x}
  reduce,     ///< sum[k, *q : p](x): `text` the reducer; children {list of name|pack, x}, then a predicate, then, of a
              ///< fold, the keyword a=start. A name with children {a, b} is a range from data, `e in a .. b`
  list,       ///< [1, 2] as a default or an argument
};

/// A function of the notation itself, one row each in builtin.def.
enum class Builtin : std::uint8_t {
  none,
#define BUILTIN(name, ...) name,
#include "ir/op/builtin.def"
#undef BUILTIN
};

/// One node; a plain value.
struct Syntax {
  SyntaxKind kind = SyntaxKind::integer;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<Syntax> children;
  SourceSpan span;
  Builtin function = Builtin::none;  ///< of a call with as many arguments as the function takes

  bool is(SyntaxKind k) const { return kind == k; }
  bool is_name(std::string_view n) const { return kind == SyntaxKind::name && text == n; }
  bool is_comparison() const {
    return kind == SyntaxKind::binary && (text == "==" || text == "!=" || text[0] == '<' || text[0] == '>');
  }
  /// Whether the value is true or false, as its outermost operator says.
  bool is_condition() const {
    return kind == SyntaxKind::boolean || (kind == SyntaxKind::unary && text == "not") || is_comparison() ||
           (kind == SyntaxKind::binary && (text == "and" || text == "or"));
  }
  template <class... Builtins>
  bool calls(Builtins... f) const {
    return ((function == f) || ...);
  }
  /// Of a reduce: its variables (name or pack nodes), the reduced expression, and the predicate (nullptr if none).
  const std::vector<Syntax>& variables() const { return children[0].children; }
  const Syntax& reduced() const { return children[1]; }
  const Syntax* predicate() const {
    return children.size() > 2 && children[2].kind != SyntaxKind::keyword ? &children[2] : nullptr;
  }
  /// Of a fold: the accumulator with what it begins with.
  const Syntax* start() const {
    return children.size() > 2 && children.back().kind == SyntaxKind::keyword ? &children.back() : nullptr;
  }
};

Syntax name_node(std::string name, SourceSpan span = {});
Syntax number_node(std::int64_t value, SourceSpan span = {});
Syntax binary_node(std::string sign, Syntax a, Syntax b, SourceSpan span = {});
Syntax call_node(std::string function, std::vector<Syntax> arguments, SourceSpan span = {});

/// The operand of a unary minus, or the node itself.
inline const Syntax& without_sign(const Syntax& s) {
  return s.is(SyntaxKind::unary) && s.text == "-" ? s.children[0] : s;
}

/// Calls `visit` for `s` and every node below it, in the order of the text.
void each_within(const Syntax& s, FunctionRef<void(const Syntax&)> visit);
/// The first of them for which `holds`; null if there is none.
const Syntax* first_within(const Syntax& s, FunctionRef<bool(const Syntax&)> holds);
bool any_within(const Syntax& s, FunctionRef<bool(const Syntax&)> holds);
/// Whether the value or tensor of this name is read.
bool reads(const Syntax& s, const std::string& name);

/// The tree with each name replaced by the value at its place in the list of names.
Syntax substitute(const Syntax& s, const std::vector<std::string>& names, const std::vector<Syntax>& values);

/// Same tree; places are not compared.
bool same(const Syntax& a, const Syntax& b);

/// The notation's text of a tree, with the fewest parentheses; parses back to the same tree.
std::string print(const Syntax& syntax);

}  // namespace tenon
