// Extensions of an ONNX model for training: trainable weights, and operators after its outputs.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "frontend/recipe/training_forms.h"
#include "support/diagnostics.h"

namespace tenon_onnx {
class GraphProto;
}

namespace tenon {

class OnnxExtension {
 public:
  virtual ~OnnxExtension() = default;
  /// Before a tensor is read, which may be more than once for a model: `graph` may be given other inputs.
  virtual void begin(GraphDraft& draft, tenon_onnx::GraphProto& graph) = 0;
  /// The input that stands for an initializer of the model; kNoValue where this is a constant.
  virtual ValueId weight(const std::string& name, const std::shared_ptr<const TensorData>& contents) = 0;
  /// After the last node: the values and sizes of the model by their names in the file, and its outputs.
  virtual void finish(const std::map<std::string, ValueId>& values, const std::map<std::string, SizeExpr>& sizes,
                      NamedOutputs& outputs) = 0;
  /// Whether a range of sizes is one that the extension gave, and not the user.
  virtual bool has_size(const std::string& name) const = 0;
  /// Errors since begin().
  virtual const Diagnostics& diagnostics() const = 0;
};

}  // namespace tenon
