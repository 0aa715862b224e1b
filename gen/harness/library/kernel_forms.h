// How the arguments of kernels are built from a call.
#pragma once

#include "harness/library/constant_tables.h"
#include "harness/library/library_signature.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// How the arguments of a kernel are built: the contents of a tn_form and of its tables.
struct KernelForm {
  std::vector<CInit> arguments, sizes;
  std::vector<CExpr> scalars;
  bool may_fail = false, scalars_in_order = true;

  /// Forms of one text are one.
  std::string text() const;
};

KernelForm form_of(const LibraryOp& op, const LibraryKernel& k, const BindSignature& signature,
                   const ConstantTables& tables);
/// The tables that kernels read instead of absent inputs, each once, for the types that kernels have.
void add_stand_ins(const LibraryOp& op, std::vector<CItem>& out);
/// Dimensions of an operand as kernels see it.
int kernel_dims(const LibraryOp& op, const TensorDef& t);

}  // namespace tenon
