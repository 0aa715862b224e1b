// Finds the variable of the rows in the only statement of a kernel, and what else depends on it.
#include "differentiate/row_sum.h"

#include "support/ranges.h"

namespace tenon {
namespace {

/// The extent of the sum over `row` that `e` is, or is a multiple of; null for any other value.
Expr rows_summed_in(const Expr& e, const std::string& row) {
  if (const auto* sum = std::get_if<Reduce>(&e->node)) {
    const auto v = find_if(sum->vars, [&](const LoopVar& l) { return l.name == row; });
    return sum->op == Reducer::Sum && v != sum->vars.end() ? v->extent : nullptr;
  }
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || (a->op != ScalarOp::Cast && a->op != ScalarOp::Mul)) return nullptr;
  const auto depends = [&](const Expr& arg) { return mentions(arg, row); };
  const auto first = find_if(a->args, depends);
  if (first == a->args.end() || std::count_if(a->args.begin(), a->args.end(), depends) > 1) return nullptr;
  return rows_summed_in(*first, row);
}

class Rows {
 public:
  Rows(const Kernel& k, int of) : k_(k), by_row_(k.tensors.size(), false), otherwise_(k.tensors.size(), false) {
    each_read(k.body[0].value, [&](const Read& r) {
      if (r.tensor != of || r.index.empty()) return;
      if (const auto* v = std::get_if<VarRef>(&r.index[0]->node)) row_ = v->name;
    });
  }

  std::optional<RowSum> run() {
    const KernelStatement& s = k_.body[0];
    if (row_.empty() || has_loop(s.loops, row_)) return std::nullopt;
    rows_ = rows_summed_in(s.value, row_);
    if (!rows_) return std::nullopt;
    RowSum out{of_one_row(s.value), by_row_};
    if (!all_rows_ || mentions(out.of_one_row, row_)) return std::nullopt;
    for (size_t t = 0; t < by_row_.size(); ++t)
      if (by_row_[t] && otherwise_[t]) return std::nullopt;
    return out;
  }

 private:
  /// The expression with the row 0 of what is read by row, and a sum over one row.
  Expr of_one_row(const Expr& e) {
    if (const auto* r = std::get_if<Read>(&e->node)) {
      const bool by_row = !r->index.empty() && is_variable(r->index[0], row_);
      (by_row ? by_row_ : otherwise_)[static_cast<size_t>(r->tensor)] = true;
      if (by_row) {
        all_rows_ = all_rows_ && !r->fill && same(k_.tensor(r->tensor).dims[0], rows_);
        std::vector<Expr> index = r->index;
        index[0] = constant_int(0);
        return read_of(r->tensor, e->type, std::move(index));
      }
    }
    const auto* sum = std::get_if<Reduce>(&e->node);
    if (!sum || !has_loop(sum->vars, row_)) return map_children(e, [&](const Expr& c) { return of_one_row(c); });
    std::vector<LoopVar> vars = sum->vars;
    for (LoopVar& v : vars)
      if (v.name == row_) v.extent = constant_int(1);
    return reduce_like(*sum, std::move(vars), sum->where ? of_one_row(sum->where) : nullptr, of_one_row(sum->value),
                       e->type);
  }

  const Kernel& k_;
  std::string row_;
  Expr rows_;
  std::vector<bool> by_row_, otherwise_;
  bool all_rows_ = true;
};

}  // namespace

std::optional<RowSum> row_sum(const Kernel& kernel, int of) {
  if (is_opaque(kernel) || !kernel.checks.empty() || kernel.body.size() != 1) return std::nullopt;
  const KernelStatement& s = kernel.body[0];
  if (s.update != Update::Assign || s.where || is_in_recurrence(s)) return std::nullopt;
  return Rows(kernel, of).run();
}

}  // namespace tenon
