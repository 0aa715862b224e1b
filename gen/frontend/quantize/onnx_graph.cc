// Looks into a GraphProto and changes it.
#include "frontend/quantize/onnx_graph.h"

#include <fmt/format.h>

#include <cstring>

#include "frontend/onnx/onnx_tensor.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

/// Names that the graphs inside of a node read, those of inner graphs included.
void read_inside(const NodeProto& node, std::set<std::string>& out) {
  const auto add = [&](const GraphProto& graph) {
    for (const NodeProto& n : graph.node()) {
      out.insert(n.input().begin(), n.input().end());
      read_inside(n, out);
    }
    for (const ValueInfoProto& o : graph.output()) out.insert(o.name());
  };
  for (const AttributeProto& a : node.attribute()) {
    if (a.has_g()) add(a.g());
    for (const GraphProto& g : a.graphs()) add(g);
  }
}

template <class Field, class Gone>
void erase_if_of(Field& field, Gone gone) {
  field.erase(std::remove_if(field.begin(), field.end(), gone), field.end());
}

/// The extents that a Reshape of a constant asks for; nothing where they do not fit.
std::optional<std::vector<int64_t>> reshaped_dims(const TensorData& data, const TensorData& wanted) {
  std::vector<int64_t> dims;
  int64_t known = 1;
  for (int64_t k = 0; k < element_count(wanted.dims); ++k) {
    const int64_t d = int_element(wanted, k);
    if (d == 0 && static_cast<size_t>(k) >= data.dims.size()) return std::nullopt;
    dims.push_back(d == 0 ? data.dims[static_cast<size_t>(k)] : d);
    if (dims.back() > 0) known *= dims.back();
  }
  const int64_t all = element_count(data.dims);
  for (int64_t& d : dims)
    if (d < 0) d = known > 0 ? all / known : 0;
  return element_count(dims) == all ? std::optional(dims) : std::nullopt;
}

TensorData transposed_matrix(const TensorData& m) {
  TensorData out{m.dtype, {m.dims[1], m.dims[0]}, std::vector<uint8_t>(m.bytes.size())};
  const auto rows = static_cast<size_t>(m.dims[0]), columns = static_cast<size_t>(m.dims[1]),
             size = static_cast<size_t>(bytes_of(m.dtype));
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      std::memcpy(&out.bytes[(c * rows + r) * size], &m.bytes[(r * columns + c) * size], size);
  return out;
}

/// What a node that moves a constant makes.
std::optional<TensorData> moved_constant(const NodeProto& n, const std::map<std::string, TensorData>& constants) {
  const TensorData& data = constants.at(n.input(0));
  if (n.op_type() == "Identity") return data;
  if (n.op_type() == "Transpose" && data.dims.size() == 2) {
    const AttributeProto* perm = find_attribute(n, "perm");
    return perm != nullptr && perm->ints_size() == 2 && perm->ints(0) == 0 ? data : transposed_matrix(data);
  }
  const auto shape = n.op_type() == "Reshape" && n.input_size() == 2 ? constants.find(n.input(1)) : constants.end();
  if (shape == constants.end() || int_attribute(n, "allowzero", 0) != 0) return std::nullopt;
  const auto dims = reshaped_dims(data, shape->second);
  return dims ? std::optional(TensorData{data.dtype, *dims, data.bytes}) : std::nullopt;
}

}  // namespace

OnnxGraph::OnnxGraph(GraphProto& graph, const std::filesystem::path& folder, const std::string& path,
                     Diagnostics& diagnostics)
    : graph_(graph), folder_(folder), path_(path) {
  for (const ValueInfoProto& o : graph_.output()) outputs_.insert(o.name());
  take_constants(diagnostics);
  index();
}

void OnnxGraph::take_constants(Diagnostics& diagnostics) {
  for (NodeProto& n : *graph_.mutable_node()) {
    const AttributeProto* value = n.op_type() == "Constant" ? find_attribute(n, "value") : nullptr;
    if (value == nullptr || n.output_size() != 1) continue;
    TensorProto& t = *graph_.add_initializer();
    t = value->t();
    t.set_name(n.output(0));
    n.set_op_type("");
  }
  read_initializers(diagnostics);
  move_constants();
  erase_if_of(*graph_.mutable_node(), [](const NodeProto& n) { return n.op_type().empty(); });
  erase_if_of(*graph_.mutable_input(), [&](const ValueInfoProto& i) { return initializers_.count(i.name()) != 0; });
}

void OnnxGraph::read_initializers(Diagnostics& diagnostics) {
  for (TensorProto& t : *graph_.mutable_initializer()) {
    if (!onnx_dtype(t.data_type())) continue;  // text, which nothing here looks at
    auto read = read_onnx_tensor(t, folder_, path_ + ": initializer '" + t.name() + "'");
    diagnostics.append(read.diagnostics());
    if (!read.ok()) continue;
    const TensorData& data = initializers_[t.name()] = std::move(read).value();
    if (external_file(t, folder_)) fill_onnx_tensor(t, std::string(t.name()), data);
  }
}

