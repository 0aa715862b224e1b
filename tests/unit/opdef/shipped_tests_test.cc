// Tests of the shipped definitions: what they state, which no part of this program made, is what the definition gives.
#include <algorithm>
#include <cmath>

#include "catch.h"
#include "command/try_case.h"
#include "oracle/number.h"
#include "shipped_library.h"

namespace shipped_tests_test {

using namespace tenon;

namespace {

/// The largest difference between two tensors, relative to the largest finite element; infinite where infinities, NaN
/// or the extents differ.
double difference(const TensorData& made, const TensorData& stated) {
  if (made.dims != stated.dims || made.dtype != stated.dtype) return HUGE_VAL;
  double largest = 0, apart = 0;
  for (int64_t k = 0; k < element_count(made.dims); ++k) {
    const Number a = load_number(made, k), b = load_number(stated, k);
    const auto x = static_cast<double>(holds_reals(made.dtype) ? a.f : static_cast<long double>(a.i));
    const auto y = static_cast<double>(holds_reals(made.dtype) ? b.f : static_cast<long double>(b.i));
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return HUGE_VAL;
    apart = std::max(apart, std::abs(x - y));
    largest = std::max(largest, std::abs(y));
  }
  return apart == 0 ? 0 : largest == 0 ? HUGE_VAL : apart / largest;
}

/// What is wrong with a test at one key; empty where all is right.
std::string fault_of(const OpDef& def, const TestCase& test, std::optional<DType> key) {
  const auto types = types_of(def, test, key);
  if (!types) return {};
  TestCase open = test;
  open.outputs.clear();
  Diagnostics diagnostics;
  const auto stated = make_try_case({tenon_test::shipped_ops(), def, *types, test}, diagnostics);
  const auto made = make_try_case({tenon_test::shipped_ops(), def, *types, open}, diagnostics);
  if (!stated || !made) return diagnostics.text();
  for (size_t i = 0; i < made->outputs.size(); ++i)
    if (const double d = difference(made->outputs[i], stated->outputs[i]); d > made->limits[i])
      return fmt::format("output {} differs by {:g}, where {:g} is permitted", i, d, made->limits[i]);
  return {};
}

}  // namespace

TEST_CASE("shipped definitions say what they are, and give what their tests state") {
  for (const auto& [name, def] : tenon_test::shipped_ops().ops) {
    INFO(name);
    CHECK_FALSE(def.doc.empty());
    CHECK_FALSE(def.tests.empty());
    const std::vector<DType> keys = chosen_keys(def, {}, def.tests);
    for (const TestCase& test : def.tests)
      for (size_t k = 0; k < std::max<size_t>(keys.size(), 1); ++k) {
        INFO(test.span.file->name() << ":" << test.span.line());
        CHECK(fault_of(def, test, keys.empty() ? std::nullopt : std::optional(keys[k])) == "");
      }
  }
}

}  // namespace shipped_tests_test
