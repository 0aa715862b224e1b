// The typed functions of an op as its header declares them.
#pragma once

#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// Names and parameters; functions without bodies.
class TypedPrototypes {
 public:
  /// `threads`: there are functions with a context and without; the first ones do the work.
  TypedPrototypes(const LibraryOp& op, bool threads);

  /// One kernel for each choice of dtypes.
  std::vector<const LibraryKernel*> variants() const;
  /// Whether a function takes a context, for each that a variant has.
  std::vector<bool> contexts() const { return threads_ ? std::vector<bool>{true, false} : std::vector<bool>{false}; }

  CFunction call(const LibraryKernel& k, bool context) const;
  CFunction workspace(const LibraryKernel& k, bool context) const;
  /// Attributes of the element type decide sizes of some ops, so the shape function takes the types.
  CFunction shape() const;

  bool has_dims() const { return has_dims_; }
  DType dtype_of(const LibraryKernel& k, const TensorDef& t) const;

 private:
  std::string name_of_variant(const LibraryKernel& k, bool context) const;
  std::vector<std::string> leading_parameters(bool context) const;

  const LibraryOp& op_;
  const OpDef& def_;
  const bool threads_, has_dims_;
};

/// Whether an output has the same rank in all calls, and one at all: its shape is an array.
bool has_shape_array(const TensorDef& t);
/// `Y_shape`, a parameter of the shape function.
std::string shape_parameter(const TensorDef& t);

/// `static void NAME_shapes(tn_frame *f, int k)`, for an op with inputs.
CFunction typed_shapes(const LibraryOp& op);

/// Structs and prototypes with their documentation. `note`: which calls with a context workers share; empty: there are
/// none.
std::string typed_declarations(const LibraryOp& op, const std::string& note);
/// Their definitions.
void add_typed_functions(const LibraryOp& op, bool threads, std::vector<CItem>& out);

}  // namespace tenon
