// The graph of an ONNX file that is changed: who makes and who reads a value, and the contents of initializers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/onnx/onnx.pb.h"
#include "ir/number/tensor_data.h"
#include "support/diagnostics.h"

namespace tenon {

class OnnxGraph {
 public:
  /// Contents of files next to the model, in `folder`, are in the graph from here on, constants of nodes and what moves
  /// them among the initializers, and inputs that have one are no inputs any more. `path` names the file in
  /// diagnostics.
  OnnxGraph(tenon_onnx::GraphProto& graph, const std::filesystem::path& folder, const std::string& path,
            Diagnostics& diagnostics);

  tenon_onnx::GraphProto& proto() { return graph_; }
  /// Finds makers and readers again, after nodes were changed.
  void index();

  bool is_constant(const std::string& value) const { return initializers_.count(value) != 0; }
  bool is_read(const std::string& value) const {
    return readers_.count(value) != 0 || read_inside_.count(value) != 0 || is_output(value);
  }
  bool is_output(const std::string& value) const { return outputs_.count(value) != 0; }
  const std::vector<int64_t>& dims_of(const std::string& initializer) const;
  /// The elements of an initializer of f32; nothing for others.
  std::optional<std::vector<float>> floats(const std::string& initializer) const;
  /// The node that alone reads a value which is no output of the graph; null if there is none.
  tenon_onnx::NodeProto* only_reader(const std::string& value) const;
  /// A name that no value has yet.
  std::string fresh_name(const std::string& wish);
  /// Adds an initializer with a fresh name, which it returns.
  std::string add(const std::string& wish, TensorData data);
  std::string add_floats(const std::string& wish, std::vector<int64_t> dims, const std::vector<float>& elements);
  std::string add_ints(const std::string& wish, const std::vector<int64_t>& elements);
  /// Drops nodes that `gone` says are not needed, and initializers that nothing reads.
  void drop_unused(const std::set<const tenon_onnx::NodeProto*>& gone);

 private:
  void take_constants(Diagnostics& diagnostics);
  void read_initializers(Diagnostics& diagnostics);
  void move_constants();

  tenon_onnx::GraphProto& graph_;
  std::filesystem::path folder_;
  std::string path_;
  std::map<std::string, TensorData> initializers_;
  std::map<std::string, std::vector<tenon_onnx::NodeProto*>> readers_;
  std::set<std::string> outputs_, names_, read_inside_;  ///< the last: by graphs of nodes
};

/// An attribute of a node, or null.
const tenon_onnx::AttributeProto* find_attribute(const tenon_onnx::NodeProto& node, const std::string& name);
int64_t int_attribute(const tenon_onnx::NodeProto& node, const std::string& name, int64_t otherwise);
float float_attribute(const tenon_onnx::NodeProto& node, const std::string& name, float otherwise);
void drop_attribute(tenon_onnx::NodeProto& node, const std::string& name);
void set_int(tenon_onnx::NodeProto& node, const std::string& name, int64_t value);
/// A node without attributes, after those that are there.
tenon_onnx::NodeProto make_node(const std::string& op, const std::vector<std::string>& inputs,
                                const std::string& output);

}  // namespace tenon
