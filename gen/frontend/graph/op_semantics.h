// The queries of a frontend about the ops of the library: their signatures, the types of their results, and their
// values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/op_signature.h"

namespace tenon {

/// Dtype and extents of a tensor.
struct TensorType {
  DType dtype = DType::F32;
  std::vector<SizeExpr> dims;
  bool operator==(const TensorType&) const = default;
};
/// f32[N, 64]
std::string to_text(const TensorType& type);

/// gemm(A, B, C?, alpha=…): how a call of the op looks.
std::string call_text(const std::string& op, const OpSignature& signature);

/// An extent of results that the op writes at run time: its name in the results' types, and what it is at most.
struct BoundedExtent {
  std::string name;
  SizeExpr bound;
};

/// Types of the results, or a sentence that describes the error in the arguments. A node receives the graph's names of
/// `extents` as attributes.
struct InferredTypes {
  std::vector<TensorType> outputs;
  std::string error = {};
  std::vector<BoundedExtent> extents = {};
  std::vector<std::pair<SizeExpr, SizeExpr>> equal =
      {};  // extents of the arguments that are the same at every call, or it is refused
};

/// Contents of the results, or a sentence that describes the error in the values (an index out of range). Neither if
/// the op is computed only at run time.
struct ComputedTensors {
  std::vector<TensorData> outputs;
  std::string error;
};

/// An op that is made on request of a graph, or a sentence that explains why it cannot be made.
struct MadeOp {
  std::string name;
  std::string error;
};

/// The library as the frontends see it; the pipeline supplies it, so that this stage includes no other. An op whose
/// type variable no input binds (cast, arange, full, randn) takes it as the attribute `dtype`, which its signature
/// lists and which stays in the node; where left out, it is f32.
struct OpSemantics {
  /// Signature of an op; nullptr where the library has none of this name. The pointer stays valid.
  std::function<const OpSignature*(const std::string& op)> find;
  /// Result types for input types (nothing = absent optional) and attributes. `wanted` is the number of outputs that
  /// the node names, for ops that have as many as asked for.
  std::function<InferredTypes(const std::string& op, const std::vector<std::optional<TensorType>>& inputs,
                              const Attributes& attrs, size_t wanted)>
      infer;
  /// Results for constant inputs (nullptr = absent optional).
  std::function<ComputedTensors(const std::string& op, const std::vector<const TensorData*>& inputs,
                                const Attributes& attrs, size_t wanted)>
      evaluate;
  /// The op of an einsum string, made when it is first asked for.
  std::function<MadeOp(const std::string& subscripts)> einsum;
  /// Which of the inputs, all of them given, the op reads under these attributes.
  std::function<std::vector<bool>(const std::string& op, const std::vector<std::optional<TensorType>>& inputs,
                                  const Attributes& attrs)>
      reads = {};
  /// Names of all ops, for "did you mean".
  std::function<std::vector<std::string>()> names;
};

}  // namespace tenon
