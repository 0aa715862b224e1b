// Finds the nodes that children and votes name, numbers inner nodes and leaves apart, and writes the tables.
#include "frontend/onnx/onnx_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "frontend/onnx/onnx_node.h"
#include "frontend/onnx/onnx_tensor.h"

namespace tenon {
namespace {

using tenon_onnx::AttributeProto;
using tenon_onnx::NodeProto;
using Integers = google::protobuf::RepeatedField<int64_t>;

template <class T>
TensorData table(DType dtype, std::vector<int64_t> dims, const std::vector<T>& elements) {
  TensorData t{dtype, std::move(dims), std::vector<uint8_t>(elements.size() * sizeof(T))};
  if (!elements.empty()) std::memcpy(t.bytes.data(), elements.data(), t.bytes.size());
  return t;
}

[[noreturn]] void fail(const std::string& message) { throw OnnxError{Code::E0806, message, {}}; }

class TreeReader {
 public:
  TreeReader(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options)
      : folder_(folder), options_(options) {
    for (const AttributeProto& a : node.attribute()) attributes_[a.name()] = &a;
    prefix_ = node.op_type() == "TreeEnsembleClassifier" ? "class" : "target";
    trees_ = integers("nodes_treeids");
    ids_ = integers("nodes_nodeids", trees_->size());
    yes_ = integers("nodes_truenodeids", trees_->size());
    no_ = integers("nodes_falsenodeids", trees_->size());
    if (trees_->empty()) fail("the ensemble has no nodes");
  }

  TreeTables read() {
    sort_nodes();
    read_modes();
    find_children();
    TreeTables t;
    t.depth = *std::max_element(height_.begin(), height_.end());
    number_nodes(t);
    write_nodes(t);
    if (options_.dtype == DType::F64) write_votes<double>(t);
    else write_votes<float>(t);
    return t;
  }

 private:
  const AttributeProto* attribute(const std::string& name) const {
    const auto it = attributes_.find(name);
    return it == attributes_.end() ? nullptr : it->second;
  }

  const Integers* integers(const std::string& name, int count = -1) const {
    const AttributeProto* a = attribute(name);
    if (!a) fail(fmt::format("the attribute '{}' is missing", name));
    if (count >= 0 && a->ints_size() != count)
      fail(fmt::format("the attribute '{}' has {} elements instead of {}", name, a->ints_size(), count));
    return &a->ints();
  }

  /// A list of floats, or a tensor under the same name with `_as_tensor` after it.
  std::vector<double> numbers(const std::string& name, int count) const {
    std::vector<double> list;
    if (const AttributeProto* a = attribute(name + "_as_tensor"); a && a->has_t()) {
      const Result<TensorData> data = read_onnx_tensor(a->t(), folder_, "");
      if (!data.ok()) fail(fmt::format("attribute '{}': {}", name, data.diagnostics().sorted().front().message));
      for (int64_t i = 0; i < element_count(data->dims); ++i) list.push_back(real_element(*data, i));
    } else if (const AttributeProto* floats = attribute(name)) {
      list.assign(floats->floats().begin(), floats->floats().end());
    } else fail(fmt::format("the attribute '{}' is missing", name));
    if (list.size() != static_cast<size_t>(count))
      fail(fmt::format("the attribute '{}' has {} elements instead of {}", name, list.size(), count));
    return list;
  }

  bool before(int a, int b) const {
    return trees_->Get(a) != trees_->Get(b) ? trees_->Get(a) < trees_->Get(b) : ids_->Get(a) < ids_->Get(b);
  }

  /// Places of the nodes in the lists, by tree and number.
  void sort_nodes() {
    order_.resize(static_cast<size_t>(trees_->size()));
    std::iota(order_.begin(), order_.end(), 0);
    const auto less = [this](int a, int b) { return before(a, b); };
    if (!std::is_sorted(order_.begin(), order_.end(), less)) std::stable_sort(order_.begin(), order_.end(), less);
    for (size_t i = 1; i < order_.size(); ++i)
      if (!before(order_[i - 1], order_[i]))
        fail(fmt::format("tree {} has two nodes {}", trees_->Get(order_[i]), ids_->Get(order_[i])));
  }

  int place_of(int64_t tree, int64_t id, const char* what) const {
    const auto it = std::lower_bound(order_.begin(), order_.end(), id, [&](int at, int64_t) {
      return trees_->Get(at) != tree ? trees_->Get(at) < tree : ids_->Get(at) < id;
    });
    if (it == order_.end() || trees_->Get(*it) != tree || ids_->Get(*it) != id)
      fail(fmt::format("{} node {} of tree {}, which there is not", what, id, tree));
    return *it;
  }

