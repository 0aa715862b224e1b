// bind_call: what tells the parts of a split dim.
#include "catch.h"
#include "library/bind_shapes.h"
#include "opdef/read_ops.h"

using namespace tenon;

namespace {

const char *const kBlocks = R"(
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
    const auto call = bind_call(*defs, *defs->op("blocks"), {{true, DType::F32, {constant_int(n)}}, {true, DType::F32, {constant_int(2)}}}, {}, {}, diagnostics, {});
    return std::pair(call, diagnostics.text());
  };
  const auto [call, none] = extents_of(36);
  INFO(none);
  REQUIRE(call);
  CHECK(constant_value(call->output_dims[0][0]) == 3);
  CHECK(extents_of(38).second.find("X has an extent of 38, no multiple of 12") != std::string::npos);
}
