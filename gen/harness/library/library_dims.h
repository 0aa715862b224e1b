// The extents of a typed call: the fields of its dims struct, and what follows from them.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "support/text_writer.h"

namespace tenon {

/// A size, a pack, the whole shape of an input that broadcasts, or how many operands there are.
struct DimsField {
  std::string name;
  bool several = false;
  std::string comment;
};

std::vector<DimsField> dims_fields(const LibraryOp& op);
/// `dims->D`
std::string dims_field(const Dim& d);
/// A shape as the definition writes it; `full`: without the signs of broadcasting.
std::string dims_text(const TensorDef& t, bool full);

/// Attributes that choose dims follow from the fields: the dims of each tensor are in the order of the definition.
bool is_placed_axis(const OpDef& def, const std::string& attr);
void write_placed_axes(const OpDef& def, TextWriter& out);
/// Behind the operands that the field counts stands nothing, and each of these has data when the kernel is called.
void write_operand_count(const LibraryOp& op, TextWriter& out);

}  // namespace tenon
