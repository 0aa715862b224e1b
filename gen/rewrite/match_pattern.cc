// Matching by walking from the root to what it reads.
#include "rewrite/match_pattern.h"

#include <cmath>

#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether all elements equal `number` rounded to their type, up to the last places of a calculation.
bool is_number(const Value& value, double number) {
  if (!value.constant || value.trainable || is_complex(value.dtype)) return false;
  const TensorData& data = *value.constant;
  const int64_t n = element_count(data.dims);
  double tolerance = 0;
  if (value.dtype == DType::F32) tolerance = 4 * 0x1p-24;
  else if (value.dtype == DType::F16) tolerance = 2 * 0x1p-11;
  else if (value.dtype == DType::BF16) tolerance = 2 * 0x1p-8;
  else if (value.dtype == DType::F64) tolerance = 4 * 0x1p-24;  // exporters keep constants of f64 in f32
  for (int64_t i = 0; i < n; ++i)
    if (!(std::fabs(real_element(data, i) - number) <= tolerance * std::fabs(number))) return false;
  return n > 0;
}

bool equal_numbers(const AttrValue& a, const AttrValue& b) {
  const auto real = [](const AttrValue& v) -> std::optional<double> {
    if (const auto* n = std::get_if<int64_t>(&v)) return static_cast<double>(*n);
    if (const auto* d = std::get_if<double>(&v)) return *d;
    return std::nullopt;
  };
  return a == b || (real(a) && real(b) && *real(a) == *real(b));
}

class Matcher {
 public:
  Matcher(const Rule& rule, const RuleLibrary& library, const MatchedGraph& in)
      : rule_(rule), library_(library), graph_(in.graph), index_(in.index), gone_(in.gone) {}

  std::optional<RuleMatch> at(int root) {
    std::vector<size_t> twoway;
    for (size_t i = 0; i < rule_.nodes.size(); ++i)
      if (rule_.nodes[i].commutative) twoway.push_back(i);
    for (uint32_t way = 0; way < uint32_t{1} << twoway.size(); ++way) {
      swapped_.assign(rule_.nodes.size(), false);
      for (size_t i = 0; i < twoway.size(); ++i) swapped_[twoway[i]] = (way >> i & 1) != 0;
      match_ = {
          std::vector<ValueId>(rule_.values.size(), kNoValue), std::vector<int>(rule_.nodes.size(), -1), {}, {}, {}};
      bound_.assign(rule_.values.size(), false);
      region_ = graph_.nodes[static_cast<size_t>(root)].region;
      if (node(rule_.nodes.size() - 1, root) && alone(root)) return std::move(match_);
    }
    return std::nullopt;
  }

 private:
  bool node(size_t p, int at) {
    const PatternNode& pattern = rule_.nodes[p];
    if (match_.nodes[p] >= 0) return match_.nodes[p] == at;
    const Node& n = graph_.nodes[static_cast<size_t>(at)];
    if (n.op != pattern.op || gone_[static_cast<size_t>(at)] || n.region != region_) return false;
    match_.nodes[p] = at;
    for (size_t i = 0; i < pattern.outputs.size(); ++i) {
      if (i >= n.outputs.size()) return false;
      if (!bind(pattern.outputs[i], n.outputs[i])) return false;
    }
    return attributes(pattern, n) && inputs(pattern, n, swapped_[p]);
  }

  bool bind(int value, ValueId id) {
    const size_t v = static_cast<size_t>(value);
    if (bound_[v]) return match_.values[v] == id;
    bound_[v] = true;
    match_.values[v] = id;
    return true;
  }

  bool inputs(const PatternNode& pattern, const Node& n, bool swapped) {
    if (!pattern.list.empty()) return match_.lists[pattern.list] = n.inputs, true;
    if (n.inputs.size() > pattern.inputs.size()) return false;
    if (swapped && n.inputs.size() != 2) return false;
    for (size_t i = 0; i < pattern.inputs.size(); ++i) {
      const size_t at = swapped ? 1 - i : i;
      if (!value(pattern.inputs[i], at < n.inputs.size() ? n.inputs[at] : kNoValue)) return false;
    }
    return true;
  }

