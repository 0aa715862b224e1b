// What a kernel's statements say of themselves: the definition's own text, a family's with its parameters put in.
#include "catch.h"
#include "library/expand_library.h"
#include "opdef/read_ops.h"

namespace formula_test {

using namespace tenon;

TEST_CASE("expand_library: the formula of a family has the member's parameters in it") {
  const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", R"(
families:
  - family: put
    types: {T: number}
    in: {X: "T[N]", Ix: "i32[J]", U: "T[J]"}
    out: {Y: "T[N]"}
    body: |
      Y[n] = X[n]
      Y[wrap(Ix[j], N)] $how U[j]
    ops:
      put_add: {how: +=, doc: X with U added}
)")});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const auto library = expand_library(*defs, {{"put_add"}, {DType::F32}});
  REQUIRE(library);
  const std::vector<KernelStatement>& body = library->ops[0].kernels[0].kernel.body;
  REQUIRE(body.size() == 2);
  CHECK(body[0].formula == "Y[n] = X[n]");
  CHECK(body[1].formula == "Y[wrap(Ix[j], N)] += U[j]");
}

}  // namespace formula_test
