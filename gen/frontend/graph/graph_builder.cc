// Adds nodes with their types, folds constants, and removes unused nodes.
#include "frontend/graph/graph_builder.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "frontend/graph/size_arithmetic.h"
#include "ir/graph/graph_passes.h"
#include "support/c_names.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The graph with names made from `Value::original` (inputs and outputs first, so that they keep theirs) and from node
/// origins, apart from the macros of the program `program`.
Graph name_graph(Graph graph, const std::string& program) {
  CNames values(NamesOf::model, program), nodes;
  for (const GraphSize& s : all_sizes(graph)) values.take(s.name);
  const auto name = [&](ValueId id) {
    Value& v = graph.value(id);
    if (v.name.empty()) v.name = values.fresh(v.original);
  };
  for (ValueId id : graph.inputs) name(id);
  for (ValueId id : graph.outputs) {
    name(id);
    values.take(graph.value(id).name + "_shape");  // the field next to it
  }
  for (size_t i = 0; i < graph.values.size(); ++i) name(static_cast<ValueId>(i));
  for (Node& n : graph.nodes) n.name = nodes.fresh(n.op);
  return graph;
}

int64_t number_of_elements(const std::vector<SizeExpr>& dims) {
  std::vector<int64_t> extents;
  for (const SizeExpr& d : dims) {
    if (!d.is_constant()) return -1;
    extents.push_back(d.value);
  }
  return element_count(extents);
}

size_t length_of(const SizeExpr& e) {
  size_t all = 1;
  for (const SizeExpr& a : e.args) all += length_of(a);
  return all;
}

/// An expression of this complexity is not a meaningful extent: selections among numbers by arithmetic, which grow with
/// each product.
bool is_short(const SizeTensor& t) {
  constexpr size_t kLongest = 200;
  return all_of(t.elements, [](const SizeExpr& e) { return length_of(e) <= kLongest; });
}

/// Results of the largest possible size, used to decide whether to compute them.
std::vector<TensorType> at_their_bounds(const InferredTypes& inferred) {
  std::vector<TensorType> types = inferred.outputs;
  for (const BoundedExtent& e : inferred.extents)
    for (TensorType& t : types)
      for (SizeExpr& d : t.dims) d = with_size(d, e.name, e.bound);
  return types;
}

TensorData numbers_data(DType dtype, const std::vector<int64_t>& dims, const std::vector<SizeExpr>& elements) {
  TensorData data{dtype, dims, {}};
  const size_t width = static_cast<size_t>(bytes_of(dtype));
  for (const SizeExpr& e : elements) {
    const uint64_t bits = dtype == DType::F32   ? std::bit_cast<uint32_t>(static_cast<float>(e.value))
                          : dtype == DType::F64 ? std::bit_cast<uint64_t>(static_cast<double>(e.value))
                                                : static_cast<uint64_t>(e.value);
    for (size_t k = 0; k < width; ++k) data.bytes.push_back(static_cast<uint8_t>(bits >> (8 * k)));
  }
  return data;
}

}  // namespace

GraphBuilder::GraphBuilder(const OpSemantics& semantics, std::string graph_name, std::string program)
    : semantics_(&semantics), program_(std::move(program)) {
  graph_.name = std::move(graph_name);
}

ValueId GraphBuilder::add(Entry entry) {
  entries_.push_back(std::move(entry));
  return static_cast<ValueId>(entries_.size() - 1);
}

void GraphBuilder::add_size(GraphSize size) { graph_.sizes.push_back(std::move(size)); }

