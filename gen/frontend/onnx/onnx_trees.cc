// TreeEnsembleRegressor and TreeEnsembleClassifier: finds the nodes that children and votes name, numbers inner nodes
// and leaves apart, and writes the tables.
#include "frontend/onnx/onnx_trees.h"

#include <cmath>
#include <numeric>

#include "frontend/onnx/onnx_tree_attributes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using tenon_onnx::AttributeProto;
using tenon_onnx::NodeProto;

/// TreeEnsembleRegressor and TreeEnsembleClassifier: nodes and votes name trees and numbers of nodes in them.
class TreeReader : private TreeAttributes {
 public:
  TreeReader(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options)
      : TreeAttributes(node, folder), options_(options) {
    prefix_ = node.op_type() == "TreeEnsembleClassifier" ? "class" : "target";
    trees_ = integers("nodes_treeids");
    ids_ = integers("nodes_nodeids", trees_->size());
    yes_ = integers("nodes_truenodeids", trees_->size());
    no_ = integers("nodes_falsenodeids", trees_->size());
    if (trees_->empty()) fail_trees("the ensemble has no nodes");
  }

  TreeTables read() {
    sort_nodes();
    read_modes();
    TreeTables t;
    t.depth = find_children();
    number_nodes(t);
    write_nodes(t);
    if (options_.dtype == DType::F64) write_votes<double>(t);
    else write_votes<float>(t);
    return t;
  }

 private:
  bool before(int a, int b) const {
    return trees_->Get(a) != trees_->Get(b) ? trees_->Get(a) < trees_->Get(b) : ids_->Get(a) < ids_->Get(b);
  }

  /// Places of the nodes in the lists, by tree and number.
  void sort_nodes() {
    order_.resize(static_cast<size_t>(trees_->size()));
    std::iota(order_.begin(), order_.end(), 0);
    const auto less = [this](int a, int b) { return before(a, b); };
    if (!std::is_sorted(order_.begin(), order_.end(), less)) stable_sort(order_, less);
    for (size_t i = 1; i < order_.size(); ++i)
      if (!before(order_[i - 1], order_[i]))
        fail_trees(fmt::format("tree {} has two nodes {}", trees_->Get(order_[i]), ids_->Get(order_[i])));
  }

  int place_of(int64_t tree, int64_t id, const char* what) const {
    const auto it = std::lower_bound(order_.begin(), order_.end(), id, [&](int at, int64_t) {
      return trees_->Get(at) != tree ? trees_->Get(at) < tree : ids_->Get(at) < id;
    });
    if (it == order_.end() || trees_->Get(*it) != tree || ids_->Get(*it) != id)
      fail_trees(fmt::format("{} node {} of tree {}, which there is not", what, id, tree));
    return *it;
  }

  void read_modes() {
    static const std::map<std::string, uint8_t> kModes{{"BRANCH_LEQ", 0}, {"BRANCH_LT", 1}, {"BRANCH_GTE", 2},
                                                       {"BRANCH_GT", 3},  {"BRANCH_EQ", 4}, {"BRANCH_NEQ", 5},
                                                       {"LEAF", kLeaf}};
    const AttributeProto* a = attribute("nodes_modes");
    if (!a || a->strings_size() != trees_->size())
      fail_trees(fmt::format("the attribute 'nodes_modes' has {} elements instead of {}", a ? a->strings_size() : 0,
                             trees_->size()));
    for (const std::string& mode : a->strings()) {
      const auto it = kModes.find(mode);
      if (it == kModes.end()) fail_trees(fmt::format("the attribute 'nodes_modes' has the unknown mode '{}'", mode));
      modes_.push_back(it->second);
    }
  }

  bool is_leaf(int at) const { return modes_[static_cast<size_t>(at)] == kLeaf; }

  [[noreturn]] void circle(int at) const {
    fail_trees(fmt::format("the branches of tree {} go round in a circle", trees_->Get(at)));
  }

  /// Places of children and roots; how many steps the longest way takes.
  int find_children() {
    const size_t n = modes_.size();
    child_[0].assign(n, -1), child_[1].assign(n, -1);
    std::vector<bool> has_parent(n);
    for (int at = 0; at < trees_->size(); ++at) {
      for (int side = 0; side < 2 && !is_leaf(at); ++side) {
        const int to = place_of(trees_->Get(at), (side == 0 ? yes_ : no_)->Get(at), "a branch leads to");
        child_[side][static_cast<size_t>(at)] = to;
        has_parent[static_cast<size_t>(to)] = true;
      }
    }
    Heights heights(child_);
    int highest = 0;
    for (size_t i = 0; i < n; ++i) {
      const int at = order_[i];
      const int64_t tree = trees_->Get(at);
      const bool first = i == 0 || trees_->Get(order_[i - 1]) != tree;
      if (has_parent[static_cast<size_t>(at)]) continue;
      if (!roots_.empty() && trees_->Get(roots_.back()) == tree && !first)
        fail_trees(fmt::format("tree {} has more than one root", tree));
      roots_.push_back(at);
      if (!heights.measure(at)) circle(at);
      highest = std::max(highest, heights.of(at));
    }
    if (const int at = heights.unmeasured(); at < trees_->size()) circle(at);
    return highest - 1;  // a leaf is a node, too
  }

