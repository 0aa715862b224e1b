// block-recurrences: the loop over rows becomes one over blocks of rows, and one over the rows that are left at the
// end. Independent columns are processed in strips, around the rows: the results of a strip's rows stay in the cache
// until the last row has read them, and threads can share strips.
#include <map>
#include <optional>
#include <set>

#include "algebra/simplify.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/tree/build_loops.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rows whose sums are computed together: with a few vectors of columns each, their accumulators fill the registers.
constexpr int64_t kRows = 4;
/// Bytes of a row in a strip: whole groups of vectors at every level, and some hundred rows fit into the second cache.
constexpr int64_t kStrip = 256, kLine = 64;

/// A loop over rows that can be blocked, taken apart.
struct Rows {
  const TreeLoop* row = nullptr;
  std::vector<const TreeLoop*> columns;  ///< the loops between the rows and the sum, outermost first
  int accumulator = 0;
  const TreeLoop* sum = nullptr;
  Expr value;
  Tree rest;          ///< what comes after the sum
  bool grows = true;  ///< the range grows at its end; else its begin moves down
  Expr begin, end;    ///< of the innermost columns, where they are taken in strips
  int made = -1;      ///< the tensor of whose rows all that the sum reads are made in this loop; -1: none
  int strip = -1;     ///< a dense copy of these in the strip, which the sum reads
};

/// The loops that only hold one loop, down to the body that does something.
const Tree* enter_columns(const TreeLoop& row, std::vector<const TreeLoop*>& columns) {
  const Tree* body = &row.body;
  while (body->size() == 1) {
    const auto* l = std::get_if<TreeLoop>(&body->front().node);
    if (!l || l->ordered || l->carried || l->begin || l->end) return nullptr;
    columns.push_back(l);
    body = &l->body;
  }
  return columns.empty() ? nullptr : body;
}

bool moves_by(const Expr& bound, const std::string& var, int64_t step) {
  const auto at = bound ? affine_in(bound, var) : std::nullopt;
  return at && constant_value(at->coefficient) == step;
}

/// Whether the sum's range is that of earlier rows, and depends on no column.
bool takes_in_rows(Rows& r) {
  const std::string& var = r.row->var.name;
  const Expr &begin = r.sum->begin, &end = r.sum->end;
  r.grows = moves_by(end, var, 1);
  if (!r.grows && !moves_by(begin, var, -1)) return false;
  const Expr& fixed = r.grows ? begin : end;
  if (fixed && mentions(fixed, var)) return false;
  return none_of(r.columns, [&](const TreeLoop* c) {
    return (begin && mentions(begin, c->var.name)) || (end && mentions(end, c->var.name));
  });
}

/// Results of rows in the same block are not read in the sum by row number.
bool reads_rows_by_sum(const Rows& r) {
  std::set<int> made;
  for (const TreeNode& n : r.rest)
    if (const auto* d = std::get_if<TreeDefine>(&n.node)) made.insert(d->tensor);
  return all_reads(r.value, [&](const Read& x) {
    const auto by_row = [&](const Expr& e) { return mentions(e, r.row->var.name); };
    return made.count(x.tensor) == 0 || (!x.fill && none_of(x.index, by_row));
  });
}

std::optional<Rows> rows_of(const Kernel& k, const LoopTree& tree, const TreeLoop& l) {
  Rows r;
  r.row = &l;
  if (!l.carried || l.begin || l.end || l.apart > 0 || !k.reassociate) return std::nullopt;
  const Tree* leaf = enter_columns(l, r.columns);
  if (!leaf || leaf->size() < 4) return std::nullopt;
  const auto* begin = std::get_if<TreeBegin>(&(*leaf)[0].node);
  r.sum = std::get_if<TreeLoop>(&(*leaf)[1].node);
  const auto* end = std::get_if<TreeEnd>(&(*leaf)[2].node);
  if (!begin || !r.sum || !end || begin->accumulator != end->accumulator || r.sum->body.size() != 1)
    return std::nullopt;
  const auto* add = std::get_if<TreeAccumulate>(&r.sum->body[0].node);
  r.accumulator = begin->accumulator;
  if (!add || add->accumulator != r.accumulator || add->where) return std::nullopt;
  if (tree.accumulators[static_cast<size_t>(r.accumulator)].op != Reducer::Sum) return std::nullopt;
  r.value = add->value;
  r.rest.assign(leaf->begin() + 3, leaf->end());
  const auto defines = [](const TreeNode& n) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    return d && d->update == Update::Assign && !d->where;
  };
  const bool plain = all_of(r.rest, defines);
  return plain && takes_in_rows(r) && reads_rows_by_sum(r) ? std::optional(std::move(r)) : std::nullopt;
}

