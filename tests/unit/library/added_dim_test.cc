// A dim that only the output has: where it stands tells the packs of an input apart.
#include "catch.h"
#include "library/bind_shapes.h"
#include "opdef/read_ops.h"

namespace added_dim_test {

using namespace tenon;

namespace {

const char* const kStack = R"(
ops:
  - op: stack
    types: {T: any}
    attrs: {axis: int = 0}
    in: {X...: "T[*P, M, *Q]"}
    let: {N: count(X)}
    out: {Y: "T[*P, N@axis, M, *Q]"}
    body: Y[*p, operand(X), m, *q] = X[*p, m, *q]
)";

/// The extents of two tensors of these extents put side by side at an axis, or what is wrong.
std::string stacked(int64_t axis, const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kStack)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  std::vector<GivenTensor> given;
  for (const auto* dims : {&first, &second}) {
    given.push_back({true, DType::F32, {}});
    for (const int64_t d : *dims) given.back().dims.push_back(constant_int(d));
  }
  Diagnostics diagnostics;
  const auto call =
      bind_call({*defs, *defs->op("stack"), given, {{"axis", {{{constant_int(axis), true}}, false}}}}, diagnostics);
  if (!call) return diagnostics.sorted().front().message;
  std::string text;
  for (const Expr& e : call->output_dims[0]) text += std::to_string(*constant_value(e)) + " ";
  return text;
}

}  // namespace

TEST_CASE("bind_call: the axis of a dim that only the output has counts in the output's rank") {
  CHECK(stacked(0, {3, 4}, {3, 4}) == "2 3 4 ");
  CHECK(stacked(1, {3, 4}, {3, 4}) == "3 2 4 ");
  CHECK(stacked(-2, {3, 4}, {3, 4}) == "3 2 4 ");
  CHECK(stacked(0, {3}, {3}) == "2 3 ");
}

TEST_CASE("bind_call: such an axis has to be where another input puts it") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: steps
    types: {T: number}
    attrs: {axis: int, n: int}
    in: {Z: "T[*P]", X: "T[*P, *Q]"}
    require: [n >= 0]
    out: {Y: "T[*P, n@axis, *Q]"}
    body: Y[*p, i, *q] = X[*p, *q]*i + Z[*p]
)")});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto message = [&](int64_t axis) {
    Diagnostics diagnostics;
    const GivenTensor x{true, DType::F32, {constant_int(2), constant_int(3)}}, z{true, DType::F32, {constant_int(2)}};
    const std::map<std::string, BoundAttr> attrs = {{"axis", {{{constant_int(axis), true}}, false}},
                                                    {"n", {{{constant_int(4), true}}, false}}};
    return bind_call({*defs, *defs->op("steps"), {z, x}, attrs}, diagnostics) ? std::string()
                                                                              : diagnostics.sorted().front().message;
  };
  CHECK(message(1) == "");
  CHECK(message(-2) == "");
  CHECK(message(0) == "steps: X has 2 dimensions, and its shape has no place for dimension 0 of the result");
  CHECK(message(-1) == "steps: X has 2 dimensions, and its shape has no place for dimension 2 of the result");
}

TEST_CASE("bind_call: what does not fit next to a dim that only the output has is said") {
  CHECK(stacked(-1, {3, 4}, {3, 4}) ==
        "stack: X0 has 2 dimensions, and its shape has no place for dimension 2 of the result");
  CHECK(stacked(3, {3, 4}, {3, 4}) == "stack: axis = 3 is outside of a tensor with 3 dimensions");
  CHECK(stacked(-4, {3, 4}, {3, 4}) == "stack: axis = -4 is outside of a tensor with 3 dimensions");
  CHECK(stacked(0, {}, {}) == "stack: X0 has 0 dimensions, and its shape has no place for dimension 0 of the result");
  CHECK(stacked(0, {3, 4}, {3, 5}) == "stack: X1 has an extent of 5 where dimension 0 of *Q is 4");
  CHECK(stacked(0, {3, 4}, {3}) == "stack: X1 has 1 dimension, 2 are needed");
}

}  // namespace added_dim_test
