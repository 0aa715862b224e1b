// Expressions over the frame `f` of a call, its attributes `a` and the functions of the runtime.
#pragma once

#include <string_view>

#include "ir/nest/c_ast.h"
#include "ir/op/op_def.h"

namespace tenon {

/// `tn_rt_FUNCTION(args…)`
CExpr runtime_value(std::string_view function, std::vector<CExpr> args);
/// `tn_rt_FUNCTION(f, args…)`, which sets the status of the call where something is wrong.
CExpr runtime_call(std::string_view function, std::vector<CExpr> args);
/// The same as a statement.
CStmt runtime_step(std::string_view function, std::vector<CExpr> args);
/// `tn_rt_require(f, condition, TN_E_ERROR);`
CStmt require(CExpr condition, std::string_view error);

CExpr address_of(CExpr);
CExpr c_count(size_t n);
/// In hexadecimal.
CExpr c_mask(unsigned bits);
/// `NAME`, a name of the definition.
CExpr c_name(std::string_view name);
/// `a->NAME`, an attribute.
CExpr attribute_field(std::string_view name);
/// `NAME->rank`, a pack.
CExpr pack_rank(std::string_view name);
/// `f->FIELD`
CExpr frame_field(const char* field);
/// The runtime's argument for the type of a tensor or an attribute: "TN_F32", or the number of its type variable.
CExpr type_argument(const OpDef& def, std::string_view type);

}  // namespace tenon
