// expand_calls: the words, attributes and computed tensors that a call of an op in a body passes.
#include "catch.h"
#include "library/bind_shapes.h"
#include "library/expand_body.h"
#include "opdef/read_ops.h"

namespace call_arguments_test {

using namespace tenon;

namespace {

/// `edge` selects a factor; the calls name it by a word, by an attribute with these words, or not at all.
const char* const kCalls = R"(
ops:
  - op: scaled
    attrs: {edge: "enum(one, two, four) = one"}
    in: {X: "f64[3]"}
    out: {Y: "f64[3]"}
    body: Y[i] = select(edge == one, 1, select(edge == two, 2, 4))*X[i]

  - op: by_word
    in: {X: "f64[3]", two: "f64[3]"}
    out: {Y: "f64[3]"}
    body: Y = scaled(X=X + two, edge=two)

  - op: by_attribute
    attrs: {how: "enum(one, two, four) = four"}
    in: {X: "f64[3]"}
    out: {Y: "f64[3]"}
    body: Y = scaled(X, edge=how)

  - op: by_default
    in: {X: "f64[3]"}
    out: {Y: "f64[3]"}
    body: Y = scaled(-X)
)";

/// The statements of an op, all of whose inputs have three elements.
std::string expanded(const char* op) {
  static const auto defs = read_ops({}, {std::make_shared<SourceFile>("ops.yaml", kCalls)});
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  const OpDef& def = *defs->op(op);
  const std::vector<GivenTensor> inputs(def.inputs.size(), {true, DType::F64, {constant_int(3)}});
  Diagnostics diagnostics;
  auto call = bind_call({*defs, def, inputs}, diagnostics);
  REQUIRE(call);
  expand_body(*defs, call->scope, call->kernel, diagnostics);
  INFO(diagnostics.text());
  REQUIRE_FALSE(diagnostics.has_errors());
  std::string text;
  for (const KernelStatement& s : call->kernel.body) text += to_text(s.value) + "; ";
  return text;
}

}  // namespace

TEST_CASE("expand_calls: an attribute of words takes one of them, or an attribute with the same words") {
  CHECK(expanded("by_word") == "(t0[a0_] + t1[a0_]); (f64(select((1 == 0), 1, select((1 == 1), 2, 4))) * t3[i]); ");
  CHECK(expanded("by_attribute") == "(f64(select((2 == 0), 1, select((2 == 1), 2, 4))) * t0[i]); ");
  CHECK(expanded("by_default") == "neg(t0[a0_]); (f64(select((0 == 0), 1, select((0 == 1), 2, 4))) * t2[i]); ");
}

}  // namespace call_arguments_test
