// What is known in nested blocks.
#include "lower/generate/value_memo.h"

#include "catch.h"

namespace value_memo_test {

using namespace tenon;

TEST_CASE("a block knows what its outer blocks know, until it is cleared") {
  const Expr x = var_ref("x"), y = var_ref("y");
  ValueMemo memo;
  memo.put(x, 0, {v_int(1)});
  memo.enter();
  REQUIRE(memo.find(x, 0) != nullptr);
  CHECK(memo.find(x, 1) == nullptr);
  memo.put(y, 0, {v_int(2)});
  CHECK(constant_value((*memo.find(y, 0))[0]) == 2);
  memo.clear();
  CHECK(memo.find(x, 0) == nullptr);
  CHECK(memo.find(y, 0) == nullptr);
  memo.leave();
  CHECK(memo.find(x, 0) != nullptr);
  CHECK(memo.find(y, 0) == nullptr);
}

TEST_CASE("a node that is remembered does not leave its address to another one") {
  ValueMemo memo;
  memo.put(var_ref("gone"), 0, {v_int(1)});
  for (int i = 0; i < 100; ++i) CHECK(memo.find(var_ref("new"), 0) == nullptr);
}

}  // namespace value_memo_test
