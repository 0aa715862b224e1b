// Panels that are made just before the tiles that read them, tiles that store what the epilogue makes of their sums,
// and requests for the lines that it reads and writes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catch.h"
#include "lower/lower_kernel.h"
#include "unit/schedule/planned_layer.h"

namespace nearby_panels_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// What a level makes of a pointwise convolution, after its values were compared with the oracle's at every level.
LoopNest lowered(const std::string& x, const std::string& f, const std::string& value,
                 const std::string& level = "x86-64-v4") {
  const ExecutionPlan plan = planned({"x: " + x + ", b: \"f32[32]\"", f, "y = " + value}, {});
  const Kernel& kernel = plan.steps.back().kernel;
  const std::vector<double> want = values(plan);
  LoopNest found;
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty()) continue;
    const LoopNest nest = lower_kernel(kernel, tenon_test::shipped_blueprints(), isa);
    INFO(isa.name << " " << value << " of " << x);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
    if (isa.name == level) found = nest;
  }
  return found;
}

/// Elements of the panels that are packed at a time; 0 where none are.
int64_t packed(const LoopNest& nest) {
  for (const Buffer& b : nest.buffers)
    if (b.name.starts_with("packed")) return constant_value(b.elements).value_or(-1);
  return 0;
}

bool has_tile(const LoopNest& nest, const std::string& part) {
  return std::any_of(nest.functions.begin(), nest.functions.end(), [&](const InnerFunction& f) {
    return f.name.starts_with("tile_") && f.name.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("panels are packed just before the tiles of all rows read them", "[slow][deep]") {
  const auto of = [](const char* x) { return packed(lowered(x, "f32[32, 24, 1, 1]", "conv2d(x, F)")); };
  CHECK(of("\"f32[1, 24, 32, 64]\"") == 2 * 32 * 24);  // planes of a multiple of 4096 bytes: two panels of 64
  CHECK(of("\"f32[1, 24, 32, 31]\"") == 0);            // planes that are apart in the caches are read in place
  CHECK(of("\"f32[1, 24, 32, 33]\"") == 0);
}

TEST_CASE("panels in more pages than a processor has at hand are copied where vectors are less than a cache line",
          "[slow][deep]") {
  const auto of = [](const char* channels, const char* level) {
    return packed(lowered(fmt::format("\"f32[1, {}, 32, 33]\"", channels), fmt::format("f32[32, {}, 1, 1]", channels),
                          "conv2d(x, F)", level));
  };
  CHECK(of("80", "x86-64-v3") > 0);
  CHECK(of("60", "x86-64-v3") == 0);
  CHECK(of("80", "x86-64-v4") == 0);
}

TEST_CASE("whole tiles store the sums with a number for each row, bounded", "[slow]") {
  const auto of = [](const char* x, const char* value) { return lowered(x, "f32[32, 8, 1, 1]", value); };
  CHECK(has_tile(of("\"f32[1, 8, 16, 32]\"", "conv2d(x, F, b)"), "_stored_biased"));
  CHECK(has_tile(of("\"f32[1, 8, 16, 32]\"", "relu(conv2d(x, F, b))"), "_stored_biased_least0"));
  CHECK(has_tile(of("\"f32[1, 8, 16, 32]\"", "relu(conv2d(x, F))"), "_stored_least0"));
  CHECK(has_tile(of("\"f32[1, 8, 16, 32]\"", "clip(conv2d(x, F, b), lo=-0.5, hi=6)"), "_biased_leastm0p5_most6"));
  CHECK_FALSE(has_tile(of("\"f32[1, 8, 16, 32]\"", "sigmoid(conv2d(x, F, b))"), "_stored"));
  CHECK_FALSE(has_tile(of("\"f32[1, 8, 16, 32]\"", "conv2d(x, F, b) * 2"), "_stored"));
  CHECK_FALSE(has_tile(of("\"f32[1, 8, 15, 31]\"", "conv2d(x, F, b)"), "_stored"));  // the last tile is not whole
}

TEST_CASE("tiles request the lines of large results and of what is added to them", "[slow]") {
  const auto requested = [](const std::string& plane) {
    const LoopNest nest = lowered(fmt::format("\"f32[1, 24, {}]\", r: \"f32[1, 32, {}]\"", plane, plane),
                                  "f32[32, 24, 1, 1]", "relu(conv2d(x, F, b) + r)", "x86-64-v3");
    std::set<std::string> out;
    const std::string text = to_text(nest);
    for (size_t at = 0; (at = text.find("prefetch b", at)) != std::string::npos; ++at)
      out.insert(nest.buffers[static_cast<size_t>(std::stoi(text.substr(at + 10)))].name);
    return out;
  };
  CHECK(requested("16, 32").size() == 2);  // the result, and r
  CHECK(requested("8, 15").empty());       // both are in the first-level cache
}

}  // namespace nearby_panels_test
