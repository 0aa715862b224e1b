// split-windows: max[k < 9](x[i + k//3 - 1, j + k % 3 - 1]) goes over a window of rows and columns, each with a
// variable of its own, so that the places are affine in both. The order of the elements stays.

#include "algebra/fresh_names.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether an expression is v//by or v % by, of a number.
bool divides(const Expr& e, const std::string& v, ScalarOp op) {
  const auto* a = std::get_if<Apply>(&e->node);
  const auto* ref = a && a->op == op ? std::get_if<VarRef>(&a->args[0]->node) : nullptr;
  return ref && ref->name == v && constant_value(a->args[1]);
}

/// Whether an index adds something to v//by, or to v % by.
bool moves(const std::vector<Expr>& index, const std::string& v, ScalarOp op) {
  return any_of(index, [&](const Expr& i) {
    return !divides(i, v, op) && any_node(i, [&](const Expr& e) { return divides(e, v, op); });
  });
}

/// The one number that a reduction divides a variable by, if quotient and remainder are places in a window.
std::optional<int64_t> columns_of(const Reduce& r, const LoopVar& v) {
  const int64_t extent = constant_value(v.extent).value_or(0);
  std::optional<int64_t> by;
  bool one = true;
  const auto look = [&](const Expr& e) {
    if (!divides(e, v.name, ScalarOp::FloorDiv) && !divides(e, v.name, ScalarOp::Mod)) return false;
    const auto number = constant_value(std::get<Apply>(e->node).args[1]);
    one = one && (!by || by == number) && *number > 1 && extent % *number == 0;
    by = number;
    return false;
  };
  any_node(r.value, look);
  any_node(r.where, look);
  const auto window = [&](const Read& read) {
    return moves(read.index, v.name, ScalarOp::FloorDiv) && moves(read.index, v.name, ScalarOp::Mod);
  };
  return one && by && any_read(r.value, window) ? by : std::nullopt;
}

Expr in_parts(const Expr& e, const std::string& v, const Expr& row, const Expr& column, int64_t columns) {
  if (!e) return e;
  if (divides(e, v, ScalarOp::FloorDiv)) return row;
  if (divides(e, v, ScalarOp::Mod)) return column;
  const auto* ref = std::get_if<VarRef>(&e->node);
  if (ref && ref->name == v) return row * constant_int(columns) + column;
  return map_children(e, [&](const Expr& c) { return in_parts(c, v, row, column, columns); });
}

Expr split(const Expr& e, FreshNames& fresh) {
  const Expr below = map_children(e, [&](const Expr& c) { return split(c, fresh); });
  const auto* r = std::get_if<Reduce>(&below->node);
  if (!r || is_positional(r->op)) return below;
  for (size_t i = 0; i < r->vars.size(); ++i) {
    const LoopVar& v = r->vars[i];
    const auto columns = columns_of(*r, v);
    if (!columns) continue;
    const LoopVar row{fresh(v.name + "_row"), constant_int(*constant_value(v.extent) / *columns)};
    const LoopVar column{fresh(v.name + "_column"), constant_int(*columns)};
    const auto parts = [&](const Expr& x) {
      return in_parts(x, v.name, var_ref(row.name), var_ref(column.name), *columns);
    };
    std::vector<LoopVar> vars = r->vars;
    vars[i] = row;
    vars.insert(vars.begin() + static_cast<std::ptrdiff_t>(i) + 1, column);
    return reduce_like(*r, std::move(vars), parts(r->where), parts(r->value), below->type);
  }
  return below;
}

}  // namespace

Kernel split_windows(const Kernel& k) {
  Kernel out = k;
  FreshNames fresh(k);
  for (KernelStatement& s : out.body) s.value = split(s.value, fresh);
  return out;
}

}  // namespace tenon
