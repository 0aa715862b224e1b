// TreeEnsemble: its branches lead to places, of nodes or of leaves.
#include <cmath>

#include "frontend/onnx/onnx_tree_attributes.h"
#include "frontend/onnx/onnx_trees.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using tenon_onnx::NodeProto;

class ForestReader : private TreeAttributes {
 public:
  ForestReader(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options)
      : TreeAttributes(node, folder), options_(options) {}

  TreeTables read() {
    const std::vector<double> modes = numbers("nodes_modes");
    count_ = static_cast<int>(modes.size());
    number_nodes(modes);
    const Integers* targets = integers("leaf_targetids");
    leaves_ = targets->size();
    if (count_ == 0 || leaves_ == 0) fail_trees("the ensemble has no nodes or no leaves");
    TreeTables t;
    t.yes = children("true", child_[0]), t.no = children("false", child_[1]);
    read_roots(t);
    write_nodes(t, modes);
    t.votes = splits_table(options_.dtype, {leaves_}, numbers("leaf_weights", leaves_));
    for (const int64_t k : *targets)
      if (k < 0 || k >= options_.targets)
        fail_trees(fmt::format("a leaf votes for {}, there are {}", k, options_.targets));
    t.targets = tree_table(DType::I32, {leaves_}, std::vector<int32_t>(targets->begin(), targets->end()));
    return t;
  }

 private:
  /// Nodes that test membership in a set come first: the table of sets has rows only for these.
  void number_nodes(const std::vector<double>& modes) {
    for (const double m : modes)
      if (!(m >= 0 && m <= kMember)) fail_trees(fmt::format("the attribute 'nodes_modes' has the unknown mode {}", m));
    int32_t next = 0;
    number_.resize(modes.size());
    for (const bool member : {true, false})
      for (size_t at = 0; at < modes.size(); ++at)
        if ((modes[at] == kMember) == member) number_[at] = next++;
  }

  size_t row(int at) const { return static_cast<size_t>(number_[static_cast<size_t>(at)]); }

  /// Numbers of the children on one side; `places` are those of nodes, -1 for leaves.
  TensorData children(const std::string& side, std::vector<int>& places) const {
    const Integers* ids = integers("nodes_" + side + "nodeids", count_);
    const Integers* leafs = integers("nodes_" + side + "leafs", count_);
    std::vector<int32_t> numbers(number_.size());
    for (int at = 0; at < count_; ++at) {
      const bool leaf = leafs->Get(at) != 0;
      const int64_t to = ids->Get(at);
      if (to < 0 || to >= (leaf ? leaves_ : count_))
        fail_trees(fmt::format("a branch leads to {} {}, which there is not", leaf ? "leaf" : "node", to));
      places.push_back(leaf ? -1 : static_cast<int>(to));
      numbers[row(at)] = static_cast<int32_t>(leaf ? count_ + to : static_cast<int64_t>(row(static_cast<int>(to))));
    }
    return tree_table(DType::I32, {count_}, numbers);
  }

  void read_roots(TreeTables& t) const {
    Heights heights(child_);
    std::vector<int32_t> roots;
    for (const int64_t root : *integers("tree_roots")) {
      if (root < 0 || root >= count_) fail_trees(fmt::format("node {} is the root of a tree, but there is none", root));
      if (!heights.measure(static_cast<int>(root))) fail_trees("the branches of a tree go round in a circle");
      t.depth = std::max<int64_t>(t.depth, heights.of(static_cast<int>(root)));
      roots.push_back(number_[static_cast<size_t>(root)]);
    }
    t.roots = tree_table(DType::I32, {static_cast<int64_t>(roots.size())}, roots);
  }

  void write_nodes(TreeTables& t, const std::vector<double>& modes) const {
    const std::vector<double> splits = numbers("nodes_splits", count_);
    const Integers* features = integers("nodes_featureids", count_);
    const Integers* tracked = missing_tracks_true(count_);
    std::vector<int32_t> feature(number_.size());
    std::vector<uint8_t> mode(number_.size()), missing(number_.size());
    std::vector<double> split(number_.size());
    for (int at = 0; at < count_; ++at) {
      const size_t k = row(at);
      feature[k] = feature_of(features->Get(at)), mode[k] = static_cast<uint8_t>(modes[static_cast<size_t>(at)]);
      split[k] = splits[static_cast<size_t>(at)], missing[k] = tracked && tracked->Get(at) != 0;
    }
    t.features = tree_table(DType::I32, {count_}, feature), t.modes = tree_table(DType::U8, {count_}, mode);
    t.missing = tree_table(DType::U8, {count_}, missing), t.splits = splits_table(options_.dtype, {count_}, split);
    if (const auto members = count_of(modes, kMember)) t.members = sets(members);
  }

  /// Sets, separated by NaN, as rows of equal length, padded with NaN.
  TensorData sets(int64_t rows) const {
    const std::vector<double> all = numbers("membership_values");
    size_t width = 1, length = 0;
    for (const double v : all) width = std::max(width, length = std::isnan(v) ? 0 : length + 1);
    std::vector<double> elements(static_cast<size_t>(rows) * width, std::nan(""));
    size_t set = 0, place = 0;
    for (const double v : all) {
      if (set < static_cast<size_t>(rows) && !std::isnan(v)) elements[set * width + place++] = v;
      else ++set, place = 0;
    }
    if (set + (place > 0) != static_cast<size_t>(rows))
      fail_trees(fmt::format("the attribute 'membership_values' has {} sets for {} nodes", set + (place > 0), rows));
    return splits_table(options_.dtype, {rows, static_cast<int64_t>(width)}, elements);
  }

  static constexpr double kMember = 6;

  const TreeTableOptions& options_;
  int count_ = 0, leaves_ = 0;
  std::vector<int32_t> number_;  // in the tables
  std::vector<int> child_[2];
};

}  // namespace

TreeTables forest_tables(const NodeProto& node, const std::filesystem::path& folder, const TreeTableOptions& options) {
  return ForestReader(node, folder, options).read();
}

}  // namespace tenon
