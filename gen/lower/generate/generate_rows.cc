// Several rows at a time: an accumulator each, folded together into one vector of results.
#include <functional>
#include <utility>

#include "lower/generate/generate.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether a loop goes over blocks, each with accumulators of its own.
bool has_blocks(const TreeLoop& l) {
  return any_of(l.body, [](const TreeNode& n) { return std::holds_alternative<TreeBegin>(n.node); });
}

}  // namespace

/// Rows together as long as there are enough of them, then one by one.
void Generator::rows_loop(const TreeLoop& l) {
  const Operand extent = bound(l.var.extent, l, "_end");
  const std::string letter = letter_of(l.var.name);
  const Operand together = named(letter + "_together", v_apply(ScalarOp::BitAnd, {extent, v_int(-l.rows)}));
  const std::string var = names_.take(letter);
  Block body = block([&] { rows_together(l, v_var(var)); });
  names_.release(var);
  out_->push_back(s_for(var, v_int(0), together, l.rows, std::move(body)));
  plain_loop(l, together);
}

void Generator::rows_together(const TreeLoop& l, const Operand& first) {
  Bundle each;
  for (int u = 0; u < l.rows; ++u) each.push_back(first + v_int(u));
  rows_ = l.rows;
  for (const TreeNode& n : l.body) {
    vars_[l.var.name] = each;
    part_of_rows(n, l.var.name, first);
  }
  rows_ = 0;
  folded_.clear();
  row_temps_.clear();
}

/// Totals of blocks are a vector with a lane for each row; other accumulators are one for each row.
void Generator::part_of_rows(const TreeNode& n, const std::string& var, const Operand& first) {
  const auto is_total = [&](int accumulator) {
    return tree_.accumulators[static_cast<size_t>(accumulator)].compensated;
  };
  if (const auto* b = std::get_if<TreeBegin>(&n.node)) {
    if (is_total(b->accumulator)) with_rows_as_lanes(var, first, [&] { begin(*b); });
    else begin(*b);
  } else if (const auto* e = std::get_if<TreeEnd>(&n.node)) {
    if (!is_total(e->accumulator)) return fold_rows(*e);
    end(*e);
    folded_[e->accumulator] = named("all", vars_.at(accumulator_name(e->accumulator))[0]);
  } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
    define_rows(*d, var, first);
  } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
    with_rows_as_lanes(var, first, [&] { accumulate(*a); });
  } else {
    const auto& inner = std::get<TreeLoop>(n.node);
    if (has_blocks(inner)) blocks_of_rows(inner, var, first);
    else over_rows(inner, var, first);
  }
}

/// A loop over blocks of all rows.
void Generator::blocks_of_rows(const TreeLoop& blocks, const std::string& var, const Operand& first) {
  const Bundle rows = vars_.at(var);
  ranges_.extents[blocks.var.name] = blocks.var.extent;
  const Operand extent = bound(blocks.var.extent, blocks, "_end");
  const std::string name = names_.take(letter_of(blocks.var.name));
  Block body = block([&] {
    for (const TreeNode& n : blocks.body) {
      vars_[var] = rows;
      vars_[blocks.var.name] = {v_var(name)};
      part_of_rows(n, var, first);
    }
  });
  vars_.erase(blocks.var.name);
  ranges_.extents.erase(blocks.var.name);
  names_.release(name);
  out_->push_back(s_for(name, v_int(0), extent, 1, std::move(body)));
}

