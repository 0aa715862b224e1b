// Shapes, types and attributes that are known at generation → the binding of a definition. This is shape inference: it
// evaluates what the definition says under `in`, `let` and `out`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// A tensor passed by a node of a graph or a call in a composite: extents in stored order.
struct GivenTensor {
  bool present = false;
  DType dtype = DType::F32;
  std::vector<Expr> dims;
};

/// `N: upto(bound)` of a call: the size that stands for it in `output_dims`, called N unless an attribute N names
/// another one.
struct WrittenExtent {
  std::string let, size;
  Expr bound;
};

/// A completely bound call of an op, ready for expand_body.
struct BoundCall {
  std::shared_ptr<const OpDef> unrolled;  ///< what `scope` refers to when the definition is variadic
  Kernel kernel;                          ///< inputs that are present, then outputs; sizes are the caller's
  Scope scope;
  std::vector<std::vector<Expr>> output_dims;  ///< stored extents of each output
  std::vector<DType> output_types;
  std::vector<std::pair<Expr, Expr>> taken_as_equal;  ///< extents of inputs that run time has to bring together
  std::vector<WrittenExtent> extents;                 ///< extents of outputs that the kernel writes
};

/// A call of an op: inputs in the definition's order, of known rank, whose extents are constants or expressions of the
/// caller's sizes. Missing attributes take their defaults.
struct OpCall {
  const OpLibrary& library;
  const OpDef& def;
  std::vector<GivenTensor> inputs;
  std::map<std::string, BoundAttr> attrs = {};
  std::map<std::string, DType> types = {};  ///< of type variables that only an output has
  SourceSpan place = {};                    ///< where errors are reported
};

/// A call of an op in a body, on tensors of the kernel.
struct BodyCall {
  const OpLibrary& library;
  const OpDef& def;
  std::vector<BoundTensor> inputs;
  std::map<std::string, BoundAttr> attrs;
  SourceSpan place;
};

/// Binds the definition to the call. Nothing after an error.
std::optional<BoundCall> bind_call(const OpCall& call, Diagnostics& diagnostics);

/// The same for an op that a body calls; makes temps for its outputs. False after an error.
bool bind_composite(const BodyCall& call, Kernel& kernel, Scope& scope, Diagnostics& diagnostics);

}  // namespace tenon
