// Arithmetic that wraps.
#include "emit/emitter.h"

namespace tenon::emit {
namespace {

/// A sum, difference or product of values of that type: its leftmost operand says so.
bool is_computed_as(const std::string& type, const CBinary& e) {
  if (e.op != "+" && e.op != "-" && e.op != "*") return false;
  if (const auto* cast = std::get_if<CCast>(&e.left->node)) return cast->type == type;
  const auto* left = std::get_if<CBinary>(&e.left->node);
  return left && is_computed_as(type, *left);
}

}  // namespace

bool not_nan_constant(const Operand& v) {
  const auto* c = std::get_if<VConst>(&v->node);
  return c && c->f == c->f;
}

CExpr wrapped(const std::string& type, const std::string& unsigned_type, std::string_view op, const CExpr& a,
              const CExpr& b) {
  const auto computed = [&](const CExpr& e) {
    const auto* back = std::get_if<CCast>(&e->node);
    const auto* sum = back && back->type == type ? std::get_if<CBinary>(&back->operand->node) : nullptr;
    return sum && is_computed_as(unsigned_type, *sum) ? back->operand : c_cast(unsigned_type, e);
  };
  return c_cast(type, c_binary(computed(a), op, computed(b)));
}

}  // namespace tenon::emit
