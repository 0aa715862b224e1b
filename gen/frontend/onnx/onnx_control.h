// ONNX operators that contain graphs or refer to values of the graph: If, Loop and Scan become regions.
#pragma once

#include <algorithm>
#include <functional>

#include "frontend/onnx/onnx_node.h"

namespace tenon {

/// The services of a model's reader for a node that contains graphs.
struct OnnxBodyReader {
  /// Adds the nodes of a graph with these inputs; it may refer to values outside of it. Returns the values of its
  /// outputs, kNoValue for those with an error, which has been reported.
  std::function<std::vector<ValueId>(const tenon_onnx::GraphProto& graph, const std::vector<ValueId>& inputs)> read;
  /// The same for a graph that may never be executed: nothing, with the reason in `why` and no message, if its
  /// operators do not accept the extents.
  std::function<std::optional<std::vector<ValueId>>(const tenon_onnx::GraphProto& graph, std::string& why)> try_read;
  /// Reports a warning at the node.
  std::function<void(const std::string& message)> warn;
  /// The first extent that the file states for a tensor; 0 where it states none.
  std::function<int64_t(const std::string& name)> declared_extent;
  /// Whether nodes after an If may become part of its branches, which then may throw BranchesDiffer.
  bool may_continue = false;
  /// The same for nodes after an If around the node, which go to the end of the branch that the node is in.
  bool may_move = false;
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

/// A node that holds graphs. An operator is a class of its own below it.
class ControlNode {
 public:
  ControlNode(OnnxNodeContext& context, const tenon_onnx::NodeProto& node, const std::vector<ValueId>& inputs,
              const OnnxBodyReader& reader)
      : context_(context), builder_(context.builder), node_(node), inputs_(inputs), reader_(reader) {}

 protected:
  /// Regions that are not closed are given up when an error leaves their scope.
  struct Guard {
    GraphBuilder& builder;
    RegionId region;
    bool done = false;
    ~Guard() {
      if (!done) builder.abandon(region);
    }
  };

  const tenon_onnx::AttributeProto* attribute(const std::string& name) const;
  const tenon_onnx::GraphProto& graph(const std::string& name) const;
  /// A list of `count` integers, 0 where the attribute has no more.
  std::vector<int64_t> integers(const std::string& name, size_t count) const;

  /// Whether no value is in error. Loops and branches of a program hand on tensors.
  static bool sound(const std::vector<ValueId>& ids);
  static bool complete(const std::vector<ValueId>& ids);

  const RecipeList& list_of(ValueId id) const { return context_.lists[static_cast<size_t>(kFirstList - id)]; }
  ValueId add_list(RecipeList list);
  void tensors_only(const std::vector<ValueId>& ids) const;

  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  std::vector<ValueId> inputs_from(size_t i) const {
    return {inputs_.begin() + static_cast<std::ptrdiff_t>(std::min(i, inputs_.size())), inputs_.end()};
  }
  /// The one element of a tensor where it is known before run time.
  std::optional<SizeExpr> number(ValueId id) const;

  OnnxNodeContext& context_;
  GraphBuilder& builder_;
  const tenon_onnx::NodeProto& node_;
  const std::vector<ValueId>& inputs_;
  const OnnxBodyReader& reader_;
};

/// Each adds its operator's graphs and returns the results, none where an error in a graph has been reported.
std::vector<ValueId> map_onnx_if(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                 const std::vector<ValueId>& inputs, const OnnxBodyReader& reader);
std::vector<ValueId> map_onnx_loop(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                   const std::vector<ValueId>& inputs, const OnnxBodyReader& reader);
std::vector<ValueId> map_onnx_scan(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                   const std::vector<ValueId>& inputs, const OnnxBodyReader& reader);

/// A node that names values of the graph: their gradients.
std::vector<ValueId> map_onnx_gradient(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                       const std::vector<ValueId>& inputs, const OnnxBodyReader& reader);

/// Scan as opset 8 has it, along sequences of a batch; its first input are their lengths.
bool is_batched_scan(const OnnxNodeContext& context, const tenon_onnx::NodeProto& node);

}  // namespace tenon
