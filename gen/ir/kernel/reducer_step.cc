// Rows of the scalar table, reducer by reducer.
#include "ir/kernel/reducer_step.h"

#include "support/check.h"

namespace tenon {

ScalarOp step_of(Reducer r) {
  switch (r) {
    case Reducer::Sum: return ScalarOp::Add;
    case Reducer::Prod: return ScalarOp::Mul;
    case Reducer::Max: return ScalarOp::Max;
    case Reducer::Min: return ScalarOp::Min;
    case Reducer::Any: return ScalarOp::Or;
    case Reducer::All: return ScalarOp::And;
    case Reducer::BitXor: return ScalarOp::BitXor;
    case Reducer::BitOr: return ScalarOp::BitOr;
    case Reducer::BitAnd: return ScalarOp::BitAnd;
    case Reducer::Fold:
    case Reducer::ArgMax:
    case Reducer::ArgMin: break;
  }
  TENON_UNREACHABLE("{} does not combine two values", name_of(r));
}

}  // namespace tenon
