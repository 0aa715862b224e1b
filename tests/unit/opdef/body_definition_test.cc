// A body alone becomes a definition.
#include "catch.h"
#include "opdef/read/definition_text.h"

namespace body_definition_test {

using Catch::Matchers::Contains;
using tenon::body_definition;

TEST_CASE("a body's tensors, sizes and attributes have their names from it") {
  CHECK(body_definition("Y[i] = 2*X[i] + alpha", "float").value() ==
        "ops:\n  - op: body\n    types: {T: float}\n    attrs: {alpha: float = 1}\n    in: {X: \"T[I]\"}\n"
        "    out: {Y: \"T[I]\"}\n    body: |\n      Y[i] = 2*X[i] + alpha\n");
  CHECK_THAT(body_definition("Y[i,j] = sum[k](A[i,k]*B[k,j])", "number").value(),
             Contains("in: {A: \"T[I, K]\", B: \"T[K, J]\"}") && Contains("out: {Y: \"T[I, J]\"}"));
  CHECK_THAT(body_definition("Y[*s] = X[*s]", "float").value(), Contains("in: {X: \"T[*S]\"}"));
  CHECK_THAT(body_definition("m[i] = max[j](X[i,j])\nY[i,j] = X[i,j] - m[i]", "float").value(),
             Contains("in: {X: \"T[I, J]\"}") && Contains("out: {Y: \"T[I, J]\"}"));
}

TEST_CASE("a body that does not say its shapes is refused with the place") {
  const auto text = [](const char* body) { return body_definition(body, "float").diagnostics().text(); };
  CHECK_THAT(text("Y[i] = X[i + 1]"), Contains("--body:1:10: ") && Contains("read at 'i + 1' has no length"));
  CHECK_THAT(text("Y[i,j] = X[i] + X[j]"), Contains("--body:1:17: ") && Contains("'X' has the shape [I] and [J]"));
  CHECK_THAT(text("Y = relu(X)"), Contains("--body:1:5: ") && Contains("write the whole definition"));
  CHECK_THAT(text("a[i] = X[i]\nY[i] = padded(Y[i - 1], a[i])"), Contains("--body:2:"));
  CHECK_THAT(text(""), Contains("--body:1:1: ") && Contains("this body has no statement"));
}

TEST_CASE("a body that cannot be read is refused as in a definition") {
  const auto text = [](const char* body) { return body_definition(body, "float").diagnostics().text(); };
  CHECK_THAT(text("Y[i = X[i]"), Contains("--body:1:5: ") && Contains("[E0303]"));
  CHECK_THAT(text("Y[i] = X[i] ? 1 : 2"), Contains("--body:1:13: ") && Contains("select(condition, a, b)"));
}

}  // namespace body_definition_test
