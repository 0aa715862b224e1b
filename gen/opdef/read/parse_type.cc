// Types: of tensors, `T[N, *P, (a b)]`, and of attributes, `int[2] = 1`.
#include <fmt/format.h>

#include <utility>

#include "ir/op/type_function.h"
#include "opdef/notation/notation_parser.h"
#include "opdef/notation/parse_body.h"

namespace tenon {

namespace {

constexpr const char* kDimForms =
    "write N, *P, D@axis, *Q@axis, ~M, ~*S, (a b) or a number; give an expression a name under `let`";

class TypeParser {
 public:
  explicit TypeParser(NotationParser& parser) : parser_(parser) {}

  void tensor(TensorDef& out) {
    const Token type = parser_.peek();
    if (!word(out.dtype, out.dtype_span)) return;
    if (parser_.at_end() || !parser_.peek().is("[")) {
      return parser_.fail(
          Code::E0314, parser_.at_end() ? type : parser_.peek(),
          fmt::format("the shape in brackets is expected after {}, not {}", out.dtype, describe(parser_.peek())),
          {fmt::format("write {}[N, M], or {}[] for rank 0", out.dtype, out.dtype)});
    }
    const Token opened = parser_.take();
    if (parser_.take_if("]")) return finish();
    do {
      out.dims.push_back(dim());
    } while (!parser_.failed() && parser_.take_if(","));
    if (!parser_.failed() && !parser_.at_end() && !parser_.peek().is("]")) {
      parser_.fail(Code::E0313, parser_.peek(),
                   fmt::format("an entry of a shape ends before {}", describe(parser_.peek())), {kDimForms});
    }
    if (!parser_.failed()) parser_.expect("]", &opened);
    finish();
  }

  void attribute(AttrDef& out) {
    SourceSpan place;
    if (!word(out.type, place)) return;
    out.type_span = place;
    out.kind = kind_of(out.type);
    if (out.kind == AttrKind::enumeration) enum_words(out);
    if (!parser_.failed() && parser_.take_if("[")) count(out);
    if (!parser_.failed() && parser_.take_if("=")) out.value = parser_.expression();
    if (!parser_.failed() && !parser_.at_end()) {
      parser_.fail(Code::E0319, parser_.peek(),
                   fmt::format("'=' and a default, or the end, are expected, not {}", describe(parser_.peek())),
                   {"write `name: type`, `name: type = default` or `name: int[2] = 1`"});
    }
  }

 private:
  void finish() {
    if (!parser_.failed() && !parser_.at_end())
      parser_.fail(Code::E0308, parser_.peek(), fmt::format("the type should end before {}", describe(parser_.peek())),
                   {"a comma may be missing"});
  }

  bool word(std::string& out, SourceSpan& place) {
    const Token token = parser_.peek();
    if (parser_.at_end() || token.kind != TokenKind::name) {
      parser_.fail(Code::E0314, token, fmt::format("a type is expected here, not {}", describe(token)),
                   {"write a type variable or a dtype: T[N], f32[N, M]"});
      return false;
    }
    parser_.take();
    out = token.text;
    if (is_type_function(out) && !parser_.at_end() && parser_.peek().is("(") && !function_of_type(out)) return false;
    place = parser_.span_from(token);
    return true;
  }

  /// The rest of `wide(T)` after the function's name.
  bool function_of_type(std::string& out) {
    const Token opened = parser_.take();
    std::string inside;
    SourceSpan place;
    if (!word(inside, place) || !parser_.expect(")", &opened)) return false;
    out = fmt::format("{}({})", out, inside);
    return true;
  }

  Dim dim() {
    const Token first = parser_.peek();
    Dim result;
    result.broadcast = parser_.take_if("~");
    if (parser_.take_if("(")) {
      split(result, first);
    } else if (parser_.peek().kind == TokenKind::integer && !parser_.at_end()) {
      result.kind = DimKind::integer;
      result.value = parser_.take().integer;
    } else {
      result.kind = parser_.take_if("*") ? DimKind::pack : DimKind::size;
      dim_name(result);
    }
    if (!parser_.failed() && parser_.take_if("...")) result.per_operand = true;
    if (!parser_.failed() && !parser_.at_end() && parser_.peek().is("@") && result.kind == DimKind::integer) {
      parser_.fail(Code::E0313, parser_.peek(), "'@' follows a name, not a number",
                   {fmt::format("name the dim, D@axis, and state its extent under `require`: D == {}", result.value)});
    }
    if (!parser_.failed() && parser_.take_if("@")) at_attribute(result);
    if (!parser_.failed() && parser_.take_if("...")) result.per_operand = true;
    result.span = parser_.span_from(first);
    return result;
  }

