// Convolutions over many channels: in which order they sum, and copies with the channels of a pixel side by side.
#include "catch.h"
#include "lower/lower_kernel.h"
#include "planned_layer.h"

using namespace tenon;
using namespace tenon_test;

namespace {

const std::vector<Layer> kLayers = {
    {"x: \"f32[1, 32, 9, 11]\"", "f32[40, 32, 3, 3]", "y = relu(conv2d(x, F, stride=[2, 2], pads=[1, 1, 1, 1]))"},
    {"x: \"f32[2, 19, 6, 21]\"", "f32[33, 19, 3, 2]", "y = conv2d(x, F, stride=[2, 1], pads=[1, 0, 2, 3])"},
    {"x: \"f32[N, 40, 7, 9]\"", "f32[36, 20, 3, 3]", "y = conv2d(x, F, groups=2, stride=[1, 2])"},
    {"x: \"f32[1, 18, 7, 7]\"", "f32[32, 18, 3, 3]", "y = conv2d(x, F, dilation=[2, 2], pads=[2, 2, 2, 2])"},
    {"x: \"f32[1, 20, 37]\"", "f32[36, 20, 5]", "y = conv1d(x, F, pads=[2, 2])"},
    {"x: \"f64[1, 16, 7, 9]\"", "f64[32, 16, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
};
const std::vector<Layer> kStrided = {
    {"x: \"f32[1, 32, 14, 14]\"", "f32[48, 32, 1, 1]", "y = conv2d(x, F, stride=[2, 2])"},
    {"x: \"f32[2, 21, 5, 39]\"", "f32[32, 21, 1, 1]", "y = relu(conv2d(x, F, stride=[2, 2]))"},
    {"x: \"f32[N, 40, 30, 20]\"", "f32[64, 20, 1, 1]", "y = conv2d(x, F, groups=2, stride=[3, 3])"},
};

bool copies_channels(const LoopNest& nest) {
  return std::any_of(nest.functions.begin(), nest.functions.end(),
                     [](const InnerFunction& f) { return f.name.starts_with("transpose_square"); });
}

void check_everywhere(const Layer& layer) {
  const ExecutionPlan plan = planned(layer, {});
  const std::vector<double> want = values(plan);
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;  // differs in products of bytes alone
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
    INFO(isa.name << " " << layer.inputs << " " << layer.main);
    CHECK(nest.blueprint.starts_with("contraction_transposed"));
    CHECK(verify(nest).empty());
    CHECK(copies_channels(nest) == (isa.lanes(nest.kernel->tensors[0].dtype) > 1));
    CHECK(error_of(values(plan, &nest), want) < 2e-6);
  }
}

/// The last variable of the last kernel's sum.
std::string innermost(const Layer& layer) {
  const ExecutionPlan plan = planned(layer, {});
  std::string name;
  walk(plan.steps.back().kernel.body.back().value, [&](const Expr& e) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) name = r->vars.back().name;
    return true;
  });
  return name;
}

}  // namespace

TEST_CASE("convolutions over many channels copy them side by side and sum over them last", "[slow][deep]") {
  for (const Layer& layer : kLayers) {
    CHECK(innermost(layer) == "c");
    check_everywhere(layer);
  }
}

TEST_CASE("strided 1x1 convolutions copy the pixels that they read", "[slow]") {
  for (const Layer& layer : kStrided) check_everywhere(layer);
}

TEST_CASE("few channels and planes of their own keep the order of sums") {
  const std::string x = "x: \"f32[1, 12, 9, 9]\"";
  CHECK(innermost({x, "f32[32, 12, 3, 3]", "y = conv2d(x, F, stride=[2, 2])"}) == "s");
  CHECK(innermost({"x: \"f32[1, 32, 9, 9]\"", "f32[32, 1, 3, 3]", "y = conv2d(x, F, groups=32)"}) == "s");
}
