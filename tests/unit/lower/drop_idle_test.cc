// What is computed over no iterations: sums and folds are what they begin with.
#include "lower/kernel/kernel_passes.h"
#include "unit/lower/hand_made.h"

using namespace tenon;
using namespace tenon_test;

TEST_CASE("drop-idle: a fold over nothing is what it begins with") {
  const Expr n = constant_int(4), none = constant_int(0), start = constant_float(3, DType::F32);
  Kernel k;
  k.name = "f";
  k.tensors = {tensor("X", Role::Input, {n}), tensor("Y", Role::Output, {n})};
  const Expr next = running_ref("a", DType::F32) + at(0, {v("j")});
  k.body = {{1, {v("i")}, Update::Assign, fold({{"j", none}}, nullptr, next, start, "a"), {{"i", n}}, ""}};
  const Kernel after = drop_idle(k);
  REQUIRE(after.body.size() == 1);
  CHECK(same(after.body[0].value, start));
}
