// Parentheses, casts and line breaks of printed C.
#include "ir/text/print_c99.h"

#include "catch.h"

namespace print_c99_test {

using namespace tenon;

namespace {
CExpr name(const char* s) { return c_text(s); }
std::string arithmetic(const char* a, const char* op, const char* b) {
  return print_c99(c_binary(name(a), op, name(b)));
}
}  // namespace

TEST_CASE("parentheses stand only where the meaning needs them") {
  const CExpr a = name("a"), b = name("b"), c = name("c");
  CHECK(arithmetic("a", "+", "b") == "a + b");
  CHECK(print_c99(c_binary(c_binary(a, "*", b), "+", c)) == "a * b + c");
  CHECK(print_c99(c_binary(a, "*", c_binary(b, "+", c))) == "a * (b + c)");
  CHECK(print_c99(c_binary(c_binary(a, "-", b), "-", c)) == "a - b - c");
  CHECK(print_c99(c_binary(a, "-", c_binary(b, "-", c))) == "a - (b - c)");
  CHECK(print_c99(c_unary("-", c_binary(a, "+", b))) == "-(a + b)");
  CHECK(print_c99(c_unary("-", c_unary("-", a))) == "-(-a)");
  CHECK(print_c99(c_cast("float", c_binary(a, "+", b))) == "(float)(a + b)");
  CHECK(print_c99(c_index(c_cast("int *", a), b)) == "((int *)a)[b]");
  CHECK(print_c99(c_binary(c_conditional(a, b, c), "+", a)) == "(a ? b : c) + a");
}

TEST_CASE("bit and logical operators get the parentheses that readers want") {
  const CExpr a = name("a"), b = name("b"), c = name("c");
  CHECK(print_c99(c_binary(c_binary(a, "&", b), "|", c)) == "(a & b) | c");
  CHECK(print_c99(c_binary(c_binary(a, "|", b), "|", c)) == "a | b | c");
  CHECK(print_c99(c_binary(c_binary(a, "&&", b), "||", c)) == "(a && b) || c");
  CHECK(print_c99(c_binary(c_binary(a, "<", b), "&&", c_binary(b, "<", c))) == "a < b && b < c");
  CHECK(print_c99(c_binary(c_binary(a, "+", b), "<<", c)) == "(a + b) << c");
}

TEST_CASE("rows take their arguments whole between commas, and bound tightly behind casts") {
  const CExpr sum = c_binary(name("a"), "+", name("b"));
  CHECK(print_c99(c_row("f($0, $1)", {sum, name("c")})) == "f(a + b, c)");
  CHECK(print_c99(c_row("f((__m256i)$0)", {sum})) == "f((__m256i)(a + b))");
}

TEST_CASE("negative literals do not merge with operators") {
  CHECK(print_c99(c_binary(name("a"), "-", c_text("-1"))) == "a - -1");
  CHECK(print_c99(c_unary("-", c_text("-1"))) == "-(-1)");
}

TEST_CASE("long lines break at blanks") {
  CExpr sum = name("a_rather_long_operand_0");
  for (int i = 1; i < 12; ++i) sum = c_binary(sum, "+", c_text("a_rather_long_operand_" + std::to_string(i)));
  CFunction f;
  f.result = "int";
  f.name = "f";
  f.body.push_back(c_return(sum));
  const std::string text = print_c99(f);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    CHECK(end - at <= 120);
    at = end + 1;
  }
}

TEST_CASE("initialisers name their members, rows have a line each, and a guard leaves NULL") {
  const CExpr row = c_initializer({{name("f"), "run"}, {c_number(2), "count"}});
  CHECK(print_c99(row) == "{.run = f, .count = 2}");
  const CObject table{"static const int *const table[]",
                      c_initializer({{name("a"), "", "first"}, {name("b"), "", "", "HAS_B"}}, true)};
  CHECK(print_c99(CFile{{table}}) ==
        "static const int *const table[] = {\n    a, /* first */\n#if HAS_B\n    b,\n#else\n    NULL,\n#endif\n};\n");
}

TEST_CASE("objects follow each other without blank lines") {
  const CObject declared{"extern const int a[]", nullptr}, defined{"const int b", c_number(1)};
  CHECK(print_c99(CFile{{declared, defined, CLines{"/* end */\n"}}}) ==
        "extern const int a[];\nconst int b = 1;\n\n/* end */\n");
}

}  // namespace print_c99_test
