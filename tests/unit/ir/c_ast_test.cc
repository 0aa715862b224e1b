// C trees: how functions are laid out, and which variables they read.
#include "ir/nest/c_ast.h"

#include "catch.h"
#include "ir/text/print_c99.h"

namespace c_ast_test {

using namespace tenon;

namespace {

CFunction function_of(CBlock body) { return {"", "static", "void", "g", {"frame *f"}, std::move(body), ""}; }

CStmt call(const char* name) { return c_evaluate(c_call(name, {})); }

}  // namespace

TEST_CASE("an alternative that is a choice itself goes on in its line", "[c_ast]") {
  const CStmt choice =
      c_if(c_text("a"), {call("x")}, {c_if(c_text("b"), {call("y"), call("z")}, {c_if(c_text("c"), {call("w")})})});
  const CFunction f = function_of({{CDeclarations{"int64_t", {{"N", c_number(0)}, {"M[2]", nullptr}}}},
                                   c_paragraph("what follows"),
                                   choice,
                                   {CFor{"int",
                                         "k",
                                         c_number(0),
                                         c_binary(c_text("k"), "<", c_number(3)),
                                         "++k",
                                         {c_if(c_text("a"), {c_return(nullptr)})}}}});
  CHECK(print_c99(f) ==
        "static void g(frame *f) {\n  int64_t N = 0, M[2];\n\n  /* what follows */\n"
        "  if (a) {\n    x();\n  } else if (b) {\n    y();\n    z();\n  } else if (c) {\n    w();\n"
        "  }\n  for (int k = 0; k < 3; ++k) {\n    if (a) {\n      return;\n    }\n  }\n}\n");
}

TEST_CASE("a switch has one break for each of its bodies, and one for the other values", "[c_ast]") {
  const CFunction f = function_of({{CSwitch{c_text("k"), {{{0, 2}, {call("x")}}, {{1}, {call("y"), call("z")}}}}}});
  CHECK(print_c99(f) ==
        "static void g(frame *f) {\n  switch (k) {\n  case 0:\n  case 2:\n    x();\n    break;\n"
        "  case 1:\n    y();\n    z();\n    break;\n  default:\n    break;\n  }\n}\n");
}

TEST_CASE("members of pointers and of values, with the parentheses of casts", "[c_ast]") {
  const CExpr dims = c_cast("const dims *", c_arrow(c_text("f"), "dims"));
  CHECK(print_c99(c_arrow(dims, "N")) == "((const dims *)f->dims)->N");
  CHECK(print_c99(c_unary("&", c_index(c_member(c_arrow(c_text("a"), "pads"), "dim"), c_number(1)))) ==
        "&a->pads.dim[1]");
}

TEST_CASE("a struct has a field to a line", "[c_ast]") {
  CHECK(print_c99(CStruct{"two", "t", {{"int64_t n"}, {"double x[2]", "a pair"}}}) ==
        "/* two */\ntypedef struct {\n  int64_t n;\n  double x[2]; /* a pair */\n} t;\n");
}

TEST_CASE("assigning a variable does not read it", "[c_ast]") {
  const CExpr n = c_text("N"), m = c_text("M");
  CHECK(variables_read({c_assign(n, m)}) == std::set<std::string>{"M"});
  CHECK(variables_read({c_assign(n, m, "+=")}) == std::set<std::string>{"M", "N"});
  CHECK(variables_read({c_assign(c_arrow(n, "rank"), c_number(1))}) == std::set<std::string>{"N"});
  CHECK(variables_read({c_assign(m, c_arrow(c_text("a"), "N"))}) == std::set<std::string>{"a"});
  CHECK(variables_read({c_comment("N"), c_evaluate(c_call("N", {c_index(m, c_text("k"))}))}) ==
        std::set<std::string>{"M", "k"});
}

TEST_CASE("variables are read in every part of a statement", "[c_ast]") {
  const auto read = [](const char* name) { return c_evaluate(c_text(name)); };
  const CBlock block = {
      {CDeclarations{"int", {{"x", c_text("init")}}}},
      {CFor{"int", "k", c_text("begin"), c_text("end"), "++k", {read("body")}}},
      c_if(c_text("when"), {read("then")}, {read("otherwise")}),
      {CSwitch{c_text("value"), {{{0}, {read("case")}}}}},
      {CScope{{c_return(c_conditional(c_text("c"), c_cast("int", c_text("yes")), c_unary("-", c_text("no"))))}}},
      c_evaluate(c_call("f", {c_braces("", {c_text("brace")}), c_initializer({{c_text("member"), "m"}})}))};
  CHECK(variables_read(block) == std::set<std::string>{"begin", "body", "brace", "c", "case", "end", "init", "member",
                                                       "no", "otherwise", "then", "value", "when", "yes"});
}

TEST_CASE("what is assigned to a variable that is not needed is still computed", "[c_ast]") {
  const auto assign = [] { return c_assign(c_text("N"), c_call("size", {})); };
  CBlock block = {
      assign(),
      c_if(c_text("a"), {assign()}, {c_assign(c_text("N"), c_conditional(c_text("b"), c_number(1), c_text("x")))}),
      c_assign(c_text("M"), c_call("size", {}))};
  drop_assignments(block, {"N"});
  CHECK(print_c99(function_of(block)) ==
        "static void g(frame *f) {\n  (void)size();\n  if (a) {\n    (void)size();\n  } else {\n"
        "    (void)(b ? 1 : x);\n  }\n  M = size();\n}\n");
}

}  // namespace c_ast_test
