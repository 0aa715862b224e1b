// The bind function of an op: checks a call against the definition and finds every size, in straight-line C.
#pragma once

#include "harness/library/library_arithmetic.h"
#include "harness/library/library_signature.h"
#include "support/text_writer.h"

namespace tenon {

/// `static void NAME_bind(tn_frame *f)`.
void write_bind_function(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature, TextWriter& out);

/// Writes what one tensor's shape says. Shared by inputs and outputs of the bind function.
struct BindState {
  const LibraryOp* op;
  const BindSignature* signature;
  ArithmeticScope scope;
  std::set<std::string> bound_sizes, bound_packs, bound_lets;
  TextWriter* out;
  std::set<std::string> placed = {};  ///< shapes between whose packs the axis of an output's dim was put
  std::set<std::string> axes = {};    ///< tensors whose axes have variables that the whole function sees

  const OpDef& def() const { return *op->def; }
  /// C text of a dim's extent that is known: size, let, attribute, integer.
  std::string extent(const Dim& d) const;
  bool knows(const Dim& d) const;
};

/// A stored dimension as C: the number of fixed ones before it plus the ranks of packs.
struct StoredPlace {
  int fixed = 0;
  std::vector<std::string> ranks;

  std::string text() const;
  /// ` - a - b - 2`
  std::string subtracted() const;
};

/// `A: T[M, K] stored as [K, M] if transA`, for comments.
std::string shape_comment(const TensorDef& t);
/// `tn_operand *const in_A`: name of the C variable.
std::string operand_name(const TensorDef& t, bool output);
/// Writes the reordering of stored dims, where the definition has any.
void write_storage_order(const BindState& s, const TensorDef& t, bool output);
/// Can the shape be bound now: at most one unknown pack or part of a split, and lets that are computed.
bool can_bind(const BindState& s, const TensorDef& t);
/// An input without `~`: binds its new sizes, checks the others.
void write_plain_input(BindState& s, const TensorDef& t);
/// Inputs with `~`: aligns them and binds the sizes that they have without it.
void write_exact_sizes(BindState& s);
/// The same inputs: finds what the other extents broadcast to, then checks.
void write_broadcast_inputs(BindState& s);
void write_output(BindState& s, const TensorDef& t, int k);
/// A tensor of a variadic output, or its gradient, that is not given has no elements.
void write_absent_extents(const BindState& s, const TensorDef& t, std::string_view why);
/// An output that has the shape of an input: the gradient of what the input holds.
void write_gradient_output(BindState& s, const TensorDef& t, int k);
/// Checks of a let that is an extent of one tensor of a variadic output; nothing for others.
void write_element_checks(const BindState& s, const LetDef& l);

}  // namespace tenon
