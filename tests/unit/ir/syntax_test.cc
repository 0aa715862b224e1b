// Trees of formulas: what is put together is moved.
#include "ir/op/syntax.h"

#include "catch.h"

namespace syntax_test {

using namespace tenon;

TEST_CASE("an operation takes the trees of its operands, without a copy", "[ir]") {
  Syntax left = binary_node("*", name_node("a"), name_node("b"));
  Syntax right = binary_node("-", name_node("c"), number_node(1));
  const Syntax *const l = left.children.data(), *const r = right.children.data();
  const Syntax sum = binary_node("+", std::move(left), std::move(right));
  REQUIRE(sum.children.size() == 2);
  CHECK(sum.children[0].children.data() == l);
  CHECK(sum.children[1].children.data() == r);
  CHECK(print(sum) == "a*b + (c - 1)");
}

}  // namespace syntax_test
