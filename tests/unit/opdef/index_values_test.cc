// check_op: what is known of data that indexes data, and that nothing follows from real or narrow arithmetic.
#include "catch.h"
#include "unit/opdef/read_text.h"

namespace index_values_test {

namespace {

/// A definition of one op over X of the given type, a table L: T[N] and a real attribute.
tenon::Diagnostics problems(const std::string& x, const std::string& body, const std::string& more = "") {
  const auto library = tenon_test::read_text(
      "ops:\n  - op: f\n    types: {T: any, I: index, R: real}\n    attrs: {scale: float = 1, alpha: R = 1, n: int = "
      "1}\n"
      "    in: {X: \"" +
      x + "\", L: \"T[N]\", Ix: \"I[M]\", Z: \"R[M]\"}\n    require: [N > 0" + more +
      "]\n    out: {Y: \"T[M]\"}\n    body: |\n      " + body + "\n");
  return library.diagnostics();
}

bool accepted(const std::string& x, const std::string& body, const std::string& more = "") {
  const tenon::Diagnostics d = problems(x, body, more);
  UNSCOPED_INFO(d.text());
  return !d.has_errors();
}

}  // namespace

TEST_CASE("check_op: narrow whole types bound what they index") {
  CHECK(accepted("u8[M]", "Y[i] = L[X[i]]", ", N == 256"));
  CHECK_FALSE(accepted("u8[M]", "Y[i] = L[X[i]]", ", N == 255"));
  CHECK_FALSE(accepted("i8[M]", "Y[i] = L[X[i]]", ", N == 256"));
  CHECK(accepted("i8[M]", "Y[i] = L[X[i] + 128]", ", N >= 256"));
  CHECK(accepted("bool[M]", "Y[i] = L[X[i]]", ", N == 2"));
  CHECK(accepted("u4[M]", "Y[i] = L[X[i]]", ", N == 16"));
  CHECK_FALSE(accepted("u4[M]", "Y[i] = L[X[i]]", ", N == 15"));
  CHECK(accepted("i4[M]", "Y[i] = L[X[i] + 8]", ", N == 16"));
  CHECK_FALSE(accepted("f16[M]", "Y[i] = L[X[i]]", ", N == 65536"));
}

TEST_CASE("check_op: casts to narrow types and bits of narrow values keep to their ranges", "[slow]") {
  CHECK(accepted("i64[M]", "Y[i] = L[cast(X[i], u8)]", ", N == 256"));
  CHECK_FALSE(accepted("i64[M]", "Y[i] = L[cast(X[i], u8)]", ", N == 255"));
  CHECK_FALSE(accepted("i64[M]", "Y[i] = L[cast(X[i], i8)]", ", N == 256"));
  CHECK(accepted("f32[M]", "Y[i] = L[cast(X[i], u8)]", ", N == 256"));
  CHECK(accepted("u8[M]", "Y[i] = L[bit_xor(X[i], cast(Ix[i], u8))]", ", N == 256"));
  CHECK(accepted("u8[M]", "Y[i] = L[bit_or(shr(X[i], 4), 8)]", ", N == 16"));
  CHECK_FALSE(accepted("u8[M]", "Y[i] = L[bit_xor(X[i], Ix[i])]", ", N == 256"));
  CHECK_FALSE(accepted("i8[M]", "Y[i] = L[bit_or(X[i], 1)]", ", N == 256"));
  CHECK(accepted("i64[M]", "Y[i] = L[bit_and(X[i], N - 1)]"));
  CHECK_FALSE(accepted("i64[M]", "Y[i] = L[bit_and(X[i], N)]"));
}

TEST_CASE("check_op: the accumulator of a fold keeps to the range of what it begins with") {
  const auto table = [&](const std::string& start, const std::string& more) {
    return !tenon_test::read_text(
                "ops:\n  - op: f\n    in: {X: \"u8[M]\", C: \"u32[256]\"}\n    out: {Y: \"u32[]\"}\n    body: |\n"
                "      z[] = fold[j](a = " +
                start + ", a + C[bit_xor(a, X[j])])\n      Y[] = cast(z[], u32)" + more + "\n")
                .diagnostics()
                .has_errors();
  };
  CHECK(table("cast(1, u8)", ""));
  CHECK_FALSE(table("cast(1, u16)", ""));
  // The same name has another type in the next fold.
  CHECK_FALSE(table("cast(1, u8)", " + fold[j](a = cast(1, u32), C[bit_xor(a, X[j])])"));
}

TEST_CASE("check_op: what is known of the start of a fold does not hold for its steps") {
  const auto started = [](const std::string& x, const std::string& start) {
    const std::string op = "ops:\n  - op: f\n    in: {X: \"" + x +
                           "[M]\", V: \"u8[16]\"}\n    out: {Y: \"u8[M]\"}\n    index: {j: 5}\n"
                           "    tables: {P: {type: \"u8[16]\", of: [p], values: \"p\"}}\n    body: |\n"
                           "      k[i] = X[i] % 16\n      Y[i] = cast(k[i], u8) + cast(fold[j](a = " +
                           start + ", u8)\n";
    return !tenon_test::read_text(op).diagnostics().has_errors();
  };
  CHECK_FALSE(started("i32", "k[i], a + V[a])"));
  CHECK_FALSE(started("u8", "P[k[i]], a + V[a])"));
  CHECK_FALSE(started("u4", "X[i], a + V[a])"));
  CHECK(started("u8", "P[k[i]], V[a % 16])"));
}

TEST_CASE("check_op: a fold whose steps are in a range whatever was before is in that range") {
  const auto automaton = [](const std::string& start, const std::string& step, const std::string& type) {
    const std::string op =
        "ops:\n  - op: f\n    in: {X: \"u8[M]\", Z: \"i64[M]\"}\n    out: {Y: \"f32[M]\", K: \"i64[]\"}\n"
        "    tables: {Q: {type: \"" +
        type +
        "[3, 3]\", values: [[0, 2, 1], [1, 1, 0], [2, 0, 2]]}}\n"
        "    index: {j: M}\n    body: |\n      k[i] = fold[j : j < i](a = " +
        start + ", " + step + ")\n      K[] = sum[i](cast(Q[k[i],0], i64))\n      Y[i] = cast(X[i], f32)\n";
    return !tenon_test::read_text(op).diagnostics().has_errors();
  };
  for (const std::string type : {"i64", "u8", "i32"}) {
    CHECK(automaton("1", "Q[a,X[j] % 3]", type));
    CHECK(automaton("cast(2, " + type + ")", "select(X[j] < 9, Q[a,X[j] % 3], 1)", type));
    CHECK_FALSE(automaton("3", "Q[a,X[j] % 3]", type));
    CHECK_FALSE(automaton("1", "Q[a,X[j] % 3] + 1", type));
    CHECK_FALSE(automaton("1", "Q[a,X[j] % 3] + a", type));
  }
  CHECK_FALSE(automaton("Z[j]", "Q[a,X[j] % 3]", "i64"));
  CHECK(automaton("Z[i] % 3", "Q[a,X[j] % 3]", "i64"));
}

TEST_CASE("check_op: guards and shifts of intermediates of integers") {
  const auto reads = [](const std::string& x, const std::string& low, const std::string& at) {
    const std::string op = "ops:\n  - op: f\n    in: {X: \"" + x +
                           "[M]\"}\n    out: {Y: \"u8[M]\"}\n"
                           "    tables: {P: {type: \"u8[32]\", of: [p], values: \"p\"}}\n    body: |\n"
                           "      l[i] = " +
                           low + "\n      k[i] = " + at + "\n      Y[i] = P[k[i]]\n";
    return !tenon_test::read_text(op).diagnostics().has_errors();
  };
  for (const std::string x : {"i32", "u32", "u64"})
    for (const std::string at :
         {"wrap(l[i], 32)", "clamp(l[i], 0, 31)", "mirror(l[i], 32)", "wrap(bit_xor(l[i], 3), 32)"})
      CHECK(reads(x, "shl(X[i], 1)", at));
  CHECK_FALSE(reads("f32", "2*X[i]", "clamp(l[i], 0, 31)"));
  CHECK(reads("u32", "bit_and(X[i], -X[i])", "shr(l[i]*0x077CB531, 27)"));
  CHECK(reads("u16", "3*X[i]", "shr(l[i], 11)"));
  CHECK_FALSE(reads("u32", "3*X[i]", "shr(l[i], 26)"));
  CHECK_FALSE(reads("i32", "3*X[i]", "shr(l[i], 27)"));
  CHECK_FALSE(reads("u64", "3*X[i]", "shr(l[i], 27)"));
}

TEST_CASE("check_op: folds, bits, functions and results of calls are integers where their type is one") {
  const auto guarded = [](const std::string& type, const std::string& index) {
    const std::string op =
        "fn:\n  twice(x): 2*x + shr(x, 1)\nops:\n  - op: places\n    types: {T: real}\n    in: {X: "
        "\"T[N]\"}\n    out: {At: \"i64[N]\"}\n    body: At[n] = sum[m](X[m] < X[n])\n  - op: f\n"
        "    in: {X: \"" +
        type + "[M]\", L: \"i32[9]\"}\n    out: {Y: \"i32[M]\"}\n    index: {j: M}\n    body: |\n" +
        "      at = places(X)\n      Y[i] = L[" + index + "] + cast(at[i], i32)\n";
    return !tenon_test::read_text(op).diagnostics().has_errors();
  };
  CHECK(guarded("i32", "fold[j](a = cast(1, i32), 3*a + X[j]) % 9"));
  CHECK(guarded("i32", "fold[j](a = 1, 3*a + X[j]) % 9"));
  CHECK_FALSE(guarded("f32", "fold[j](a = 1, 3*a + X[j]) % 9"));
  CHECK_FALSE(guarded("f32", "fold[j](a = X[i], 3*a) % 9"));
  CHECK(guarded("f32", "bits(X[i], u32) % 9"));
  CHECK(guarded("i32", "twice(X[i]) % 9"));
  CHECK_FALSE(guarded("f32", "twice(X[i]) % 9"));
  CHECK(guarded("f32", "at[i] % 9"));
  CHECK(guarded("i16", "sign(X[i]) + 1"));
  CHECK_FALSE(guarded("f32", "sign(X[i]) + 1"));
}

TEST_CASE("check_op: tables of formulas keep to the ranges of their numbers") {
  const auto read = [](const std::string& formula) {
    const std::string op =
        "ops:\n  - op: f\n    tables: {A: {type: \"u8[4]\", values: [1, 5, 2, 3]}, P: {type: "
        "\"u8[4]\", of: [k], values: \"" +
        formula + "\"}}\n    in: {X: \"i32[6]\"}\n    index: {i: 4}\n    out: {Y: \"i32[4]\"}\n" +
        "    body: Y[i] = X[P[i]]\n";
    return !tenon_test::read_text(op).diagnostics().has_errors();
  };
  CHECK(read("k + 2"));
  CHECK_FALSE(read("k + 3"));
  CHECK(read("(5*k + 3) % 6"));
  CHECK(read("A[3 - k]"));
  CHECK(read("select(k == 0, 5, A[padded(P[k - 1], 0) % 4])"));
  CHECK_FALSE(read("k*k"));
}

TEST_CASE("check_op: a rest of integers lies below its divisor, one of reals may round up to it") {
  CHECK(accepted("i8[M]", "Y[i] = L[Ix[i] % N]"));
  CHECK(accepted("i32[M]", "Y[i] = L[(X[i] + Ix[i]*3) % N]"));
  CHECK_FALSE(accepted("f32[M]", "Y[i] = L[X[i] % N]"));
  CHECK_FALSE(accepted("i8[M]", "Y[i] = L[Z[i] % N]"));
  CHECK_FALSE(accepted("i8[M]", "Y[i] = L[Ix[i] % n]"));
}

TEST_CASE("check_op: intermediates are integers where all that defines them is") {
  CHECK(accepted("i8[M]", "k[i] = 3*cast(X[i], u32)\n      Y[i] = L[shr(k[i], i) % N]"));
  CHECK(accepted("i8[M]", "k[i] = sum[j : j <= i](cast(X[j], i32))\n      Y[i] = L[k[i] % N]"));
  CHECK(accepted("u8[M]", "k[i] = padded(k[i - 1], 0)*5 + cast(X[i], u32)\n      Y[i] = L[k[i] % N]"));
  CHECK(accepted("f32[M]", "Y[i] = L[cast(X[i], i64) % N]"));
  CHECK(accepted("u8[M]", "Y[i] = L[bit_and(padded(X[i - 1], 0), 7)]", ", N >= 8"));
  CHECK(accepted("u8[M]", "Y[i] = L[padded(X[i - 1], 3)]", ", N >= 256"));
  CHECK_FALSE(accepted("u8[M]", "Y[i] = L[padded(X[i - 1], 256)]", ", N >= 256"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = 3*X[i]\n      Y[i] = L[k[i] % N]"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = padded(k[i - 1], 0) + X[i]\n      Y[i] = L[k[i] % N]"));
  CHECK_FALSE(accepted("i8[M]", "k[i] = 0\n      k[Ix[i] % M] += 0.5\n      Y[i] = L[k[i] % N]", ", M > 0"));
}

TEST_CASE("check_op: what holds for a list holds for the element that a variable chooses") {
  const auto reads = [](const std::string& require) {
    return !tenon_test::read_text(
                "ops:\n  - op: f\n    types: {T: real}\n    attrs: {by: \"int[]\"}\n    in: {X: \"T[N]\"}\n"
                "    require: [by < N" +
                require +
                "]\n    let: {K: count(by)}\n    out: {Y: \"T[K, N]\"}\n"
                "    body: Y[k,n] = X[by[k]] + padded(Y[k,n - 1 - by[k]], 0)\n")
                .diagnostics()
                .has_errors();
  };
  CHECK(reads(", by >= 0"));
  CHECK_FALSE(reads(", by >= -1"));
}

TEST_CASE("check_op: a variable of two extents runs over the one that require proves to be the smaller") {
  const auto reads = [](const std::string& require) {
    return !tenon_test::read_text(
                "ops:\n  - op: f\n    types: {T: real}\n    in: {Ptr: \"i64[P]\", Row: \"i64[E]\", X: \"T[K]\", Z: "
                "\"T[M]\"}\n"
                "    require: [" +
                require +
                "]\n    out: {Y: \"T[M]\"}\n    body: |\n      Y[m] = Z[m]\n"
                "      Y[wrap(Row[e], M)] += X[k] where e in Ptr[k] .. Ptr[k + 1]\n")
                .diagnostics()
                .has_errors();
  };
  CHECK(reads("P == K + 1"));
  CHECK(reads("K <= P - 1"));
  CHECK_FALSE(reads("K == P"));
  CHECK_FALSE(reads("K >= 0"));
}

TEST_CASE("check_op: intermediates of i64 stand for their definitions") {
  CHECK(accepted("f32[M]", "k[i] = clamp(cast(X[i], i64) - 1, 0, N - 1)\n      Y[i] = L[k[i]]"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = clamp(cast(X[i], i64) - 1, 0, N - 1)\n      Y[i] = L[k[i] + 1]"));
  CHECK(accepted("f32[M, N]", "k[i] = argmax[j](X[i,j])\n      Y[i] = L[k[i]]"));
  CHECK_FALSE(accepted("f32[M, N]", "k[i] = argmax[j](X[i,j])\n      Y[i] = L[k[i] + 1]"));
  // Guards of integers are computed in i64.
  CHECK(accepted("i8[M]", "k[i] = clamp(X[i], 0, N - 1)\n      Y[i] = L[k[i]]"));
  CHECK(accepted("u8[M]", "k[i] = clamp(X[i], 0, 4) - 1\n      Y[i] = L[k[i] + 1]", ", N == 8"));
  CHECK_FALSE(accepted("u8[M]", "k[i] = clamp(X[i], 0, 4) - 1\n      Y[i] = L[k[i]]", ", N == 8"));
  // Computed in i8, in f32, or changed later: nothing is known.
  CHECK_FALSE(accepted("i8[M]", "k[i] = clamp(X[i], 0, N - 1) + X[i]\n      Y[i] = L[k[i]]"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = clamp(X[i], 0, N - 1)\n      Y[i] = L[k[i]]"));
  CHECK_FALSE(accepted("i64[M]", "k[i] = clamp(X[i], 0, N - 1)\n      k[i] += 1\n      Y[i] = L[k[i]]"));
}

TEST_CASE("check_op: intermediates of any integer type keep to the range of their expressions") {
  CHECK(accepted("f32[M]", "k[i] = cast(floor(X[i]), i32) % 9\n      Y[i] = L[k[i]]", ", N == 9"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = cast(floor(X[i]), i32) % 9\n      Y[i] = L[k[i]]", ", N == 8"));
  CHECK(accepted("u8[M]", "k[i] = select(X[i] > 7, X[i] % 4, 3) + 4*(X[i] % 2)\n      Y[i] = L[k[i]]", ", N == 8"));
  CHECK(accepted("u8[M]", "k[i] = (padded(k[i - 1], 0) + X[i]) % 5\n      Y[i] = L[k[i]]", ", N == 5"));
  CHECK(accepted("u32[M]", "k[i] = clamp(X[i], 1, 300) - 1\n      Y[i] = L[shr(k[i], 1)]", ", N == 150"));
  CHECK(accepted("u64[M]", "Y[i] = L[cast(X[i]//64 % cast(N, u64), i64)]"));
  CHECK(accepted("u64[M]", "k[i] = X[i]*0x9E3779B97F4A7C15\n      Y[i] = L[cast(k[i] % cast(N, u64), i64)]"));
  // In i8 and u8 numbers such as 200, 300 and -1 are others.
  CHECK_FALSE(accepted("i8[M]", "k[i] = X[i] % 200\n      Y[i] = L[k[i]]", ", N == 200"));
  CHECK_FALSE(accepted("u8[M]", "k[i] = select(X[i] > 3, -1, X[i] % 4) + 1\n      Y[i] = L[k[i]]", ", N == 8"));
  CHECK_FALSE(accepted("u8[M]", "k[i] = select(Ix[i] > 3, X[i] % 4, 200)\n      Y[i] = L[k[i]]", ", N == 201"));
  CHECK_FALSE(accepted("f32[M]", "k[i] = X[i] % 9\n      Y[i] = L[cast(k[i], i32)]", ", N == 9"));
}

TEST_CASE("check_op: ranges of index variables are never negative") {
  const std::string let = "\n    let: {O: n - 2}", range = "\n    index: {o: O}";
  CHECK(accepted("f32[M]", "t[o] = 2*o\n      Y[i] = L[(i + t[i % O]) % O]" + let + range, ", O <= N"));
  CHECK(accepted("f32[M]", "t[o] = 2*o\n      Y[i] = select(t[i % (n - 2)] > 0, L[0], L[0])\n    index: {o: n - 2}"));
  CHECK_FALSE(accepted("f32[M]", "Y[i] = L[i % O]" + let, ", O <= N"));
}

TEST_CASE("check_op: nothing is proved by real attributes") {
  CHECK_FALSE(accepted("f32[N]", "Y[i] = L[clamp(i, 0, N - 1)*scale]", ", scale > 0, scale < 2"));
  CHECK_FALSE(accepted("f32[N]", "Y[i] = L[clamp(i, 0, N - 1)*alpha]", ", alpha > 0, alpha < 2"));
  CHECK(accepted("f32[N]", "Y[i] = L[clamp(i, 0, N - 1)*n]", ", n > 0, n < 2"));
}

}  // namespace index_values_test
