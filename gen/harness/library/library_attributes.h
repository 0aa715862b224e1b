// Attributes of an op in C: the struct of the header, its defaults, and the reader of uniform calls.
#pragma once

#include <string>

#include "ir/nest/c_ast.h"
#include "ir/op/op_def.h"
#include "support/text_writer.h"

namespace tenon {

/// Type variables that attributes are of, in the order of the definition: parameters of NAME_defaults.
std::vector<std::string> types_of_attributes(const OpDef& def);
/// Numbers of 64 bits that the values of a list of fixed length take in the struct.
int kept_scalars(const AttrDef& list);
/// C expression of the type that a word stands for, over the parameters of these type variables.
std::string type_from_parameters(const OpDef& def, const std::string& word);
/// `(tn_gemm_attrs *attrs, tn_dtype T)`
std::string defaults_parameters(const OpDef& def);
/// The struct `tn_NAME_attrs` with a comment a field; nothing for an op without attributes.
void write_attribute_struct(const OpDef& def, TextWriter& out);
/// `tn_NAME_defaults` and `static void NAME_read_attributes(tn_frame *f, tn_NAME_attrs *a)`.
void write_attribute_functions(const OpDef& def, const OpLibrary& defs, TextWriter& out);
/// Checks of values (bool, enumerations) inside the bind function.
void add_attribute_checks(const OpDef& def, CBlock& out);

}  // namespace tenon
