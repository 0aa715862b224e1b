// Flag values: what parses, and what does not.
#include "catch.h"
#include "cli/flags.h"

namespace value_syntax_test {

using namespace tenon;

TEST_CASE("name lists have no empty part") {
  CHECK(parse_name_list("a,b") == std::vector<std::string>{"a", "b"});
  for (const char* text : {"", ",", "a,", ",a", "a,,b"}) CHECK_FALSE(parse_name_list(text));
}

TEST_CASE("ranks are numbers and ranges from 0 to 8") {
  CHECK(parse_ranks("0-2,4") == std::vector<int>{0, 1, 2, 4});
  CHECK(parse_ranks("8") == std::vector<int>{8});
  for (const char* text : {"", "9", "0-99", "3-1", "-1", "1-", "a", "1-2-3", "1 ", "99999999999999999999"})
    CHECK_FALSE(parse_ranks(text));
}

TEST_CASE("size bounds fix or bound a name as the file has it") {
  const auto fixed = parse_size_bound("batch size=4");
  REQUIRE(fixed);
  CHECK((fixed->name == "batch size" && fixed->low == 4 && fixed->high == 4));
  const auto open = parse_size_bound("N=0..64");
  REQUIRE(open);
  CHECK((open->low == 0 && open->high == 64));
  for (const char* text : {"", "N", "=4", "N=", "N=4..", "N=..4", "N=5..4", "N=-1", "N=1...2", "N=1.5"})
    CHECK_FALSE(parse_size_bound(text));
}

TEST_CASE("C names are identifiers that are neither keywords nor reserved") {
  for (const char* text : {"tn", "a1_b", "N"}) CHECK(is_c_name(text));
  for (const char* text : {"", "1-x", "_x", "a-b", "int", "class", "é", "a b"}) CHECK_FALSE(is_c_name(text));
}

}  // namespace value_syntax_test
