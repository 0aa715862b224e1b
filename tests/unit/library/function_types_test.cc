// expand_library: functions that a type does not have are refused with a place; intermediates that begin as numbers
// find their type.
#include <fmt/format.h>

#include "catch.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"

namespace function_types_test {

using namespace tenon;

namespace {

Result<Library> expand(const std::string& type, const std::string& body, DType key) {
  const std::string text = fmt::format(
      "ops:\n  - op: f\n    types: {{T: {}}}\n    in: {{X: \"T[N]\", Ix: \"i64[N]\"}}\n    index: {{j: N}}\n    out: "
      "{{Y: \"T[N]\"}}\n    body: |\n      {}\n",
      type, body);
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", text)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  return expand_library(*defs, {{"f"}, {key}});
}

void refuses(const std::string& type, const std::string& call, DType key, const std::string& why) {
  const auto library = expand(type, "Y[i] = " + call, key);
  INFO(call << "\n" << library.diagnostics().text());
  REQUIRE_FALSE(library);
  CHECK(library.diagnostics().text().find("ops.yaml:8:14: error: " + why + " [E0608]") != std::string::npos);
}

}  // namespace

TEST_CASE("expand_library: complex numbers have no order and some functions only") {
  for (const std::string f : {"floor", "erf", "isnan", "sign", "tan", "clz"})
    refuses("complex", f + "(X[i])", DType::C64, "c64 has no " + f);
  refuses("complex", "max(X[i], 0)", DType::C64, "c64 has no max");
  refuses("complex", "max[j](X[j])", DType::C64, "c64 has no max");
  refuses("complex", "argmin[j](X[j])", DType::C128, "c128 has no argmin");
  refuses("complex", "X[i] % 2", DType::C64, "c64 has no %");
  refuses("complex", "ceildiv(X[i], 2)", DType::C64, "c64 has no ceildiv");
  CHECK(expand("complex", "Y[i] = select(X[i] == 1, conj(X[i])**3, abs(X[i]))", DType::C64));
}

TEST_CASE("expand_library: bits are those of integers") {
  for (const std::string f : {"popcount", "bit_not"}) refuses("float", f + "(X[i])", DType::F32, "f32 has no " + f);
  refuses("float", "shl(X[i], 2)", DType::F32, "f32 has no shl");
  refuses("float", "bit_and(X[i], 2)", DType::F32, "f32 has no bit_and");
  CHECK(expand("float", "Y[i] = shl(Ix[i], 2)", DType::F32));
}

TEST_CASE("expand_library: what is combined into an intermediate of numbers alone gives it its type") {
  const auto library = expand("float",
                              "top[i] = -inf\n      top[wrap(Ix[i], N)] max= X[i]\n      z[i] = 0\n      z[wrap(Ix[i], "
                              "N)] += X[i]\n      Y[i] = z[i]/top[i]",
                              DType::F32);
  INFO(library.diagnostics().text());
  REQUIRE(library);
  for (const Tensor& t : library->ops[0].kernels[0].kernel.tensors)
    if (t.role == Role::Temp) CHECK(t.dtype == DType::F32);
}

}  // namespace function_types_test
