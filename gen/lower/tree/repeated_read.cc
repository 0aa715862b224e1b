// Finds the one index that is the loop's variable divided by a power of two.
#include "algebra/simplify.h"
#include "lower/tree/lane_survey.h"

namespace tenon {

std::optional<int64_t> repeats(const IndexInLoop& read, FunctionRef<bool(const Expr&)> varies, const Ranges& ranges) {
  std::optional<int64_t> found;
  for (size_t d = 0; d < read.index.size(); ++d) {
    const Expr& e = read.index[d];
    if (!varies(e)) continue;
    const auto* quotient = std::get_if<Apply>(&e->node);
    if (found || !quotient || quotient->op != ScalarOp::FloorDiv) return std::nullopt;
    const auto* var = std::get_if<VarRef>(&quotient->args[0]->node);
    const auto by = constant_value(quotient->args[1]);
    const bool power = by && *by > 1 && (*by & (*by - 1)) == 0;
    if (!var || var->name != read.var || !power || !is_one(simplify(read.strides[d], ranges))) return std::nullopt;
    found = by;
  }
  return found;
}

}  // namespace tenon
