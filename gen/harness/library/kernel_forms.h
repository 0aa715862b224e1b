// How the arguments of kernels are built from a call, and the constants that they read.
#pragma once

#include <string>
#include <vector>

#include "harness/library/library_signature.h"
#include "ir/kernel/library.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// The constants that kernels of an op read, as C arrays: each once, whatever levels and types read it.
class ConstantTables {
 public:
  explicit ConstantTables(const LibraryOp& op);

  /// The C expression that points to the elements.
  std::string name_of(const TensorData& data) const;
  void add(std::vector<CItem>& out) const;

 private:
  struct Table {
    std::string name;
    const TensorData* data;
  };
  std::vector<Table> tables_;
};

/// How the arguments of a kernel are built: the contents of a tn_form and of its tables.
struct KernelForm {
  std::vector<CInit> arguments, sizes;
  std::vector<CExpr> scalars, joins, merges;
  bool may_fail = false, scalars_in_order = true;

  /// Forms with the same text are shared.
  std::string text() const;
};

KernelForm form_of(const LibraryOp& op, const LibraryKernel& k, const BindSignature& signature,
                   const ConstantTables& tables);
/// The tables that kernels read instead of absent inputs, each once, for the types that kernels have.
void add_stand_ins(const LibraryOp& op, std::vector<CItem>& out);
/// Dimensions of an operand as kernels see it.
int kernel_dims(const LibraryOp& op, const TensorDef& t);

/// For a copy from dimension to dimension (shifted, repeated, or kept inside): where the sizes begin that are, for all
/// dimensions, its extents in the input and in the result, its strides, its distances and its steps (255: none). A
/// dimension in which nothing moves is joined with the one around it by changing these sizes. Empty for other kernels.
std::vector<int> joined_dims(const LibraryKernel& k);
/// For a kernel of matrices whose rows are all computed alike, from tensors some of which have no rows: the positions
/// of two sizes, how many matrices a call has and how many rows each, the number of the inputs that differ from matrix
/// to matrix, and for each the positions of its strides along both (255: it has no rows). If the step from matrix to
/// matrix goes on where rows end, or is 0 where there are none, all of them are rows of one. Empty for other kernels.
std::vector<int> merged_rows(const LibraryOp& op, const LibraryKernel& k);
/// Whether the kernel reduces the middle one of three dimensions, its sizes are their extents (then, for a mean, the
/// number of elements), and its results may be reduced again by the kernel: dimensions of the pack that are apart take
/// a step each.
bool reduces_in_steps(const LibraryKernel& k);

/// How a call may merge or reorder the dimensions of a collapsed pack.
enum class PackFreedom : uint8_t {
  none,
  permuted,  ///< its elements are only reduced, so their order does not matter
  moved,     ///< each element of it is computed alone: a dimension may be in any such pack, in any order
};
/// Which of these the kernels of the op allow.
PackFreedom freedom_of(const LibraryOp& op, const std::string& pack);

}  // namespace tenon
