// The bind function of an op: checks a call against the definition and finds every size, in straight-line C.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "algebra/integer_states.h"
#include "harness/library/library_arithmetic.h"
#include "harness/library/library_signature.h"
#include "harness/library/runtime_calls.h"
#include "ir/kernel/library.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// `static void NAME_bind(tn_frame *f)`.
CFunction bind_function(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature);

/// Values known after the statements of the bind function so far. Shared by inputs and outputs.
struct BindState {
  const LibraryOp* op;
  const BindSignature* signature;
  ArithmeticScope scope;
  CBlock* body;  ///< the statements so far, of the function or of a block in it
  std::set<std::string> bound_sizes = {}, bound_packs = {}, bound_lets = {};
  std::set<std::string> placed = {};  ///< shapes between whose packs the axis of an output's dim was put
  std::set<std::string> axes = {};    ///< tensors whose axes have variables that the whole function sees

  const OpDef& def() const { return *op->def; }
  /// A dim's extent that is known: size, let, attribute, integer.
  CExpr extent(const Dim& d) const;
  bool knows(const Dim& d) const;
  /// `(const int64_t[]){…}`, the parts of a split dim.
  CExpr extents(const std::vector<Dim>& parts) const;

  void add(CStmt statement) { body->push_back(std::move(statement)); }
  void assign(CExpr to, CExpr value) { add(c_assign(std::move(to), std::move(value))); }
  void call(std::string_view function, std::vector<CExpr> args) { add(runtime_step(function, std::move(args))); }
  /// The statements that `write` adds, as a block.
  template <class Write>
  CBlock block(Write write) {
    CBlock inner, *const outer = std::exchange(body, &inner);
    write();
    body = outer;
    return inner;
  }
};

/// A stored dimension: the number of fixed ones before it plus the ranks of packs.
struct StoredPlace {
  int fixed = 0;
  std::vector<CExpr> ranks = {};

  CExpr value() const;
  /// `from - a - b - 2`
  CExpr subtracted_from(CExpr from) const;
  bool is(std::string_view variable) const;
};

/// `A: T[M, K] stored as [K, M] if transA`, for comments.
std::string shape_comment(const TensorDef& t);
/// `in_A`: name of the C variable, a `tn_operand *`.
std::string operand_name(const TensorDef& t, bool output);
/// Writes the reordering of stored dims, where the definition has any.
void write_storage_order(BindState& s, const TensorDef& t, bool output);
/// Whether the shape can be bound now: at most one unknown pack or part of a split, and all lets computed.
bool can_bind(const BindState& s, const TensorDef& t);
/// An input without `~`: binds its new sizes, checks the others.
void write_plain_input(BindState& s, const TensorDef& t);
/// Inputs with `~`: aligns them and binds the sizes that they have without it.
void write_exact_sizes(BindState& s);
/// The same inputs: finds what the other extents broadcast to, then checks.
void write_broadcast_inputs(BindState& s);
void write_output(BindState& s, const TensorDef& t, int k);
/// A tensor of a variadic output, or its gradient, that is not given has no elements.
void write_absent_extents(BindState& s, const TensorDef& t, std::string_view why);
/// An output that has the shape of an input: the gradient of what the input holds.
void write_gradient_output(BindState& s, const TensorDef& t, int k);
/// The view of an input whose dims a list permutes, or of its gradient.
void write_permuted(BindState& s, const CExpr& operand);
/// Checks of a let that is an extent of one tensor of a variadic output; nothing for others.
void write_element_checks(BindState& s, const LetDef& l);
/// Attributes and lets that kernels compute indices with, such as stride and pad of X[stride*h + r - pad]: these sums,
/// and the products of factors with extents, have to fit in 64 bits.
/// Name and element (0 for a number) of an attribute or let; all elements of a list with one for each dimension are one
/// entry.
using IndexParts = std::map<std::pair<std::string, int>, IndexPart>;

IndexParts index_parts(const LibraryOp& op);
/// Symbols, scalars and lists for the kernels.
void write_handover(BindState& s, const IndexParts& parts);

/// The limit on the absolute value of a number in such a place.
CExpr limit_of(IndexPart part);

}  // namespace tenon
