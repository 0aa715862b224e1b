// What wrapping leaves of integers, and the indices of kernels that are brought into their dims because of it.
#include "algebra/integer_states.h"

#include <cstring>
#include <random>

#include "algebra/simplify.h"
#include "catch.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"
#include "oracle/run_kernel.h"
#include "support/ranges.h"

namespace integer_states_test {

using namespace tenon;

namespace {

constexpr int64_t kMax = INT64_MAX, kMin = INT64_MIN;

/// A kernel with an i64 and an i32 tensor, a size N and an attribute a.
Kernel data() {
  Kernel k;
  for (const DType type : {DType::I64, DType::I32})
    k.tensors.push_back(
        {"T" + std::to_string(k.tensors.size()), Role::Input, type, {size_ref("N")}, {constant_int(1)}});
  k.sizes = {{"N"}, {"a", INT64_MIN}};
  return k;
}

Expr element(int tensor) { return read_of(tensor, tensor == 0 ? DType::I64 : DType::I32, {var_ref("n")}); }
Expr wide_element() { return cast_to(element(1), DType::I64); }
Expr least(const Expr& a, const Expr& b) { return apply(ScalarOp::Min, {a, b}); }
Expr most(const Expr& a, const Expr& b) { return apply(ScalarOp::Max, {a, b}); }
Expr number(int64_t v) { return constant_int(v); }

Exactness state(const Expr& e, IndexPart part = IndexPart::Term) {
  const Kernel k = data();
  return IntegerStates(k).of(e, part).exactness;
}

Kernel kernel_of(const std::string& rest) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: f
    in: {X: "i64[N]", V: "f32[M]"}
    out: {Y: "f32[N]"}
    require: [M >= 1]
)" + rest)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"f"}, {}});
  REQUIRE(library);
  return library->ops[0].kernels[0].kernel;
}

}  // namespace

TEST_CASE("integers: sums and products wrap, and what is made of them otherwise is wrong") {
  CHECK(state(element(0)) == Exactness::Exact);
  CHECK(state(wide_element() * number(7)) == Exactness::Exact);
  CHECK(state(element(1) * constant_int(7, DType::I32)) == Exactness::Congruent);
  CHECK(state(cast_to(element(1) * constant_int(7, DType::I32), DType::I64)) == Exactness::Wrong);
  const Expr wraps = element(0) * number(7);
  CHECK(state(wraps) == Exactness::Congruent);
  CHECK(state(wraps - element(0)) == Exactness::Congruent);
  for (const ScalarOp op :
       {ScalarOp::Min, ScalarOp::Max, ScalarOp::FloorDiv, ScalarOp::Mod, ScalarOp::Shr, ScalarOp::Lt})
    CHECK(state(apply(op, {wraps, number(4)})) == Exactness::Wrong);
  CHECK(state(apply(ScalarOp::Abs, {wraps})) == Exactness::Wrong);
  CHECK(state(apply(ScalarOp::BitAnd, {wraps, number(63)})) == Exactness::Exact);
  CHECK(state(select(apply(ScalarOp::Lt, {wraps, number(3)}), number(1), number(2))) == Exactness::Wrong);
  CHECK(state(apply(ScalarOp::Neg, {element(0)})) == Exactness::Congruent);
  CHECK(state(apply(ScalarOp::FloorDiv, {most(element(0), number(0)), number(2)}) + number(1)) == Exactness::Exact);
  CHECK(state(reduce(Reducer::Sum, {{"k", size_ref("N")}}, nullptr, wide_element(), DType::I64)) ==
        Exactness::Congruent);
  const Expr below_8 = apply(ScalarOp::Mod, {wide_element(), number(8)});
  CHECK(state(reduce(Reducer::Sum, {{"k", size_ref("N")}}, nullptr, below_8, DType::I64)) == Exactness::Exact);
}

TEST_CASE("integers: an attribute is limited where it is a part of an index") {
  const Expr a = size_ref("a"), n = var_ref("n");
  CHECK(state(least(a + n, size_ref("N"))) == Exactness::Exact);
  CHECK(state(least(a * a, size_ref("N"))) == Exactness::Exact);
  CHECK(state(least(a * a * a, size_ref("N"))) == Exactness::Wrong);
  CHECK(state(least(a + n, size_ref("N")), IndexPart::Value) == Exactness::Wrong);
  CHECK(state(a * n + a) == Exactness::Congruent);
}

