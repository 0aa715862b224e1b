// A body alone becomes a definition.
#include "catch.h"
#include "opdef/read/definition_text.h"

namespace body_definition_test {

using Catch::Matchers::Contains;
using tenon::body_definition;

TEST_CASE("a body's tensors, sizes and attributes have their names from it") {
  CHECK(body_definition("Y[i] = 2*X[i] + alpha", "float").text ==
        "ops:\n  - op: body\n    types: {T: float}\n    attrs: {alpha: float = 1}\n    in: {X: \"T[I]\"}\n"
        "    out: {Y: \"T[I]\"}\n    body: |\n      Y[i] = 2*X[i] + alpha\n");
  CHECK_THAT(body_definition("Y[i,j] = sum[k](A[i,k]*B[k,j])", "number").text,
             Contains("in: {A: \"T[I, K]\", B: \"T[K, J]\"}") && Contains("out: {Y: \"T[I, J]\"}"));
  CHECK_THAT(body_definition("Y[*s] = X[*s]", "float").text, Contains("in: {X: \"T[*S]\"}"));
  CHECK_THAT(body_definition("m[i] = max[j](X[i,j])\nY[i,j] = X[i,j] - m[i]", "float").text,
             Contains("in: {X: \"T[I, J]\"}") && Contains("out: {Y: \"T[I, J]\"}"));
}

TEST_CASE("a body that does not say its shapes is refused with the place") {
  CHECK_THAT(body_definition("Y[i] = X[i + 1]", "float").error, Contains("read at 'i + 1' has no length"));
  CHECK_THAT(body_definition("Y[i,j] = X[i] + X[j]", "float").error, Contains("'X' has the shape [I] and [J]"));
  CHECK_THAT(body_definition("Y = relu(X)", "float").error, Contains("write the whole definition"));
  CHECK(!body_definition("Y[i = X[i]", "float").error.empty());
  CHECK(!body_definition("", "float").error.empty());
}

}  // namespace body_definition_test
