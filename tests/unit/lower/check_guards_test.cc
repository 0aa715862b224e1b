// A check asks as far outside of its loops as it can.
#include "lower/kernel/check_guards.h"

#include "catch.h"

namespace tenon::check_guards_test {
namespace {

std::string text(const Expr& e) { return e ? to_text(e, {"X"}) : "nothing"; }

TEST_CASE("parts without loop variables stand outside, reads innermost", "[lower]") {
  const Expr i = var_ref("i"), n = size_ref("N"), d = size_ref("D");
  const Expr read = read_of(0, DType::I64, {i});
  const Expr inside =
      apply(ScalarOp::And, {apply(ScalarOp::Ge, {read, constant_int(0)}), apply(ScalarOp::Lt, {read, d})});
  Check check;
  check.loops = {{"i", n}};
  check.holds = apply(ScalarOp::Or, {inside, apply(ScalarOp::Le, {d, constant_int(3)})});
  const std::vector<Expr> parts = failing_parts(check);
  REQUIRE(parts.size() == 2);
  CHECK(text(parts[0]) == "(D > 3)");
  CHECK(text(parts[1]) == "((X[i] < 0) or (X[i] >= D))");
}

TEST_CASE("comparisons of floats are negated as a whole: NaN fails both", "[lower]") {
  const Expr x = read_of(0, DType::F32, {var_ref("i")});
  Check check;
  check.loops = {{"i", size_ref("N")}};
  check.holds = apply(ScalarOp::Ge, {x, constant_float(0, DType::F32)});
  const std::vector<Expr> parts = failing_parts(check);
  CHECK(text(parts[0]) == "nothing");
  CHECK(text(parts[1]) == "not((X[i] >= 0))");
}

TEST_CASE("a division stays behind what guards it", "[lower]") {
  const Expr n = size_ref("N"), d = size_ref("D");
  Check check;
  check.loops = {{"i", n}};
  const Expr guard = apply(ScalarOp::Eq, {d, constant_int(0)}),
             bound = apply(ScalarOp::Lt, {apply(ScalarOp::FloorDiv, {n, d}), constant_int(9)});
  check.holds = apply(ScalarOp::Or, {guard, bound});
  const std::vector<Expr> parts = failing_parts(check);
  CHECK(text(parts[0]) == "(D != 0)");
  CHECK(text(parts[1]) == "((N // D) >= 9)");
}

TEST_CASE("neighbours over the same loops share them, whatever their variables are called", "[lower]") {
  const auto below = [](const std::string& var, const Expr& extent, const Expr& bound) {
    Check check;
    check.loops = {{var, extent}};
    check.holds = apply(ScalarOp::Lt, {read_of(0, DType::I64, {var_ref(var)}), bound});
    check.what = "wrap(X[i], P)";
    return check;
  };
  const Expr n = size_ref("N"), m = size_ref("M");
  std::vector<Check> checks = {below("i", n, size_ref("P")), below("j", n, size_ref("Q")), below("i", m, size_ref("P")),
                               below("i", m, size_ref("Q"))};
  checks[3].status = CheckStatus::Shape;
  const std::vector<CheckGroup> groups = group_checks(checks);
  REQUIRE(groups.size() == 3);
  REQUIRE(groups[0].fails.size() == 2);
  CHECK(text(groups[0].fails[1]) == "(X[i] >= Q)");
  CHECK(groups[0].what.size() == 1);
  CHECK(groups[1].fails.size() == 1);
  CHECK(groups[2].status == CheckStatus::Shape);
}

TEST_CASE("a loop in which nothing is asked only has to run", "[lower]") {
  Check check;
  check.loops = {{"i", size_ref("N")}};
  check.holds = apply(ScalarOp::Lt, {size_ref("P"), size_ref("Q")});
  const std::vector<Expr> parts = failing_parts(check);
  REQUIRE(parts.size() == 1);
  CHECK(text(parts[0]) == "((P >= Q) and (N > 0))");
}

}  // namespace
}  // namespace tenon::check_guards_test