  void read_modes() {
    static const std::map<std::string, uint8_t> kModes{{"BRANCH_LEQ", 0}, {"BRANCH_LT", 1}, {"BRANCH_GTE", 2},
                                                       {"BRANCH_GT", 3},  {"BRANCH_EQ", 4}, {"BRANCH_NEQ", 5},
                                                       {"LEAF", kLeaf}};
    const AttributeProto* a = attribute("nodes_modes");
    if (!a || a->strings_size() != trees_->size())
      fail(fmt::format("the attribute 'nodes_modes' has {} elements instead of {}", a ? a->strings_size() : 0,
                       trees_->size()));
    for (const std::string& mode : a->strings()) {
      const auto it = kModes.find(mode);
      if (it == kModes.end()) fail(fmt::format("the attribute 'nodes_modes' has the unknown mode '{}'", mode));
      modes_.push_back(it->second);
    }
  }

  bool is_leaf(int at) const { return modes_[static_cast<size_t>(at)] == kLeaf; }

  /// Places of children, and of each node how many steps are below it.
  void find_children() {
    const size_t n = modes_.size();
    child_[0].assign(n, -1), child_[1].assign(n, -1), height_.assign(n, kUnknown);
    std::vector<bool> has_parent(n);
    for (int at = 0; at < trees_->size(); ++at) {
      for (int side = 0; side < 2 && !is_leaf(at); ++side) {
        const int to = place_of(trees_->Get(at), (side == 0 ? yes_ : no_)->Get(at), "a branch leads to");
        child_[side][static_cast<size_t>(at)] = to;
        has_parent[static_cast<size_t>(to)] = true;
      }
    }
    for (size_t i = 0; i < n; ++i) {
      const int at = order_[i];
      const bool first = i == 0 || trees_->Get(order_[i - 1]) != trees_->Get(at);
      if (has_parent[static_cast<size_t>(at)]) continue;
      if (!roots_.empty() && trees_->Get(roots_.back()) == trees_->Get(at) && !first)
        fail(fmt::format("tree {} has more than one root", trees_->Get(at)));
      roots_.push_back(at);
      measure(at);
    }
    const auto unreached = std::find(height_.begin(), height_.end(), kUnknown);
    if (unreached != height_.end())
      fail(fmt::format("the branches of tree {} go round in a circle",
                       trees_->Get(static_cast<int>(unreached - height_.begin()))));
  }

  /// The height of everything below a root, without recursion: chains may be as long as the list.
  void measure(int root) {
    std::vector<int> path{root};
    while (!path.empty()) {
      const size_t at = static_cast<size_t>(path.back());
      const int yes = child_[0][at], no = child_[1][at];
      if (is_leaf(path.back())) height_[at] = 0;
      if (height_[at] >= 0) {
        path.pop_back();
        continue;
      }
      height_[at] = kOpen;
      bool waits = false;
      for (const int to : {yes, no}) {
        const int below = height_[static_cast<size_t>(to)];
        if (below >= 0) continue;
        if (below == kOpen)  // it is above
          fail(fmt::format("the branches of tree {} go round in a circle", trees_->Get(to)));
        path.push_back(to), waits = true;
      }
      if (!waits) {
        height_[at] = 1 + std::max(height_[static_cast<size_t>(yes)], height_[static_cast<size_t>(no)]);
        path.pop_back();
      }
    }
  }

  void number_nodes(TreeTables& t) {
    inner_ = static_cast<int32_t>(std::count_if(modes_.begin(), modes_.end(), [](uint8_t m) { return m != kLeaf; }));
    const int32_t first_leaf = std::max(inner_, 1);  // the tables have a row at least
    int32_t inner = 0, leaf = 0;
    for (size_t at = 0; at < modes_.size(); ++at)
      number_.push_back(modes_[at] == kLeaf ? first_leaf + leaf++ : inner++);
    leaves_ = leaf;
    std::vector<int32_t> roots;
    for (const int at : roots_) roots.push_back(number_[static_cast<size_t>(at)]);
    t.roots = table(DType::I32, {static_cast<int64_t>(roots.size())}, roots);
  }