/// Whether no column needs what another one makes: all that is made is written and read at the column itself.
bool apart(const Rows& r, const std::string& column) {
  std::map<int, size_t> dims;
  const auto is_apart = [&](const Expr& e) {
    return all_reads(e, [&](const Read& x) {
      const size_t* at = find_value(dims, x.tensor);
      return !at || is_variable(x.index[*at], column);
    });
  };
  for (const TreeNode& n : r.rest) {
    const auto& d = std::get<TreeDefine>(n.node);
    const auto at = find_if(d.index, [&](const Expr& e) { return is_variable(e, column); });
    if (at == d.index.end()) return false;
    const auto dim = static_cast<size_t>(at - d.index.begin());
    if (dims.try_emplace(d.tensor, dim).first->second != dim) return false;
  }
  return is_apart(r.value) && all_of(r.rest, [&](const TreeNode& n) {
           const auto& d = std::get<TreeDefine>(n.node);
           return is_apart(d.value) && all_of(d.index, is_apart);
         });
}

/// The tensor that the sum reads row by row and whose rows are made by this loop, each before it is read; -1: none.
int rows_made(const Rows& r) {
  const std::string& sum = r.sum->var.name;
  int made = -1;
  size_t row = 0;
  for (const TreeNode& n : r.rest) {
    const auto& d = std::get<TreeDefine>(n.node);
    if (!reads_tensor(r.value, d.tensor)) continue;
    const Expr& reached = r.grows ? r.sum->end : r.sum->begin;
    for (size_t i = 0; i < d.index.size(); ++i)
      if (mentions(d.index[i], r.row->var.name)) row = i;
    // Each read is of the row itself or an earlier one, and all ranges begin with the first row.
    const auto apart = r.grows ? constant_difference(d.index[row], reached)
                               : constant_difference(reached, d.index[row] + constant_int(1));
    const bool whole = r.grows ? !r.sum->begin : !r.sum->end || same(r.sum->end, r.sum->var.extent);
    if (made >= 0 || !whole || apart.value_or(-1) < 0) return -1;
    if (!same(r.sum->var.extent, r.row->var.extent)) return -1;
    made = d.tensor;
  }
  bool ok = made >= 0;
  each_read(r.value, [&](const Read& x) {
    if (x.tensor != made) return;
    for (size_t d = 0; d < x.index.size(); ++d)
      ok = ok && (d == row ? is_variable(x.index[d], sum) : !mentions(x.index[d], sum));
    for (const TreeLoop* c : r.columns)
      ok = ok && any_of(x.index, [&](const Expr& e) { return is_variable(e, c->var.name); });
  });
  return ok ? made : -1;
}

class Blocker {
 public:
  Blocker(Kernel& k, LoopTree& tree) : k_(k), tree_(tree) {}

  void run(Tree& t) {
    for (size_t i = 0; i < t.size(); ++i) {
      auto* l = std::get_if<TreeLoop>(&t[i].node);
      if (!l) continue;
      auto rows = rows_of(k_, tree_, *l);
      if (!rows) {
        run(l->body);
        continue;
      }
      if (apart(*rows, rows->columns.back()->var.name)) {
        t[i].node = strips_of(*rows);
        continue;
      }
      TreeLoop blocks = blocks_of(*rows), left = left_of(*rows);
      t[i].node = std::move(blocks);
      t.insert(t.begin() + static_cast<std::ptrdiff_t>(++i), TreeNode{std::move(left)});
    }
  }

 private:
  /// All rows for one strip of columns after the other.
  TreeLoop strips_of(Rows& r) {
    const LoopVar& column = r.columns.back()->var;
    const Expr width = constant_int(std::max<int64_t>(1, kStrip / bytes_of(type_of(r))));
    TreeLoop out;
    out.var = {letter_of(column.name) + "_strip" + column.name.substr(letter_of(column.name).size()),
               simplify(apply(ScalarOp::FloorDiv, {column.extent + width - constant_int(1), width}))};
    r.begin = simplify(var_ref(out.var.name) * width);
    r.end = simplify(apply(ScalarOp::Min, {var_ref(out.var.name) * width + width, column.extent}));
    r.made = rows_made(r);
    if (r.made >= 0) keep_strip(r, width);
    out.body.push_back({blocks_of(r)});
    out.body.push_back({left_of(r)});
    return out;
  }

