// Text from outside inside JSON, C and the shell.
#include "support/quoted.h"

#include "catch.h"

namespace quoted_test {

using tenon::c_string_inside;
using tenon::comment_inside;
using tenon::json_string;
using tenon::shell_word;
using tenon::xml_text;

TEST_CASE("json strings escape quotes, backslashes and control characters") {
  CHECK(json_string("a\"b\\c\nd\x01\x7f") == "\"a\\\"b\\\\c\\nd\\u0001\\u007f\"");
  CHECK(json_string("Größe") == "\"Größe\"");
  CHECK(json_string("a\xff") == "\"a\xef\xbf\xbd\"");
}

TEST_CASE("c strings are ASCII without trigraphs") {
  CHECK(c_string_inside("a\"b\\c?") == "a\\\"b\\\\c\\?");
  CHECK(c_string_inside("\n\xc3\xb6") == "\\012\\303\\266");
}

TEST_CASE("xml has no markup and no control characters inside text") {
  CHECK(xml_text("a<b> & \"c\"\x01") == "a&lt;b&gt; &amp; &quot;c&quot; ");
}

TEST_CASE("comments neither end nor begin inside, nor turn the direction of writing") {
  CHECK(comment_inside("a */ b /* c") == "a * / b / * c");
  CHECK(comment_inside("*//") == "* //");
  CHECK(comment_inside("a\n\tb\r\n") == "a b");
  CHECK(comment_inside("a\xe2\x80\xae"
                       "b\xe2\x81\xa6"
                       "c") == "a b c");
}

TEST_CASE("shell words keep every character") { CHECK(shell_word("a'b $c") == "'a'\\''b $c'"); }

}  // namespace quoted_test