  void write_nodes(TreeTables& t) const {
    const std::vector<int64_t> dims{std::max(inner_, 1)};
    const size_t n = static_cast<size_t>(dims[0]);
    const std::vector<double> splits = numbers("nodes_values", trees_->size());
    const Integers* features = integers("nodes_featureids", trees_->size());
    const AttributeProto* tracked = attribute("nodes_missing_value_tracks_true");
    if (tracked && tracked->ints_size() > 0) integers("nodes_missing_value_tracks_true", trees_->size());
    std::vector<int32_t> feature(n), yes(n, 1), no(n, 1);
    std::vector<uint8_t> mode(n), missing(n);
    std::vector<double> split(n);
    size_t k = 0;
    for (int at = 0; at < trees_->size(); ++at) {
      if (is_leaf(at)) continue;
      const int64_t f = features->Get(at);
      if (f < 0 || f > INT32_MAX) fail(fmt::format("a node compares feature {}", f));
      feature[k] = static_cast<int32_t>(f), mode[k] = modes_[static_cast<size_t>(at)];
      split[k] = splits[static_cast<size_t>(at)];
      missing[k] = tracked && tracked->ints_size() > 0 && tracked->ints(at) != 0;
      yes[k] = number_[static_cast<size_t>(child_[0][static_cast<size_t>(at)])];
      no[k++] = number_[static_cast<size_t>(child_[1][static_cast<size_t>(at)])];
    }
    t.features = table(DType::I32, dims, feature), t.yes = table(DType::I32, dims, yes);
    t.no = table(DType::I32, dims, no), t.modes = table(DType::U8, dims, mode);
    t.missing = table(DType::U8, dims, missing);
    t.splits = options_.dtype == DType::F64 ? table(DType::F64, dims, split)
                                            : table(DType::F32, dims, std::vector<float>(split.begin(), split.end()));
  }

  template <class T>
  void write_votes(TreeTables& t) const {
    const Integers* targets = integers(prefix_ + "_ids");
    const Integers* trees = integers(prefix_ + "_treeids", targets->size());
    const Integers* ids = integers(prefix_ + "_nodeids", targets->size());
    const std::vector<double> weights = numbers(prefix_ + "_weights", targets->size());
    for (const int64_t k : *targets)
      if (k < 0 || k >= options_.targets) fail(fmt::format("a leaf votes for {}, there are {}", k, options_.targets));
    if (!targets->empty() &&
        std::all_of(targets->begin(), targets->end(), [&](int64_t k) { return k == targets->Get(0); }))
      t.only = targets->Get(0);
    const int64_t columns = t.only && options_.targets == 2 ? 1 : options_.targets;
    const size_t count = static_cast<size_t>(leaves_ * columns);
    std::vector<T> votes(count, static_cast<T>(options_.otherwise));
    std::vector<uint8_t> voted(count);
    bool exceeds = true;  // every vote is more than none
    for (int i = 0; i < targets->size(); ++i) {
      const int at = place_of(trees->Get(i), ids->Get(i), "a vote names");
      if (!is_leaf(at)) continue;
      const size_t leaf = static_cast<size_t>(number_[static_cast<size_t>(at)] - std::max(inner_, 1));
      const size_t to = leaf * static_cast<size_t>(columns) + static_cast<size_t>(columns == 1 ? 0 : targets->Get(i));
      const T w = static_cast<T>(weights[static_cast<size_t>(i)]);
      votes[to] = std::isinf(options_.otherwise)
                      ? (options_.otherwise > 0 ? std::min(votes[to], w) : std::max(votes[to], w))
                      : votes[to] + w;
      voted[to] = 1, exceeds = exceeds && w > 0, t.positive = t.positive && w >= 0;
    }
    t.votes = table(options_.dtype, {leaves_, columns}, votes);
    if (!exceeds && std::find(voted.begin(), voted.end(), 0) != voted.end())
      t.voted = table(DType::U8, {leaves_, columns}, voted);
  }

  static constexpr uint8_t kLeaf = 255;
  static constexpr int kUnknown = -1, kOpen = -2;

  const std::filesystem::path& folder_;
  const TreeTableOptions& options_;
  std::map<std::string, const AttributeProto*> attributes_;
  std::string prefix_;
  const Integers *trees_ = nullptr, *ids_ = nullptr, *yes_ = nullptr, *no_ = nullptr;
  std::vector<int> order_, roots_;  // places in the lists
  std::vector<uint8_t> modes_;
  std::vector<int> child_[2], height_;
  std::vector<int32_t> number_;  // in the tables
  int32_t inner_ = 0;
  int64_t leaves_ = 0;
};

}  // namespace

TreeTables tree_tables(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options) {
  return TreeReader(node, folder, options).read();
}

}  // namespace tenon
