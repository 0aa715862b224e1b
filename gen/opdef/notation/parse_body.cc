// Statements: the lines of a body.
#include "opdef/notation/parse_body.h"

#include <fmt/format.h>

#include <utility>

#include "opdef/notation/notation_parser.h"
#include "support/ranges.h"

namespace tenon {

namespace {

constexpr std::size_t kLongestText = std::size_t{64} << 10;
constexpr std::size_t kMostStatements = 256;

bool short_enough(const PlacedText& text, Diagnostics& diagnostics) {
  if (text.text.size() <= kLongestText) return true;
  diagnostics.error(Code::E0317, text.span(0, 1), "this text is longer than 64 KiB",
                    {"split it into several definitions"});
  return false;
}

/// A line that ends with one of these goes on in the next.
bool continues(const Token& token) {
  static constexpr std::string_view kOpen[] = {"+",  "-", "*",  "/", "//", "%",   "**", "..",  ",",  "=",  "==",
                                               "!=", "<", "<=", ">", ">=", "and", "or", "not", "+=", "*=", ":"};
  return token.kind == TokenKind::sign && contains(kOpen, token.text);
}

/// Whether a line begins a statement: `name[…] =` or, outside of brackets where `axis=1` is an argument, `a, b =`. An
/// unclosed bracket or a missing operand then costs one statement, not all that follow.
bool begins_statement(const std::vector<Token>& tokens, std::size_t at, bool within_brackets) {
  if (tokens[at].kind != TokenKind::name) return false;
  ++at;
  if (tokens[at].is("[")) {
    int open = 0;
    do {
      open += tokens[at].is("[") ? 1 : tokens[at].is("]") ? -1 : 0;
      if (tokens[at].kind == TokenKind::end || tokens[at].kind == TokenKind::line_end) return false;
      ++at;
    } while (open > 0);
    if (tokens[at].kind == TokenKind::name) return tokens[at + 1].is("=");
    if (!within_brackets && tokens[at].is(",")) return begins_statement(tokens, at + 1, false);
    return tokens[at].is("=") || tokens[at].is("+=") || tokens[at].is("*=") || tokens[at].is("-=");
  }
  while (!within_brackets && tokens[at].is(",") && tokens[at + 1].kind == TokenKind::name) at += 2;
  return !within_brackets && tokens[at].is("=");
}

/// [begin, end) of each statement among the tokens.
std::vector<std::pair<std::size_t, std::size_t>> statement_windows(const std::vector<Token>& tokens) {
  std::vector<std::pair<std::size_t, std::size_t>> windows;
  std::size_t begin = 0;
  int open = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[")) ++open;
    if (token.is(")") || token.is("]")) open = std::max(0, open - 1);
    if (token.kind != TokenKind::end && token.kind != TokenKind::line_end) continue;
    const bool unfinished = open > 0 || (i > begin && continues(tokens[i - 1]));
    const bool last = token.kind == TokenKind::end || token.text == ";";
    if (!last && unfinished && !begins_statement(tokens, i + 1, open > 0)) continue;
    std::size_t stop = i;  // a token missing at the end is reported on the last line that has text
    while (stop > begin && tokens[stop - 1].kind == TokenKind::line_end) --stop;
    if (stop > begin) windows.emplace_back(begin, stop);
    begin = i + 1;
    open = 0;
  }
  return windows;
}

/// The sign between the target and the value, of one token or two: `+=`, or `max` and `=`.
std::optional<Update> update_of(const Token& sign, const Token& next, bool& two) {
  two = sign.kind == TokenKind::name && next.is("=");
  return update_from_symbol(two ? std::string(sign.text) + "=" : std::string(sign.text));
}

class StatementParser {
 public:
  StatementParser(NotationParser& parser, const std::set<std::string>& extents) : parser_(parser), extents_(extents) {}

  /// `twin`: of `V[…], I[…] = max_at[k](e)` the statement of the position.
  bool run(Statement& out, std::optional<Statement>& twin) {
    const Token first = parser_.peek();
    if (first.kind != TokenKind::name) return not_a_statement(first);
    const Token next = parser_.peek(1);
    if (next.is("[")) {
      assignment(out, twin);
    } else if (next.is("=") && extents_.count(std::string(first.text)) != 0) {
      extent(out);
    } else if (next.is("=") || next.is(",")) {
      call(out);
    } else {
      return not_a_statement(next);
    }
    out.span = parser_.span_from(first);
    if (!parser_.failed() && !parser_.at_end()) {
      parser_.fail(Code::E0308, parser_.peek(),
                   fmt::format("the statement should end before {}", describe(parser_.peek())),
                   {parser_.peek().text == "if" ? "a choice is written select(condition, yes, no)"
                    : parser_.peek().text == "["
                        ? "write X[i,j] for X[i][j]; give the result of a call a name, s = f(x), and read s[i]"
                        : "one statement a line; an operator may be missing"});
    }
    if (twin) twin->span = out.span;
    return !parser_.failed() && parser_.depth_allowed(out.value);
  }

