// Kernels whose open sizes have bounds, as in models: what the bounds say decides forks, wholly or in part.
#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/kernel/variants.h"
#include "lower/lower_kernel.h"
#include "opdef/read_ops.h"
#include "shipped_library.h"

namespace bounded_sizes_test {

using namespace tenon;

namespace {

using Bounds = std::pair<int64_t, int64_t>;

/// The nest of the op's kernel, whose rows and their length have these bounds.
std::string nest_within(const std::string& op, Bounds rows, Bounds length) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {DType::F32}});
  REQUIRE(library);
  Kernel k = library->ops[0].kernels[0].kernel;
  const bool along_last = op == "layernorm";
  if (!along_last) k = with_sizes(k, {{"Q", 1}});
  for (Size& s : k.sizes) {
    if (s.name == "P") std::tie(s.lo, s.hi) = rows;
    if (s.name == (along_last ? "Q" : op == "sum" ? "R" : "D")) std::tie(s.lo, s.hi) = length;
  }
  const LoopNest nest = lower_kernel(k, tenon_test::shipped_blueprints(), *isa_from_name("x86-64-v3"));
  REQUIRE(verify(nest) == std::vector<std::string>{});
  return to_text(nest);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("bounded sizes: forks end, whatever part of their conditions the bounds decide") {
  const Bounds ranges[] = {{1, 6}, {1, 16}, {1, 600}, {16, 40}, {33, 600}, {600, 6000}};
  for (const char* op : {"log_softmax", "layernorm", "argmax", "sum", "l2_normalize"})
    for (const Bounds& rows : ranges)
      for (const Bounds& length : ranges) {
        INFO(fmt::format("{} of {}..{} rows of {}..{}", op, rows.first, rows.second, length.first, length.second));
        CHECK_FALSE(nest_within(op, rows, length).empty());
      }
}

TEST_CASE("bounded sizes: a fork for short rows asks for what the bounds leave open") {
  CHECK(contains(nest_within("log_softmax", {1, 600}, {1, 600}), "if and(lt(D, 16), ge(P, 32))"));
  CHECK(contains(nest_within("log_softmax", {1, 600}, {1, 6}), "if ge(P, 32)"));
  CHECK(contains(nest_within("log_softmax", {33, 600}, {1, 600}), "if lt(D, 16)"));
  CHECK_FALSE(contains(nest_within("log_softmax", {1, 6}, {1, 600}), "X_lanes"));
  CHECK_FALSE(contains(nest_within("log_softmax", {1, 600}, {16, 40}), "X_lanes"));
}

}  // namespace bounded_sizes_test
