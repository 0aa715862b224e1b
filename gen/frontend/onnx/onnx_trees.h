// The tables of an ensemble of trees, made of a node's attributes at once: a value of a recipe for each number of a
// million nodes takes gigabytes.
#pragma once

#include <filesystem>
#include <optional>

#include "frontend/onnx/onnx.pb.h"
#include "ir/number/tensor_data.h"

namespace tenon {

struct TreeTableOptions {
  DType dtype = DType::F32;  // of splits and votes: f32 or f64
  int64_t targets = 1;
  /// The vote for a target that a leaf does not name; infinite: the minimum or maximum of votes counts.
  double otherwise = 0;
};

/// Nodes with children in their order, then the leaves: leaf k has the number N + k.
struct TreeTables {
  TensorData roots;                                      // i32 [trees]
  TensorData features, modes, splits, missing, yes, no;  // [N]: i32, u8, dtype, u8, i32, i32
  TensorData votes;                                      // dtype [leaves, targets], or [leaves, 1] where `only` counts
  std::optional<TensorData> targets;                     // i32 [leaves], of TreeEnsemble, whose `votes` are [leaves]
  std::optional<TensorData> members;                     // dtype [M, width], the sets of the first M nodes
  std::optional<TensorData> voted;                       // u8 [leaves, targets], where a class without a vote could win
  std::optional<int64_t> only;                           // the target that all votes are for
  bool positive = true;                                  // no vote is below 0
  int64_t depth = 0;                                     // steps to the deepest leaf
};

/// Reads the attributes of TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier. Of two targets only one of
/// which has votes, the table has one column. Throws OnnxError.
TreeTables tree_tables(const tenon_onnx::NodeProto& node, const std::filesystem::path& folder,
                       const TreeTableOptions& options);

TreeTables forest_tables(const tenon_onnx::NodeProto& node, const std::filesystem::path& folder,
                         const TreeTableOptions& options);

}  // namespace tenon