/// A loop along all rows. Facts about a row hold for all of its elements.
void Generator::over_rows(const TreeLoop& inner, const std::string& var, const Operand& first) {
  if (inner.needed) {
    TreeLoop always = inner;
    always.needed = nullptr;
    Operand needed;
    with_rows_as_lanes(var, first, [&] { needed = in_any_lane(inner.needed); });
    Block then = block([&] { over_rows(always, var, first); });
    out_->push_back(s_if(needed, std::move(then)));
    return;
  }
  start_leaf({});
  const auto asks = [&](const std::function<bool(const Expr&)>& of) {
    return any_of(inner.body, [&](const TreeNode& n) { return of(std::get<TreeAccumulate>(n.node).value); });
  };
  const auto each_row = [&](const Operand& v) {
    if (v->type.lanes == 1) return Bundle(static_cast<size_t>(rows_), v_splat(v, rows_));  // one number for all rows
    Bundle rows;
    for (int u = 0; u < rows_; ++u)
      rows.push_back(named("row", v_shuffle(v, v, std::vector<int>(static_cast<size_t>(rows_), u))));
    return rows;
  };
  for (const auto& [accumulator, v] : folded_) {
    const std::string name = accumulator_name(accumulator);
    if (asks([&](const Expr& e) { return mentions(e, name); })) vars_[name] = each_row(v);
  }
  for (const auto& [tensor, temp] : row_temps_)
    if (asks([&, t = tensor](const Expr& e) { return reads_tensor(e, t); }))
      forwarded_.write(tensor, temp.index, each_row(temp.value));
  ranges_.extents[inner.var.name] = inner.var.extent;
  const Operand from = bound(inner.begin, inner, "_begin");
  const Operand extent = bound(inner.end ? inner.end : inner.var.extent, inner, "_end");
  const Operand whole = named(
      letter_of(inner.var.name) + "_whole",
      from + v_apply(ScalarOp::BitAnd, {inner.begin ? extent - from : extent, v_int(-int64_t{inner.shape.lanes})}));
  // one loop for all accumulators, or one for each if their rows would take too many registers
  const size_t accumulators = inner.body.size();
  const bool apart = accumulators > 1 && 2 * static_cast<int>(accumulators) * rows_ > isa_.vector_registers;
  for (size_t n = 0; n < (apart ? accumulators : 1); ++n) {
    TreeLoop part = inner;
    if (apart) part.body = {inner.body[n]};
    rows_part(part, from, whole, false);
    rows_part(part, whole, extent, true);
  }
  ranges_.extents.erase(inner.var.name);
}

void Generator::rows_part(const TreeLoop& inner, const Operand& begin, const Operand& end, bool partial) {
  const std::string var = names_.take(letter_of(inner.var.name));
  Block body = block([&] {
    lanes_ = {inner.var.name, v_var(var), inner.shape.lanes, rows_, nullptr, 0, {}, true};
    if (partial) lanes_.active = named("active", end - lanes_.base);
    tree(inner.body);
  });
  lanes_ = {};
  start_leaf({});
  names_.release(var);
  out_->push_back(s_for(var, begin, end, inner.shape.lanes, std::move(body)));
}

void Generator::fold_rows(const TreeEnd& e) {
  const Accumulator& acc = tree_.accumulators[static_cast<size_t>(e.accumulator)];
  folded_[e.accumulator] = named(acc.name + "_all", fold_together(acc.op, vars_.at(accumulator_name(e.accumulator))));
}

/// Lane r of the result is row r folded, by halves as the fold of one vector is. Half as many vectors hold twice as
/// many rows at each step: those of vectors v and v + n/2, each in half the lanes.
Operand Generator::fold_together(Reducer op, std::vector<Operand> rows) {
  const int lanes = rows_;
  for (int n = lanes; n > 1; n /= 2) {
    std::vector<int> low(static_cast<size_t>(lanes)), high = low;
    for (int l = 0; l < lanes; ++l) {
      const int segment = l / (n / 2), at = segment / 2 * n + l % (n / 2) + segment % 2 * lanes;
      low[static_cast<size_t>(l)] = at;
      high[static_cast<size_t>(l)] = at + n / 2;
    }
    std::vector<Operand> next;
    for (size_t v = 0; v < static_cast<size_t>(n / 2); ++v) {
      const Operand &a = rows[v], &b = rows[v + static_cast<size_t>(n / 2)];
      next.push_back(named("t", combine(op, v_shuffle(a, b, low), v_shuffle(a, b, high))));
    }
    rows = std::move(next);
  }
  return rows[0];
}

/// Calls `write` where each row is a lane of one vector.
template <class F>
void Generator::with_rows_as_lanes(const std::string& var, const Operand& first, F write) {
  for (const auto& [accumulator, v] : folded_) vars_[accumulator_name(accumulator)] = {v};
  lanes_ = {var, first, rows_, 1, nullptr, 0, {}, false};
  for (const auto& [tensor, temp] : row_temps_) forwarded_.write(tensor, temp.index, {temp.value});
  const int rows = std::exchange(rows_, 0);
  write();
  rows_ = rows;
  lanes_ = {};
  start_leaf({});
}

/// A result of all rows: one vector of them.
void Generator::define_rows(const TreeDefine& d, const std::string& var, const Operand& first) {
  with_rows_as_lanes(var, first, [&] { define(d); });
  if (const Bundle* made = forwarded_.find(d.tensor, d.index))
    row_temps_.insert_or_assign(d.tensor, RowTemp{d.index, (*made)[0]});
}

}  // namespace tenon
