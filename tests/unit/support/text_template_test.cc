// TextTemplate: typed holes, all filled, none unknown.
#include "support/text_template.h"

#include "aborts.h"
#include "catch.h"

namespace text_template_test {

using tenon::HoleValue;
using tenon::TextTemplate;
using tenon_test::aborts;

TEST_CASE("template fills text, id and int holes") {
  const TextTemplate frame("f.h", "#define @name:id@_N @count:int@ /* @doc@ */\n");
  CHECK(frame.fill({{"name", "tn"}, {"count", "-3"}, {"doc", "a b"}}) == "#define tn_N -3 /* a b */\n");
  CHECK(frame.hole_names() == std::vector<std::string>{"name", "count", "doc"});
}

TEST_CASE("template indents a block and drops an empty one") {
  const TextTemplate frame("f.c", "{\n  @body:block@\n}\n@end:block@\n");
  CHECK(frame.fill({{"body", "a;\n\nb;\n"}, {"end", ""}}) == "{\n  a;\n\n  b;\n}\n");
  CHECK(frame.fill({{"body", "a;"}, {"end", "x"}}) == "{\n  a;\n}\nx\n");
}

TEST_CASE("template leaves an @ that opens no hole") {
  CHECK(TextTemplate("f", "me@here.org @ @X@ @a b@ @n:what@").fill({}) == "me@here.org @ @X@ @a b@ @n:what@");
}

TEST_CASE("template does not look for holes in values") {
  CHECK(TextTemplate("f", "@a@@b@").fill({{"a", "@b@"}, {"b", "x"}}) == "@b@x");
}

TEST_CASE("template aborts on a hole left, a value too many, a value of the wrong type") {
  CHECK(aborts([] { TextTemplate("f", "@a@").fill({}); }));
  CHECK(aborts([] { TextTemplate("f", "").fill({{"a", "x"}}); }));
  CHECK(aborts([] { TextTemplate("f", "@a:id@").fill({{"a", "1x"}}); }));
  CHECK(aborts([] { TextTemplate("f", "@a:int@").fill({{"a", "-"}}); }));
  CHECK(aborts([] { TextTemplate("f", "@a@").fill({{"a", "x\ny"}}); }));
  CHECK(aborts([] { TextTemplate("f", "x @a:block@\n").fill({{"a", "y"}}); }));
}

TEST_CASE("template has the sections of features that are on, and of features that are off") {
  const TextTemplate frame("f.c", "a;\n//@ with big\n  @b@;\n//@ end\nc;\n//@ without big\nd;\n//@ end\n");
  CHECK(frame.fill({{"b", "x"}}, {{"big", true}}) == "a;\n  x;\nc;\n");
  CHECK(frame.fill({{"b", "x"}}, {{"big", false}}) == "a;\nc;\nd;\n");
  CHECK(aborts([&] { frame.fill({{"b", "x"}}); }));
  CHECK(aborts([] { TextTemplate("f", "//@ otherwise big\n").fill({}, {{"big", true}}); }));
}

}  // namespace text_template_test