ValueId GraphBuilder::add_input(const std::string& name, DType dtype, std::vector<SizeExpr> dims) {
  Entry e;
  e.value.original = name;
  e.value.dtype = dtype;
  e.value.dims = std::move(dims);
  const ValueId id = add(std::move(e));
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::add_constant(const std::string& name, std::shared_ptr<const TensorData> data) {
  Entry e;
  e.value.original = name;
  e.value.dtype = data->dtype;
  e.value.dims.assign(data->dims.begin(), data->dims.end());
  e.value.constant = std::move(data);
  return add(std::move(e));
}

ValueId GraphBuilder::add_constant(const std::string& name, TensorData data) {
  return add_constant(name, std::make_shared<const TensorData>(std::move(data)));
}

ValueId GraphBuilder::add_numbers(DType dtype, std::vector<SizeExpr> dims, std::vector<SizeExpr> elements) {
  TENON_CHECK(number_of_elements(dims) == static_cast<int64_t>(elements.size()) &&
              (is_integral(dtype) || dtype == DType::F32 || dtype == DType::F64));
  if (all_of(elements, [](const SizeExpr& e) { return e.is_constant(); })) {
    const std::vector<int64_t> extents = mapped(dims, &SizeExpr::value);
    return add_constant("", numbers_data(dtype, extents, elements));
  }
  Entry e;
  e.value.dtype = dtype;
  e.value.dims = std::move(dims);
  e.numbers = std::move(elements);
  return add(std::move(e));
}

void GraphBuilder::name_value(ValueId id, const std::string& original) {
  if (at(id).value.original.empty()) at(id).value.original = original;
}

std::optional<std::vector<SizeExpr>> GraphBuilder::numbers(ValueId id) const {
  const Entry& e = at(id);
  if (e.numbers) return e.numbers;
  const auto& data = e.value.constant;
  if (!data || e.value.trainable || e.kept || !is_integral(data->dtype)) return std::nullopt;
  std::vector<SizeExpr> elements;
  for (int64_t i = 0, n = element_count(data->dims); i < n; ++i) elements.emplace_back(int_element(*data, i));
  return elements;
}

std::optional<ValueRange> GraphBuilder::range(ValueId id) const {
  constexpr int64_t kMaximumLooked = 4096;
  const Entry& e = at(id);
  if (e.range) return e.range;
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  if (const auto elements = e.numbers) {
    for (const SizeExpr& n : *elements) {
      const Interval b = bounds_of(n, sizes());
      lo = std::min(lo, static_cast<double>(b.lo));
      hi = std::max(hi, static_cast<double>(b.hi));
    }
  } else if (const auto& data = e.value.constant;
             data && !e.value.trainable && !is_complex(data->dtype) && element_count(data->dims) <= kMaximumLooked) {
    for (int64_t i = 0, n = element_count(data->dims); i < n; ++i) {
      const double v = real_element(*data, i);
      if (std::isnan(v)) return std::nullopt;
      lo = std::min(lo, v);
      hi = std::max(hi, v);
    }
  }
  return lo <= hi ? std::optional(ValueRange{lo, hi}) : range_of_type(e.value.dtype);
}

std::optional<ValueRange> GraphBuilder::range_of_node(const Node& node) const {
  std::vector<std::optional<ValueRange>> ranges;
  for (const ValueId id : node.inputs) ranges.push_back(id == kNoValue ? std::nullopt : range(id));
  return range_of_result(node.op, ranges, node.attrs);
}

bool GraphBuilder::is_input(ValueId id) const { return contains(graph_.inputs, id); }

bool GraphBuilder::makes(DType type) const {
  for (size_t v = 0; v < entries_.size(); ++v)
    if (entries_[v].value.dtype == type && !entries_[v].value.constant && !is_input(static_cast<ValueId>(v)))
      return true;
  return false;
}

std::vector<ValueId> GraphBuilder::add_node(const std::string& op, std::vector<ValueId> inputs, const Attributes& attrs,
                                            size_t outputs) {
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  InferredTypes inferred = infer(op, inputs, attrs, outputs);
  if (!inferred.error.empty()) throw GraphError(op + ": " + inferred.error);
  for (TensorType& t : inferred.outputs)
    for (SizeExpr& d : t.dims) d = decided(d, sizes());
  check_extents(op, inferred.outputs);
  for (const TensorType& t : inferred.outputs)
    for (const SizeExpr& d : t.dims)
      if (bounds_of(d, sizes()).lo < 0)
        inferred.equal.emplace_back(size_max(d, 0), d);  // calls whose sizes make it negative are refused
  const bool pinned = fix_sizes(op, inferred);
  const auto computed = compute_now(op, inputs, attrs, at_their_bounds(inferred));
  Node node;
  node.op = op;
  node.inputs = std::move(inputs);
  node.attrs = attrs;
  node.origin = origin_;
  if (computed && !stays_node(node, inferred.outputs)) return *computed;
  if (computed) {
    const std::vector<ValueId> made = append(std::move(node), inferred.outputs, 0);
    at(made[0]).value.constant = at((*computed)[0]).value.constant;
    at(made[0]).computed = true;
    return made;
  }
  const std::optional<ValueRange> range = range_of_node(node);
  for (ValueId& id : node.inputs)
    if (id != kNoValue) id = at_run(id);
  const size_t place = pinned ? open_.size() - 1 : place_of(node, inferred.outputs);
  name_extents(node, inferred, open_[place].region);
  const std::vector<ValueId> made = append(std::move(node), inferred.outputs, place);
  at(made[0]).range = range;
  return made;
}

std::vector<ValueId> GraphBuilder::add_gradients(ValueId of, const std::vector<ValueId>& wrt) {
  if (open_.size() > 1) throw GraphError("gradients are computed outside of loops and branches");
  if (!is_float(value(of).dtype) || !value(of).dims.empty())
    throw GraphError(fmt::format("a gradient is that of a floating value of rank 0, not of {}", to_text(type(of))));
  Node node{"", kGradientOp, {of}, {}, {}, origin_};
  std::vector<TensorType> types;
  for (const ValueId v : wrt) {
    if (!is_float(value(v).dtype))
      throw GraphError(fmt::format("there is no gradient with respect to {}, which is not floating", to_text(type(v))));
    node.inputs.push_back(v);
    types.push_back(type(v));
  }
  return append(std::move(node), types, 0);
}

/// Real numbers converted from narrow integers represent these: operators on such a tensor may be rewritten to compute
/// with the integers.
bool GraphBuilder::stays_node(const Node& node, const std::vector<TensorType>& types) const {
  if (node.inputs.empty() || node.inputs[0] == kNoValue || types.size() != 1 || open_.size() > 1) return false;
  const Value& from = value(node.inputs[0]);
  return from.constant && is_int(from.dtype) && dtype_row(from.dtype).bits < 64 && is_float(types[0].dtype) &&
         types[0].dims == from.dims;
}

std::optional<std::vector<ValueId>> GraphBuilder::compute_now(const std::string& op, const std::vector<ValueId>& inputs,
                                                              const Attributes& attrs,
                                                              const std::vector<TensorType>& types) {
  bool sizes = false, any = false;
  for (ValueId id : inputs) {
    if (id == kNoValue) continue;
    const Entry& e = at(id);
    if ((!e.value.constant && !e.numbers) || e.value.trainable || e.kept ||
        number_of_elements(e.value.dims) > computed_elements_)
      return std::nullopt;
    sizes = sizes || e.numbers.has_value();
    any = true;
  }
  for (const TensorType& t : types) {
    const int64_t count = number_of_elements(t.dims);
    // Of ops without inputs only integer results are computed: they become extents and indices. Random numbers are left
    // to run time.
    if (count < 0 || count > computed_elements_ || (!any && !is_integral(t.dtype))) return std::nullopt;
  }
  for (const auto& [name, value] : attrs)
    if (std::holds_alternative<SizeExpr>(value) || std::holds_alternative<std::vector<SizeExpr>>(value))
      return std::nullopt;
  return sizes ? compute_sizes(op, inputs, attrs, types) : compute_constants(op, inputs, attrs, types);
}

std::optional<std::vector<ValueId>> GraphBuilder::compute_sizes(const std::string& op,
                                                                const std::vector<ValueId>& inputs,
                                                                const Attributes& attrs,
                                                                const std::vector<TensorType>& types) {
  const std::vector<GraphSize> all = sizes();
  std::vector<SizeTensor> tensors(inputs.size());
  std::vector<const SizeTensor*> pointers(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kNoValue) continue;
    const auto& data = value(inputs[i]).constant;
    std::optional<std::vector<SizeExpr>> elements = data ? whole_elements(*data) : numbers(inputs[i]);
    if (!elements) return std::nullopt;
    tensors[i] = {value(inputs[i]).dtype, {}, std::move(*elements)};
    for (const SizeExpr& d : value(inputs[i]).dims) tensors[i].dims.push_back(d.value);
    pointers[i] = &tensors[i];
  }
  std::optional<std::vector<SizeTensor>> results = compute_on_sizes(*semantics_, {op, pointers, attrs, types}, all);
  if (!results || !all_of(*results, [&](const SizeTensor& t) { return is_exact(t, all) && is_short(t); }))
    return std::nullopt;
  std::vector<ValueId> ids;
  for (SizeTensor& t : *results)
    ids.push_back(add_numbers(t.dtype, std::vector<SizeExpr>(t.dims.begin(), t.dims.end()), std::move(t.elements)));
  return ids;
}

