// Every shipped op can be called in a body: alone, as the first of two calls, between two, and as the last one.
#include <algorithm>
#include <map>
#include <optional>

#include "catch.h"
#include "ir/op/type_function.h"
#include "isa/all_isas.h"
#include "library/bind_shapes.h"
#include "library/expand_body.h"
#include "library/expand_library.h"
#include "library/expr_builder.h"
#include "lower/lower_kernel.h"
#include "opdef/read_ops.h"
#include "oracle/run_kernel.h"
#include "shipped_library.h"

namespace composites_of_all_ops_test {

using namespace tenon;

namespace {

Syntax name(const std::string& text) {
  Syntax s;
  s.kind = SyntaxKind::name;
  s.text = text;
  return s;
}

Statement call(const std::string& op, std::vector<Word> targets, std::vector<Syntax> arguments) {
  Statement s;
  s.is_call = true;
  s.targets = std::move(targets);
  s.value.kind = SyntaxKind::call;
  s.value.text = op;
  s.value.children = std::move(arguments);
  return s;
}

Syntax keyword(const std::string& word, Syntax value) {
  Syntax s = name(word);
  s.kind = SyntaxKind::keyword;
  s.children = {std::move(value)};
  return s;
}

/// An extent for each size and two for each pack, the same wherever the name stands.
void add_extents(const Dim& d, std::vector<Expr>& out) {
  int64_t sum = 0;
  for (const char c : d.name) sum += c;
  if (d.kind == DimKind::integer) {
    out.push_back(constant_int(d.value));
  } else if (d.kind == DimKind::split) {
    std::vector<Expr> parts;
    for (const Dim& part : d.parts) add_extents(part, parts);
    int64_t product = 1;
    for (const Expr& e : parts) product *= *constant_value(e);
    out.push_back(constant_int(product));
  } else {
    if (d.kind == DimKind::pack) out.push_back(constant_int(3));
    out.push_back(constant_int(2 + sum % 4));
  }
}

/// Inputs with the extents that a test gives, or with some.
std::vector<GivenTensor> inputs_of(const OpDef& def, const TestCase& test) {
  std::vector<GivenTensor> out;
  for (const TensorDef& t : def.inputs) {
    const auto shape = std::find_if(test.shapes.begin(), test.shapes.end(),
                                    [&](const auto& entry) { return entry.first.text == t.name; });
    const bool told = shape != test.shapes.end();
    GivenTensor given{told || !t.optional, dtype_from_name(t.dtype).value_or(DType::F32), {}};
    if (const TypeVar* type = def.type(t.dtype)) given.dtype = dtypes_of(*type)[0];
    if (told)
      for (const Syntax& extent : shape->second.children) given.dims.push_back(constant_int(extent.integer));
    else
      for (const Dim& d : t.dims) add_extents(d, given.dims);
    out.push_back(std::move(given));
  }
  return out;
}

/// What the first test of an op gives; nothing where it has none.
const TestCase& test_of(const OpDef& def) {
  static const TestCase none;
  return def.tests.empty() ? none : def.tests[0];
}

std::vector<Dim> dims_of(const std::vector<Expr>& extents) {
  std::vector<Dim> out;
  for (const Expr& e : extents) {
    Dim d;
    d.kind = DimKind::integer;
    d.value = *constant_value(e);
    out.push_back(d);
  }
  return out;
}

/// An op of fixed shapes that calls `def`, with copies before it, behind it, or both.
OpDef composite(const OpDef& def, const std::vector<GivenTensor>& given, const BoundCall& bound, bool before,
                bool behind) {
  OpDef out;
  out.name = std::string("calls_") + (before ? "behind_" : "") + (behind ? "before_" : "") + def.name;
  std::vector<Syntax> arguments;
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    if (!given[i].present) continue;
    TensorDef t;
    t.name = def.inputs[i].name;
    t.dtype = name_of(given[i].dtype);
    t.dims = dims_of(given[i].dims);
    out.inputs.push_back(t);
    const std::string passed = before ? "before_" + t.name : t.name;
    if (before) out.body.push_back(call("identity", {{passed, {}}}, {name(t.name)}));
    arguments.push_back(keyword(t.name, name(passed)));
  }
  for (const auto& [word, value] : test_of(def).attrs) arguments.push_back(keyword(word.text, value));
  std::vector<Word> targets;
  for (size_t i = 0; i < def.outputs.size(); ++i) {
    TensorDef t;
    t.name = def.outputs[i].name;
    t.dtype = name_of(bound.output_types[i]);
    t.dims = dims_of(bound.output_dims[i]);
    out.outputs.push_back(t);
    targets.push_back({behind ? "made_" + t.name : t.name, {}});
  }
  out.body.push_back(call(def.name, targets, arguments));
  for (const TensorDef& t : def.outputs)
    if (behind) out.body.push_back(call("identity", {{t.name, {}}}, {name("made_" + t.name)}));
  return out;
}

bool callable(const OpDef& def) {
  const bool variadic = (!def.inputs.empty() && def.inputs.back().variadic) || def.outputs.back().variadic;
  return def.impl.empty() && !variadic;
}

std::map<std::string, BoundAttr> attrs_of(const OpDef& def, const TestCase& test) {
  Scope scope;
  scope.def = &def;
  Kernel kernel;
  Diagnostics diagnostics;
  ExprBuilder expr(tenon_test::shipped_ops(), scope, kernel, diagnostics);
  std::map<std::string, BoundAttr> out;
  for (const auto& [word, value] : test.attrs) {
    BoundAttr& b = out[word.text];
    b.list = def.attr(word.text)->count != AttrCount::one;
    if (value.kind == SyntaxKind::list)
      for (const Syntax& e : value.children) b.elements.push_back(expr.value(e));
    else b.elements.push_back(expr.value(value));
  }
  return out;
}

/// What the oracle makes of inputs that count 0, 1, 2, … modulo 5; empty where the kernel refuses them.
std::vector<std::vector<uint8_t>> results(const Kernel& kernel) {
  OracleCall run;
  run.tensors.resize(kernel.tensors.size());
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const Tensor& t = kernel.tensors[i];
    if (t.role != Role::Input) continue;
    TensorData& data = run.tensors[i];
    data.dtype = t.dtype;
    int64_t n = 1;
    for (const Expr& e : t.dims) n *= data.dims.emplace_back(evaluate_size(e, run));
    data.bytes.assign(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(t.dtype)), 0);
    for (int64_t k = 0; k < n; ++k)
      store_number(data, k, holds_reals(t.dtype) ? Number{0, 0.25 * static_cast<double>(k % 5)} : Number{k % 2});
  }
  std::vector<std::vector<uint8_t>> out;
  if (run_kernel(kernel, run) != OracleStatus::Done) return out;
  for (size_t i = 0; i < kernel.tensors.size(); ++i)
    if (kernel.tensors[i].role == Role::Output) out.push_back(run.tensors[i].bytes);
  return out;
}

