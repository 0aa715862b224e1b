// Recursive descent over the tokens of one text: expressions, subs and arguments. The other parsers of the notation
// build on it.
//
//   expr    := or-chain of and-chains of [not] comparison chains of sums of products of [-] powers of primaries
//   primary := number | inf | true | false | name | name '[' sub,* ']' | name '(' argument,* ')' | reducer '[' … ']'
//   '(' expr ')'
//            | '(' expr ')' | '[' expr,* ']'
//   sub     := expr | '*' name | '*(' expr ')' | '*' call | '(' atom atom+ ')'
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/op/syntax.h"
#include "support/tokens.h"

namespace tenon {

/// Parses from a list of tokens. The first failure is reported, skips to the end, and suppresses further reports.
class NotationParser {
 public:
  /// Line ends inside `text` are blanks; with `lines` nothing is in view before `window` chooses.
  NotationParser(const PlacedText& text, Diagnostics& diagnostics, bool lines = false);

  Syntax expression();
  /// `[sub, sub]` after the opening bracket was taken; takes the closing one.
  std::vector<Syntax> subs();
  /// `(argument, name=argument)` likewise.
  std::vector<Syntax> arguments();

  /// A variable of a reduction, or `e in a .. b`.
  Syntax reduced_variable();
  /// Whether `e in` follows.
  bool range_ahead() const;

  const Token& peek(std::size_t ahead = 0) const;
  Token take();
  bool take_if(std::string_view sign);
  /// Takes the sign or fails; `opened` is the bracket that it closes, for the note.
  bool expect(std::string_view sign, const Token* opened = nullptr);
  std::string unclosed(const Token& opened) const;
  bool at_end() const;
  bool failed() const { return failed_; }
  /// Forgets a failure (the next statement is another matter).
  void recover() { failed_ = false; }
  void fail(Code code, const Token& token, std::string message, std::vector<std::string> notes = {});
  void fail(Code code, const SourceSpan& span, std::string message, std::vector<std::string> notes = {});
  SourceSpan span(const Token& token) const { return text_.span(token.begin, token.end); }
  SourceSpan span_from(const Token& first) const;
  /// Puts tokens()[begin, end) in view.
  void window(std::size_t begin, std::size_t end);
  const std::vector<Token>& tokens() const { return tokens_; }
  bool tokens_clean() const { return tokens_clean_; }
  /// False (and a report) if the tree is deeper than the nesting limit.
  bool depth_allowed(const Syntax& tree);

 private:
  struct Level;
  Syntax binary_level(std::size_t level);
  Syntax negation();
  Syntax comparison();
  Syntax unary();
  Syntax power();
  Syntax primary();
  Syntax named();
  Syntax number(const Token& token);
  Syntax reduction(const Token& name);
  Syntax accumulator();
  void range(Syntax& variable);
  Syntax sub();
  Syntax starred();
  Syntax group();
  Syntax argument();
  Syntax list();
  bool group_ahead() const;
  Syntax binary(const Token& op, Syntax left, Syntax right);
  Syntax literal_or(Syntax binary);
  bool enter();

  const PlacedText& text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::vector<Token> view_;  ///< the tokens of the window, without line ends
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  Token sentinel_;
  bool failed_ = false;
  bool tokens_clean_ = true;
  int depth_ = 0;
  int operators_ = 0;
};

namespace notation {
/// A node without children.
Syntax node(SyntaxKind kind, std::string_view text, SourceSpan span);
}  // namespace notation

/// sum prod max min any all argmax argmin bit_xor bit_or bit_and fold max_at min_at
bool is_reducer(std::string_view name);

/// The name of a token in a message: 'x', the end of the line …
std::string describe(const Token& token);

}  // namespace tenon
