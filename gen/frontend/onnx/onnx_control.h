// Operators of ONNX that hold graphs, or name values of theirs: If, Loop and Scan become regions.
#pragma once

#include <functional>

#include "frontend/onnx/onnx_node.h"

namespace tenon {

/// What the reader of a model does for a node that holds graphs.
struct OnnxBodyReader {
  /// Adds the nodes of a graph whose inputs are `inputs`; it may name values outside of it. Returns the values of its
  /// outputs, kNoValue for those that are in error, which has been reported.
  std::function<std::vector<ValueId>(const tenon_onnx::GraphProto& graph, const std::vector<ValueId>& inputs)> read;
  /// The same for a graph that may never be carried out: nothing where its operators do not go with the extents, which
  /// `why` says, without a message.
  std::function<std::optional<std::vector<ValueId>>(const tenon_onnx::GraphProto& graph, std::string& why)> try_read;
  /// Says at the node what may surprise.
  std::function<void(const std::string& message)> warn;
  /// The first extent that the file states for a tensor; 0 where it states none.
  std::function<int64_t(const std::string& name)> declared_extent;
  /// Whether nodes after an If may become part of its branches, which then may throw BranchesDiffer.
  bool may_continue = false;
  /// The value of a name around the node; kNoValue if there is none.
  std::function<ValueId(const std::string& name)> find;
};

/// Whether the node asks for gradients of values that its attributes name.
bool is_onnx_gradient(const tenon_onnx::NodeProto& node);
/// Whether the node is one of these operators.
bool is_onnx_control(const tenon_onnx::NodeProto& node);

/// Adds the node's graphs and returns its outputs, kNoValue for all where an error in a graph has been reported. Throws
/// OnnxError and GraphError.
std::vector<ValueId> map_onnx_control(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                      const std::vector<ValueId>& inputs, const OnnxBodyReader& reader);

}  // namespace tenon
