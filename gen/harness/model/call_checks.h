// Conditions under which a call of a model is refused, as C.
#pragma once

#include <string>

#include "ir/nest/c_ast.h"

namespace tenon {

inline CExpr is_null(CExpr pointer) { return c_equal(std::move(pointer), c_text("NULL")); }

inline CExpr as_number(CExpr pointer) { return c_cast("uintptr_t", std::move(pointer)); }

/// The condition that an address is not a multiple of 64 bytes.
inline CExpr is_unaligned(CExpr pointer) {
  return c_binary(c_binary(as_number(std::move(pointer)), "%", c_number(64)), "!=", c_number(0));
}

/// The condition that a byte count is not 0.
inline CExpr has_bytes(std::string constant) { return c_binary(c_text(std::move(constant)), ">", c_number(0)); }

/// `if (cond) { return NET_E_NULL; }`
inline CStmt refuse_if(CExpr cond, std::string status) {
  return c_if(std::move(cond), {c_return(c_text(std::move(status)))});
}

}  // namespace tenon
