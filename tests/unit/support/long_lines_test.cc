// Lines of C are broken where a reader would break them, and nowhere else.
#include "support/long_lines.h"

#include "catch.h"

namespace long_lines_test {

using tenon::with_broken_lines;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("long lines: short ones and directives stay") {
  const std::string text = "int a;\n\nint b;";
  CHECK(with_broken_lines(text) == text);
  CHECK(with_broken_lines("").empty());
  const std::string macro = "#define M(x) " + repeated("x + ", 40) + "x\n",
                    continued = "#define M(x) \\\n    " + repeated("x + ", 40) + "x\nint c;\n";
  CHECK(with_broken_lines(macro) == macro);
  CHECK(with_broken_lines(continued) == continued);
}

TEST_CASE("long lines: a list breaks behind a comma") {
  const std::string call = "  f(" + repeated("alpha, ", 24) + "omega);\n";
  const std::string broken = "  f(" + repeated("alpha, ", 15) + "alpha,\n      " + repeated("alpha, ", 8) + "omega);\n";
  CHECK(with_broken_lines("int a;\n" + call + "int b;\n") == "int a;\n" + broken + "int b;\n");
}

TEST_CASE("long lines: without a blank, a line breaks behind the parenthesis of a call") {
  const std::string inner = repeated("f(", 40), tail = std::string(40, ')') + ";\n";
  CHECK(with_broken_lines("  longest_name_of_all(" + inner + "x" + tail) ==
        "  longest_name_of_all(" + inner + "\n      x" + tail);
}

TEST_CASE("long lines: what is quoted stays whole") {
  const std::string line = "const char *s = \"" + repeated("words ", 40) + "\";";
  CHECK(with_broken_lines(line) == "const char *s =\n    \"" + repeated("words ", 40) + "\";\n");
}

TEST_CASE("long lines: comments go on below themselves") {
  const std::string words = repeated("word ", 22);
  CHECK(with_broken_lines("/** " + words + words + "end */\n") ==
        "/** " + repeated("word ", 22) + "word\n * " + repeated("word ", 21) + "end */\n");
  CHECK(with_broken_lines("/* first\n   " + words + words + "end\n*/\nint a;\n") ==
        "/* first\n   " + words + "word\n   " + repeated("word ", 21) + "end\n*/\nint a;\n");
  CHECK(with_broken_lines("/* " + repeated("x", 200) + " */\n") == "/* " + repeated("x", 200) + " */\n");
}

}  // namespace long_lines_test
