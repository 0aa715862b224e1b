// check_op: what movement ops need is accepted, and small changes that lead outside are not.
#include "catch.h"
#include "unit/opdef/read_text.h"

namespace movement_test {

using tenon_test::read_text;

namespace {

/// A definition of one op f over X: T[N], with further keys and a body.
std::string op(const std::string& keys, const std::string& body) {
  return "ops:\n  - op: f\n    types: {T: number}\n    attrs: {s: int = 1, pads: \"int[2] = 0\"}\n    in: {X: "
         "\"T[H]\", F: "
         "\"T[R]\"}\n" +
         keys + "    body: " + body + "\n";
}

bool accepted(const std::string& keys, const std::string& body) {
  const auto library = read_text(op(keys, body));
  UNSCOPED_INFO(library.diagnostics().text());
  return library.ok();
}

const std::string kOut = "    out: {Y: \"T[H]\"}\n";

}  // namespace

TEST_CASE("check_op: packs by dimension, lists of axes and variadic inputs are accepted") {
  const auto library = read_text(tenon_test::file_text(std::string(TENON_TESTS_DIR) + "/unit/opdef/movement.yaml"));
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->op("concat")->inputs[0].variadic);
  CHECK(library->op("concat")->inputs[0].dims[1].per_operand);
  CHECK(library->op("split")->outputs[0].variadic);
  CHECK(library->op("split")->outputs[0].dims[1].per_operand);
  CHECK(library->op("reduce_sum")->let("K")->pack);
  const std::string text = print(*library);
  const auto again = read_text(text);
  INFO(text << again.diagnostics().text());
  REQUIRE(again);
  CHECK(print(*again) == text);
}

TEST_CASE("check_op: everyday definitions are accepted and read back from their text") {
  const auto library = read_text(tenon_test::file_text(std::string(TENON_TESTS_DIR) + "/unit/opdef/everyday.yaml"));
  INFO(library.diagnostics().text());
  REQUIRE(library);
  CHECK(library->op("range_of")->tests.size() == 2);
  const auto again = read_text(print(*library));
  INFO(print(*library) << again.diagnostics().text());
  REQUIRE(again);
  CHECK(print(*again) == print(*library));
}

TEST_CASE("check_op: reads are proved in range from require, lets and floor division") {
  const std::string out = "    out: {Y: \"T[O]\"}\n", positive = "    require: [s > 0]\n",
                    padded = "    require: [\"pads >= 0\"]\n";
  const std::string fits = "    let: {O: (H - R)//s + 1}\n", long_ = "    let: {O: (H - R)//s + 2}\n",
                    cropped = "    let: {O: \"H - pads[0] - pads[1]\"}\n";
  const std::string window = "Y[y] = sum[r](X[y*s + r]*F[r])", crop = "Y[y] = X[y + pads[0]] + sum[r](F[r])";
  CHECK(accepted(out + positive + fits, window));
  CHECK_FALSE(accepted(out + fits, window));
  CHECK_FALSE(accepted(out + positive + long_, window));
  CHECK(accepted(out + padded + cropped, crop));
  CHECK_FALSE(accepted(out + cropped, crop));
  CHECK_FALSE(accepted(out + padded + cropped, "Y[y] = X[y + pads[0] + 1] + sum[r](F[r])"));
}

TEST_CASE("check_op: reads that may be outside are refused") {
  for (const std::string index : {"i + 1",
                                  "i - 1",
                                  "2*i",
                                  "-i",
                                  "H - i",
                                  "i*i",
                                  "i*s",
                                  "i + s",
                                  "i//s",
                                  "i%s",
                                  "i*0.5",
                                  "floor(i)",
                                  "max(i, 3)",
                                  "min(i + 1, H)",
                                  "select(i > 0, i - 1, H)",
                                  "F[i]",
                                  "abs(i - 1)",
                                  "i**2",
                                  "i // 0",
                                  "H",
                                  "clamp(i, 0, H)",
                                  "wrap(i, H + 1)",
                                  "s",
                                  "pads[0]",
                                  "R"}) {
    INFO(index);
    CHECK_FALSE(accepted(kOut, "Y[i] = X[" + index + "]"));
  }
}

TEST_CASE("check_op: reads that always are inside are accepted") {
  for (const std::string index : {"i",
                                  "H - 1 - i",
                                  "i//2",
                                  "i%H",
                                  "(i + 5)%H",
                                  "(i + s)%H",
                                  "min(i + 1, H - 1)",
                                  "max(i - 1, 0)",
                                  "clamp(i + s, 0, H - 1)",
                                  "wrap(F[0 % R], H)",
                                  "select(s > 0, i, H - 1 - i)",
                                  "abs(i)",
                                  "max(i, H - 1 - i)",
                                  "0",
                                  "i*1",
                                  "i + 0*s",
                                  "reflect(i + s, H)",
                                  "i - i",
                                  "(2*i)//2",
                                  "i - i//3"}) {
    INFO(index);
    CHECK(accepted(kOut, "Y[i] = X[" + index + "]"));
  }
}

TEST_CASE("parse_body: statements go on inside brackets and after operators, and one that is broken costs no other") {
  const auto good = read_text(op(kOut,
                                 "|\n      m[i] = X[i]*(1 +\n             2) +\n        3\n      Y[i] = max(m[i],\n    "
                                 "    sum[r](\n          F[r]))\n"));
  INFO(good.diagnostics().text());
  REQUIRE(good);
  CHECK(good->op("f")->body.size() == 2);
  const auto bad = read_text(op(
      kOut, "|\n      a[i] = X[i]*(1 +\n      b[i] = a[i] + first\n      c[i] = b[i] +\n      Y[i] = c[i] + second\n"));
  const std::string text = bad.diagnostics().text();
  INFO(text);
  CHECK(text.find("[E0302]") != std::string::npos);
  CHECK(text.find("'first'") != std::string::npos);
  CHECK(text.find("'second'") != std::string::npos);
  CHECK(bad.diagnostics().sorted().size() == 4);
}

TEST_CASE("check_op: reads of what called ops give are proved as well") {
  const std::string add =
      "  - op: add\n    in: {A: \"f32[~*S]\", B: \"f32[~*S]\"}\n    out: {Y: \"f32[*S]\"}\n    body: Y[*s] = A[*s] + "
      "B[*s]\n";
  const auto reads = [&](const std::string& first, const std::string& index) {
    const auto library = read_text(
        "ops:\n  - op: f\n    in: {X: \"f32[N]\", Z: \"f32[M]\"}\n    out: {Y: \"f32[N]\"}\n    body: |\n      h = "
        "add(X, " +
        first + ")\n      Y[i] = X[i] + sum[j](0*Z[j]) + h[" + index + "]\n" + add);
    UNSCOPED_INFO(library.diagnostics().text());
    return library.ok();
  };
  CHECK(reads("X", "i"));
  CHECK(reads("X", "N - 1 - i"));
  CHECK_FALSE(reads("X", "i + 1"));
  CHECK(reads("Z", "i"));
  CHECK_FALSE(reads("Z", "i + 1"));
  CHECK_FALSE(reads("Z", "N - 1 - i"));
}

}  // namespace movement_test
