// Integers at the ends of 64 bits: simplified expressions over data give what wrapping arithmetic gives, and
// numbers that leave their type are found.
#include <algorithm>
#include <limits>
#include <random>

#include "algebra/overflow.h"
#include "algebra/simplify.h"
#include "catch.h"

namespace wrapping_test {

using namespace tenon;

namespace {

__extension__ using Wide = __int128;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();

int64_t wrapped(Wide v) { return static_cast<int64_t>(static_cast<uint64_t>(v)); }
Wide quotient(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// `e` where element 0 of tensor k is data[k]. With `wraps` each step keeps 64 bits.
struct Evaluation {
  std::vector<int64_t> data;
  bool wraps = true;

  Wide of(const Expr& e) const {
    if (const auto v = constant_value(e)) return *v;
    if (const auto* r = std::get_if<Read>(&e->node)) return data[static_cast<size_t>(r->tensor)];
    if (const auto* s = std::get_if<Select>(&e->node)) return of(s->cond) != 0 ? of(s->yes) : of(s->no);
    const auto& a = std::get<Apply>(e->node);
    const Wide x = of(a.args[0]), y = a.args.size() > 1 ? of(a.args[1]) : 0;
    const Wide r = applied(a.op, x, y);
    return wraps ? wrapped(r) : r;
  }

  static Wide applied(ScalarOp op, Wide x, Wide y) {
    switch (op) {
      case ScalarOp::Add: return x + y;
      case ScalarOp::Sub: return x - y;
      case ScalarOp::Mul: return x * y;
      case ScalarOp::Neg: return -x;
      case ScalarOp::Not: return x == 0;
      case ScalarOp::FloorDiv: return quotient(x, y);
      case ScalarOp::Mod: return x - quotient(x, y) * y;
      case ScalarOp::Min: return std::min(x, y);
      case ScalarOp::Max: return std::max(x, y);
      case ScalarOp::Lt: return x < y;
      case ScalarOp::Le: return x <= y;
      case ScalarOp::Gt: return x > y;
      case ScalarOp::Ge: return x >= y;
      case ScalarOp::Eq: return x == y;
      case ScalarOp::Ne: return x != y;
      default: FAIL("no such step in these tests"); return 0;
    }
  }
};

/// Random arithmetic on two elements, or on none.
class Draw {
 public:
  Draw(unsigned seed, bool data) : random_(seed), data_(data) {}

  Expr number(int depth) {
    if (depth == 0 || below(6) == 0)
      return below(3) == 0 || !data_ ? constant_int(great() ? extreme() : below(9) - 4)
                                     : read_of(static_cast<int>(below(2)), DType::I64, {});
    switch (below(8)) {
      case 0: return apply(ScalarOp::Sub, {number(depth - 1), number(depth - 1)});
      case 1: return apply(ScalarOp::Mul, {number(depth - 1), constant_int(below(5) - 2)});
      case 2: return apply(ScalarOp::FloorDiv, {number(depth - 1), constant_int(1 + below(4))});
      case 3: return apply(ScalarOp::Mod, {number(depth - 1), constant_int(1 + below(4))});
      case 4: return apply(ScalarOp::Min, {number(depth - 1), number(depth - 1)});
      case 5: return apply(ScalarOp::Max, {number(depth - 1), number(depth - 1)});
      case 6: return select(condition(depth - 1), number(depth - 1), number(depth - 1));
      default: return apply(ScalarOp::Add, {number(depth - 1), number(depth - 1)});
    }
  }
  Expr condition(int depth) {
    constexpr ScalarOp ops[] = {ScalarOp::Lt, ScalarOp::Le, ScalarOp::Gt, ScalarOp::Ge, ScalarOp::Eq, ScalarOp::Ne};
    return apply(ops[below(6)], {number(depth), number(depth)});
  }
  int64_t extreme() {
    const int64_t ends[] = {kMax, kMin, kMax / 2, kMin / 2, kMax / 3, 0, 1, -1};
    return wrapped(Wide{ends[below(8)]} + below(5) - 2);
  }

 private:
  int64_t below(int64_t n) { return std::uniform_int_distribution<int64_t>(0, n - 1)(random_); }
  bool great() { return !data_ && below(3) == 0; }
  std::mt19937 random_;
  bool data_;
};

}  // namespace

TEST_CASE("simplification of data: elements at the ends of 64 bits wrap as they did before") {
  int changed = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Draw draw(seed, true);
    const Expr e = draw.number(4), s = simplify(e, {});
    if (same(e, s)) continue;
    ++changed;
    for (int k = 0; k < 12; ++k) {
      const Evaluation evaluation{{draw.extreme(), draw.extreme()}};
      const int64_t want = wrapped(evaluation.of(e)), got = wrapped(evaluation.of(s));
      if (want == got) continue;
      FAIL(to_text(e) << " was " << want << " and is " << got << " as " << to_text(s) << " of " << evaluation.data[0]
                      << ", " << evaluation.data[1]);
    }
  }
  CHECK(changed > 2000);
}

TEST_CASE("sizes: what does not overflow is the exact number, and what is not exact overflows") {
  int fits = 0, leaves = 0;
  for (unsigned seed = 0; seed < 20000; ++seed) {
    Draw draw(seed, false);
    const Expr e = draw.number(4);
    if (overflows(e)) {
      ++leaves;
      continue;
    }
    ++fits;
    const auto v = constant_value(simplify(e, {}));
    INFO(to_text(e));
    if (!v || Evaluation{{}, false}.of(e) != *v) FAIL("simplified to " << to_text(simplify(e, {})));
  }
  CHECK(fits > 2000);
  CHECK(leaves > 500);
}

TEST_CASE("sizes: an arm that is not taken does not overflow, nor does what follows a decided condition") {
  const Expr great = constant_int(kMax), over = apply(ScalarOp::Add, {great, constant_int(1)}),
             never = constant_int(0, DType::Bool);
  CHECK(overflows(over));
  CHECK(overflows(apply(ScalarOp::Sub, {constant_int(kMin), constant_int(1)})));
  CHECK(overflows(apply(ScalarOp::Mul, {size_ref("N"), over})));
  CHECK_FALSE(overflows(select(never, over, great)));
  CHECK_FALSE(overflows(apply(ScalarOp::And, {never, apply(ScalarOp::Lt, {over, great})})));
  CHECK_FALSE(overflows(apply(ScalarOp::Mul, {size_ref("N"), great})));
}

TEST_CASE("indices: a great constant times a variable may wrap, sizes and variables alone do not") {
  const Expr i = var_ref("i"), n = size_ref("N");
  CHECK(may_wrap(i * constant_int(int64_t{1} << 62)));
  CHECK_FALSE(may_wrap(i * n + i * constant_int(4096)));
  CHECK(may_wrap(read_of(0, DType::I64, {i}) + constant_int(1)));
  CHECK_FALSE(may_wrap(cast_to(read_of(0, DType::I32, {i}), DType::I64) * constant_int(4096) + i));
  CHECK_FALSE(may_wrap(apply(ScalarOp::Max, {apply(ScalarOp::Min, {read_of(0, DType::I64, {i}), n}), constant_int(0)}) +
                       constant_int(1)));
}

}  // namespace wrapping_test