  void dim_name(Dim& out) {
    const Token token = parser_.peek();
    if (!parser_.at_end() && token.kind == TokenKind::name) {
      out.name = parser_.take().text;
      return;
    }
    parser_.fail(Code::E0313, token, fmt::format("an entry of a shape is expected here, not {}", describe(token)),
                 {kDimForms});
  }

  void at_attribute(Dim& out) {
    const Token token = parser_.take();
    if (token.kind == TokenKind::name) {
      out.at = token.text;
    } else {
      parser_.fail(Code::E0313, token,
                   fmt::format("the name of an attribute is expected after '@', not {}", describe(token)),
                   {"write D@axis"});
    }
  }

  void split(Dim& out, const Token& first) {
    out.kind = DimKind::split;
    while (!parser_.failed() && !parser_.at_end() && !parser_.peek().is(")")) {
      const Token token = parser_.take();
      Dim part;
      part.kind = token.kind == TokenKind::integer ? DimKind::integer : DimKind::size;
      part.value = token.integer;
      if (token.kind == TokenKind::name) part.name = token.text;
      part.span = parser_.span(token);
      if (token.kind != TokenKind::integer && token.kind != TokenKind::name) {
        parser_.fail(Code::E0313, token,
                     fmt::format("a part of a split dim is a size or a number, not {}", describe(token)),
                     {"write (G Cg), the parts apart by blanks"});
      }
      out.parts.push_back(std::move(part));
    }
    if (!parser_.failed()) parser_.expect(")", &first);
    if (!parser_.failed() && out.parts.size() < 2) {
      parser_.fail(Code::E0312, parser_.span_from(first), "a split dim has two parts or more",
                   {"leave the parentheses out"});
    }
  }

  static AttrKind kind_of(const std::string& word) {
    if (word == "bool") return AttrKind::boolean;
    if (word == "int") return AttrKind::integer;
    if (word == "float") return AttrKind::real;
    if (word == "u64") return AttrKind::u64;
    if (word == "enum") return AttrKind::enumeration;
    return dtype_from_name(word) ? AttrKind::dtype : AttrKind::type_variable;
  }

  void enum_words(AttrDef& out) {
    const Token opened = parser_.peek();
    if (!parser_.expect("(")) return;
    do {
      const Token token = parser_.take();
      if (token.kind != TokenKind::name)
        return parser_.fail(Code::E0211, token,
                            fmt::format("a word of the enumeration is expected, not {}", describe(token)),
                            {"write enum(first, second)"});
      for (const std::string& word : out.words) {
        if (word == token.text)
          return parser_.fail(Code::E0211, token, fmt::format("the word '{}' occurs twice", token.text),
                              {"each word stands for its position in the list"});
      }
      out.words.emplace_back(token.text);
    } while (parser_.take_if(","));
    parser_.expect(")", &opened);
  }

  void count(AttrDef& out) {
    if (parser_.take_if("]")) {
      out.count = AttrCount::any;
      return;
    }
    const Token token = parser_.peek();
    if (parser_.take_if("*")) {
      out.count = AttrCount::per_dim;
      const Token name = parser_.take();
      if (name.kind != TokenKind::name)
        return parser_.fail(Code::E0319, name,
                            fmt::format("the name of a pack is expected after '*', not {}", describe(name)),
                            {"write int[*S]"});
      out.pack = name.text;
    } else if (token.kind == TokenKind::integer && token.integer >= 1 && token.integer <= 64) {
      out.count = AttrCount::fixed;
      out.length = static_cast<int>(parser_.take().integer);
    } else {
      return parser_.fail(Code::E0212, token, fmt::format("a length from 1 to 64 is expected, not {}", describe(token)),
                          {"write int[2], int[] or int[*S]"});
    }
    parser_.expect("]");
  }

  NotationParser& parser_;
};

}  // namespace

bool parse_tensor_type(const PlacedText& text, TensorDef& out, Diagnostics& diagnostics) {
  NotationParser parser(text, diagnostics);
  TypeParser(parser).tensor(out);
  return !parser.failed() && parser.tokens_clean();
}

bool parse_attr_type(const PlacedText& text, AttrDef& out, Diagnostics& diagnostics) {
  NotationParser parser(text, diagnostics);
  TypeParser(parser).attribute(out);
  if (out.value && !parser.failed() && !parser.depth_allowed(*out.value)) return false;
  return !parser.failed() && parser.tokens_clean();
}

}  // namespace tenon
