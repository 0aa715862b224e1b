// Reads the nodes of an ONNX model in order, the functions that it defines, and the graphs inside of nodes.
#include <fmt/format.h>

#include "frontend/onnx/onnx_control.h"
#include "frontend/onnx/onnx_nodes.h"
#include "frontend/onnx/onnx_reader.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

constexpr int kMaxDepth = 32;
constexpr int64_t kMaxNodes = 1000000;
constexpr int kMaxContinued = 3;

// A print or a check that an exporter left in has no outputs and does not affect values.
bool gives_something(const NodeProto& node) {
  return any_of(node.output(), [](const std::string& o) { return !o.empty(); });
}

/// The first error, where all of them are about operators that do not go with extents.
std::string only_about_extents(const Diagnostics& found) {
  std::string why;
  for (const Diagnostic& d : found.sorted()) {
    if (d.severity == Severity::error && d.code != Code::E0807) return "";
    if (d.severity == Severity::error && why.empty()) why = d.message;
  }
  return why;
}

/// Restores a variable when the scope ends, also by an exception.
template <class T>
class Restored {
 public:
  explicit Restored(T& variable) : variable_(variable), value_(variable) {}
  ~Restored() { variable_ = std::move(value_); }

 private:
  T& variable_;
  T value_;
};

std::vector<ValueId> outputs_of(const std::map<std::string, ValueId>& names, const FunctionProto& f,
                                const NodeProto& node) {
  std::vector<ValueId> ids;
  for (const std::string& name : f.output()) {
    ids.push_back(value_or(names, name, kNoValue));
  }
  if (ids.size() < static_cast<size_t>(node.output_size()))
    throw OnnxError{Code::E0806, fmt::format("it has {} outputs, not {}", ids.size(), node.output_size())};
  ids.resize(static_cast<size_t>(node.output_size()), kNoValue);
  return ids;
}

/// The nodes in an order in which each comes after those that it reads, with what messages call them.
template <class Nodes>
OnnxNodeList node_list(const Nodes& nodes, const std::string& outer) {
  OnnxNodeList list;
  for (int i : onnx_node_order(nodes)) {
    const NodeProto& node = nodes.Get(i);
    if (!gives_something(node)) continue;
    list.nodes.push_back(&node);
    const std::string name = node.name().empty() ? "" : fmt::format(" '{}'", node.name());
    list.where[&node] = fmt::format("{}node {}{} ({})", outer, i, name, node.op_type());
  }
  return list;
}

}  // namespace

void OnnxReader::read_graph_nodes(OnnxNodeContext& context, const GraphProto& graph, Names& names,
                                  const std::string& outer) {
  OnnxNodeList list = node_list(graph.node(), outer);
  for (const ValueInfoProto& v : graph.output()) list.needed.insert(v.name());
  read_nodes(context, list, names);
}

void OnnxReader::read_nodes(OnnxNodeContext& context, const OnnxNodeList& list, Names& names) {
  for (size_t i = 0; i < list.nodes.size(); ++i) {
    const NodeProto& node = *list.nodes[i];
    const std::string& where = list.where.at(&node);
    // The number of times that the following nodes are read for two branches is limited: each time doubles the work.
    const bool may_continue = node.op_type() == "If" && continued_ < kMaxContinued;
    may_continue_ = may_continue;
    Diagnostics before = may_continue ? diagnostics_ : Diagnostics();
    try {
      read_node(context, node, names, where);
    } catch (const BranchesDiffer&) {
      if (!may_continue) throw;
      diagnostics_ = std::move(before);
      return read_in_branches(context, list, i, names);
    }
  }
}

void OnnxReader::read_in_branches(OnnxNodeContext& context, const OnnxNodeList& list, size_t at, Names& names) {
  const NodeProto& node = *list.nodes[at];
  const NodesAfter after =
      nodes_after(node, {list.nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.nodes.end()});
  read_nodes(context, {after.other, list.needed, list.where}, names);
  const Restored continued(continued_);
  ++continued_;
  const OnnxNodes& rest = after.dependent;
  for (size_t count = 1;; count *= 2) {
    count = std::min(count, rest.size());
    may_continue_ = count < rest.size();
    const NodeProto whole = continued_if(node, rest, count, list.needed);
    const Diagnostics before = diagnostics_;
    try {
      read_node(context, count == 0 ? node : whole, names, list.where.at(&node));
    } catch (const BranchesDiffer&) {
      diagnostics_ = before;
      if (count == rest.size()) throw;
      continue;
    }
    --continued_;
    const OnnxNodes left(rest.begin() + static_cast<std::ptrdiff_t>(count), rest.end());
    return read_nodes(context, {left, list.needed, list.where}, names);
  }
}

