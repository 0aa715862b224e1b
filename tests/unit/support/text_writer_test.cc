// TextWriter: indentation goes in front of lines that hold something.
#include "support/text_writer.h"

#include "aborts.h"
#include "catch.h"

namespace text_writer_test {

using tenon::TextWriter;

TEST_CASE("text writer indents every line that is not empty") {
  TextWriter out(4);
  out.line("a {");
  {
    auto deeper = out.indented();
    out.write("b\n\nc").line(";");
    out.print_line("d = {};", 3);
  }
  out.line("}");
  CHECK(out.text() == "a {\n    b\n\n    c;\n    d = 3;\n}\n");
}

TEST_CASE("text writer continues a line without a second indentation") {
  TextWriter out;
  out.indent();
  CHECK(out.column() == 2);
  out.write("x").print("{}", "y").write("z");
  CHECK(out.text() == "  xyz");
  CHECK(out.column() == 5);
}

TEST_CASE("text writer take leaves it empty") {
  TextWriter out;
  out.indent();
  out.line("x");
  CHECK(out.take() == "  x\n");
  out.line("y");
  CHECK(out.text() == "y\n");
}

TEST_CASE("text writer aborts on a dedent without an indent") {
  CHECK(tenon_test::aborts([] { TextWriter().dedent(); }));
}

}  // namespace text_writer_test
