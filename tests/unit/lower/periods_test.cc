// Loops over an index that starts again after each period: no element divides.
#include <cstring>

#include "hand_made.h"
#include "nest/run_nest.h"

namespace periods_test {

using namespace tenon;
using tenon_test::at, tenon_test::count, tenon_test::lowered, tenon_test::tensor, tenon_test::v;

namespace {

Expr modulo(const Expr& a, const Expr& b) { return apply(ScalarOp::Mod, {a, b}); }
Expr quotient(const Expr& a, const Expr& b) { return apply(ScalarOp::FloorDiv, {a, b}); }

/// Y[i] = X[place of i] for i < N, where X has M elements.
Kernel copy(const Expr& place) {
  Kernel k;
  k.name = "copy_f32";
  k.sizes = {{"N"}, {"S"}, {"M"}};
  k.attrs = {{"c", DType::I64}};
  k.tensors = {tensor("X", Role::Input, {size_ref("M")}), tensor("Y", Role::Output, {size_ref("N")})};
  k.body = {{1, {v("i")}, Update::Assign, at(0, {place}), {{"i", size_ref("N")}}, ""}};
  return k;
}

struct Sizes {
  int64_t n, s, c;
};

/// Runs the nest of a level: X[j] is j. How often it divides, -1 where an element is wrong.
int64_t divisions(const Kernel& k, std::string_view level, const Sizes& z, FunctionRef<int64_t(int64_t)> place) {
  constexpr int64_t kElements = 300;
  OracleCall call;
  call.sizes = {{"N", z.n}, {"S", z.s}, {"M", kElements}};
  call.attrs = {{"c", {{z.c, 0, 0}}}};
  call.tensors.resize(2);
  call.tensors[0] = {DType::F32, {kElements}, std::vector<uint8_t>(kElements * sizeof(float))};
  for (int64_t j = 0; j < kElements; ++j) store_number(call.tensors[0], j, {0, static_cast<long double>(j), 0});
  NestWork work;
  const NestRun run = run_nest(lowered(k, level), call, &work);
  if (run.status != OracleStatus::Done || !run.fault.empty()) return -1;
  for (int64_t i = 0; i < z.n; ++i)
    if (load_number(call.tensors[1], i).f != static_cast<long double>(place(i))) return -1;
  return work.applied[ScalarOp::Mod] + work.applied[ScalarOp::FloorDiv];
}

int64_t floor_mod(int64_t a, int64_t b) { return ((a % b) + b) % b; }

}  // namespace

TEST_CASE("periods: every start, length and number of elements, without a division an element") {
  const Kernel k = copy(modulo(v("i") + attr_ref("c", DType::I64), size_ref("S")));
  for (const std::string_view level : {"portable", "x86-64-v4"})
    for (const Sizes& z : std::vector<Sizes>{{100, 7, 0},
                                             {100, 7, -3},
                                             {100, 64, 5},
                                             {100, 100, 0},
                                             {100, 100, 99},
                                             {100, 300, 250},
                                             {100, 1, 4},
                                             {1, 5, 4},
                                             {0, 5, 3},
                                             {0, 0, 0},
                                             {0, 0, 2},
                                             {65, 64, 0},
                                             {64, 64, -64}}) {
      INFO(level << ": " << z.n << " elements, period " << z.s << " from " << z.c);
      const int64_t divided = divisions(k, level, z, [&](int64_t i) { return floor_mod(i + z.c, z.s); });
      CHECK(divided >= 0);
      CHECK(divided <= 4 + 2 * (z.s > 0 ? z.n / z.s + 2 : 2));
    }
}

TEST_CASE("periods: the quotient goes along with the remainder") {
  const Expr i = v("i"), s = size_ref("S");
  const Kernel k = copy(quotient(i, s) + modulo(i, s));
  for (const Sizes& z : {Sizes{200, 9, 0}, Sizes{200, 16, 0}, Sizes{40, 200, 0}, Sizes{0, 0, 0}}) {
    const int64_t divided = divisions(k, "x86-64-v4", z, [&](int64_t n) { return n / z.s + n % z.s; });
    INFO("period " << z.s);
    CHECK(divided >= 0);
    CHECK(divided <= 8);
  }
}

TEST_CASE("periods: of periods within each other the shortest is the loop") {
  const Expr i = v("i") + attr_ref("c", DType::I64), s = constant_int(8), l = constant_int(32);
  const Kernel k = copy(quotient(i, l) * constant_int(16) + quotient(i, s) + modulo(i, l) + modulo(i, s));
  CHECK(count(to_text(lowered(k, "x86-64-v4")), "period") > 0);
  for (const Sizes& z : {Sizes{100, 0, 0}, Sizes{100, 0, 5}, Sizes{96, 0, -8}, Sizes{0, 0, 3}}) {
    INFO("from " << z.c);
    const int64_t divided = divisions(k, "x86-64-v4", z, [&](int64_t n) {
      const int64_t at = n + z.c, rest = floor_mod(at, 32);
      return (at - rest) / 32 * 16 + (at - floor_mod(at, 8)) / 8 + rest + floor_mod(at, 8);
    });
    CHECK(divided >= 0);
  }
  const Kernel apart = copy(modulo(v("i"), constant_int(12)) + modulo(v("i"), constant_int(8)));
  CHECK(count(to_text(lowered(apart, "x86-64-v4")), "period") == 0);
  CHECK(divisions(apart, "x86-64-v4", {100, 0, 0}, [](int64_t n) { return n % 12 + n % 8; }) == 200);
}

TEST_CASE("periods: two of them, or one that depends on the element, stay divisions") {
  const Expr i = v("i"), s = size_ref("S");
  const Kernel two = copy(modulo(i, s) + modulo(i + constant_int(1), s));
  CHECK(count(to_text(lowered(two, "x86-64-v4")), "period") == 0);
  const auto both = [](int64_t n) { return n % 7 + (n + 1) % 7; };
  CHECK(divisions(two, "x86-64-v4", {100, 7, 0}, both) == 200);
  const Kernel own = copy(modulo(s, i + constant_int(1)));
  CHECK(count(to_text(lowered(own, "x86-64-v4")), "period") == 0);
  CHECK(divisions(own, "x86-64-v4", {100, 50, 0}, [](int64_t n) { return 50 % (n + 1); }) == 100);
}

TEST_CASE("periods: a constant period of a few elements is no loop") {
  const Kernel few = copy(modulo(v("i"), constant_int(3)));
  CHECK(count(to_text(lowered(few, "x86-64-v4")), "period") == 0);
  CHECK(divisions(few, "x86-64-v4", {100, 0, 0}, [](int64_t n) { return n % 3; }) == 100);
}

}  // namespace periods_test
