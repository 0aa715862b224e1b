// Tiles that compute the right side's elements as they go, instead of reading panels.
#include <fmt/format.h>

#include <algorithm>

#include "catch.h"
#include "lower/lower_kernel.h"
#include "unit/schedule/planned_layer.h"

namespace computed_tiles_test {

using namespace tenon;
using namespace tenon_test;

namespace {

/// X of so many rows times panels of bytes.
ExecutionPlan product(const std::string& rows, int depth, int columns) {
  return planned({fmt::format("x: \"f32[{}, 2, {}]\", w: \"i8[2, 2, {}, {}]\"", rows, depth, depth, columns),
                  fmt::format("f32[2, 2, {}]", columns), "y = matmul_byte_panels(x, w, F, zero=3)"},
                 {});
}

bool packs(const LoopNest& nest) {
  return std::any_of(nest.buffers.begin(), nest.buffers.end(),
                     [](const Buffer& b) { return b.name.starts_with("packed"); });
}

}  // namespace

TEST_CASE("a tile of all rows computes the right side, and other tiles read panels", "[slow]") {
  const auto check = [](const std::string& rows, int depth, int columns, bool computed) {
    const ExecutionPlan plan = product(rows, depth, columns);
    const Kernel& kernel = plan.steps.back().kernel;
    const std::vector<double> want = values(plan);
    for (const Isa& isa : all_isas()) {
      if (!isa.base.empty()) continue;
      const LoopNest nest = lower_kernel(kernel, tenon_test::shipped_blueprints(), isa);
      INFO(isa.name << " " << rows << " x " << depth << " x " << columns);
      CHECK(verify(nest).empty());
      CHECK(error_of(values(plan, &nest), want) < 1e-6);
      if (isa.name == "x86-64-v4" || isa.name == "portable")
        CHECK(packs(nest) == (isa.name == "portable" || !computed));
    }
  };
  for (const char* rows : {"1", "2", "3", "5", "8"}) check(rows, 20, 64, true);
  check("2, 3", 20, 64, true);
  check("4", 7, 32, true);
  check("9", 20, 64, false);   // two tiles would compute everything twice
  check("4", 20, 40, false);   // a panel that is not whole
  check("4", 3, 1056, false);  // each line of the depth is in another page
}

}  // namespace computed_tiles_test
