// Text form and verifier of the Graph.
#include "ir/graph.h"

#include <fmt/format.h>

#include <set>

#include "support/check.h"

namespace tenon {
namespace {

struct AttrText {
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  // A real number is told from a whole one by its point.
  std::string operator()(double v) const {
    const std::string text = fmt::format("{}", v);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string& v) const { return v; }
  std::string operator()(DType v) const { return std::string(name_of(v)); }
  std::string operator()(const SizeExpr& v) const { return to_text(v); }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text = "[";
    for (const T& v : list) text += (text.size() > 1 ? ", " : "") + (*this)(v);
    return text + "]";
  }
};

std::string type_text(const Value& v) {
  std::string text(name_of(v.dtype));
  text += "[";
  for (size_t i = 0; i < v.dims.size(); ++i) text += (i ? ", " : "") + to_text(v.dims[i]);
  return text + "]";
}

std::string typed_name(const Graph& graph, ValueId id) {
  const Value& v = graph.values[static_cast<size_t>(id)];
  return v.name + ": " + type_text(v);
}

std::string node_text(const Graph& graph, const Node& node) {
  std::string text, arguments;
  for (ValueId id : node.outputs) text += (text.empty() ? "" : ", ") + typed_name(graph, id);
  for (ValueId id : node.inputs)
    arguments += (arguments.empty() ? "" : ", ") + (id == kNoValue ? "_" : graph.values[static_cast<size_t>(id)].name);
  for (const auto& [name, value] : node.attrs) arguments += (arguments.empty() ? "" : ", ") + name + "=" + to_text(value);
  return fmt::format("  {} = {}({}){}{}\n", text, node.op, arguments, node.origin.empty() ? "" : "  # ", node.origin);
}

// Findings of one run of the verifier, and what it knows so far.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph) : graph_(graph), defined_(graph.values.size(), false) {}

  std::vector<std::string> run() {
    for (const GraphSize& s : graph_.sizes) check_size(s);
    for (size_t i = 0; i < graph_.values.size(); ++i) check_value(graph_.values[i], i);
    for (ValueId id : graph_.inputs) define(id, "the graph's inputs");
    for (const Node& n : graph_.nodes) check_node(n);
    for (ValueId id : graph_.outputs) read(id, "the graph's outputs");
    return std::move(findings_);
  }

 private:
  template <class... Args>
  void report(fmt::format_string<Args...> format, Args&&... args) {
    findings_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void check_size(const GraphSize& s) {
    if (!sizes_.insert(s.name).second) report("size {} stands twice", s.name);
    if (s.lo < 0 || s.hi < s.lo) report("size {} has the range {}..{}", s.name, s.lo, s.hi);
  }

  void check_value(const Value& v, size_t id) {
    if (v.name.empty()) report("value {} has no name", id);
    else if (!names_.insert(v.name).second) report("two values have the name {}", v.name);
    for (const SizeExpr& d : v.dims) {
      if (d.is_constant() && d.value < 0) report("{} has the extent {}", v.name, d.value);
      for (const std::string& n : names_in(d))
        if (!sizes_.count(n)) report("{} has the extent {}, but no size {}", v.name, to_text(d), n);
    }
    if (v.constant) check_constant(v, id);
  }

  void check_constant(const Value& v, size_t id) {
    defined_[id] = true;
    const TensorData& t = *v.constant;
    if (t.dtype != v.dtype || std::vector<SizeExpr>(t.dims.begin(), t.dims.end()) != v.dims)
      report("constant {} is {} but its contents are not", v.name, type_text(v));
    const int64_t count = element_count(t.dims);
    if (count < 0 || t.bytes.size() != static_cast<uint64_t>(count) * static_cast<uint64_t>(bytes_of(t.dtype)))
      report("constant {} is {} but holds {} bytes", v.name, type_text(v), t.bytes.size());
  }

  bool in_range(ValueId id, std::string_view where) {
    if (id >= 0 && static_cast<size_t>(id) < graph_.values.size()) return true;
    report("{} names value {}, which is not there", where, id);
    return false;
  }

  void define(ValueId id, std::string_view where) {
    if (!in_range(id, where)) return;
    if (defined_[static_cast<size_t>(id)]) report("{} makes {} a second time", where, graph_.values[static_cast<size_t>(id)].name);
    defined_[static_cast<size_t>(id)] = true;
  }

  void read(ValueId id, std::string_view where) {
    if (in_range(id, where) && !defined_[static_cast<size_t>(id)])
      report("{} reads {} before it is made", where, graph_.values[static_cast<size_t>(id)].name);
  }

  void check_node(const Node& n) {
    const std::string where = fmt::format("node {} ({})", n.name, n.op);
    if (n.op.empty()) report("node {} has no op", n.name);
    if (!node_names_.insert(n.name).second) report("two nodes have the name {}", n.name);
    if (n.outputs.empty()) report("{} has no outputs", where);
    for (ValueId id : n.inputs)
      if (id != kNoValue) read(id, where);
    for (ValueId id : n.outputs) define(id, where);
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  std::set<std::string> names_, node_names_, sizes_;
  std::vector<std::string> findings_;
};

}  // namespace

std::string to_text(const AttrValue& value) { return std::visit(AttrText{}, value); }

std::string to_text(const Graph& graph) {
  std::string text = "graph " + graph.name + " {\n";
  for (const GraphSize& s : graph.sizes) text += fmt::format("  size {} = {}..{}\n", s.name, s.lo, s.hi);
  for (ValueId id : graph.inputs) text += "  input " + typed_name(graph, id) + "\n";
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].constant)
      text += fmt::format("  {} {}\n", graph.values[i].trainable ? "parameter" : "constant", typed_name(graph, static_cast<ValueId>(i)));
  for (const Node& n : graph.nodes) text += node_text(graph, n);
  text += "  outputs";
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    text += (i ? ", " : " ") + graph.values[static_cast<size_t>(graph.outputs[i])].name;
  return text + "\n}\n";
}

std::vector<std::string> verify(const Graph& graph) { return GraphVerifier(graph).run(); }

}  // namespace tenon