 private:
  bool not_a_statement(const Token& at) {
    const bool goes_on =
        at.kind == TokenKind::sign && std::string_view("+-*/%.,)").find(at.text[0]) != std::string_view::npos;
    const std::string first(parser_.peek().text);
    const bool control = first == "for" || first == "while" || first == "if";
    parser_.fail(Code::E0306, at, fmt::format("a statement has no {} here", describe(at)),
                 {at.text == "//" ? "a comment begins with #"
                  : control       ? "a statement is for all values of its variables: Y[i] = select(condition, a, b)"
                  : goes_on ? "a line goes on in the next one where it ends with an operator or within parentheses"
                            : "write Y[i, j] = expression, Y[i] += expression, or a, b = op(x)"});
    return false;
  }

  void target(Statement& out) {
    const Token name = parser_.take();
    out.targets.push_back({std::string(name.text), parser_.span(name)});
    parser_.take();
    out.subs = parser_.subs();
  }

  /// `V[…], I[…] = max_at[k](e)`: the extreme value and where it is, a statement each.
  void pair(Statement& out, std::optional<Statement>& twin) {
    parser_.take();
    if (parser_.peek().kind != TokenKind::name || !parser_.peek(1).is("[")) return pair_missing(parser_.peek());
    twin.emplace();
    target(*twin);
    if (!parser_.failed()) parser_.expect("=");
    const Token begin = parser_.peek();
    if (!parser_.failed()) out.value = parser_.expression();
    if (parser_.failed()) return;
    if (!out.value.is(SyntaxKind::reduce) || (out.value.text != "max_at" && out.value.text != "min_at"))
      return pair_missing(begin);
    twin->value = out.value;
    out.value.text = out.value.text == "max_at" ? "max" : "min";
    twin->value.text = "arg" + out.value.text;
  }

  void pair_missing(const Token& at) {
    parser_.fail(Code::E0306, at,
                 fmt::format("a pair of values is the result of max_at or min_at, not {}", describe(at)),
                 {"write V[i], I[i] = max_at[k](X[i,k])"});
  }

  void assignment(Statement& out, std::optional<Statement>& twin) {
    target(out);
    if (parser_.failed()) return;
    if (parser_.peek().is(",")) return pair(out, twin);
    bool two = false;
    const Token sign = parser_.peek();
    const std::optional<Update> update = update_of(sign, parser_.peek(1), two);
    if (!update) return combine_missing(sign, out.targets[0]);
    parser_.take();
    if (two) parser_.take();
    out.update = *update;
    out.value = parser_.expression();
    if (parser_.failed() || parser_.at_end() || parser_.peek().text != "where") return;
    condition(out);
  }

  /// `where e in a .. b : condition` after an update.
  void condition(Statement& out) {
    const Token word = parser_.take();
    if (out.update == Update::Assign) {
      parser_.expression();
      return parser_.fail(Code::E0307, parser_.span_from(word), "only an update has a condition",
                          {"a definition gives every element a value: write select(condition, a, b)"});
    }
    while (!parser_.failed() && parser_.range_ahead()) {
      out.ranges.push_back(parser_.reduced_variable());
      if (!parser_.take_if(",")) break;
    }
    if (out.ranges.empty() || parser_.take_if(":")) out.where = parser_.expression();
  }

  void combine_missing(const Token& sign, const Word& target) {
    const bool other = sign.is("-=") || (sign.kind == TokenKind::name && parser_.peek(1).is("="));
    const std::string note = "values are combined with =, +=, *=, max=, min=, last=, bit_xor=, bit_or= or bit_and=";
    if (other)
      return parser_.fail(
          Code::E0307, sign,
          fmt::format("there is no combining sign '{}'", sign.is("-=") ? "-=" : std::string(sign.text) + "="), {note});
    const bool ends = sign.kind == TokenKind::end || sign.kind == TokenKind::line_end;
    parser_.fail(Code::E0306, ends ? target.span : parser_.span(sign),
                 fmt::format("'=' is expected after the target, not {}", describe(sign)), {note});
  }

  /// `M = expression`
  void extent(Statement& out) {
    out.is_extent = true;
    const Token name = parser_.take();
    out.targets.push_back({std::string(name.text), parser_.span(name)});
    parser_.take();
    out.value = parser_.expression();
  }