std::string faults_of(const OpLibrary& defs, const std::string& op, const std::vector<std::vector<uint8_t>>& wanted) {
  const auto library = expand_library(defs, {{op}, {}});
  if (!library) return library.diagnostics().text();
  std::string faults;
  const Kernel& kernel = library->ops[0].kernels[0].kernel;
  for (const std::string& f : verify(kernel)) faults += f + "\n";
  if (!faults.empty()) return faults;
  const LoopNest nest = lower_kernel(kernel, tenon_test::shipped_blueprints(), *isa_from_name("x86-64-v3"));
  for (const std::string& f : verify(nest)) faults += f + "\n";
  return results(kernel) == wanted ? faults : faults + "other values\n";
}

/// Composites of one op, and what the op alone makes.
struct Calls {
  std::vector<std::string> names;
  std::vector<std::vector<uint8_t>> wanted;
};

std::optional<Calls> add_calls(const OpDef& def, std::string& text) {
  const std::vector<GivenTensor> given = inputs_of(def, test_of(def));
  Diagnostics diagnostics;
  auto bound = bind_call({tenon_test::shipped_ops(), def, given, attrs_of(def, test_of(def))}, diagnostics);
  if (!bound) return std::nullopt;
  for (const std::vector<Expr>& dims : bound->output_dims)
    for (const Expr& e : dims)
      if (constant_value(e).value_or(-1) < 0 || *constant_value(e) > 1000) return std::nullopt;
  expand_body(tenon_test::shipped_ops(), bound->scope, bound->kernel, diagnostics);
  Calls calls{{}, results(bound->kernel)};
  for (const auto& [before, behind] : {std::pair{false, false}, {false, true}, {true, true}, {true, false}}) {
    const OpDef made = composite(def, given, *bound, before, behind);
    calls.names.push_back(made.name);
    text += print(made);
  }
  return calls;
}

}  // namespace

TEST_CASE("every shipped op can be called in a body, alone and among others", "[slow]") {
  std::string text = "ops:\n";
  std::vector<Calls> all;
  for (const auto& [key, def] : tenon_test::shipped_ops().ops)
    if (callable(def))
      if (auto calls = add_calls(def, text)) all.push_back(std::move(*calls));
  CHECK(all.size() > 180);
  const auto defs = read_ops(tenon_test::yaml_files("opdefs"), {std::make_shared<SourceFile>("calls.yaml", text)},
                             tenon_test::frame_files(TENON_CHECKOUT));
  INFO(defs.diagnostics().text());
  REQUIRE(defs);
  for (const Calls& calls : all)
    for (const std::string& op : calls.names) {
      INFO(op);
      CHECK(faults_of(*defs, op, calls.wanted) == "");
    }
}

}  // namespace composites_of_all_ops_test
