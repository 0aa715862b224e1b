// Names from outside as C identifiers.
#include "support/c_names.h"

#include "catch.h"

namespace c_names_test {

using tenon::CNames;
using tenon::is_reserved;
using tenon::NamesOf;
using tenon::unreserved;

TEST_CASE("keywords of C and C++ and macros of their headers are reserved everywhere") {
  for (const char* word :
       {"int",     "typeof", "constexpr", "class",  "co_await", "errno", "EOF",   "NULL",  "I",   "INT64_MAX",
        "UINT8_C", "SIGINT", "M_PI",      "PRId64", "st_atime", "stdin", "E2BIG", "_Bool", "__x", "main"})
    for (const NamesOf where : {NamesOf::model, NamesOf::library, NamesOf::kernel}) {
      INFO(word);
      CHECK(is_reserved(word, where));
    }
  for (const char* word : {"x", "data", "EPS", "INT", "Print", "PRIOR_x", "in_", "E1", "K"}) {
    INFO(word);
    CHECK_FALSE(is_reserved(word, NamesOf::model));
  }
}

TEST_CASE("each kind of name has words of its own") {
  CHECK(is_reserved("dims", NamesOf::library));
  CHECK_FALSE(is_reserved("dims", NamesOf::model));
  CHECK(is_reserved("begin", NamesOf::kernel));
  CHECK(is_reserved("call", NamesOf::function));
  CHECK_FALSE(is_reserved("int", NamesOf::function));
  CHECK(is_reserved("run", NamesOf::step));
}

TEST_CASE("two names never become one") {
  CHECK(unreserved("int", NamesOf::model) == "int_");
  CHECK(unreserved("int_", NamesOf::model) == "int__");
  CHECK(unreserved("x_", NamesOf::model) == "x_");
  CNames names;
  CHECK(names.fresh("a b") == "a_b");
  CHECK(names.fresh("a:b") == "a_b_2");
  CHECK(names.fresh("int") == "int_");
  CHECK(names.fresh("int ") == "int__2");
  CHECK(names.fresh("") == "t");
  CHECK(names.fresh("\xe5\x90\x8d") == "t_2");
  CHECK(names.fresh("1x") == "t1x");
  CHECK(names.fresh(std::string(200, 'x')).size() == 48);
}

TEST_CASE("c names: the macros of the program are not for values") {
  CNames names(NamesOf::model, "net");
  CHECK(names.fresh("NET_H") == "NET_H_");
  CHECK(names.fresh("NET_H_") == "NET_H__2");
  CHECK(names.fresh("NET") == "NET");
  CHECK(names.fresh("net_run") == "net_run");
  CHECK(unreserved("DIGITS_E_SHAPE", NamesOf::model, "digits") == "DIGITS_E_SHAPE_");
  CHECK(unreserved("NET_H", NamesOf::model, "digits") == "NET_H");
}

TEST_CASE("c names: what an underscore ends is no macro of a family, so that there is a way out of one") {
  CHECK(is_reserved("SIZE_MAX_2", NamesOf::kernel));
  CHECK(tenon::unreserved("SIZE_MAX_2", NamesOf::kernel) == "SIZE_MAX_2_");
  CHECK_FALSE(is_reserved("SIZE_MAX_2_", NamesOf::kernel));
}

}  // namespace c_names_test