  /// Rows of a power-of-two length conflict in the caches: those of the strip are copied, a cache line apart.
  void keep_strip(Rows& r, const Expr& width) {
    const DType type = k_.tensor(r.made).dtype;
    const std::string name = k_.tensor(r.made).name + "_strip";
    std::vector<Expr> dims{r.row->var.extent};
    const Expr pitch = width + constant_int(kLine / bytes_of(type));
    for (const TreeLoop* c : r.columns) dims.push_back(c == r.columns.back() ? pitch : c->var.extent);
    r.strip = add_temp(k_, name, type, dims);
    r.value = from_strip(r, r.value);
    std::vector<Expr> index;
    for (const TreeNode& n : r.rest)
      if (const auto& d = std::get<TreeDefine>(n.node); d.tensor == r.made) index = d.index;
    const Expr row = *find_if(index, [&](const Expr& e) { return mentions(e, r.row->var.name); });
    r.rest.push_back({TreeDefine{r.strip, strip_index(r, row), Update::Assign, read_of(r.made, type, index), ""}});
  }

  static std::vector<Expr> strip_index(const Rows& r, const Expr& row) {
    std::vector<Expr> index{row};
    for (const TreeLoop* c : r.columns)
      index.push_back(c == r.columns.back() ? var_ref(c->var.name) - r.begin : var_ref(c->var.name));
    return index;
  }

  static Expr from_strip(const Rows& r, const Expr& e) {
    const Expr x = map_children(e, [&](const Expr& c) { return from_strip(r, c); });
    const auto* read = std::get_if<Read>(&x->node);
    if (!read || read->tensor != r.made) return x;
    return read_of(r.strip, x->type, strip_index(r, var_ref(r.sum->var.name)));
  }

  TreeLoop blocks_of(const Rows& r) {
    const std::string& var = r.row->var.name;
    TreeLoop out;
    out.var = {letter_of(var) + "_block" + var.substr(letter_of(var).size()),
               simplify(apply(ScalarOp::FloorDiv, {r.row->var.extent, constant_int(kRows)}))};
    out.ordered = out.carried = true;
    const Expr first = var_ref(out.var.name) * constant_int(kRows);
    const int sums = new_temp(r);
    out.body.push_back({sums_of_block(r, first, sums)});
    out.body.push_back({rows_of_block(r, first, sums)});
    return out;
  }

  /// The rows that do not fill a block, as all rows were.
  static TreeLoop left_of(const Rows& r) {
    TreeLoop out = *r.row;
    out.begin = simplify(apply(ScalarOp::FloorDiv, {out.var.extent, constant_int(kRows)}) * constant_int(kRows));
    TreeLoop* column = &out;
    for (size_t c = 0; c < r.columns.size(); ++c) column = &std::get<TreeLoop>(column->body.front().node);
    column->begin = r.begin;
    column->end = r.end;
    auto& sum = std::get<TreeLoop>(column->body[1].node);
    std::get<TreeAccumulate>(sum.body[0].node).value = r.value;
    column->body.resize(3);
    append(column->body, r.rest);
    return out;
  }

  /// For the columns: what all rows of the block sum over the rows before it.
  TreeLoop sums_of_block(const Rows& r, const Expr& first, int sums) {
    Tree leaf;
    TreeLoop over = *r.sum;
    over.var.name += "_before";
    over.body.clear();
    const Expr bound = substitute(r.grows ? over.end : over.begin, {{r.row->var.name, first}});
    (r.grows ? over.end : over.begin) = simplify(bound);
    const auto names = named_columns(r, "_sums");
    std::vector<Tree> ends(2);
    for (int64_t n = 0; n < kRows; ++n) {
      const int a = new_accumulator(r, std::to_string(n));
      leaf.push_back({TreeBegin{a}});
      auto here = names;
      here[r.row->var.name] = first + constant_int(n);
      here[r.sum->var.name] = var_ref(over.var.name);
      over.body.push_back({TreeAccumulate{a, nullptr, simplify(substitute(r.value, here)), nullptr}});
      ends[0].push_back({TreeEnd{a}});
      ends[1].push_back({TreeDefine{sums, index_of(r, constant_int(n), names), Update::Assign,
                                    running_ref(accumulator_name(a), type_of(r)), ""}});
    }
    leaf.push_back({std::move(over)});
    for (Tree& e : ends) std::move(e.begin(), e.end(), std::back_inserter(leaf));
    return in_columns(r, "_sums", std::move(leaf));
  }