  void call(Statement& out) {
    out.is_call = true;
    do {
      const Token name = parser_.take();
      if (name.kind != TokenKind::name)
        return parser_.fail(Code::E0306, name, fmt::format("the name of a result is expected, not {}", describe(name)),
                            {"write a, b = op(x)"});
      out.targets.push_back({std::string(name.text), parser_.span(name)});
    } while (parser_.take_if(","));
    if (!parser_.expect("=")) return;
    const Token begin = parser_.peek();
    out.value = parser_.expression();
    if (parser_.failed() || out.value.is(SyntaxKind::call)) return;
    parser_.fail(Code::E0306, begin, "without indices on its left, a statement is a call of an op",
                 {fmt::format("write {}[i, j] = expression, or {}[] = expression for rank 0", out.targets[0].text,
                              out.targets[0].text)});
  }

  NotationParser& parser_;
  const std::set<std::string>& extents_;
};

/// A statement that did not parse is kept as an unknown call with the names on its left as results, so that their uses
/// are not reported too.
void leave_names(Statement& statement) {
  statement.is_call = true;
  statement.is_extent = false;
  statement.subs.clear();
  statement.update = Update::Assign;
  statement.value = Syntax();
  statement.ranges.clear();
  statement.where.reset();
}

/// The beginning of a text; for an empty one, which YAML places after the lines that follow, the position before it.
SourceSpan place_of_nothing(const PlacedText& text) {
  SourceSpan place = text.span(0, 1);
  if (!text.text.empty() || !place.known()) return place;
  const std::size_t last = place.file->text().find_last_not_of(" \t\r\n", place.begin == 0 ? 0 : place.begin - 1);
  if (last != std::string::npos) place.begin = last, place.end = last + 1;
  return place;
}

}  // namespace

std::vector<Statement> parse_body(const PlacedText& text, Diagnostics& diagnostics,
                                  const std::set<std::string>& extents) {
  std::vector<Statement> statements;
  if (!short_enough(text, diagnostics)) return statements;
  NotationParser parser(text, diagnostics, true);
  const auto windows = statement_windows(parser.tokens());
  if (windows.size() > kMostStatements) {
    diagnostics.error(Code::E0317, parser.span(parser.tokens()[windows[kMostStatements].first]),
                      fmt::format("this body has more than {} statements", kMostStatements), {"split the op in two"});
    return statements;
  }
  if (windows.empty() && parser.tokens_clean()) {
    diagnostics.error(Code::E0309, place_of_nothing(text), "this body has no statement",
                      {"write Y[i] = expression, with the name of an output on the left"});
  }
  for (const auto& [begin, end] : windows) {
    parser.window(begin, end);
    parser.recover();
    Statement statement;
    std::optional<Statement> twin;
    const bool whole = StatementParser(parser, extents).run(statement, twin);
    for (Statement* s : {&statement, twin ? &*twin : nullptr}) {
      if (s == nullptr) continue;
      if (!whole) leave_names(*s);
      if (!s->targets.empty()) statements.push_back(std::move(*s));
    }
  }
  return statements;
}

bool parse_expression(const PlacedText& text, Syntax& out, Diagnostics& diagnostics) {
  if (!short_enough(text, diagnostics)) return false;
  NotationParser parser(text, diagnostics);
  if (parser.at_end()) {
    if (parser.tokens_clean())
      parser.fail(Code::E0302, text.span(0, 1), "an expression is expected here", {"this text is empty"});
    return false;
  }
  out = parser.expression();
  if (!parser.failed() && !parser.at_end()) {
    parser.fail(Code::E0308, parser.peek(), fmt::format("the expression should end before {}", describe(parser.peek())),
                {parser.peek().is("=") ? "a comparison is written ==" : "an operator may be missing"});
  }
  return !parser.failed() && parser.tokens_clean() && parser.depth_allowed(out);
}

bool parse_bindings(const PlacedText& text, std::vector<Syntax>& out, Diagnostics& diagnostics) {
  if (!short_enough(text, diagnostics)) return false;
  NotationParser parser(text, diagnostics);
  while (!parser.failed() && !parser.at_end()) {
    const Token name = parser.take();
    if (name.kind != TokenKind::name) {
      parser.fail(Code::E0302, name, fmt::format("a name is expected here, not {}", describe(name)),
                  {"write M=100, N=37"});
      break;
    }
    if (!parser.expect("=")) break;
    Syntax binding = notation::node(SyntaxKind::keyword, name.text, parser.span(name));
    binding.children.push_back(parser.expression());
    if (!parser.failed() && parser.depth_allowed(binding)) out.push_back(std::move(binding));
    if (!parser.at_end() && !parser.expect(",")) break;
  }
  return !parser.failed() && parser.tokens_clean();
}

}  // namespace tenon
