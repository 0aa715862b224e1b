// If, Loop, Scan, SequenceMap and Gradient: selects the reader, and checks inputs and outputs.
#include "frontend/onnx/onnx_control.h"

#include <fmt/format.h>

namespace tenon {
namespace {

using namespace tenon_onnx;

class SequenceMapNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  /// The body once for each element of the first sequence: of each further input the element of the same number, or all
  /// of a tensor.
  std::vector<ValueId> run() {
    if (inputs_.empty() || !is_list(inputs_[0])) throw OnnxError{Code::E0806, "its first input is not a sequence"};
    const RecipeList first = list_of(inputs_[0]);
    std::vector<RecipeList> results(static_cast<size_t>(graph("body").output_size()));
    for (size_t i = 0; i < first.size(); ++i) {
      std::vector<ValueId> given;
      for (const ValueId v : inputs_) {
        if (is_list(v) && list_of(v).size() != first.size())
          throw OnnxError{Code::E0806, "its sequences have different lengths"};
        if (is_list(v) && !list_of(v)[i].get<TensorRef>())
          throw OnnxError{Code::E0805, "one of its sequences does not consist of tensors"};
        given.push_back(is_list(v) ? list_of(v)[i].get<TensorRef>()->id : v);
      }
      const std::vector<ValueId> made = reader_.read(graph("body"), given);
      if (!sound(made)) return {};
      for (size_t k = 0; k < made.size(); ++k) results[k].emplace_back(TensorRef{made[k]});
    }
    std::vector<ValueId> lists;
    for (RecipeList& r : results) lists.push_back(add_list(std::move(r)));
    return lists;
  }
};

using Mapping = std::vector<ValueId> (*)(OnnxNodeContext&, const NodeProto&, const std::vector<ValueId>&,
                                         const OnnxBodyReader&);

std::vector<ValueId> map_sequence(OnnxNodeContext& context, const NodeProto& node, const std::vector<ValueId>& inputs,
                                  const OnnxBodyReader& reader) {
  return SequenceMapNode(context, node, inputs, reader).run();
}

const std::map<std::string, Mapping>& mappings() {
  static const std::map<std::string, Mapping> all{{"If", map_onnx_if},
                                                  {"Loop", map_onnx_loop},
                                                  {"Scan", map_onnx_scan},
                                                  {"SequenceMap", map_sequence},
                                                  {"Gradient", map_onnx_gradient}};
  return all;
}

/// A loop may lack its bounds, and sequences of a batch their lengths.
bool may_lack(const OnnxNodeContext& context, const NodeProto& node, size_t input) {
  return node.op_type() == "Loop" ? input < 2 : is_batched_scan(context, node) && input == 0;
}

}  // namespace

bool is_onnx_gradient(const NodeProto& node) {
  return node.domain() == "ai.onnx.preview.training" && node.op_type() == "Gradient";
}
bool is_onnx_control(const NodeProto& node) {
  if (is_onnx_gradient(node)) return true;
  return (node.domain().empty() || node.domain() == "ai.onnx") && node.op_type() != "Gradient" &&
         mappings().count(node.op_type()) != 0;
}

std::vector<ValueId> map_onnx_control(OnnxNodeContext& context, const NodeProto& node,
                                      const std::vector<ValueId>& inputs, const OnnxBodyReader& reader) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] == kEmptyOptional || (inputs[i] == kNoValue && !may_lack(context, node, i)))
      throw OnnxError{Code::E0806, fmt::format("input {} is missing, or an optional that is empty", i)};
  std::vector<ValueId> results = mappings().at(node.op_type())(context, node, inputs, reader);
  const size_t named = static_cast<size_t>(node.output_size());
  if (results.empty()) return std::vector<ValueId>(named, kNoValue);
  if (results.size() < named)
    throw OnnxError{Code::E0806, fmt::format("it has {} outputs, not {}", results.size(), named)};
  results.resize(named);
  return results;
}

}  // namespace tenon
