// Text form and verifier of the Graph.
#include "ir/graph/graph.h"

#include <fmt/format.h>

#include "ir/graph/size_bounds.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct AttrText {
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(int64_t v) const { return fmt::format("{}", v); }
  // The decimal point distinguishes a real number from an integer.
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

std::string typed_name(const Graph& graph, ValueId id) {
  const Value& v = graph.value(id);
  return v.name + ": " + type_text(v);
}

std::string slice_text(const Graph& graph, const Region& region, const Slice& s) {
  std::string at = region.counter;
  if (s.reversed && region.count != kNoValue) at = fmt::format("{} - 1 - {}", graph.value(region.count).name, at);
  else if (s.reversed) at = to_text(region.trip - SizeExpr(1) - size_name(region.counter));
  return fmt::format("{}[{}]", graph.value(s.whole).name, at);
}

/// The line that opens a region, what has to be equal in it, and what iterations see.
std::string opening_text(const Graph& graph, const Region& r, const std::string& indent) {
  const auto name = [&](ValueId id) { return graph.value(id).name; };
  std::string equal;
  for (const EqualExtents& e : r.equal) equal += fmt::format("{}  equal {}, {}\n", indent, to_text(e.a), to_text(e.b));
  if (r.kind == Region::Kind::branch)
    return fmt::format("{}{}{} {{\n", indent, r.holds ? "if " : "if not ", name(r.condition)) + equal;
  std::string text = fmt::format("{}loop {} < {}", indent, r.counter, to_text(r.trip));
  if (r.count != kNoValue) text += " and " + name(r.count);
  if (r.starts != kNoValue) text += " if " + name(r.starts);
  text += " {\n" + equal;
  for (const Carried& c : r.carried)
    text += fmt::format("{}  carried {} = {}\n", indent, typed_name(graph, c.inside), name(c.initial));
  for (const Slice& s : r.reads)
    text += fmt::format("{}  slice {} = {}\n", indent, typed_name(graph, s.part), slice_text(graph, r, s));
  return text;
}

/// The results of a region, and its end.
std::string closing_text(const Graph& graph, const Region& r, const std::string& indent) {
  const auto name = [&](ValueId id) { return graph.value(id).name; };
  std::string text;
  for (const Carried& c : r.carried)
    text += fmt::format("{}  next {} = {}, at the end {}\n", indent, name(c.inside), name(c.next),
                        typed_name(graph, c.result));
  for (const Slice& s : r.writes)
    text += fmt::format("{}  {} = {} of {}{}\n", indent, slice_text(graph, r, s), name(s.part),
                        typed_name(graph, s.whole), r.partial ? ", as far as it runs" : "");
  for (const BranchResult& b : r.results)
    text += fmt::format("{}  {} = {}\n", indent, typed_name(graph, b.result), name(b.inside));
  if (r.continues != kNoValue) text += fmt::format("{}  while {}\n", indent, name(r.continues));
  return text + indent + "}\n";
}

std::string node_text(const Graph& graph, const Node& node) {
  std::vector<std::string> arguments;
  for (ValueId id : node.inputs) arguments.push_back(id == kNoValue ? "_" : graph.value(id).name);
  for (const auto& [name, value] : node.attrs) arguments.push_back(name + "=" + to_text(value));
  const auto name = [&](ValueId id) { return typed_name(graph, id); };
  return fmt::format("  {} = {}({}){}{}\n", joined(node.outputs, ", ", name), node.op, joined(arguments, ", "),
                     node.origin.empty() ? "" : "  # ", node.origin);
}

std::string state_text(const Graph& graph, const StatePair& s) {
  const auto name = [&](ValueId id) { return graph.value(id).name; };
  std::string text = fmt::format("  state {} = {}", name(s.input), name(s.next));
  if (s.gradient != kNoValue) text += ", gradient " + name(s.gradient);
  return text + "\n";
}

