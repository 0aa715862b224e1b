// Rules of simplification, and the proofs that they rest on.
#include "algebra/simplify.h"

#include "catch.h"

namespace simplify_test {

using namespace tenon;

namespace {

const Expr i = var_ref("i"), j = var_ref("j"), n = size_ref("N");
Expr c(int64_t v) { return constant_int(v); }
Expr op(ScalarOp o, const Expr& a, const Expr& b) { return apply(o, {a, b}); }

Ranges ranges() {
  Ranges r;
  r.extents = {{"i", n}, {"j", c(4)}};
  r.size_lo = {{"N", 0}};
  return r;
}
std::string simplified(const Expr& e) { return to_text(simplify(e, ranges())); }

}  // namespace

TEST_CASE("sums of constants and equal atoms come together") {
  CHECK(simplified((i + c(3)) - c(3)) == "i");
  CHECK(simplified((i + n) - i) == "N");
  CHECK(simplified(i * c(1) + c(0)) == "i");
  CHECK(simplified(i * c(0)) == "0");
}

TEST_CASE("quotients and remainders split what is a multiple") {
  CHECK(simplified(op(ScalarOp::FloorDiv, i * c(4) + j, c(4))) == "i");
  CHECK(simplified(op(ScalarOp::Mod, i * c(4) + j, c(4))) == "j");
  CHECK(simplified(op(ScalarOp::FloorDiv, i, n)) == "0");
  CHECK(simplified(op(ScalarOp::Mod, i, n)) == "i");
  CHECK(simplified(op(ScalarOp::FloorDiv, c(-7), c(2))) == "-4");
}

TEST_CASE("an extent that is a minimum bounds its variable, and so does the number in it") {
  const Expr least = op(ScalarOp::Min, size_ref("S"), c(8)), k = var_ref("k");
  Ranges r = ranges();
  r.extents["k"] = least;
  CHECK(to_text(simplify(op(ScalarOp::Min, op(ScalarOp::Max, op(ScalarOp::Min, k, least - c(1)), c(0)), c(7)), r)) ==
        "k");
  CHECK(to_text(simplify(op(ScalarOp::Min, k, c(6)), r)) == "min(k, 6)");
}

TEST_CASE("a negative of a negative is the number") {
  CHECK(simplified(apply(ScalarOp::Neg, {apply(ScalarOp::Neg, {i})})) == "i");
}

TEST_CASE("comparisons are decided by the ranges of variables") {
  CHECK(simplified(op(ScalarOp::Lt, i, n)) == "1");
  CHECK(simplified(op(ScalarOp::Ge, i, c(0))) == "1");
  CHECK(simplified(op(ScalarOp::Lt, n, i)) == "0");
  CHECK(simplified(op(ScalarOp::Max, op(ScalarOp::Min, j, c(3)), c(0))) == "j");
  CHECK(simplified(op(ScalarOp::Lt, op(ScalarOp::FloorDiv, j, c(2)), c(2))) == "1");
  CHECK(simplified(op(ScalarOp::Lt, op(ScalarOp::FloorDiv, j, c(2)), c(1))) != "1");
}

TEST_CASE("comparisons are decided by the range of a narrow type") {
  const auto element = [](DType type) { return cast_to(read_of(0, type, {i}), DType::I64); };
  CHECK(simplified(op(ScalarOp::Ge, element(DType::U8), c(0))) == "1");
  CHECK(simplified(op(ScalarOp::Ge, element(DType::U32), c(0))) == "1");
  CHECK(simplified(op(ScalarOp::Lt, element(DType::U8), c(256))) == "1");
  CHECK(simplified(op(ScalarOp::Lt, element(DType::U8), c(255))) != "1");
  CHECK(simplified(op(ScalarOp::Ge, element(DType::I8), c(-128))) == "1");
  CHECK(simplified(op(ScalarOp::Ge, element(DType::I8), c(0))) != "1");
  CHECK(simplified(op(ScalarOp::Ge, element(DType::F32), c(0))) != "1");
}

TEST_CASE("integers are compared with themselves, and those without a sign with 0") {
  const auto compared = [](ScalarOp o, DType type, bool with_zero) {
    const Expr x = read_of(0, type, {i});
    return simplified(op(o, x, with_zero ? constant_int(0, type) : x));
  };
  CHECK(compared(ScalarOp::Ne, DType::U64, false) == "0");
  CHECK(compared(ScalarOp::Eq, DType::I8, false) == "1");
  CHECK(compared(ScalarOp::Ge, DType::I32, false) == "1");
  CHECK(compared(ScalarOp::Lt, DType::U8, true) == "0");
  CHECK(compared(ScalarOp::Ge, DType::U16, true) == "1");
  for (const ScalarOp undecided : {ScalarOp::Le, ScalarOp::Gt, ScalarOp::Eq, ScalarOp::Ne})
    CHECK(compared(undecided, DType::U32, true).size() > 1);
  CHECK(compared(ScalarOp::Lt, DType::I32, true).size() > 1);
  CHECK(compared(ScalarOp::Ne, DType::F32, false).size() > 1);  // NaN
  CHECK(simplified(op(ScalarOp::Gt, constant_int(0, DType::U8), read_of(0, DType::U8, {i}))) == "0");
  CHECK(simplified(op(ScalarOp::Le, constant_int(0, DType::U8), read_of(0, DType::U8, {i}))) == "1");
}

TEST_CASE("a number with a bit that is set is not 0") {
  for (const DType type : {DType::I8, DType::I64}) {
    const Expr x = read_of(0, type, {i}), zero = constant_int(0, type);
    CHECK(simplified(op(ScalarOp::Eq, op(ScalarOp::BitOr, x, constant_int(1, type)), zero)) == "0");
    CHECK(simplified(op(ScalarOp::Ne, op(ScalarOp::BitOr, constant_int(-4, type), x), zero)) == "1");
    CHECK(simplified(op(ScalarOp::Eq, op(ScalarOp::BitOr, x, zero), zero)).size() > 1);
  }
}

TEST_CASE("a size without a low end proves nothing") {
  const Expr mode = size_ref("mode");
  CHECK(simplified(op(ScalarOp::Eq, mode, c(0))) == to_text(op(ScalarOp::Eq, mode, c(0))));
}

TEST_CASE("float arithmetic keeps its bits") {
  const Expr x = attr_ref("x", DType::F32);
  const Expr plus_zero = apply(ScalarOp::Add, {x, constant_float(0, DType::F32)});
  CHECK(same(simplify(plus_zero), plus_zero));
  CHECK(same(simplify(apply(ScalarOp::Mul, {x, constant_float(1, DType::F32)})), x));
}

TEST_CASE("constants are computed as the kernel would") {
  const auto number = [](double f, DType t) { return constant_float(f, t); };
  const Expr third = apply(ScalarOp::Mul, {number(1.0f / 3, DType::F32), number(3, DType::F32)});
  CHECK(same(simplify(third), number(1.0f / 3 * 3.0f, DType::F32)));
  CHECK(same(simplify(cast_to(apply(ScalarOp::Add, {number(-0.75, DType::F64), number(2, DType::F64)}), DType::F32)),
             number(1.25, DType::F32)));
  CHECK(same(simplify(apply(ScalarOp::Sub, {number(16777216, DType::F32), number(-1, DType::F32)})),
             number(16777216, DType::F32)));
  for (const Expr& left : {apply(ScalarOp::Mul, {number(3e38, DType::F32), number(2, DType::F32)}),
                           apply(ScalarOp::Mul, {number(0, DType::F64), number(-1, DType::F64)}),
                           apply(ScalarOp::Add, {number(1, DType::BF16), number(2, DType::BF16)})})
    CHECK(same(simplify(left), left));
}

TEST_CASE("selections with a decided condition are their arm") {
  CHECK(simplified(select(op(ScalarOp::Lt, i, n), i, c(7))) == "i");
}

TEST_CASE("a selection between two numbers that tells them apart is one of them") {
  CHECK(simplified(select(op(ScalarOp::Ne, i, c(3)), i, c(3))) == "i");
  CHECK(simplified(select(op(ScalarOp::Ne, c(3), i), i, c(3))) == "i");
  CHECK(simplified(select(op(ScalarOp::Eq, i, c(3)), c(3), i)) == "i");
  CHECK(simplified(select(op(ScalarOp::Ne, i, c(3)), i, c(4))) != "i");
  const Expr x = running_ref("x", DType::F32), zero = constant_float(0, DType::F32);
  CHECK(simplified(select(op(ScalarOp::Ne, x, zero), x, zero)) != "x");  // x may be -0
}

TEST_CASE("equal subexpressions become one node") {
  SharedExprs shared;
  const Expr a = shared.share(i * n + j), b = shared.share(i * n + j);
  CHECK(a == b);
}

TEST_CASE("affine forms name the coefficient of one variable") {
  const auto a = affine_in((i + j) * n - c(2), "i");
  REQUIRE(a);
  CHECK(to_text(a->coefficient) == "N");
  CHECK(!affine_in(i * i, "i"));
}

}  // namespace simplify_test