  bool value(int v, ValueId id) {
    const PatternValue& pattern = rule_.values[static_cast<size_t>(v)];
    if (bound_[static_cast<size_t>(v)]) return match_.values[static_cast<size_t>(v)] == id;
    if (id == kNoValue) return pattern.optional && bind(v, id);
    if (pattern.number) return is_number(graph_.value(id), *pattern.number) && bind(v, id);
    if (pattern.maker < 0) return bind(v, id);
    const int maker = index_.maker[static_cast<size_t>(id)];
    if (maker < 0 || !node(static_cast<size_t>(pattern.maker), maker)) return false;
    return match_.values[static_cast<size_t>(v)] == id;
  }

  bool attributes(const PatternNode& pattern, const Node& n) {
    Attributes all = n.attrs;
    for (const AttrSignature& a : library_.find(n.op)->attrs)
      if (a.fallback) all.try_emplace(a.name, *a.fallback);
    for (const PatternAttr& a : pattern.attrs) {
      const auto given = all.find(a.name);
      if (given == all.end()) return false;
      if (a.variable.empty() && !equal_numbers(given->second, a.literal)) return false;
      if (!a.variable.empty()) {
        const auto [at, added] = match_.variables.emplace(a.variable, given->second);
        if (!added && !equal_numbers(at->second, given->second)) return false;
      }
      all.erase(given);
    }
    if (!pattern.rest.empty()) match_.rests[pattern.rest] = std::move(all);
    return true;
  }

  /// Whether only nodes of the match read the results of inner nodes.
  bool alone(int root) const {
    std::vector<int> members = match_.nodes;
    sort(members);
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::map<ValueId, int> read;
    for (const int m : members)
      for (const ValueId v : graph_.nodes[static_cast<size_t>(m)].inputs) ++read[v];
    for (size_t p = 0; p < rule_.nodes.size(); ++p) {
      if (match_.nodes[p] == root) continue;
      for (const ValueId v : graph_.nodes[static_cast<size_t>(match_.nodes[p])].outputs) {
        const bool shared = any_of(rule_.nodes[p].outputs, [&](int o) {
          return match_.values[static_cast<size_t>(o)] == v && rule_.values[static_cast<size_t>(o)].shared;
        });
        if (!shared && index_.readers[static_cast<size_t>(v)] != read[v]) return false;
      }
    }
    return true;
  }

  const Rule& rule_;
  const RuleLibrary& library_;
  const Graph& graph_;
  const GraphIndex& index_;
  const std::vector<bool>& gone_;
  RuleMatch match_;
  std::vector<bool> bound_, swapped_;
  RegionId region_ = kTopLevel;
};

}  // namespace

GraphIndex::GraphIndex(const Graph& graph)
    : maker(graph.values.size(), -1), readers(graph.values.size(), 0), named_by_region(graph.values.size(), false) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId v : graph.nodes[i].outputs) maker[static_cast<size_t>(v)] = static_cast<int>(i);
    for (const ValueId v : graph.nodes[i].inputs)
      if (v != kNoValue) ++readers[static_cast<size_t>(v)];
  }
  for (const ValueId v : graph.outputs) ++readers[static_cast<size_t>(v)];
  for (Region r : graph.regions)
    for_each_value(r, [&](ValueId& v) {
      if (v == kNoValue) return;
      ++readers[static_cast<size_t>(v)];
      named_by_region[static_cast<size_t>(v)] = true;
    });
}

std::optional<RuleMatch> match_rule(const Rule& rule, const RuleLibrary& library, const MatchedGraph& in, int root) {
  return Matcher(rule, library, in).at(root);
}

}  // namespace tenon