  /// For each row of the block: the rest of its sum, which ends at the row itself, and the row.
  TreeLoop rows_of_block(const Rows& r, const Expr& first, int sums) {
    const std::string& var = r.row->var.name;
    TreeLoop row;
    row.var = {letter_of(var) + "_row" + var.substr(letter_of(var).size()), constant_int(kRows)};
    row.ordered = row.carried = true;
    const Expr number = var_ref(row.var.name);
    TreeLoop over;
    over.var = {r.sum->var.name + "_inside", constant_int(kRows)};
    over.end = number;  // as many rows as the block has before it
    const Expr bound = r.grows ? r.sum->end : r.sum->begin;
    const Expr from = simplify(substitute(bound, {{var, r.grows ? first : first + number}}));
    auto here = named_columns(r, "");
    here[var] = first + number;
    here[r.sum->var.name] = from + var_ref(over.var.name);
    const int a = new_accumulator(r, "");
    over.body.push_back({TreeAccumulate{a, nullptr, simplify(substitute(r.value, here)), nullptr}});
    Tree leaf{{TreeBegin{a}}, {std::move(over)}, {TreeEnd{a}}};
    here.erase(r.sum->var.name);
    const DType type = type_of(r);
    here[accumulator_name(r.accumulator)] =
        read_of(sums, type, index_of(r, number, named_columns(r, ""))) + running_ref(accumulator_name(a), type);
    for (TreeNode n : r.rest) {
      auto& d = std::get<TreeDefine>(n.node);
      for (Expr& e : d.index) e = simplify(substitute(e, here));
      d.value = substitute(d.value, here);
      leaf.push_back(std::move(n));
    }
    row.body.push_back({in_columns(r, "", std::move(leaf))});
    return row;
  }

  static std::map<std::string, Expr> named_columns(const Rows& r, const std::string& suffix) {
    std::map<std::string, Expr> names;
    for (const TreeLoop* c : r.columns) names[c->var.name] = var_ref(c->var.name + suffix);
    return names;
  }

  static TreeLoop in_columns(const Rows& r, const std::string& suffix, Tree leaf) {
    for (size_t c = r.columns.size(); c-- > 0;) {
      TreeLoop l = *r.columns[c];
      l.var.name += suffix;
      if (c + 1 == r.columns.size()) l.begin = r.begin, l.end = r.end;
      l.body = std::move(leaf);
      leaf.clear();
      leaf.push_back({std::move(l)});
    }
    return std::get<TreeLoop>(leaf.front().node);
  }

  static std::vector<Expr> index_of(const Rows& r, const Expr& row, const std::map<std::string, Expr>& names) {
    std::vector<Expr> index{row};
    for (const TreeLoop* c : r.columns) index.push_back(names.at(c->var.name));
    return index;
  }

  DType type_of(const Rows& r) const { return tree_.accumulators[static_cast<size_t>(r.accumulator)].type; }

  int new_accumulator(const Rows& r, const std::string& suffix) {
    Accumulator a = tree_.accumulators[static_cast<size_t>(r.accumulator)];
    a.name += suffix;
    tree_.accumulators.push_back(std::move(a));
    return static_cast<int>(tree_.accumulators.size()) - 1;
  }

  int new_temp(const Rows& r) {
    std::vector<Expr> dims{constant_int(kRows)};
    for (const TreeLoop* c : r.columns) dims.push_back(c->var.extent);
    return add_temp(k_, tree_.accumulators[static_cast<size_t>(r.accumulator)].name + "_block", type_of(r), dims);
  }

  Kernel& k_;
  LoopTree& tree_;
};

}  // namespace

void block_recurrences(Kernel& k, LoopTree& tree) { Blocker(k, tree).run(tree.body); }

}  // namespace tenon
