// Indices and arguments of the notation: packs, split dims, keywords.
#include <fmt/format.h>

#include <utility>

#include "opdef/notation/notation_parser.h"
#include "support/ranges.h"

namespace tenon {

using notation::node;

std::vector<Syntax> NotationParser::subs() {
  const Token opened = view_[at_ - 1];
  std::vector<Syntax> result;
  if (take_if("]")) return result;
  do {
    result.push_back(sub());
  } while (!failed_ && take_if(","));
  const bool shifted = !failed_ && !at_end() && result.back().is(SyntaxKind::pack) && peek().kind == TokenKind::sign &&
                       std::string_view("+-*/%").find(peek().text[0]) != std::string_view::npos;
  if (shifted)
    fail(Code::E0303, peek(), fmt::format("']' is expected here, not {}", describe(peek())),
         {fmt::format("what is done to each index of a pack is written in parentheses: *({} {} 1)", result.back().text,
                      peek().text)});
  if (!failed_) expect("]", &opened);
  return result;
}

Syntax NotationParser::sub() {
  if (!at_end() && peek().is("*")) return starred();
  if (group_ahead()) return group();
  return expression();
}

/// `*p`, `*(begin + s*step)`, `*permute(s, perm)`
Syntax NotationParser::starred() {
  const Token star = take();
  if (!at_end() && peek().kind == TokenKind::name && !peek(1).is("(")) {
    const Token name = take();
    return node(SyntaxKind::pack, name.text, span_from(star));
  }
  if (at_end() || !(peek().is("(") || peek().kind == TokenKind::name)) {
    fail(Code::E0315, star, "the name of a pack is expected after '*'",
         {"write *p, *(expression over packs) or *permute(s, perm)"});
    return {};
  }
  Syntax result = node(SyntaxKind::each, "", {});
  result.children.push_back(primary());
  result.span = span_from(star);
  return result;
}

/// `(` followed by two atoms without an operator between them.
bool NotationParser::group_ahead() const {
  if (at_end() || !peek().is("(")) return false;
  std::size_t ahead = 1;
  if (peek(1).kind == TokenKind::name || peek(1).kind == TokenKind::integer) {
    ahead = 2;
  } else if (peek(1).is("(")) {
    int open = 0;
    do {
      open += peek(ahead).is("(") ? 1 : peek(ahead).is(")") ? -1 : 0;
      ++ahead;
    } while (open > 0 && at_ + ahead < end_);
  } else {
    return false;
  }
  const Token& second = peek(ahead);
  if (at_ + ahead >= end_) return false;
  return second.kind == TokenKind::name || second.kind == TokenKind::integer || (second.is("(") && second.space_before);
}

Syntax NotationParser::group() {
  const Token opened = take();
  Syntax result = node(SyntaxKind::group, "", {});
  while (!failed_ && !at_end() && !peek().is(")")) {
    const Token& token = peek();
    if (token.kind == TokenKind::integer) {
      result.children.push_back(number(take()));
    } else if (token.kind == TokenKind::name && token.text != "inf" && token.text != "true" && token.text != "false") {
      const Token name = take();
      result.children.push_back(node(SyntaxKind::name, name.text, span(name)));
    } else if (token.is("(")) {
      const Token inner = take();
      result.children.push_back(expression());
      if (!failed_) expect(")", &inner);
    } else {
      fail(Code::E0312, token,
           fmt::format("a part of a split dim is a variable, a number or (expression), not {}", describe(token)),
           {"write (g m), or (g (m + 1))"});
    }
  }
  if (!failed_) expect(")", &opened);
  result.span = span_from(opened);
  return result;
}

std::vector<Syntax> NotationParser::arguments() {
  const Token opened = view_[at_ - 1];
  std::vector<Syntax> result;
  if (take_if(")")) return result;
  do {
    Syntax next = argument();
    if (!failed_ && !next.is(SyntaxKind::keyword) && !result.empty() && result.back().is(SyntaxKind::keyword)) {
      fail(Code::E0311, next.span, "an argument without a name follows one with a name",
           {"arguments by name come last: softmax(s, axis=-1)"});
    }
    const bool twice = next.is(SyntaxKind::keyword) && any_of(result, [&](const Syntax& s) {
                         return s.is(SyntaxKind::keyword) && s.text == next.text;
                       });
    if (!failed_ && twice)
      fail(Code::E0318, next.span, fmt::format("the argument '{}' is given twice", next.text),
           {"remove one of the two"});
    result.push_back(std::move(next));
  } while (!failed_ && take_if(","));
  if (!failed_) expect(")", &opened);
  return result;
}

Syntax NotationParser::argument() {
  if (!at_end() && peek().is("*")) return starred();
  if (!at_end() && peek().kind == TokenKind::name && peek(1).is("=")) {
    const Token name = take();
    take();
    Syntax result = node(SyntaxKind::keyword, name.text, {});
    result.children.push_back(expression());
    result.span = span_from(name);
    return result;
  }
  return expression();
}

}  // namespace tenon