std::optional<std::vector<ValueId>> GraphBuilder::compute_constants(const std::string& op,
                                                                    const std::vector<ValueId>& inputs,
                                                                    const Attributes& attrs,
                                                                    const std::vector<TensorType>& types) {
  if (!semantics_->evaluate) return std::nullopt;
  std::vector<const TensorData*> tensors;
  for (ValueId id : inputs) tensors.push_back(id == kNoValue ? nullptr : at(id).value.constant.get());
  ComputedTensors computed = semantics_->evaluate(op, tensors, attrs, types.size());
  if (!computed.error.empty()) throw GraphError(op + ": " + computed.error);
  if (computed.outputs.empty()) return std::nullopt;
  TENON_CHECK(computed.outputs.size() == types.size(), "{} computed {} of {} results", op, computed.outputs.size(),
              types.size());
  std::vector<ValueId> ids;
  for (TensorData& t : computed.outputs) ids.push_back(add_constant("", std::move(t)));
  return ids;
}

ValueId GraphBuilder::at_run(ValueId id) { return at(id).numbers ? materialise(id) : id; }

// Adds a tensor of extents to the graph: each element by itself, then concatenated and reshaped.
ValueId GraphBuilder::materialise(ValueId id) {
  const TensorType whole = type(id);
  const DType held = whole.dtype == DType::Bool ? DType::U8 : whole.dtype;
  const std::vector<SizeExpr> elements = *at(id).numbers;
  std::vector<ValueId> parts;
  for (const SizeExpr& e : elements) {
    const Attributes one{{"shape", std::vector<int64_t>{1}},
                         {"value", e.is_constant() ? AttrValue(e.value) : AttrValue(e)},
                         {"dtype", held}};
    parts.push_back(add_node("full", {}, one, 1)[0]);
  }
  if (parts.size() > 1) parts = add_node("concat", parts, {{"axis", int64_t{0}}}, 1);
  if (held != whole.dtype) parts = add_node("cast", parts, {{"dtype", whole.dtype}}, 1);
  const std::vector<int64_t> shape = mapped(whole.dims, &SizeExpr::value);
  return add_node("reshape", parts, {{"shape", shape}}, 1)[0];
}

Graph GraphBuilder::finish(const std::vector<std::pair<std::string, ValueId>>& outputs) {
  for (Entry& e : entries_)
    if (e.computed) e.value.constant = nullptr;
  std::set<ValueId> taken(graph_.inputs.begin(), graph_.inputs.end());
  for (const auto& [name, id] : outputs) {
    ValueId out = at_run(id);
    if (at(out).value.constant || !taken.insert(out).second) {
      out = append(Node{"", "identity", {out}, {}, {}, "output '" + name + "'"}, {type(out)}, 0)[0];
      taken.insert(out);
    }
    at(out).value.original = name;
    graph_.outputs.push_back(out);
  }
  for (const State& s : states_)
    graph_.state.push_back(
        {s.input, graph_.outputs[s.next], s.initial, s.gradient ? graph_.outputs[*s.gradient] : kNoValue, s.parameter});
  TENON_CHECK(open_.size() == 1, "a region is open");
  graph_.nodes = std::move(open_[0].nodes);
  for (Entry& e : entries_) graph_.values.push_back(std::move(e.value));
  return name_graph(without_unused(std::move(graph_)), program_);
}

}  // namespace tenon
