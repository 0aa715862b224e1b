// One ONNX node through the table: attributes and inputs become a scope, the row's recipe runs in it.
#pragma once

#include <filesystem>
#include <functional>

#include "frontend/onnx/onnx.pb.h"
#include "frontend/onnx/onnx_table.h"

namespace tenon {

/// Shapes by the names of values.
using StatedShapes = std::map<std::string, std::vector<SizeExpr>>;

struct OnnxNodeContext {
  GraphBuilder& builder;
  const OnnxTable& table;
  std::filesystem::path folder;
  std::map<std::string, int> opsets;   // domain → version
  StatedShapes stated;                 // what the file states for values, where all of a shape is known
  int64_t position = 0;                // number of the node that is read
  std::vector<RecipeList> lists = {};  // sequences, which exist while the model is read only
  /// Adds the nodes of a graph that an attribute of the node holds; kNoValue for outputs that are in error, which has
  /// been reported.
  std::function<std::vector<ValueId>(const tenon_onnx::GraphProto& graph, const std::vector<ValueId>& inputs)>
      read_body = nullptr;
  /// Warns at the current node: the model violates the specification, but its meaning is clear.
  std::function<void(Code code, const std::string& message, const std::vector<std::string>& notes)> warn = nullptr;
  /// As in RecipeContext: an op that is not what its name says in a step of training.
  std::function<RecipeValue(RecipeContext& context, const RecipeCall& call)> form = nullptr;
};

/// Why a node cannot be mapped. Thrown inside the reader, never out of it.
struct OnnxError {
  Code code;
  std::string message;
  std::vector<std::string> notes = {};
};

/// Stands for an output that the row does not compute; it is an error only if something reads it.
inline constexpr ValueId kNotGiven = -2;

/// Stands for an optional that is empty: for the node that reads it, an input that is absent.
inline constexpr ValueId kEmptyOptional = -3;

/// Values from here down are sequences: the number k of OnnxNodeContext::lists is kFirstList - k.
inline constexpr ValueId kFirstList = -10;
inline bool is_list(ValueId id) { return id <= kFirstList; }

/// Runs the row for `node` on `inputs` (kNoValue = absent). Returns one value per output that the node names, kNoValue
/// for those with an empty name, kNotGiven for those that the row does not give (the mask of Dropout), kEmptyOptional
/// for those that it says are none. Throws OnnxError.
std::vector<ValueId> map_onnx_node(OnnxNodeContext& context, const tenon_onnx::NodeProto& node,
                                   const std::vector<ValueId>& inputs);

}  // namespace tenon
