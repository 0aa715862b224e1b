// The extents of a typed call: the fields of its dims struct, and what follows from them.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// A size, a pack, the whole shape of an input that broadcasts, or how many operands there are.
struct DimsField {
  std::string name;
  bool several = false;
  std::string comment;
};

std::vector<DimsField> dims_fields(const LibraryOp& op);
/// `dims->D`
CExpr dims_field(const Dim& d);
/// `dims->X_shape`, the whole shape of an input that broadcasts.
CExpr broadcast_field(const TensorDef& t);
/// A shape as the definition writes it; `full`: without the signs of broadcasting.
std::string dims_text(const TensorDef& t, bool full);

/// Attributes that choose dims follow from the fields: the dims of each tensor are in the order of the definition.
bool is_placed_axis(const OpDef& def, const std::string& attr);
void add_placed_axes(const OpDef& def, CBlock& out);
/// After the operands that the field counts there are none, and each of these has data when the kernel is called.
void add_operand_count(const LibraryOp& op, CBlock& out);

}  // namespace tenon
