// Tiles of more vectors for products of few rows with weights.
#include <fmt/format.h>

#include <algorithm>

#include "catch.h"
#include "lower/lower_kernel.h"
#include "unit/schedule/planned_layer.h"

namespace few_rows_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// The names of the tiles of a product at a level, after its values were compared with the oracle's: at every level for
/// a short sum, whose interpretation takes less.
std::string tiles_of(int rows, int depth, int columns, std::string_view level) {
  const ExecutionPlan plan = planned(
      {fmt::format("x: \"f32[{}, {}]\"", rows, depth), fmt::format("f32[{}, {}]", depth, columns), "y = matmul(x, F)"},
      {});
  const std::vector<double> want = values(plan);
  std::string found;
  for (const Isa& isa : all_isas()) {
    if (!isa.base.empty() || (depth > 100 && isa.name != level)) continue;
    const LoopNest nest = lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), isa);
    INFO(isa.name << " " << rows << " x " << depth << " x " << columns);
    CHECK(verify(nest).empty());
    CHECK(error_of(values(plan, &nest), want) < 1e-6);
    if (isa.name != level) continue;
    for (const InnerFunction& f : nest.functions)
      found += (found.empty() ? "" : " ") + f.name.substr(0, f.name.find("_f32"));
  }
  return found;
}

}  // namespace

TEST_CASE("few rows take more vectors, as many as there are columns for", "[slow]") {
  CHECK(tiles_of(1, 20, 256, "x86-64-v4") == "tile_1x8");
  CHECK(tiles_of(2, 20, 256, "x86-64-v4") == "tile_2x8");
  CHECK(tiles_of(3, 20, 256, "x86-64-v4") == "tile_3x4");
  CHECK(tiles_of(4, 20, 256, "x86-64-v4") == "tile_4x2");  // these are enough sums
  CHECK(tiles_of(1, 20, 80, "x86-64-v4") == "tile_1x5");
  CHECK(tiles_of(1, 20, 90, "x86-64-v4") ==
        "tile_1x1of2 tile_1x2");  // the last tile would be of columns that are not there
  CHECK(tiles_of(1, 20, 10, "x86-64-v4") == "tile_1x1of2");
  CHECK(tiles_of(1, 512, 256, "x86-64-v4") == "tile_1x4");  // workers share tiles
  CHECK(tiles_of(1, 20, 256, "x86-64-v3") == "tile_1x8");
  CHECK(tiles_of(2, 20, 256, "x86-64-v3") == "tile_2x4");
  CHECK(tiles_of(1, 20, 48, "x86-64-v3") == "tile_1x6");  // of whole panels
  CHECK(tiles_of(1, 20, 250, "x86-64-v3") == "tile_1x1of8 tile_1x8");
  CHECK(tiles_of(1, 20, 90, "x86-64-v3") == "tile_1x1of6 tile_1x6");
  CHECK(tiles_of(1, 600, 810, "x86-64-v3") == "tile_1x1of8 tile_1x8");  // 13 tiles
  CHECK(tiles_of(1, 600, 448, "x86-64-v3") == "tile_1x4");              // 7 of 8 vectors would be too few
}

TEST_CASE("loops of tiles of two or three rows are compiled two iterations at a time", "[slow]") {
  const ExecutionPlan plan = planned({"x: \"f32[2, 20]\"", "f32[20, 64]", "y = matmul(x, F)"}, {});
  const auto loops = [&](const char* level) {
    const LoopNest nest =
        lower_kernel(plan.steps.back().kernel, tenon_test::shipped_blueprints(), *isa_from_name(level));
    REQUIRE(nest.functions.size() == 1);
    const Block& body = nest.functions[0].body;
    return std::count_if(body.begin(), body.end(), [](const Stmt& s) {
      const auto* loop = std::get_if<SFor>(&s.node);
      return loop && loop->kind == LoopKind::Paired;
    });
  };
  CHECK(loops("x86-64-v4") == 1);
  CHECK(loops("portable") == 0);
}

}  // namespace few_rows_test
