// Builds a Graph node by node with the types of everything known at once, so that a reader can look at shapes while it
// reads. Small results of known values are computed on the spot, extents as expressions over run-time sizes included.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include "frontend/op_semantics.h"

namespace tenon {

/// Why a node cannot be added. Thrown inside the readers of this folder, never out of them.
struct GraphError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GraphBuilder {
 public:
  GraphBuilder(const OpSemantics& semantics, std::string graph_name);

  void add_size(GraphSize size);
  ValueId add_input(const std::string& name, DType dtype, std::vector<SizeExpr> dims);
  ValueId add_constant(const std::string& name, std::shared_ptr<const TensorData> data);
  ValueId add_constant(const std::string& name, TensorData data);
  /// A tensor of whole numbers that may depend on run-time sizes.
  ValueId add_numbers(DType dtype, std::vector<SizeExpr> dims, std::vector<SizeExpr> elements);

  /// Adds `op`; the origin set before goes with it. Throws GraphError.
  std::vector<ValueId> add_node(const std::string& op, std::vector<ValueId> inputs, const Attributes& attrs, size_t outputs);

  void set_origin(std::string origin) { origin_ = std::move(origin); }
  /// Gives the value the name that the file has for it; the first name stays.
  void name_value(ValueId id, const std::string& original);
  void set_trainable(ValueId id) { at(id).value.trainable = true; }

  const Value& value(ValueId id) const { return at(id).value; }
  TensorType type(ValueId id) const { return {value(id).dtype, value(id).dims}; }
  const OpSemantics& semantics() const { return *semantics_; }
  /// Elements of a tensor of whole numbers where they are known before run time.
  std::optional<std::vector<SizeExpr>> numbers(ValueId id) const;

  /// The graph, without what no output needs, with unique C identifiers. An output that is an input, a constant or another
  /// output gets a copy. Throws GraphError.
  Graph finish(const std::vector<std::pair<std::string, ValueId>>& outputs);

 private:
  struct Entry {
    Value value;
    std::optional<std::vector<SizeExpr>> numbers;  // elements that depend on sizes; such a value has no node
  };
  Entry& at(ValueId id) { return entries_[static_cast<size_t>(id)]; }
  const Entry& at(ValueId id) const { return entries_[static_cast<size_t>(id)]; }
  ValueId add(Entry entry);
  InferredTypes infer(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attrs, size_t outputs) const;
  void check_extents(const std::string& op, const std::vector<TensorType>& types) const;
  std::optional<std::vector<ValueId>> compute_now(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attrs,
                                                  const std::vector<TensorType>& types);
  std::optional<std::vector<ValueId>> compute_sizes(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attrs,
                                                    const std::vector<TensorType>& types);
  std::optional<std::vector<ValueId>> compute_constants(const std::string& op, const std::vector<ValueId>& inputs,
                                                        const Attributes& attrs, const std::vector<TensorType>& types);
  ValueId materialise(ValueId id);

  const OpSemantics* semantics_;
  Graph graph_;  // sizes, inputs and nodes; the values lie in entries_ until the end
  std::vector<Entry> entries_;
  std::string origin_;
};

}  // namespace tenon