void OnnxReader::read_node(OnnxNodeContext& context, const NodeProto& node, Names& names, const std::string& where) {
  if (++nodes_ > kMaxNodes) throw GraphError("functions and branches unfold to more than a million nodes");
  context.position = nodes_;
  std::vector<ValueId> inputs;
  bool sound = true;
  for (const std::string& name : node.input()) {
    const auto it = names.find(name);
    if (!name.empty() && it == names.end())
      error(Code::E0809, where, fmt::format("its input '{}' is made by no node, or by one that needs this one", name));
    inputs.push_back(name.empty() || it == names.end() ? kNoValue : it->second);
    if (inputs.back() == kNotGiven) {
      error(Code::E0807, where, fmt::format("its input '{}' is an output that is not supported", name));
      inputs.back() = kNoValue;
    }
    sound = sound && (name.empty() || inputs.back() != kNoValue);
  }
  std::vector<ValueId> outputs(static_cast<size_t>(node.output_size()), kNoValue);
  if (sound) outputs = results(context, node, inputs, names, where);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const ValueId id = outputs[static_cast<size_t>(i)];
    if (id >= 0) builder_->name_value(id, node.output(i));
    define(names, node.output(i), id, where);
  }
}

std::vector<ValueId> OnnxReader::results(OnnxNodeContext& context, const NodeProto& node,
                                         const std::vector<ValueId>& inputs, const Names& names,
                                         const std::string& where) {
  std::vector<ValueId> none(static_cast<size_t>(node.output_size()), kNoValue);
  builder_->set_origin(where);
  where_ = where;
  try {
    if (const FunctionProto* f = find_onnx_function(model_, node))
      return call_function(context, *f, node, inputs, where);
    if (is_onnx_control(node)) return map_control(context, node, inputs, names, where);
    may_continue_ = false;
    // Nodes of a body may have bodies of their own, which are read recursively.
    const auto read = [&](const GraphProto& body, const std::vector<ValueId>& given) {
      const Restored move(may_move_);
      may_move_ = false;
      return without_optionals(read_body(context, body, given, names, where), where);
    };
    const Restored around(context.read_body);
    context.read_body = std::cref(read);
    return map_onnx_node(context, node, inputs);
  } catch (const OnnxError& e) {
    std::vector<std::string> notes = e.notes;
    if (e.code == Code::E0806 && !notes.empty())
      notes.emplace_back("onnx.checker compares the model with the standard; docs/onnx.md lists what cannot be read");
    error(e.code, where, e.message, notes);
  } catch (const GraphError& e) {
    error(Code::E0807, where, e.what());
  }
  return none;
}

std::vector<ValueId> OnnxReader::call_function(OnnxNodeContext& context, const FunctionProto& f, const NodeProto& node,
                                               const std::vector<ValueId>& inputs, const std::string& where) {
  const Restored depth(depth_);
  const Restored types(declared_);
  const Restored move(may_move_);
  enter();
  declared_.clear();
  may_move_ = false;
  OnnxNodeContext inner{context.builder, context.table, context.folder, context.opsets, {}};
  for (int i = 0; i < std::min(f.output_size(), node.output_size()); ++i)
    if (const auto it = context.stated.find(node.output(i)); it != context.stated.end())
      inner.stated[f.output(i)] = it->second;
  inner.lists = context.lists;
  inner.warn = context.warn;
  inner.form = context.form;
  for (const OperatorSetIdProto& o : f.opset_import())
    inner.opsets[o.domain() == "ai.onnx" ? "" : o.domain()] =
        static_cast<int>(std::clamp<int64_t>(o.version(), 1, 1000));
  Names names;
  for (int i = 0; i < f.input_size(); ++i)
    names[f.input(i)] = static_cast<size_t>(i) < inputs.size() ? inputs[static_cast<size_t>(i)] : kNoValue;
  const auto nodes = onnx_function_nodes(f, node, inputs);
  OnnxNodeList list = node_list(nodes, where + ": ");
  list.needed.insert(f.output().begin(), f.output().end());
  read_nodes(inner, list, names);
  context.lists = std::move(inner.lists);
  return outputs_of(names, f, node);
}