TEST_CASE("integers: the bounds contain what kernels compute") {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<int64_t> ends = {0,         1,        -1, 7, kMax, kMin, kMax / 7, kMin / 3, int64_t{1} << 62,
                                     INT32_MAX, INT32_MIN};
  const std::vector<ScalarOp> ops = {ScalarOp::Add,   ScalarOp::Sub,      ScalarOp::Mul, ScalarOp::Min,
                                     ScalarOp::Max,   ScalarOp::FloorDiv, ScalarOp::Mod, ScalarOp::BitAnd,
                                     ScalarOp::BitOr, ScalarOp::BitXor};
  const Kernel k = data();
  for (int round = 0; round < 20000; ++round) {
    const int64_t x = ends[static_cast<size_t>(below(11))];
    std::vector<std::pair<Expr, int64_t>> made = {{element(0), x}, {number(x), x}};
    for (int step = 0; step < 5; ++step) {
      const auto [a, u] = made[static_cast<size_t>(below(static_cast<int>(made.size())))];
      int64_t v = ends[static_cast<size_t>(below(11))];
      const ScalarOp op = ops[static_cast<size_t>(below(10))];
      if (op == ScalarOp::FloorDiv || op == ScalarOp::Mod) v = 1 + below(9);
      const auto wraps = compute(op, u, v);
      if (!wraps) continue;
      made.emplace_back(apply(op, {a, number(v)}), *wraps);
    }
    for (const auto& [e, value] : made) {
      const IntegerState s = IntegerStates(k).of(e, IndexPart::Term);
      if (s.lo > value || s.hi < value) FAIL(to_text(e) << " is " << value);
    }
  }
}

TEST_CASE("indices: a u64 from 2^63 on is negative as an i64, so that its clamp stays") {
  const Expr e = most(cast_to(read_of(0, DType::U64, {}), DType::I64), number(0));
  CHECK(same(simplify(e, {}), e));
}

TEST_CASE("indices: what may wrap is brought into the dim, other indices stay as they are") {
  const auto clamps = [](const std::string& rest) {
    const std::string text = to_text(kernel_of("    body: " + rest));
    return text.find("min(max(") != std::string::npos;
  };
  CHECK(clamps("\"Y[n] = V[min(max(X[n], 1)*7, M - 1)]\""));
  CHECK(clamps("|\n      k[n] = max(X[n], 1)*7\n      Y[n] = V[min(k[n], M - 1)]"));
  CHECK_FALSE(clamps("\"Y[n] = V[min(max(X[n], 1)//7, M - 1)]\""));
  CHECK_FALSE(clamps("\"Y[n] = V[wrap(X[n]*7, M)] + V[mirror(X[n]*7, M)] + V[(X[n]*7) % M]\""));
  CHECK_FALSE(clamps("\"Y[n] = padded(V[X[n]*7], 0)\""));
  const std::string own = to_text(kernel_of("    body: \"Y[n] = V[clamp(X[n]*7, 0, M - 1)]\""));
  CHECK(own.find("min(max(min") == std::string::npos);
}

TEST_CASE("indices: sums that may leave i64 are computed without signs, others as they are written") {
  const auto without_signs = [](const std::string& body) {
    return to_text(kernel_of("    attrs: {a: int}\n    body: |\n      " + body)).find("i64(u64(") != std::string::npos;
  };
  CHECK(without_signs("Y[n] = padded(V[X[n]*7], 0)"));
  CHECK(without_signs("Y[n] = padded(V[X[n] + n], 0)"));
  CHECK(without_signs("k[n] = X[n]*7\n      Y[n] = padded(V[k[n] - n], 0)"));
  CHECK(without_signs("Y[n] = padded(V[a*a*4 + n], 0) + cast(X[n], f32)"));
  CHECK_FALSE(without_signs("Y[n] = padded(V[X[n]], 0)"));
  CHECK_FALSE(without_signs("Y[n] = padded(V[n*a + a - 1], 0) + cast(X[n], f32)"));
  CHECK_FALSE(without_signs("k[n] = n*M//3\n      Y[n] = padded(V[k[n] + n], 0) + cast(X[n], f32)"));
  CHECK_FALSE(without_signs("Y[n] = padded(V[clamp(X[n], 0, M)*2 + wrap(X[n], M)*n], 0)"));
}

TEST_CASE("indices: the elements that are read exist for all data") {
  for (const char* index :
       {"min(max(X[n], 1)*7, M - 1)", "min(abs(max(X[n], 1)*3), M - 1)", "min(sum[i](max(X[i], 0)), M - 1)",
        "min(max(X[n], 1)*max(X[n], 1), M - 1)", "min(sq(max(X[n], 0)) + 1, M - 1)", "(max(X[n], 1)*7) % 7",
        "min(max(X[n], 0)*5//3, M - 1)", "select(max(X[n], 1)*7 < M, max(X[n], 1)*7, 0)"}) {
    INFO(index);
    const Kernel k = kernel_of(std::string("    body: \"Y[n] = V[") + index + "]\"");
    for (const int64_t x : {kMax, kMin, int64_t{1} << 62, int64_t{0}, int64_t{-1}, kMax / 7 + 1}) {
      OracleCall call;
      for (const Size& s : k.sizes) call.sizes[s.name] = s.name == "N" ? 2 : 3;
      call.tensors.resize(k.tensors.size());
      call.tensors[0] = {DType::I64, {2}, {}};
      call.tensors[1] = {DType::F32, {3}, {}};
      call.tensors[0].bytes.resize(16);
      call.tensors[1].bytes.resize(12);
      const int64_t values[] = {x, x};
      std::memcpy(call.tensors[0].bytes.data(), values, 16);
      call.any_sizes = true;
      CHECK(run_kernel(k, call) == OracleStatus::Done);
    }
  }
}

}  // namespace integer_states_test
