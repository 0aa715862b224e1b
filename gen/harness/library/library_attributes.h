// Attributes of an op in C: the struct of the header, its defaults, and the reader of uniform calls.
#pragma once

#include <string>

#include "ir/nest/c_ast.h"
#include "ir/op/op_def.h"

namespace tenon {

/// Type variables that attributes are of, in the order of the definition: parameters of NAME_defaults.
std::vector<std::string> types_of_attributes(const OpDef& def);
/// Numbers of 64 bits that the values of a list of fixed length take in the struct.
int kept_scalars(const AttrDef& list);
/// The type that a word stands for, over the parameters of these type variables.
CExpr type_from_parameters(const OpDef& def, const std::string& word);
/// The struct `tn_NAME_attrs` with a comment a field.
CStruct attribute_struct(const OpDef& def);
/// `void tn_NAME_defaults(tn_NAME_attrs *attrs, tn_dtype T)` without its body.
CFunction defaults_prototype(const OpDef& def);
/// `tn_NAME_defaults` and `static void NAME_read_attributes(tn_frame *f, tn_NAME_attrs *a)`; nothing for an op without
/// attributes.
void add_attribute_functions(const OpDef& def, const OpLibrary& defs, std::vector<CItem>& out);
/// Checks of values (bool, enumerations) inside the bind function.
void add_attribute_checks(const OpDef& def, CBlock& out);

}  // namespace tenon
