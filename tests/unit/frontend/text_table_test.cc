// Numbers of texts.
#include "frontend/graph/text_table.h"

#include "catch.h"

namespace text_table_test {

TEST_CASE("equal texts have one number, that of their first use") {
  tenon::TextTable texts;
  CHECK(texts.to_sentence().empty());
  CHECK(texts.number_of("cat") == 0);
  CHECK(texts.number_of("dog") == 1);
  CHECK(texts.number_of("cat") == 0);
  CHECK(texts.to_sentence() == "Numbers that stand for texts: 0 \"cat\", 1 \"dog\"");
  texts.mark(3);
  CHECK(texts.holds_texts(3));
  CHECK_FALSE(texts.holds_texts(0));
}

}  // namespace text_table_test
