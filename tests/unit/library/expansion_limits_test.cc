// expand_library: definitions that double at every call are refused in time, and temps that are read twice are not
// copied for ever.
#include <fmt/format.h>

#include "catch.h"
#include "library/expand_library.h"
#include "lower/kernel/kernel_passes.h"
#include "opdef/read_ops.h"

namespace expansion_limits_test {

using namespace tenon;

namespace {

const char* const kOp =
    "ops:\n  - op: f\n    types: {T: float}\n    in: {X: \"T[N]\"}\n    out: {Y: \"T[N]\"}\n    body: |\n";

Result<Library> expand(const std::string& text, const std::string& op) {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", text)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  return expand_library(*defs, {{op}, {DType::F32}});
}

}  // namespace

TEST_CASE("expand_library: functions that double at every call are refused at once") {
  std::string functions = "fn:\n  f0(x): x + x\n", nested = "X[i]";
  for (int k = 1; k < 60; ++k) functions += fmt::format("  f{}(x): f{}(x)*f{}(x)\n", k, k - 1, k - 1);
  const auto doubled = expand(functions + kOp + "      Y[i] = f59(X[i])\n", "f");
  REQUIRE_FALSE(doubled);
  CHECK(doubled.diagnostics().text().find("has more than 20000 parts [E0305]") != std::string::npos);
  for (int k = 0; k < 40; ++k) nested = "f0(" + nested + ")";
  CHECK_FALSE(expand(functions + kOp + "      Y[i] = " + nested + "\n", "f"));
  CHECK(expand(functions + kOp + "      Y[i] = f5(X[i])\n", "f"));
}

TEST_CASE("expand_library: ops that call each other twice are refused at once") {
  std::string text =
      "ops:\n  - op: g0\n    types: {T: float}\n    in: {X: \"T[N]\"}\n    out: {Y: \"T[N]\"}\n    body: Y[i] = "
      "X[i]*2\n";
  for (int k = 1; k < 40; ++k)
    text += fmt::format(
        "  - op: g{0}\n    types: {{T: float}}\n    in: {{X: \"T[N]\"}}\n    out: {{Y: \"T[N]\"}}\n    body: |\n"
        "      a = g{1}(X)\n      b = g{1}(a)\n      Y[i] = a[i] + b[i]\n",
        k, k - 1);
  const auto library = expand(text, "g39");
  REQUIRE_FALSE(library);
  CHECK(library.diagnostics().text().find("has more than 4096 statements [E0232]") != std::string::npos);
  CHECK(expand(text, "g5"));
}

TEST_CASE("inline_temps: a chain of temps that are read twice each stays as long as it is written") {
  std::string body = "      t0[i] = X[i]\n";
  for (int k = 1; k < 60; ++k) body += fmt::format("      t{}[i] = t{}[i]*t{}[i]\n", k, k - 1, k - 1);
  const auto library = expand(kOp + body + "      Y[i] = t59[i]\n", "f");
  REQUIRE(library);
  const Kernel kernel = inline_temps(library->ops[0].kernels[0].kernel);
  CHECK(kernel.body.size() > 5);
  CHECK(kernel.body.size() < 30);
  for (const KernelStatement& s : kernel.body) {
    int nodes = 0;
    walk(s.value, [&](const Expr&) { return ++nodes < 1000; });
    CHECK(nodes < 1000);
  }
}

}  // namespace expansion_limits_test
