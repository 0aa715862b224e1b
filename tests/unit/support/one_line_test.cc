// Text of several lines on one.
#include "catch.h"
#include "support/quoted.h"

TEST_CASE("one_line: breaks and the blanks around them are one blank") {
  CHECK(tenon::one_line("Y[i] = X[i]") == "Y[i] = X[i]");
  CHECK(tenon::one_line("Y[i] =  \n    X[i]\n  + 1") == "Y[i] = X[i] + 1");
  CHECK(tenon::one_line("max(\n  a,\n\n  b)\n") == "max(a, b) ");
  CHECK(tenon::one_line("a  + b") == "a  + b");
}