// The errors that one run of the verifier found, and the values defined so far.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph)
      : graph_(graph),
        defined_(graph.values.size(), false),
        entered_(graph.regions.size(), false),
        home_(graph.values.size(), kTopLevel) {}

  std::vector<std::string> run() {
    for (size_t r = 0; r < graph_.regions.size(); ++r) check_region(graph_.regions[r], static_cast<RegionId>(r));
    if (!findings_.empty()) return std::move(findings_);
    for (const GraphSize& s : all_sizes(graph_)) check_size(s);
    for (const EqualExtents& e : graph_.equal) check_equal(e);
    for (const Region& r : graph_.regions)
      for (const EqualExtents& e : r.equal) check_equal(e);
    for (size_t i = 0; i < graph_.values.size(); ++i) check_value(graph_.values[i], i);
    for (ValueId id : graph_.inputs) define(id, "the graph's inputs");
    for (const Node& n : graph_.nodes) {
      move_to(n.region);
      check_node(n);
    }
    move_to(kTopLevel);
    for (ValueId id : graph_.outputs) read(id, "the graph's outputs");
    for (const StatePair& s : graph_.state) check_state(s);
    for (size_t r = 0; r < entered_.size(); ++r)
      if (!entered_[r]) report("{} has no nodes", region_name(static_cast<RegionId>(r)));
    return std::move(findings_);
  }

 private:
  template <class... Args>
  void report(fmt::format_string<Args...> format, Args&&... args) {
    findings_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  std::string region_name(RegionId id) const { return fmt::format("region {} ({})", id, graph_.region(id).origin); }

  void check_region(const Region& r, RegionId id) {
    if (r.parent < kTopLevel || r.parent >= id)
      report("{} is in region {}, which is not before it", region_name(id), r.parent);
    const bool loop = r.kind == Region::Kind::loop;
    if (loop ? r.counter.empty() || r.condition != kNoValue || !r.results.empty()
             : r.condition == kNoValue || !r.carried.empty() || !r.reads.empty() || !r.writes.empty())
      report("{} is neither a loop nor a branch", region_name(id));
    const auto same_type = [&](ValueId a, ValueId b) {
      const Value &x = graph_.value(a), &y = graph_.value(b);
      if (x.dtype != y.dtype || x.dims != y.dims)
        report("{}: {} is {}, but {} is {}", region_name(id), x.name, type_text(x), y.name, type_text(y));
    };
    Region copy = r;
    for_each_value(copy, [&](ValueId& v) {
      if (v != kNoValue && !in_range(v, region_name(id))) v = kNoValue;
    });
    for (const Carried& c : copy.carried)
      for (const ValueId v : {c.inside, c.next, c.result})
        if (v == kNoValue || c.initial == kNoValue) report("{} carries an absent value", region_name(id));
        else same_type(c.initial, v);
    for (const BranchResult& b : copy.results)
      if (b.inside != kNoValue && b.result != kNoValue) same_type(b.inside, b.result);
  }

  void move_to(RegionId to) {
    if (to != kTopLevel && (to < 0 || static_cast<size_t>(to) >= graph_.regions.size()))
      return report("a node is in region {}, which is not there", to);
    const RegionChange change = region_change(graph_.regions, at_, to);
    for (const RegionId r : change.left) leave(r);
    for (const RegionId r : change.entered) enter(r);
    at_ = to;
  }

  void enter(RegionId id) {
    const Region& r = graph_.region(id);
    if (entered_[static_cast<size_t>(id)]) report("the nodes of {} are not adjacent", region_name(id));
    entered_[static_cast<size_t>(id)] = true;
    for (const ValueId v : read_by(r)) read(v, region_name(id));
    at_ = id;
    for (const ValueId v : made_inside(r)) define(v, region_name(id));
  }

  void leave(RegionId id) {
    const Region& r = graph_.region(id);
    for (const ValueId v : handed_on(r)) read(v, region_name(id));
    at_ = r.parent;
    // The second of two branches makes the same results again.
    for (const ValueId v : results_of(r))
      if (r.kind == Region::Kind::loop || r.holds) define(v, region_name(id));
  }

  void check_size(const GraphSize& s) {
    if (!sizes_.insert(s.name).second) report("size {} occurs twice", s.name);
    if (s.lo < 0 || s.hi < s.lo) report("size {} has the range {}..{}", s.name, s.lo, s.hi);
  }

  void check_equal(const EqualExtents& e) {
    for (const SizeExpr* side : {&e.a, &e.b})
      for (const std::string& n : names_in(*side))
        if (!sizes_.count(n)) report("{} has to be {}, but there is no size {}", to_text(e.a), to_text(e.b), n);
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

  void check_state(const StatePair& s) {
    if (!is_border(s.input, graph_.inputs, "inputs") || !is_border(s.next, graph_.outputs, "outputs")) return;
    const Value &from = graph_.value(s.input), &to = graph_.value(s.next);
    if (from.dtype != to.dtype || from.dims != to.dims)
      report("state {} is {}, but {} is {}", from.name, type_text(from), to.name, type_text(to));
    for (const SizeExpr& d : from.dims)
      if (!d.is_constant()) report("state {} has the extent {}", from.name, to_text(d));
    for (const ValueId v : {s.input, s.next})
      if (!in_state_.insert(v).second) report("two states have {}", graph_.value(v).name);
    if (s.initial && (s.initial->dtype != from.dtype ||
                      std::vector<SizeExpr>(s.initial->dims.begin(), s.initial->dims.end()) != from.dims))
      report("state {} is {}, but its initial contents are not", from.name, type_text(from));
    if (s.gradient != kNoValue) is_border(s.gradient, graph_.outputs, "outputs");
  }

  bool is_border(ValueId id, const std::vector<ValueId>& border, std::string_view what) {
    if (!in_range(id, "a state")) return false;
    if (contains(border, id)) return true;
    report("a state has {}, which is none of the graph's {}", graph_.value(id).name, what);
    return false;
  }

  bool in_range(ValueId id, std::string_view where) {
    if (id >= 0 && static_cast<size_t>(id) < graph_.values.size()) return true;
    report("{} names value {}, which is not there", where, id);
    return false;
  }

  void define(ValueId id, std::string_view where) {
    if (!in_range(id, where)) return;
    if (defined_[static_cast<size_t>(id)]) report("{} makes {} a second time", where, graph_.value(id).name);
    defined_[static_cast<size_t>(id)] = true;
    home_[static_cast<size_t>(id)] = at_;
  }

  void read(ValueId id, std::string_view where) {
    if (!in_range(id, where)) return;
    const std::string& name = graph_.value(id).name;
    if (!defined_[static_cast<size_t>(id)]) report("{} reads {} before it is made", where, name);
    else if (!lies_in(graph_.regions, at_, home_[static_cast<size_t>(id)]))
      report("{} reads {} outside of the region that makes it", where, name);
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
  std::vector<bool> defined_, entered_;
  std::vector<RegionId> home_;  // of each value
  RegionId at_ = kTopLevel;
  std::set<std::string> names_, node_names_, sizes_;
  std::set<ValueId> in_state_;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<GraphSize> all_sizes(const Graph& graph) {
  std::vector<GraphSize> sizes = graph.sizes;
  for (const Region& r : graph.regions) {
    if (r.kind != Region::Kind::loop) continue;
    sizes.push_back({r.counter, 0, std::max<int64_t>(0, maximum_value(r.trip, sizes).value_or(kUnboundedTrip) - 1)});
  }
  return sizes;
}

void add_equal(std::vector<EqualExtents>& all, const EqualExtents& two) {
  const bool known = any_of(all, [&](const EqualExtents& e) { return e == two || e == EqualExtents{two.b, two.a}; });
  if (!known) all.push_back(two);
}

void drop_sizes(Graph& graph, const std::set<std::string>& names) {
  const auto mentioned = [&](const SizeExpr& e) {
    const std::vector<std::string> all = names_in(e);
    return any_of(all, [&](const std::string& n) { return names.count(n) > 0; });
  };
  std::erase_if(graph.sizes, [&](const GraphSize& s) { return names.count(s.name) > 0; });
  const auto lost = [&](const EqualExtents& e) { return mentioned(e.a) || mentioned(e.b); };
  std::erase_if(graph.equal, lost);
  for (Region& r : graph.regions) std::erase_if(r.equal, lost);
}

std::string to_text(const AttrValue& value) { return std::visit(AttrText{}, value); }

std::string type_text(const Value& v) { return fmt::format("{}[{}]", name_of(v.dtype), to_text(v.dims)); }

std::string to_text(const Graph& graph) {
  std::string text = "graph " + graph.name + " {\n";
  for (const GraphSize& s : graph.sizes) text += fmt::format("  size {} = {}..{}\n", s.name, s.lo, s.hi);
  for (const EqualExtents& e : graph.equal) text += fmt::format("  equal {}, {}\n", to_text(e.a), to_text(e.b));
  for (ValueId id : graph.inputs) text += "  input " + typed_name(graph, id) + "\n";
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].constant)
      text += fmt::format("  {} {}\n", graph.values[i].trainable ? "parameter" : "constant",
                          typed_name(graph, static_cast<ValueId>(i)));
  std::string indent = "  ";
  RegionId at = kTopLevel;
  const auto move_to = [&](RegionId to) {
    const RegionChange change = region_change(graph.regions, at, to);
    for (const RegionId r : change.left) {
      indent.resize(indent.size() - 2);
      text += closing_text(graph, graph.region(r), indent);
    }
    for (const RegionId r : change.entered) {
      text += opening_text(graph, graph.region(r), indent);
      indent += "  ";
    }
    at = to;
  };
  for (const Node& n : graph.nodes) {
    move_to(n.region);
    text += indent.substr(2) + node_text(graph, n);
  }
  move_to(kTopLevel);
  text += "  outputs";
  for (size_t i = 0; i < graph.outputs.size(); ++i) text += (i ? ", " : " ") + graph.value(graph.outputs[i]).name;
  text += "\n";
  for (const StatePair& s : graph.state) text += state_text(graph, s);
  return text + "}\n";
}

std::vector<std::string> verify(const Graph& graph) { return GraphVerifier(graph).run(); }

}  // namespace tenon
