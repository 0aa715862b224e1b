// Reads a graph and computes its values.
#include "random_graphs/known_graph.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "frontend/yaml/read_graph_yaml.h"
#include "oracle/number.h"
#include "random_graphs/evaluate.h"
#include "semantics/library_semantics.h"
#include "support/read_source.h"

namespace tenon_test {
namespace {

TensorData drawn(const Value& v, std::mt19937_64& rng) {
  TensorData t{v.dtype, {}, {}};
  for (const SizeExpr& d : v.dims) t.dims.push_back(d.value);
  t.bytes.resize(static_cast<size_t>(element_count(t.dims)) * static_cast<size_t>(bytes_of(t.dtype)));
  for (int64_t i = 0; i < element_count(t.dims); ++i) {
    Number n;
    n.f = 4 * static_cast<long double>(rng() >> 11) * 0x1p-53L - 2;
    n.i = static_cast<int64_t>(rng() % 3) - (is_signed_int(t.dtype) ? 1 : 0);
    store_number(t, i, n);
  }
  return t;
}

}  // namespace

std::optional<RandomGraph> known_graph(const OpLibrary& defs, const std::filesystem::path& file) {
  const OpSemantics semantics = folding_semantics(defs);
  const auto source = read_source(file.string());
  if (!source) return fmt::print(stderr, "{}", source.diagnostics().text()), std::nullopt;
  const auto graph = read_graph_yaml(*source, semantics, {});
  if (!graph.ok()) return fmt::print(stderr, "{}", graph.diagnostics().text()), std::nullopt;
  std::mt19937_64 rng(1);
  RandomGraph out;
  for (const Value& v : graph->values)
    out.values.push_back({v.name, v.constant ? From::Parameter : From::Node, v.constant ? *v.constant : TensorData{}});
  for (const ValueId v : graph->inputs) {
    out.values[static_cast<size_t>(v)].from = From::Input;
    out.values[static_cast<size_t>(v)].data = drawn(graph->values[static_cast<size_t>(v)], rng);
  }
  for (const Node& n : graph->nodes) {
    std::vector<const TensorData*> inputs;
    RandomNode node{n.op, {}, n.attrs, {}};
    for (const ValueId v : n.inputs) {
      node.inputs.push_back(v == kNoValue ? -1 : static_cast<int>(v));
      inputs.push_back(v == kNoValue ? nullptr : &out.values[static_cast<size_t>(v)].data);
    }
    const auto result = evaluate(defs, n.op, inputs, n.attrs);
    if (!result) return fmt::print(stderr, "{}: {} refuses its operands\n", file.string(), n.op), std::nullopt;
    for (size_t k = 0; k < n.outputs.size(); ++k) {
      node.outputs.push_back(static_cast<int>(n.outputs[k]));
      out.values[static_cast<size_t>(n.outputs[k])].data = result->outputs[k];
    }
    out.nodes.push_back(std::move(node));
  }
  for (const ValueId v : graph->outputs) out.outputs.push_back(static_cast<int>(v));
  return out;
}

}  // namespace tenon_test
