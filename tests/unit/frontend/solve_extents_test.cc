// Extents that a file states tell the numbers that they were computed from.
#include "frontend/graph/solve_extents.h"

#include "catch.h"

namespace solve_extents_test {

using namespace tenon;

TEST_CASE("frontend: an extent tells the only number that it can come from") {
  const SizeExpr n = size_name("n");
  CHECK(solve_extents({{n * 2 + 1, 9}}, {"n"}) == SizeValues{{"n", 4}});
  // The middle of a row that was padded first, if it was too short.
  const SizeExpr padded = size_max(n, 20), begin = floor_div(padded - n, 2);
  CHECK(solve_extents({{size_min(begin + n, padded) - begin, 10}}, {"n"}) == SizeValues{{"n", 10}});
}

TEST_CASE("frontend: what has several solutions, or none, is not told") {
  const SizeExpr n = size_name("n");
  CHECK(solve_extents({{floor_div(n, 2), 3}}, {"n"}).empty());
  CHECK(solve_extents({{n * 2, 3}}, {"n"}).empty());
  CHECK(solve_extents({{size_max(n, 5), 5}}, {"n"}).empty());
}

TEST_CASE("frontend: one number is told after the other, and run-time sizes are no unknowns") {
  const SizeExpr a = size_name("a"), b = size_name("b");
  CHECK(solve_extents({{a + b, 7}, {a, 3}}, {"a", "b"}) == SizeValues{{"a", 3}, {"b", 4}});
  CHECK(solve_extents({{a + b, 7}}, {"a"}).empty());
  CHECK(solve_extents({{a, 3}}, {"b"}).empty());
}

}  // namespace solve_extents_test
