// unroll_variadic and its callers: an output that is as many tensors as a list has elements.
#include "catch.h"
#include "library/bind_shapes.h"
#include "library/expand_body.h"
#include "library/unroll_variadic.h"
#include "opdef/read_ops.h"

namespace variadic_output_test {

using namespace tenon;

namespace {

const char* const kCut = R"(
ops:
  - op: cut
    types: {T: any}
    attrs: {axis: int = 0, sizes: "int[] = [1, 2]"}
    in: {X: "T[*P, N@axis, *Q]"}
    require: [sum_of(sizes) == N]
    out: {Y...: "T[*P, sizes@axis..., *Q]"}
    body: Y[*p, i, *q] = X[*p, offset(sizes) + i, *q]

  - op: ends
    types: {T: any}
    in: {X: "T[6]"}
    out: {Y: "T[1]"}
    body: |
      a, b, c = cut(X, sizes=[1, 4, 1])
      Y[i] = c[i]
)";

const OpLibrary& library() {
  static const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kCut)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  return *defs;
}

/// The extents of what a tensor of 6 elements is cut into, or what is wrong.
std::string cut(const std::vector<int64_t>& sizes, int64_t length = 6) {
  BoundAttr list{{}, true};
  for (const int64_t n : sizes) list.elements.push_back({constant_int(n), true});
  Diagnostics diagnostics;
  const auto call = bind_call(
      {library(), *library().op("cut"), {{true, DType::F32, {constant_int(length)}}}, {{"sizes", list}}}, diagnostics);
  if (!call) return diagnostics.sorted().front().message;
  std::string text;
  for (const std::vector<Expr>& dims : call->output_dims) text += std::to_string(*constant_value(dims.at(0))) + " ";
  return text;
}

}  // namespace

TEST_CASE("unroll_variadic: tensors and sizes that end like its operands keep their names") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("names.yaml", R"(
ops:
  - op: sum_of_all
    in: {X0: "f32[D0]", X...: "f32[D...]"}
    let: {N: sum_of(D)}
    out: {Y: "f32[N]", Z: "f32[D0]"}
    body: |
      X1[offset(D) + d] = X[d]
      Y[n] = X1[n]*2
      Z[i] = X0[i]
)")});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const OpDef made = unroll_variadic(*defs->op("sum_of_all"), 2);
  REQUIRE(made.inputs.size() == 3);
  CHECK(made.inputs[0].name == "X0");
  CHECK(made.inputs[1].name == "X_0");
  CHECK(made.inputs[2].name == "X_1");
  CHECK(made.inputs[0].dims[0].name == "D0");
  CHECK(made.inputs[2].dims[0].name == "D_1");
  CHECK(made.body[1].targets[0].text == "X1");
}

TEST_CASE("unroll_variadic: variables and attributes keep names that tell which operands there are") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("names.yaml", R"(
ops:
  - op: stacked
    attrs: {X1_given: int = 3}
    in: {X...: "f32[K]"}
    let: {N: count(X)}
    out: {Y: "f32[N, K]"}
    body: Y[operand(X),at_X1] = X[at_X1]*X1_given
  - op: joined
    in: {W: "f32[M]", X...: "f32[D...]"}
    let: {N: sum_of(D)}
    out: {Y: "f32[N]"}
    body: Y[offset(D) + d] = X[d]*sum[d0](W[d0])
)")});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const OpDef stacked = unroll_optional(*defs->op("stacked"), 2), joined = unroll_variadic(*defs->op("joined"), 2);
  CHECK(print(stacked.body[1]) == "Y[1 + at_X_1, at_X1] = X_1[at_X1]*X1_given");
  REQUIRE(stacked.let("X_1_given"));
  CHECK(print(joined.body[1]) == "Y[D0 + d_1] = X1[d_1]*sum[d0](W[d0])");
}

TEST_CASE("bind_call: a variadic output is a tensor for each element of its list") {
  CHECK(cut({6}) == "6 ");
  CHECK(cut({2, 0, 4}) == "2 0 4 ");
  CHECK(cut({2, 3}) == "cut: requires sizes0 + sizes1 == N");
  CHECK(cut({}) == "cut: 'sizes' has no elements that are known here, and there is an output for each");
  Diagnostics diagnostics;
  const auto call = bind_call({library(), *library().op("cut"), {{true, DType::F32, {constant_int(3)}}}}, diagnostics);
  REQUIRE(call);
  CHECK(call->output_dims.size() == 2);
}

TEST_CASE("expand_body: a body may call an op with a variadic output") {
  Diagnostics diagnostics;
  auto call = bind_call({library(), *library().op("ends"), {{true, DType::F32, {constant_int(6)}}}}, diagnostics);
  REQUIRE(call);
  expand_body(library(), call->scope, call->kernel, diagnostics);
  INFO(diagnostics.text());
  REQUIRE_FALSE(diagnostics.has_errors());
  REQUIRE(call->kernel.body.size() == 4);
  CHECK(to_text(call->kernel.body[2].value) == "t0[((1 + 4) + i2)]");
}

TEST_CASE("unroll_optional: what is before an output that may be absent does not depend on which are") {
  const OpDef def = unroll_optional(*library().op("cut"), 3);
  CHECK(def.outputs.size() == 3);
  CHECK_FALSE(def.outputs[0].optional);
  CHECK(def.outputs[2].optional);
  CHECK(print(def.body.at(2)) == "Y2[*p, i2, *q] = X[*p, before_sizes2 + i2, *q]");
  REQUIRE(def.let("before_sizes2"));
  CHECK(print(def.let("before_sizes2")->value) == "before_sizes1 + sizes1");
}

}  // namespace variadic_output_test
