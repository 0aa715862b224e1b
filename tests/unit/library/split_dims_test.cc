// bind_call: what tells the parts of a split dim.
#include "catch.h"
#include "library/bind_shapes.h"
#include "opdef/read_ops.h"

namespace split_dims_test {

using namespace tenon;

namespace {

const char* const kBlocks = R"(
ops:
  - op: blocks
    types: {T: float}
    attrs: {block: int = 4}
    in: {X: "T[(G B)]", Z: "T[K]"}
    let: {L: block + K, B: L*2}
    out: {Y: "T[G]"}
    body: |
      Y[g] = sum[b](X[(g b)])*sum[k](Z[k])
)";

}  // namespace

TEST_CASE("bind_call: a let of attributes and sizes of other inputs is a part of a split dim") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kBlocks)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto extents_of = [&](int64_t n) {
    Diagnostics diagnostics;
    const auto call = bind_call(
        {*defs, *defs->op("blocks"), {{true, DType::F32, {constant_int(n)}}, {true, DType::F32, {constant_int(2)}}}},
        diagnostics);
    return std::pair(call, diagnostics.text());
  };
  const auto [call, none] = extents_of(36);
  INFO(none);
  REQUIRE(call);
  CHECK(constant_value(call->output_dims[0][0]) == 3);
  CHECK(extents_of(38).second.find("X has an extent of 38, no multiple of 12") != std::string::npos);
}

TEST_CASE(
    "bind_call: split dims tell each other's parts in any order, and what an absent input would tell is asked for") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
ops:
  - op: chain
    types: {T: float}
    in:
      X: T[(A B)]
      Y: T[(B C)]
      Z?: T[C]
    out: {R: "T[A]"}
    body: R[a] = sum[b](X[(a b)])*sum[b](sum[c](Y[(b c)]*opt(Z[c], 1)))
)")});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  Diagnostics diagnostics;
  const GivenTensor x{true, DType::F32, {constant_int(10)}}, y{true, DType::F32, {constant_int(20)}},
      z{true, DType::F32, {constant_int(4)}};
  const auto call = bind_call({*defs, *defs->op("chain"), {x, y, z}}, diagnostics);
  INFO(diagnostics.text());
  REQUIRE(call);
  CHECK(constant_value(call->output_dims[0][0]) == 2);
  CHECK_FALSE(bind_call({*defs, *defs->op("chain"), {x, y, GivenTensor{}}}, diagnostics));
  CHECK(diagnostics.text().find("nothing determines 'B' of (A B) in X") != std::string::npos);
}

}  // namespace split_dims_test
