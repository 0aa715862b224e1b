// Convolutions in the transformed space: which ones, that they mean the same, and how they are lowered.
#include <set>

#include "algebra/winograd_kernel.h"
#include "catch.h"
#include "lower/lower_kernel.h"
#include "planned_layer.h"
#include "schedule/plan_passes.h"
#include "schedule/winograd_choice.h"

namespace use_winograd_test {

using namespace tenon;
using namespace tenon_test;

namespace {

const Isa* level(const char* name) { return isa_from_name(name); }

/// Outputs of a tile along an axis; 0 where the last kernel is a sum of products.
int tile_of(const Layer& c, const std::vector<const Isa*>& levels) {
  const auto parts = find_winograd(planned(c, levels).steps.back().kernel);
  return parts ? parts->outputs : 0;
}

double error_bound(const Kernel& k) {
  const auto parts = find_winograd(k);
  return winograd_error(parts->outputs, parts->taps(), parts->stride);
}

const std::vector<Layer> kChosen = {
    {"x: \"f32[1, 16, 14, 14]\"", "f32[16, 16, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
    {"x: \"f32[2, 18, 13, 12]\"", "f32[20, 18, 3, 3]", "y = relu(conv2d(x, F))"},
    {"x: \"f32[N, 24, 9, 10]\"", "f32[40, 12, 3, 3]", "y = conv2d(x, F, groups=2, pads=[0, 1, 2, 1])"},
    {"x: \"f32[1, 16, 8, 8]\", r: \"f32[1, 16, 8, 8]\"", "f32[16, 16, 3, 3]",
     "y = relu(add(conv2d(x, F, pads=[1, 1, 1, 1]), r))"},
    {"x: \"f32[1, 16, 8, 8]\"", "f32[16, 16, 3, 3]", "y = silu(conv2d(x, F, pads=[1, 1, 1, 1]))"},
    {"x: \"f32[1, 16, 2, 2]\"", "f32[64, 16, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
    {"x: \"f32[2, 96, 2, 4]\"", "f32[48, 96, 3, 3]", "y = conv2d(x, F, pads=[1, 1, 1, 1])"},
    {"x: \"f32[1, 48, 16, 16]\"", "f32[48, 48, 3, 3]", "y = relu(conv2d(x, F, pads=[1, 1, 1, 1], stride=[2, 2]))"},
    {"x: \"f32[1, 50, 23, 25]\"", "f32[48, 50, 3, 3]", "y = conv2d(x, F, pads=[0, 0, 1, 1], stride=[2, 2])"},
    {"x: \"f32[1, 96, 18, 17]\"", "f32[96, 48, 3, 3]", "y = conv2d(x, F, groups=2, stride=[2, 2])"},
    {"x: \"f32[1, 16, 14, 13]\"", "f32[32, 16, 5, 5]", "y = relu(conv2d(x, F, pads=[2, 2, 2, 2]))"},
    {"x: \"f32[1, 20, 15, 16]\"", "f32[32, 20, 5, 5]", "y = conv2d(x, F, pads=[2, 2, 2, 2], stride=[2, 2])"},
    {"x: \"f32[1, 96, 13, 12]\"", "f32[96, 96, 3, 3]", "y = conv2d(x, F, pads=[0, 1, 0, 0], stride=[2, 2])"},
    {"x: \"f32[1, 24, 15, 14]\"", "f32[32, 24, 4, 4]", "y = conv2d(x, F, pads=[1, 2, 2, 1])"},
    {"x: \"f32[1, 24, 16, 17]\"", "f32[24, 24, 4, 4]", "y = conv2d(x, F, pads=[1, 1, 1, 1], stride=[2, 2])"},
    {"x: \"f32[1, 32, 24, 25]\"", "f32[32, 32, 5, 5]", "y = conv2d(x, F, pads=[2, 2, 2, 1], stride=[3, 3])"},
    {"x: \"f32[1, 16, 13, 12]\"", "f32[12, 16, 6, 6]", "y = relu(conv2d(x, F, pads=[2, 3, 3, 2]))"},
    {"x: \"f32[1, 20, 12, 11]\"", "f32[32, 20, 7, 7]", "y = conv2d(x, F, pads=[3, 3, 3, 3])"},
    {"x: \"f32[1, 20, 16, 17]\"", "f32[24, 20, 7, 7]", "y = conv2d(x, F, pads=[3, 2, 3, 3], stride=[2, 2])"},
};

/// Levels with vectors of their own.
const size_t kLevels =
    static_cast<size_t>(std::ranges::count_if(all_isas(), [](const Isa& i) { return i.base.empty(); }));

}  // namespace

TEST_CASE("a convolution in the transformed space has the values of the sum of products, at every level",
          "[slow][deep]") {
  constexpr size_t kAtAllLevels = 7;  // interpreting the others takes seconds: each is run at one, in turn
  for (size_t i = 0; i < kChosen.size(); ++i) {
    const Layer& c = kChosen[i];
    const ExecutionPlan direct = planned(c, {}), tiles = planned(c, {level("x86-64-v4")});
    const Kernel& kernel = tiles.steps.back().kernel;
    INFO(c.inputs << " " << c.main);
    CHECK_FALSE(find_winograd(direct.steps.back().kernel));
    REQUIRE(find_winograd(kernel));
    CHECK(verify(kernel).empty());
    const std::vector<double> want = values(direct);
    CHECK(error_of(values(tiles), want) < 1e-6);  // of the weights alone: the oracle keeps V and W as f64
    const double bound = error_bound(kernel);
    size_t turn = i;
    for (const Isa& isa : all_isas()) {
      if (!isa.base.empty()) continue;  // differs in products of bytes alone
      const LoopNest nest = lower_kernel(kernel, tenon_test::shipped_blueprints(), isa);
      INFO(isa.name);
      CHECK(nest.blueprint.starts_with("winograd"));
      CHECK(verify(nest).empty());
      if (i < kAtAllLevels || turn++ % kLevels == 0) CHECK(error_of(values(tiles, &nest), want) < bound);
    }
  }
}

TEST_CASE("register tiles of a strip store its products themselves") {
  const auto stored = [](const char* x) {
    const ExecutionPlan plan =
        planned({x, "f32[32, 32, 3, 3]", "y = relu(conv2d(x, F, pads=[1, 1, 1, 1]))"}, {level("x86-64-v4")});
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), *level("x86-64-v4"));
    std::set<std::string> heights;
    for (const InnerFunction& f : nest.functions)
      if (f.name.starts_with("tile_")) {
        CHECK(f.name.find("_stored") != std::string::npos);
        heights.insert(f.name.substr(5, f.name.find('x') - 5));
      }
    return heights;
  };
  using Heights = std::set<std::string>;
  CHECK(stored("x: \"f32[1, 32, 28, 28]\"") == Heights{"14"});        // strips of 4 x 7 tiles
  CHECK(stored("x: \"f32[1, 32, 16, 16]\"") == Heights{"8"});         // 16
  CHECK(stored("x: \"f32[1, 32, 20, 20]\"") == Heights{"14", "11"});  // 25
}

TEST_CASE("large programs count what comes from memory") {
  const auto conv = [](int64_t channels, int64_t pixels, int stride) {
    TiledConvolution c;
    c.taps = 3, c.stride = stride, c.height = c.width = pixels / stride, c.channels = c.filters = channels;
    return c;
  };
  const auto tile = [&](const TiledConvolution& c, int64_t all_weights) {
    return winograd_outputs(c, *level("x86-64-v4"), all_weights).value_or(0);
  };
  constexpr int64_t kSmall = 1 << 22, kLarge = 1 << 26;
  CHECK(tile(conv(128, 56, 2), kSmall) == 4);
  CHECK(tile(conv(128, 56, 2), kLarge) == 0);
  CHECK(tile(conv(256, 28, 2), kSmall) == 2);
  CHECK(tile(conv(256, 28, 2), kLarge) == 0);
  CHECK(tile(conv(256, 14, 1), kSmall) == 4);
  CHECK(tile(conv(256, 14, 1), kLarge) == 2);
  CHECK(tile(conv(512, 7, 1), kLarge) == 2);
}

TEST_CASE("the tile follows from the size of the picture", "[slow]") {
  const auto tile = [](int pixels, int channels = 64, int stride = 1) {
    return tile_of(
        {fmt::format("x: \"f32[1, {1}, {0}, {0}]\"", pixels, channels), fmt::format("f32[{0}, {0}, 3, 3]", channels),
         fmt::format("y = conv2d(x, F, pads=[1, 1, 1, 1], stride=[{0}, {0}])", stride)},
        {isa_from_name("x86-64-v4")});
  };
  CHECK(tile(56) == 4);
  CHECK(tile(14) == 4);
  CHECK(tile(2) == 2);
  CHECK(tile(1) == 0);
  CHECK(tile(56, 128, 2) == 4);
  CHECK(tile(12, 96, 2) == 2);
  CHECK(tile(56, 16, 2) == 0);  // transforms of few channels are all the time
  CHECK(tile(56, 64, 3) == 0);  // nothing overlaps
}

TEST_CASE("other convolutions stay sums of products") {
  const std::vector<const Isa*> levels = {level("portable"), level("x86-64-v3")};
  const std::string x = "x: \"f32[1, 16, 14, 14]\"", f = "f32[16, 16, 3, 3]";
  CHECK(tile_of({x, f, "y = conv2d(x, F, pads=[1, 1, 1, 1])"}, levels) == 4);
  CHECK(tile_of({x, f, "y = conv2d(x, F, pads=[1, 1, 1, 1])"}, {level("portable")}) == 0);
  CHECK(tile_of({x, f, "y = conv2d(x, F, stride=[2, 2])"}, levels) == 0);
  CHECK(tile_of({x, f, "y = conv2d(x, F, dilation=[2, 2])"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 16, 5, 5]", "y = conv2d(x, F)"}, levels) == 2);
  CHECK(tile_of({x, "f32[16, 16, 7, 7]", "y = conv2d(x, F)"}, levels) == 4);
  CHECK(tile_of({x, "f32[16, 16, 8, 8]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 16, 1, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x, "f32[16, 1, 3, 3]", "y = conv2d(x, F, groups=16)"}, levels) == 0);
  CHECK(tile_of({"x: \"f32[1, 3, 14, 14]\"", "f32[16, 3, 3, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({"x: \"f64[1, 16, 14, 14]\"", "f64[16, 16, 3, 3]", "y = conv2d(x, F)"}, levels) == 0);
  CHECK(tile_of({x + ", z: \"f32[1]\"", f, "y = conv2d(x, add(F, z))"}, levels) == 0);
}

TEST_CASE("weights that something else reads are kept") {
  const ExecutionPlan plan = planned(
      {"x: \"f32[1, 16, 14, 14]\", z: \"f32[1]\"", "f32[16, 16, 3, 3]", "y = add(conv2d(x, F), mean(mul(F, z)))"},
      {level("x86-64-v4")});
  int kept = 0, made = 0;
  for (const PlanBuffer& b : plan.buffers)
    if (b.data) kept += b.data->dims == std::vector<int64_t>{16, 16, 3, 3}, made += b.data->dims[0] == 36;
  CHECK(kept == 1);
  CHECK(made == 1);
}

}  // namespace use_winograd_test
