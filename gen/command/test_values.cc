// Literals → numbers, as integers and as reals.
#include "command/test_values.h"

#include <limits>

namespace tenon {

Number literal_number(const Syntax& s) {
  if (s.is(SyntaxKind::unary)) {
    const Number n = literal_number(s.children[0]);
    return {apply_number(ScalarOp::Neg, &n, DType::I64, DType::I64).i, -n.f, 0};
  }
  Number n;
  if (s.is(SyntaxKind::real)) n.f = static_cast<long double>(s.real);
  else if (s.is(SyntaxKind::infinity)) n.f = std::numeric_limits<long double>::infinity();
  else if (s.is_name("nan")) n.f = std::numeric_limits<long double>::quiet_NaN();
  else return {s.integer, static_cast<long double>(s.integer), 0};
  n.i = convert_number(n, DType::F64, DType::I64).i;
  return n;
}

}  // namespace tenon
