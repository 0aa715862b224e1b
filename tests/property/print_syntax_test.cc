// print and parse are inverse: random trees of the notation print to text that parses back to the same tree.
#include <random>

#include "catch.h"
#include "opdef/notation/parse_body.h"

namespace print_syntax_test {

using namespace tenon;

namespace {

class RandomSyntax {
 public:
  explicit RandomSyntax(unsigned seed) : random_(seed) {}

  Syntax expression(int depth) {
    if (depth == 0) return leaf();
    switch (below(8)) {
      case 0: return unary(depth);
      case 1:
      case 2:
      case 3: return binary(depth);
      case 4: return call(depth);
      case 5: return reduce(depth);
      case 6: return subscript(depth);
      default: return leaf();
    }
  }

  Syntax subscript(int depth) {
    Syntax s = node(SyntaxKind::subscript, pick({"X", "Y", "pads"}));
    for (int i = below(4); i > 0; --i) s.children.push_back(sub(depth - 1));
    return s;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string pick(std::vector<std::string> words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }

  static Syntax node(SyntaxKind kind, std::string text) {
    Syntax s;
    s.kind = kind;
    s.text = std::move(text);
    return s;
  }

  Syntax leaf() {
    Syntax s;
    switch (below(6)) {
      case 0: s.integer = below(1000); return s;
      case 1: s.integer = -1; return s;  // the bits of 2^64 - 1
      case 2:
        s = node(SyntaxKind::real, pick({"0.5", "1e-5", "2.5e3", ".25"}));
        s.real = std::stod(s.text);
        return s;
      case 3: return node(SyntaxKind::infinity, "");
      case 4:
        s = node(SyntaxKind::boolean, "");
        s.integer = below(2);
        return s;
      default: return node(SyntaxKind::name, pick({"i", "N", "alpha", "x_1"}));
    }
  }

  Syntax unary(int depth) {
    Syntax s = node(SyntaxKind::unary, pick({"-", "not"}));
    s.children = {expression(depth - 1)};
    return s;
  }

  Syntax binary(int depth) {
    Syntax s = node(SyntaxKind::binary,
                    pick({"+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "and", "or"}));
    s.children = {expression(depth - 1), expression(depth - 1)};
    for (Syntax& c : s.children)  // what is beyond i64 is one literal
      if (c.is(SyntaxKind::integer)) c.integer &= 7;
    return s;
  }

  Syntax call(int depth) {
    Syntax s = node(SyntaxKind::call, pick({"f", "select", "max"}));
    for (int i = below(4); i > 0; --i) s.children.push_back(below(4) == 0 ? pack() : expression(depth - 1));
    if (below(3) == 0) {
      Syntax keyword = node(SyntaxKind::keyword, "axis");
      keyword.children = {expression(depth - 1)};
      s.children.push_back(keyword);
    }
    return s;
  }

  Syntax pack() { return node(SyntaxKind::pack, pick({"p", "q"})); }

  Syntax reduce(int depth) {
    Syntax s = node(SyntaxKind::reduce, pick({"sum", "prod", "max", "min", "any", "all", "argmax", "argmin"}));
    Syntax variables = node(SyntaxKind::list, "");
    for (int i = 1 + below(3); i > 0; --i)
      variables.children.push_back(below(2) == 0 ? pack() : node(SyntaxKind::name, pick({"k", "j"})));
    s.children = {variables, expression(depth - 1)};
    if (below(3) == 0) s.children.push_back(expression(depth - 1));
    return s;
  }

  Syntax sub(int depth) {
    depth = std::max(depth, 0);
    switch (below(5)) {
      case 0: return pack();
      case 1: {
        Syntax s = node(SyntaxKind::each, "");
        s.children = {expression(depth)};
        return s;
      }
      case 2: {
        Syntax s = node(SyntaxKind::group, "");
        for (int i = 2 + below(2); i > 0; --i)
          s.children.push_back(below(2) == 0 ? node(SyntaxKind::name, pick({"g", "m"})) : expression(depth));
        return s;
      }
      default: return expression(depth);
    }
  }

  std::mt19937 random_;
};

PlacedText placed(const std::string& text) {
  const auto file = std::make_shared<const SourceFile>("random", text);
  PlacedText result{text, {}, file};
  for (std::size_t i = 0; i <= text.size(); ++i) result.offsets.push_back(static_cast<std::uint32_t>(i));
  return result;
}

}  // namespace

TEST_CASE("notation: printing and parsing a random tree gives the same tree") {
  int too_large = 0;  // powers of integers that 64 bits cannot hold
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomSyntax random(seed);
    const Syntax tree = seed % 4 == 0 ? random.subscript(3) : random.expression(4);
    const std::string text = print(tree);
    Diagnostics diagnostics;
    Syntax back;
    const bool parsed = parse_expression(placed(text), back, diagnostics);
    const std::string said = diagnostics.text();
    INFO(seed << ": " << text << "\n" << said);
    if (said.find("[E0304]") != std::string::npos) {
      ++too_large;
      continue;
    }
    REQUIRE(parsed);
    INFO(print(back));
    REQUIRE(same(tree, back));
  }
  CHECK(too_large < 200);
}

}  // namespace print_syntax_test