std::vector<ValueId> OnnxReader::map_control(OnnxNodeContext& context, const NodeProto& node,
                                             const std::vector<ValueId>& inputs, const Names& names,
                                             const std::string& where) {
  OnnxBodyReader reader;
  const Restored move(may_move_);
  reader.may_continue = std::exchange(may_continue_, false);
  reader.may_move = may_move_;
  may_move_ = node.op_type() == "If" && (reader.may_continue || may_move_);
  reader.read = [&](const GraphProto& body, const std::vector<ValueId>& given) {
    std::vector<ValueId> made = read_body(context, body, given, names, where);
    return node.op_type() == "If" ? made : without_optionals(std::move(made), where);
  };
  reader.try_read = [&](const GraphProto& body, std::string& why) {
    return try_body(context, body, names, where, why);
  };
  reader.warn = [this, where](const std::string& message) {
    diagnostics_.warning_at(Code::E0807, source_.path + ": " + where, message);
  };
  reader.declared_extent = [&](const std::string& name) { return declared_extent(context, name); };
  reader.find = [&](const std::string& name) { return names.count(name) ? names.at(name) : kNoValue; };
  return map_onnx_control(context, node, inputs, reader);
}

OnnxReader::MadeBody OnnxReader::try_body(OnnxNodeContext& context, const GraphProto& body, const Names& names,
                                          const std::string& where, std::string& why) {
  Diagnostics before = std::exchange(diagnostics_, {});
  std::vector<ValueId> made;
  try {
    made = read_body(context, body, {}, names, where);
  } catch (...) {
    std::swap(diagnostics_, before);
    diagnostics_.append(before);
    throw;
  }
  const Diagnostics found = std::exchange(diagnostics_, std::move(before));
  if (contains(made, kNoValue)) why = only_about_extents(found);
  if (!why.empty()) return std::nullopt;
  diagnostics_.append(found);
  return made;
}

std::vector<ValueId> OnnxReader::read_body(OnnxNodeContext& context, const GraphProto& body,
                                           const std::vector<ValueId>& given, const Names& names,
                                           const std::string& where) {
  if (given.size() != static_cast<size_t>(body.input_size()))
    throw OnnxError{Code::E0806, fmt::format("its body has {} inputs, not {}", body.input_size(), given.size())};
  const Restored depth(depth_);
  const Restored types(declared_);
  enter();
  add_declared_types(body, declared_);
  Names inner = names;
  // A body may shadow a name although the standard forbids it: ONNX Runtime reads such files.
  for (const NodeProto& node : body.node())
    for (const std::string& output : node.output()) inner.erase(output);
  for (const TensorProto& t : body.initializer()) inner.erase(t.name());
  for (int i = 0; i < body.input_size(); ++i) inner[body.input(i).name()] = given[static_cast<size_t>(i)];
  read_tensors(context, body, inner, where + ": ");
  read_graph_nodes(context, body, inner, where + ": ");
  builder_->set_origin(where);
  std::vector<ValueId> made;
  for (const ValueInfoProto& v : body.output()) {
    const auto it = inner.find(v.name());
    if (it == inner.end())
      error(Code::E0809, where, fmt::format("no node makes the output '{}' of its body", v.name()));
    else if (it->second == kNotGiven)
      error(Code::E0805, where, fmt::format("the output '{}' of its body is one that is not supported", v.name()));
    made.push_back(it == inner.end() || it->second == kNotGiven ? kNoValue : it->second);
  }
  return made;
}

std::vector<ValueId> OnnxReader::without_optionals(std::vector<ValueId> made, const std::string& where) {
  if (contains(made, kEmptyOptional))
    error(Code::E0805, where, "an output of its body is an empty optional, which only the branches of an If may give");
  std::replace(made.begin(), made.end(), kEmptyOptional, kNoValue);
  return made;
}

int64_t OnnxReader::declared_extent(const OnnxNodeContext& context, const std::string& name) const {
  if (const auto it = context.stated.find(name);
      it != context.stated.end() && !it->second.empty() && it->second[0].is_constant())
    return it->second[0].value;
  for (const auto* list : {&model_.graph().output(), &model_.graph().value_info()})
    for (const ValueInfoProto& v : *list)
      if (v.name() == name && v.type().tensor_type().shape().dim_size() > 0)
        return v.type().tensor_type().shape().dim(0).dim_value();
  return 0;
}

void OnnxReader::enter() {
  if (++depth_ > kMaxDepth)
    throw OnnxError{Code::E0809, "functions and branches are nested too deeply, or call themselves"};
}

}  // namespace tenon
