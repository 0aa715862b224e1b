// Loops of which neighbouring iterations read the same element: images that are enlarged.
#include "unit/lower/hand_made.h"

namespace repeated_reads_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Y[r, x] = A[r, x] + X[r, (x + first) // times] of 32 columns.
Kernel enlarged(int64_t times, int64_t first = 0) {
  const Expr r = constant_int(5), x = constant_int(32), by = constant_int(times);
  Kernel k;
  k.name = "enlarged_f32";
  k.tensors = {tensor("A", Role::Input, {r, x}), tensor("X", Role::Input, {r, constant_int(34)}),
               tensor("Y", Role::Output, {r, x})};
  const Expr at_x = first == 0 ? v("x") : v("x") + constant_int(first);
  const Expr small = at(1, {v("r"), apply(ScalarOp::FloorDiv, {at_x, by})});
  k.body = {{2, {v("r"), v("x")}, Update::Assign, at(0, {v("r"), v("x")}) + small, {{"r", r}, {"x", x}}, ""}};
  return k;
}

/// Vectors that are loaded from the small image.
int loads(const Kernel& k, std::string_view level, int lanes) {
  return count(to_text(lowered(k, level)), "load:f32x" + std::to_string(lanes) + "(b1");
}

}  // namespace

TEST_CASE("an element that a power of two of neighbours read is loaded once for them") {
  CHECK(loads(enlarged(2), "x86-64-v4", 8) > 0);
  CHECK(loads(enlarged(4), "x86-64-v4", 4) > 0);
  CHECK(loads(enlarged(2), "x86-64-v3", 4) > 0);
  CHECK(count(to_text(lowered(enlarged(16), "x86-64-v3")), "splat") > 0);  // all lanes read one element
}

TEST_CASE("neighbours that begin anywhere, or of another number, are read one by one") {
  for (const Kernel& k : {enlarged(3), enlarged(2, 1)})
    for (const int lanes : {4, 8, 16}) CHECK(loads(k, "x86-64-v4", lanes) == 0);
}

}  // namespace repeated_reads_test