  void number_nodes(TreeTables& t) {
    inner_ = static_cast<int32_t>(count_if(modes_, [](uint8_t m) { return m != kLeaf; }));
    const int32_t first_leaf = std::max(inner_, 1);  // the tables have a row at least
    int32_t inner = 0, leaf = 0;
    for (size_t at = 0; at < modes_.size(); ++at)
      number_.push_back(modes_[at] == kLeaf ? first_leaf + leaf++ : inner++);
    leaves_ = leaf;
    std::vector<int32_t> roots = mapped(roots_, [&](const int at) { return number_[static_cast<size_t>(at)]; });
    t.roots = tree_table(DType::I32, {static_cast<int64_t>(roots.size())}, roots);
  }

  void write_nodes(TreeTables& t) const {
    const std::vector<int64_t> dims{std::max(inner_, 1)};
    const size_t n = static_cast<size_t>(dims[0]);
    const std::vector<double> splits = numbers("nodes_values", trees_->size());
    const Integers* features = integers("nodes_featureids", trees_->size());
    const Integers* tracked = missing_tracks_true(trees_->size());
    std::vector<int32_t> feature(n), yes(n, 1), no(n, 1);
    std::vector<uint8_t> mode(n), missing(n);
    std::vector<double> split(n);
    size_t k = 0;
    for (int at = 0; at < trees_->size(); ++at) {
      if (is_leaf(at)) continue;
      feature[k] = feature_of(features->Get(at)), mode[k] = modes_[static_cast<size_t>(at)];
      split[k] = splits[static_cast<size_t>(at)];
      missing[k] = tracked && tracked->Get(at) != 0;
      yes[k] = number_[static_cast<size_t>(child_[0][static_cast<size_t>(at)])];
      no[k++] = number_[static_cast<size_t>(child_[1][static_cast<size_t>(at)])];
    }
    t.features = tree_table(DType::I32, dims, feature), t.yes = tree_table(DType::I32, dims, yes);
    t.no = tree_table(DType::I32, dims, no), t.modes = tree_table(DType::U8, dims, mode);
    t.missing = tree_table(DType::U8, dims, missing);
    t.splits = splits_table(options_.dtype, dims, split);
  }

  template <class T>
  void write_votes(TreeTables& t) const {
    const Integers* targets = integers(prefix_ + "_ids");
    const Integers* trees = integers(prefix_ + "_treeids", targets->size());
    const Integers* ids = integers(prefix_ + "_nodeids", targets->size());
    const std::vector<double> weights = numbers(prefix_ + "_weights", targets->size());
    for (const int64_t k : *targets)
      if (k < 0 || k >= options_.targets)
        fail_trees(fmt::format("a leaf votes for {}, there are {}", k, options_.targets));
    if (!targets->empty() && all_of(*targets, [&](int64_t k) { return k == targets->Get(0); }))
      t.only = targets->Get(0);
    const int64_t columns = t.only && options_.targets == 2 ? 1 : options_.targets;
    const size_t count = static_cast<size_t>(leaves_ * columns);
    std::vector<T> votes(count, static_cast<T>(options_.otherwise));
    std::vector<uint8_t> voted(count);
    bool exceeds = true;  // every vote counts as more than none
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
    t.votes = tree_table(options_.dtype, {leaves_, columns}, votes);
    if (!exceeds && contains(voted, 0)) t.voted = tree_table(DType::U8, {leaves_, columns}, voted);
  }

  static constexpr uint8_t kLeaf = 255;

  const TreeTableOptions& options_;
  std::string prefix_;
  const Integers *trees_ = nullptr, *ids_ = nullptr, *yes_ = nullptr, *no_ = nullptr;
  std::vector<int> order_, roots_;  // positions in the lists
  std::vector<uint8_t> modes_;
  std::vector<int> child_[2];
  std::vector<int32_t> number_;  // in the tables
  int32_t inner_ = 0;
  int64_t leaves_ = 0;
};

}  // namespace

TreeTables tree_tables(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options) {
  if (node.op_type() == "TreeEnsemble") return forest_tables(node, folder, options);
  return TreeReader(node, folder, options).read();
}

}  // namespace tenon
