// Weights that no first-level cache holds: tiles fetch their panels a page ahead.
#include "catch.h"
#include "lower/lower_kernel.h"
#include "planned_layer.h"

namespace fetched_weights_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// Whether tiles of the last kernel fetch something.
bool fetches(const ExecutionPlan& plan, const Isa& isa) {
  const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
  CHECK(verify(nest).empty());
  return std::any_of(nest.functions.begin(), nest.functions.end(), [](const InnerFunction& f) {
    const SFor* loop = nullptr;
    for (const Stmt& s : f.body)
      if (const auto* l = std::get_if<SFor>(&s.node)) loop = l;
    return loop && std::any_of(loop->body->begin(), loop->body->end(),
                               [](const Stmt& s) { return std::holds_alternative<SPrefetch>(s.node); });
  });
}

}  // namespace

TEST_CASE("tiles fetch weights of 64 KiB or more before they come to them") {
  const ExecutionPlan many = planned({"x: \"f32[1, 128, 6, 6]\"", "f32[128, 128, 1, 1]", "y = relu(conv2d(x, F))"}, {}),
                      few = planned({"x: \"f32[1, 128, 6, 6]\"", "f32[112, 128, 1, 1]", "y = relu(conv2d(x, F))"}, {});
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;  // differs in products of bytes alone
    INFO(isa.name);
    CHECK(fetches(many, isa) == (isa.lanes(DType::F32) > 1));
    CHECK_FALSE(fetches(few, isa));
  }
}

TEST_CASE("tiles of few rows wait for weights of the second-level cache") {
  const Isa& isa = *isa_from_name("x86-64-v4");
  CHECK_FALSE(fetches(planned({"x: \"f32[1, 256]\"", "f32[256, 512]", "y = gemm(x, F)"}, {}), isa));
  CHECK(fetches(planned({"x: \"f32[16, 256]\"", "f32[256, 512]", "y = gemm(x, F)"}, {}), isa));
  CHECK(fetches(planned({"x: \"f32[1, 512]\"", "f32[512, 512]", "y = gemm(x, F)"}, {}), isa));
}

TEST_CASE("products of a strip of tiles fetch the transformed weights") {
  const ExecutionPlan plan =
      planned({"x: \"f32[1, 32, 14, 14]\"", "f32[32, 32, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
              {isa_from_name("x86-64-v4")});
  CHECK(fetches(plan, *isa_from_name("x86-64-v4")));
}

}  // namespace fetched_weights_test