/// Weights may come from initializers by way of nodes that move them.
void OnnxGraph::move_constants() {
  for (NodeProto& n : *graph_.mutable_node()) {
    if (n.input_size() == 0 || n.output_size() != 1 || !is_constant(n.input(0)) || is_output(n.output(0))) continue;
    auto moved = moved_constant(n, initializers_);
    if (!moved) continue;
    fill_onnx_tensor(*graph_.add_initializer(), n.output(0), *moved);
    initializers_[n.output(0)] = std::move(*moved);
    n.set_op_type("");
  }
}

void OnnxGraph::index() {
  readers_.clear();
  read_inside_.clear();
  for (NodeProto& n : *graph_.mutable_node()) {
    for (const std::string& i : n.input()) readers_[i].push_back(&n), names_.insert(i);
    names_.insert(n.output().begin(), n.output().end());
    read_inside(n, read_inside_);
  }
  for (const ValueInfoProto& i : graph_.input()) names_.insert(i.name());
  for (const auto& [name, data] : initializers_) names_.insert(name);
}

const std::vector<int64_t>& OnnxGraph::dims_of(const std::string& initializer) const {
  return initializers_.at(initializer).dims;
}

std::optional<std::vector<float>> OnnxGraph::floats(const std::string& initializer) const {
  const auto at = initializers_.find(initializer);
  if (at == initializers_.end() || at->second.dtype != DType::F32) return std::nullopt;
  std::vector<float> out(at->second.bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), at->second.bytes.data(), out.size() * sizeof(float));
  return out;
}

NodeProto* OnnxGraph::only_reader(const std::string& value) const {
  const auto at = readers_.find(value);
  if (at == readers_.end() || at->second.size() != 1 || is_output(value) || read_inside_.count(value) != 0)
    return nullptr;
  return at->second[0];
}

std::string OnnxGraph::fresh_name(const std::string& wish) {
  std::string name = wish;
  for (int k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
  return name;
}

std::string OnnxGraph::add(const std::string& wish, TensorData data) {
  std::string name = fresh_name(wish);
  fill_onnx_tensor(*graph_.add_initializer(), name, data);
  initializers_[name] = std::move(data);
  return name;
}

std::string OnnxGraph::add_floats(const std::string& wish, std::vector<int64_t> dims,
                                  const std::vector<float>& elements) {
  TensorData data{DType::F32, std::move(dims), std::vector<uint8_t>(elements.size() * sizeof(float))};
  if (!elements.empty()) std::memcpy(data.bytes.data(), elements.data(), data.bytes.size());
  return add(wish, std::move(data));
}

std::string OnnxGraph::add_ints(const std::string& wish, const std::vector<int64_t>& elements) {
  return add(wish, i64_tensor({static_cast<int64_t>(elements.size())}, elements));
}

void OnnxGraph::drop_unused(const std::set<const NodeProto*>& gone) {
  for (NodeProto& n : *graph_.mutable_node())
    if (gone.count(&n) != 0) n.set_op_type("");
  erase_if_of(*graph_.mutable_node(), [](const NodeProto& n) { return n.op_type().empty(); });
  index();
  erase_if_of(*graph_.mutable_initializer(), [&](const TensorProto& t) { return !is_read(t.name()); });
}

const AttributeProto* find_attribute(const NodeProto& node, const std::string& name) {
  return find_pointer(node.attribute(), [&](const AttributeProto& a) { return a.name() == name; });
}

int64_t int_attribute(const NodeProto& node, const std::string& name, int64_t otherwise) {
  const AttributeProto* a = find_attribute(node, name);
  return a != nullptr ? a->i() : otherwise;
}

float float_attribute(const NodeProto& node, const std::string& name, float otherwise) {
  const AttributeProto* a = find_attribute(node, name);
  return a != nullptr ? a->f() : otherwise;
}

void drop_attribute(NodeProto& node, const std::string& name) {
  auto* all = node.mutable_attribute();
  all->erase(std::remove_if(all->begin(), all->end(), [&](const AttributeProto& a) { return a.name() == name; }),
             all->end());
}

void set_int(NodeProto& node, const std::string& name, int64_t value) {
  drop_attribute(node, name);
  AttributeProto& a = *node.add_attribute();
  a.set_name(name);
  a.set_type(AttributeProto::INT);
  a.set_i(value);
}

NodeProto make_node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
  NodeProto n;
  n.set_op_type(op);
  n.set_name(output);
  for (const std::string& i : inputs) n.add_input(i);
  n.add_output(output);
  return n;
}

}  // namespace tenon
