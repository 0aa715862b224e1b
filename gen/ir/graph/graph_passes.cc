// Graphs made of a graph: cut off at a value, with state, for training.
#include "ir/graph/graph_passes.h"

#include <fmt/format.h>

#include "support/diagnostics.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

void take_names(const Graph& graph, CNames& values, CNames& nodes) {
  for (const GraphSize& s : all_sizes(graph)) values.take(s.name);
  for (const Value& v : graph.values) values.take(v.name);
  for (const ValueId v : graph.outputs) values.take(graph.value(v).name + "_shape");
  for (const Node& n : graph.nodes) nodes.take(n.name);
}

namespace {

const Value& value_of(const Graph& graph, ValueId id) { return graph.value(id); }

/// Values that operators outside of loops and branches make, and the outputs.
std::vector<ValueId> visible_values(const Graph& graph) {
  std::vector<ValueId> out;
  for (const Node& n : graph.nodes)
    if (n.region == kTopLevel)
      for (const ValueId v : n.outputs)
        if (v != kNoValue) out.push_back(v);
  for (const ValueId v : graph.outputs)
    if (!contains(out, v)) out.push_back(v);
  return out;
}

}  // namespace

std::optional<Graph> graph_until(const Graph& graph, const std::string& value) {
  for (const ValueId v : visible_values(graph)) {
    if (value_of(graph, v).original != value && value_of(graph, v).name != value) continue;
    Graph out = graph;
    out.outputs = {v};
    out.state.clear();
    return without_unused(std::move(out));
  }
  return std::nullopt;
}

std::vector<std::string> values_to_see(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId v : visible_values(graph))
    names.push_back(value_of(graph, v).original.empty() ? value_of(graph, v).name : value_of(graph, v).original);
  return names;
}

namespace {

/// The value of this name, or kNoValue and an error.
ValueId named(const Graph& graph, const std::vector<ValueId>& border, const char* kind, const std::string& name,
              std::string& fault) {
  std::vector<std::string> names;
  for (const ValueId v : border) {
    const Value& value = graph.value(v);
    if (value.original == name || value.name == name) return v;
    names.push_back(value.original.empty() ? value.name : value.original);
  }
  fault = fmt::format("the graph has no {} '{}'{}", kind, name,
                      or_did_you_mean(name, names, "; it has " + joined(names, ", ")));
  return kNoValue;
}

std::string open_extent(const Value& v) {
  for (const SizeExpr& d : v.dims)
    if (!d.is_constant()) return names_in(d).front();
  return {};
}

}  // namespace

std::string keep_state(Graph& graph, const std::string& input, const std::string& output) {
  std::string fault;
  const ValueId from = named(graph, graph.inputs, "input", input, fault);
  if (from == kNoValue) return fault;
  const ValueId to = named(graph, graph.outputs, "output", output, fault);
  if (to == kNoValue) return fault;
  const Value &a = graph.value(from), &b = graph.value(to);
  if (a.dtype != b.dtype || a.dims != b.dims)
    return fmt::format("input '{}' is {}, but output '{}' is {}; both have to have the same type", input, type_text(a),
                       output, type_text(b));
  if (const std::string size = open_extent(a); !size.empty())
    return fmt::format("'{}' is {}; a state has fixed extents: give `--size {}=1` or another number", input,
                       type_text(a), size);
  for (const StatePair& s : graph.state)
    if (s.input == from || s.next == to)
      return fmt::format("{} '{}' is given twice", s.input == from ? "input" : "output",
                         s.input == from ? input : output);
  graph.state.push_back({from, to, nullptr, kNoValue});
  return {};
}

Graph first_call(const Graph& graph) {
  if (graph.state.empty()) return graph;
  Graph out = graph;
  out.state.clear();
  for (const StatePair& s : graph.state) {
    Value& v = out.values[static_cast<size_t>(s.input)];
    TensorData zeros{v.dtype, {}, {}};
    for (const SizeExpr& d : v.dims) zeros.dims.push_back(d.value);
    zeros.bytes.resize(static_cast<size_t>(element_count(zeros.dims)) * static_cast<size_t>(bytes_of(v.dtype)));
    v.constant = s.initial ? s.initial : std::make_shared<const TensorData>(std::move(zeros));
    std::erase(out.inputs, s.input);
    std::erase(out.outputs, s.next);
  }
  return without_unused(std::move(out));
}

namespace {

/// Whether an output is a gradient or replaces a state.
bool is_of_state(const Graph& graph, ValueId v) {
  return any_of(graph.state, [&](const StatePair& s) { return s.next == v || s.gradient == v; });
}

}  // namespace

Graph step_graph(const Graph& training) {
  Graph out = training;
  const ValueId loss = training.outputs.front();
  std::erase_if(out.outputs, [&](ValueId v) { return v != loss && !is_of_state(training, v); });
  return without_unused(std::move(out));
}

}  // namespace tenon
