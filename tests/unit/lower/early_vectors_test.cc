// Where parts of vectors would be stored by elements, the last vector of a line or column begins early.
#include "catch.h"
#include "lower/lower_kernel.h"
#include "unit/schedule/planned_layer.h"

namespace early_vectors_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Statements that store single elements of the result.
int single_stores(const LoopNest& nest, const Block& block) {
  int n = 0;
  for (const Stmt& s : block) {
    const auto* store = std::get_if<SStore>(&s.node);
    n += store && nest.buffers[static_cast<size_t>(store->buffer)].storage == Storage::Tensor &&
         store->value->type.lanes == 1;
    each_block(s, [&](const Block& b) { n += single_stores(nest, b); });
  }
  return n;
}

/// At the widest levels without parts of vectors, after the values were compared with the oracle's.
int single_stores(const Layer& layer, const std::vector<const Isa*>& winograd = {}) {
  const ExecutionPlan plan = planned(layer, winograd);
  const std::vector<double> want = values(plan);
  int n = 0;
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty() || isa.vector_bits == 0 || isa.masked_memory) continue;
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
    INFO(isa.name << " " << layer.inputs << " " << layer.main);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-4);
    n += single_stores(nest, nest.body);
  }
  return n;
}

}  // namespace

TEST_CASE("the last tile of transposed rows begins early") {
  CHECK(single_stores({"x: \"f32[1, 16, 13, 13]\"", "f32[32, 16, 3, 3]",
                       "y = conv2d(x, F, stride=[2, 2], pads=[1, 1, 1, 1])"}) == 0);
  single_stores({"x: \"f32[1, 16, 7, 7]\"", "f32[32, 16, 1, 1]", "y = conv2d(x, F)"});  // copies the rows of a block
  single_stores({"x: \"f32[1, 16, 7, 7]\"", "f32[16, 16, 1, 1]", "y = conv2d(x, F) + x"});
  CHECK(single_stores({"x: \"f32[1, 16, 1, 3]\"", "f32[32, 16, 1, 1]", "y = conv2d(x, F)"}) > 0);  // no whole vector
}

TEST_CASE("the last vector of a plane begins early") {
  CHECK(single_stores(
            {"x: \"f32[1, 16, 7, 7]\"", "f32[16, 1, 3, 3]", "y = conv2d(x, F, groups=16, pads=[1, 1, 1, 1])"}) == 0);
}

TEST_CASE("the last vector of a line of Winograd tiles begins early") {
  const Isa* v3 = isa_from_name("x86-64-v3");
  CHECK(single_stores({"x: \"f32[1, 32, 18, 18]\"", "f32[32, 32, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
                      {v3}) == 0);
}

}  // namespace early_vectors_test
