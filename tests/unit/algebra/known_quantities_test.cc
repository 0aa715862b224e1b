// Proofs from what is known of quantities, and the sample points that keep the search for them short.
#include "algebra/known_quantities.h"

#include "catch.h"

namespace tenon::known_quantities_test {
namespace {

Polynomial number(int64_t v) { return Polynomial::constant(v); }

/// A quantity that equals `of`, of which a looser bound is known before the exact ones.
Polynomial copy_of(const Polynomial& of, KnownQuantities& known) {
  const Polynomial q = known.add("q", false);
  known.know(of + number(1) - q);
  known.know(of - q);
  known.know(q - of);
  return q;
}

}  // namespace

TEST_CASE("bounds that lead to what is false are not followed", "[algebra]") {
  KnownQuantities known;
  const Polynomial n = known.add("N", false);
  known.know(n - number(1));
  Polynomial last = n;
  for (int i = 0; i < 20; ++i) last = copy_of(last, known);  // 2^20 ways, of which one is right
  CHECK(known.proves(n - last, {}));
  CHECK_FALSE(known.proves(n - last - number(1), {}));
}

TEST_CASE("what becomes known later counts", "[algebra]") {
  KnownQuantities known;
  const Polynomial n = known.add("N", false), i = known.add("i", true);
  known.know(i);
  known.know(n - number(1) - i);
  CHECK_FALSE(known.proves(n - number(4), {}));
  known.know(n - number(4));
  CHECK(known.proves(n - number(4), {}));
  CHECK_FALSE(known.proves(known.elsewhere(i) - i, {}));
  CHECK(known.proves(known.elsewhere(i) - i, {known.elsewhere(i) - i - number(1)}));
}

TEST_CASE("a choice is proved for both of its values", "[algebra]") {
  KnownQuantities known;
  const Polynomial n = known.add("N", false), c = known.add("choice", false);
  known.know(n - number(2));
  known.know_choice(c, n, n - number(2));
  CHECK(known.proves(c, {}));
  CHECK_FALSE(known.proves(c - number(1), {}));
}

}  // namespace tenon::known_quantities_test
