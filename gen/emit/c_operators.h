// Properties of operations shared by the printers of scalars and vectors.
#pragma once

#include <string>
#include <string_view>

#include "ir/nest/c_ast.h"
#include "ir/nest/loop_nest.h"

namespace tenon::emit {

/// C's operator between scalars that means the same; "" if there is none.
/// A constant other than NaN.
bool not_nan_constant(const Operand& v);
/// a op b of a signed type, wrapping: computed as `unsigned_type` of the same width. A value that was already computed
/// this way is used without redundant casts.
CExpr wrapped(const std::string& type, const std::string& unsigned_type, std::string_view op, const CExpr& a,
              const CExpr& b);

}  // namespace tenon::emit
