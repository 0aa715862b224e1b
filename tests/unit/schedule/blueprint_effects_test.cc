// Every key and value that a blueprint may have changes what some kernel becomes.
#include <fmt/format.h>

#include <set>

#include "catch.h"
#include "frontend/yaml/read_graph_yaml.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"
#include "schedule/plan_graph.h"
#include "schedule/read_blueprints.h"
#include "semantics/library_semantics.h"
#include "semantics/node_kernels.h"
#include "shipped_library.h"

namespace blueprint_effects_test {

using namespace tenon;

namespace {

/// The kernels of a graph.
std::vector<Kernel> kernels_of(const std::string& inputs, const std::string& main, const std::string& weights) {
  const OpLibrary& ops = tenon_test::shipped_ops();
  const OpSemantics semantics = folding_semantics(ops);
  const std::string text =
      "graph: g\nsizes: {N: 1..900}\ninputs: {" + inputs + "}\n" + weights + "main: |\n  " + main + "\noutputs: [y]\n";
  const auto graph = read_graph_yaml(std::make_shared<const SourceFile>("g.yaml", text), semantics, {});
  if (!graph.ok()) FAIL(graph.diagnostics().text());
  const Graph rewritten = apply_rewrites(ops, tenon_test::shipped_rules(), *graph).graph;
  auto kernels = node_kernels(ops, rewritten, "g.yaml");
  if (!kernels.ok()) FAIL(kernels.diagnostics().text());
  std::vector<Kernel> out;
  const PlanOptions options{true, true, false, {isa_from_name("x86-64-v4")}};
  for (const PlanStep& s : plan_graph(rewritten, std::move(kernels).value(), options).steps) out.push_back(s.kernel);
  return out;
}

struct Sample {
  std::string kind, inputs, main, weights = "";  // # stands for the type
};
const std::vector<Sample> kSamples = {
    {"contraction", "a: #[40, N], b: #[N, 70]", "y = matmul(a, b)"},
    {"contraction", "a: #[N, 40], b: #[40, 70]", "y = matmul(a, b)"},
    {"contraction", "a: #[210, 30], b: #[30, 70]", "y = matmul(a, b)"},
    {"contraction_transposed", "x: #[1, 8, N, 10], w: #[16, 8, 3, 3]", "y = conv2d(x, w, pads=[1, 1, 1, 1])"},
    {"contraction_transposed", "x: #[1, 2, 12, 11], w: #[300, 2, 3, 3]", "y = conv2d(x, w)"},
    {"contraction_transposed", "x: #[1, 2, N, 11], w: #[300, 2, 3, 3]", "y = conv2d(x, w)"},
    {"contraction_transposed", "x: #[1, 24, 12, 11], w: #[30, 24, 3, 3]", "y = conv2d(x, w)"},
    {"contraction_transposed_narrow", "x: #[1, 8, 4, 4], w: #[2, 8, 3, 3]", "y = conv2d(x, w, pads=[1, 1, 1, 1])"},
    {"contraction_transposed_narrow", "x: #[1, 2, 34, 34], w: #[300, 2, 3, 3]", "y = conv2d(x, w)"},
    {"contraction_transposed_narrow", "x: #[1, 2, 130, 130], w: #[300, 2, 3, 3]", "y = conv2d(x, w)"},
    {"filter_lines", "x: \"f32[1, 3, 250, 250]\"", "y = conv2d(x, w, stride=[2, 2])",
     "parameters:\n  w: {type: \"f32[28, 3, 3, 3]\", from: \"randn(seed=1)\"}\n"},
    {"stencil", "x: #[1, 16, N, N], w: #[16, 1, 3, 3]", "y = conv2d(x, w, pads=[1, 1, 1, 1], groups=16)"},
    {"stencil", "x: #[1, 16, 65, 66], w: #[16, 1, 2, 2]", "y = conv2d(x, w, groups=16)"},
    {"stencil", "x: #[1, 16, 91, 101], w: #[16, 1, 2, 2]", "y = conv2d(x, w, groups=16)"},
    {"stencil", "x: #[1, 16, 9, 44], w: #[16, 1, 5, 5]", "y = conv2d(x, w, groups=16)"},
    {"winograd", "x: \"f32[1, 16, 60, 60]\"", "y = conv2d(x, w)",
     "parameters:\n  w: {type: \"f32[40, 16, 3, 3]\", from: \"randn(seed=1)\"}\n"},
    {"row_chain", "q: #[2, 4, N, 64], k: #[2, 4, 100, 64], v: #[2, 4, 100, 64]", "y = attention(q, k, v)"},
    {"map", "a: #[N], b: #[N]", "y = a + b"},
    {"map", "a: #[N]", "y = exp(a)"},
    {"reduction", "a: #[N]", "y = sum(a, axes=[0])"},
};

std::vector<Kernel> kernels_for(const BlueprintKind& kind, DType type) {
  std::vector<Kernel> out;
  for (const Sample& s : kSamples) {
    if (s.kind != kind.name) continue;
    std::string inputs = s.inputs;
    for (size_t at = inputs.find('#'); at != std::string::npos; at = inputs.find('#')) {
      const size_t end = inputs.find(']', at);
      inputs.replace(at, end - at + 1, fmt::format("\"{}{}\"", name_of(type), inputs.substr(at + 1, end - at)));
    }
    for (Kernel& k : kernels_of(inputs, s.main, s.weights)) out.push_back(std::move(k));
  }
  return out;
}

/// Their text at a level, where `row` is before all others.
std::string lowered(const std::vector<Kernel>& kernels, const Blueprint& row, const Isa& isa) {
  Blueprints all{{row}};
  const Blueprints& shipped = tenon_test::shipped_blueprints();
  all.rows.insert(all.rows.end(), shipped.rows.begin(), shipped.rows.end());
  std::string text;
  for (const Kernel& k : kernels) text += to_text(lower_kernel(k, all, isa));
  return text;
}

/// A row where none is shipped.
Blueprint wide_tiles(std::string_view kind) {
  Blueprint row;
  row.kind = kind;
  row.tile_rows = 8;
  row.cache_m = row.cache_n = row.strip_pixels = 6144;
  return row;
}

/// A row for this kind, level and type alone.
Blueprint row_for(const BlueprintKind& kind, const Isa& isa, DType type) {
  const Blueprint* shipped = tenon_test::shipped_blueprints().find(kind.name, isa.name, type);
  Blueprint row = shipped ? *shipped : wide_tiles(kind.name);
  row.name = "row";
  if (kind.name == "contraction_transposed_narrow")
    row.tile_rows = 16;  // lines of the cache as a whole, for every type
  row.isa = isa.name;
  if (!kind.types.empty()) row.dtype = name_of(type);
  return row;
}

std::string effect_missing(const BlueprintKind& kind, const std::vector<Kernel>& kernels, const Isa& isa, DType type) {
  const Blueprint row = row_for(kind, isa, type);
  const std::string before = lowered(kernels, row, isa);
  std::string missing;
  for (const BlueprintParameter& p : kind.parameters) {
    const int is = row.*p.field;
    bool changes = false;
    for (const int value : {28, 16, 2, 2 * is, is / 2}) {
      Blueprint other = row;
      other.*p.field = value;
      changes = changes || (value > 0 && value != is && lowered(kernels, other, isa) != before);
    }
    if (changes != p.has_effect(isa)) missing += fmt::format(" {}", p.name);
  }
  Blueprint renamed = row;
  renamed.name = "another";
  if (kind.named != (lowered(kernels, renamed, isa) != before)) missing += " name";
  return missing;
}

}  // namespace

TEST_CASE("every key and value that a blueprint may have changes a kernel", "[slow]") {
  for (const BlueprintKind& kind : blueprint_kinds())
    for (const DType type : kind.types.empty() ? std::vector{DType::F32, DType::F64} : kind.types) {
      const std::vector<Kernel> kernels = kernels_for(kind, type);
      for (const Isa& isa : all_isas()) {
        if (!isa.base.empty()) continue;  // differs in products of bytes alone
        if (!kind.scalars && isa.vector_bits == 0) continue;
        INFO(isa.name << " " << kind.name << " " << name_of(type));
        CHECK(effect_missing(kind, kernels, isa, type) == "");
      }
    }
}

}  // namespace blueprint_effects_test
