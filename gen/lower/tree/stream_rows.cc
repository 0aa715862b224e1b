// stream-rows: a loop over columns that reduces long columns becomes strips of columns, and in each of them blocks of
// rows around its columns.
#include <set>

#include "algebra/simplify.h"
#include "ir/kernel/expr.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/tree/build_loops.h"
#include "lower/tree/column_reductions.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Bytes of a row in a strip: two pages are read one after the other, as prefetchers begin anew in each row, the sums
/// of a block of rows stay in the first-level cache, and few thousand columns are strips for several workers.
constexpr int64_t kStripBytes = 8192;
/// Elements that whole vectors may go over the end of a strip.
constexpr int64_t kOverrun = 64;
/// Rows that are added up in registers, and blocks of them whose sums are added up before their rounding is corrected.
constexpr int64_t kBlockRows = 8, kBlocksOfRows = 8;

/// Makes the strips of one loop over columns.
class StripMaker {
 public:
  StripMaker(Kernel& k, LoopTree& tree, TreeLoop columns) : k_(k), tree_(tree), columns_(std::move(columns)) {}

  TreeLoop strips(const std::vector<LoopVar>& around) {
    const LoopVar& q = columns_.var;
    const Expr width = constant_int(kStripBytes / widest_accumulator());
    TreeLoop out;
    out.var = {named(q.name, "_strip"),
               simplify(apply(ScalarOp::FloorDiv, {q.extent + width - constant_int(1), width}))};
    begin_ = simplify(var_ref(out.var.name) * width);
    end_ = simplify(apply(ScalarOp::Min, {begin_ + width, q.extent}));
    for (const LoopVar& v : around) {
      dims_.push_back(v.extent);
      index_.push_back(var_ref(v.name));
    }
    const Expr pad = constant_int(kOverrun - 1), unit = constant_int(kOverrun);
    const Expr room = apply(ScalarOp::FloorDiv, {q.extent + pad, unit}) * unit;
    dims_.insert(dims_.end(), {out.var.extent, simplify(apply(ScalarOp::Min, {width, room}))});
    index_.insert(index_.end(), {var_ref(out.var.name), var_ref(q.name) - begin_});
    body_ = &out.body;
    for (const TreeNode& n : columns_.body) add(n);
    flush();
    return out;
  }

 private:
  /// The part of an accumulator that is kept between blocks of rows, per column.
  struct Kept {
    int total = -1;
    int lost = -1, block = -1;  ///< of sums of floats: what rounding took, and the sum of the blocks at hand
  };

  static std::string named(const std::string& var, const std::string& suffix) {
    const std::string letter = letter_of(var);
    return letter + suffix + var.substr(letter.size());
  }

  int64_t widest_accumulator() const {
    int bytes = 4;
    for (const TreeNode& n : columns_.body)
      if (const auto* b = std::get_if<TreeBegin>(&n.node))
        bytes = std::max(bytes, bytes_of(accumulator(b->accumulator).type));
    return bytes;
  }

  const Accumulator& accumulator(int a) const { return tree_.accumulators[static_cast<size_t>(a)]; }

  void add(const TreeNode& n) {
    if (const auto* b = std::get_if<TreeBegin>(&n.node)) return begin(b->accumulator);
    if (const auto* e = std::get_if<TreeEnd>(&n.node)) return end(e->accumulator);
    if (const TreeLoop* rows = std::get_if<TreeLoop>(&n.node)) return add_rows(*rows);
    leaf_.push_back(here(n));
  }

  void begin(int a) {
    Kept& kept = kept_[a];
    const DType type = accumulator(a).type;
    const std::string& name = accumulator(a).name;
    const bool rounds = accumulator(a).op == Reducer::Sum && is_float(type) && !is_running(a);
    kept.total = add_temp(k_, name + "_rows", type, dims_);
    set(kept.total, identity_of(accumulator(a).op, type));
    names_[accumulator_name(a)] = value_of(kept.total);
    if (!rounds) return;
    kept.lost = add_temp(k_, name + "_lost", type, dims_);
    kept.block = add_temp(k_, name + "_block", type, dims_);
    set(kept.lost, constant_of(0, type));
    set(kept.block, constant_of(0, type));
  }

  /// Whether the loop of the accumulator reads it: it has no end.
  bool is_running(int a) const {
    return none_of(columns_.body, [&](const TreeNode& n) {
      const auto* e = std::get_if<TreeEnd>(&n.node);
      return e && e->accumulator == a;
    });
  }

  void end(int a) {
    const Kept& kept = kept_.at(a);
    if (kept.lost >= 0) names_[accumulator_name(a)] = value_of(kept.total) + value_of(kept.lost);
  }

  void add_rows(const TreeLoop& rows) {
    flush();
    const auto adds = [](const TreeNode& n) { return std::holds_alternative<TreeAccumulate>(n.node); };
    const bool reduces = !rows.ordered && any_of(rows.body, adds);
    body_->push_back({reduces ? blocks(rows) : row_by_row(rows)});
  }

  /// Running reductions and plain stores: a row at a time.
  TreeLoop row_by_row(const TreeLoop& rows) {
    TreeLoop out = rows;
    out.body.clear();
    for (const TreeNode& n : rows.body) {
      const auto* a = std::get_if<TreeAccumulate>(&n.node);
      if (a) step(kept_.at(a->accumulator).total, accumulator(a->accumulator).op, here(a->value));
      else leaf_.push_back(here(n));
    }
    out.body.push_back({in_columns()});
    return out;
  }

  /// Blocks of rows, each of which is added to the kept sums; where rounding is corrected, blocks of these.
  TreeLoop blocks(const TreeLoop& rows) {
    std::set<int> sums;
    for (const TreeNode& n : rows.body)
      if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) sums.insert(a->accumulator);
    const bool rounds = any_of(sums, [&](int a) { return kept_.at(a).lost >= 0; });
    if (!rounds) return blocks_of(rows, nullptr, rows.var.extent, sums);
    TreeLoop out = over_blocks(rows, "_part", kBlockRows * kBlocksOfRows);
    const Expr first = var_ref(out.var.name) * constant_int(kBlockRows * kBlocksOfRows);
    const Expr last = apply(ScalarOp::Min, {first + constant_int(kBlockRows * kBlocksOfRows), rows.var.extent});
    out.body.push_back({blocks_of(rows, first, last, sums)});
    for (const int a : sums) correct(kept_.at(a), accumulator(a).type);
    out.body.push_back({in_strip()});
    return out;
  }

  /// Blocks of the rows from `first` (null: the first of all) up to `last`.
  TreeLoop blocks_of(const TreeLoop& rows, const Expr& first, const Expr& last, const std::set<int>& sums) {
    TreeLoop out = over_blocks(rows, "_block", kBlockRows);
    const Expr height = constant_int(kBlockRows);
    if (first) {
      out.begin = simplify(apply(ScalarOp::FloorDiv, {first, height}));
      out.end = simplify(apply(ScalarOp::FloorDiv, {last + height - constant_int(1), height}));
    }
    TreeLoop inner = rows;
    inner.begin = simplify(var_ref(out.var.name) * height);
    inner.end = simplify(apply(ScalarOp::Min, {inner.begin + height, rows.var.extent}));
    inner.body.clear();
    std::map<int, int> of_block;
    for (const int a : sums) {
      of_block[a] = static_cast<int>(tree_.accumulators.size());
      tree_.accumulators.push_back(accumulator(a));
      leaf_.push_back({TreeBegin{of_block[a]}});
    }
    for (const TreeNode& n : rows.body) {
      inner.body.push_back(here(n));
      if (auto* a = std::get_if<TreeAccumulate>(&inner.body.back().node)) a->accumulator = of_block.at(a->accumulator);
    }
    leaf_.push_back({std::move(inner)});
    for (const auto& [a, block] : of_block) leaf_.push_back({TreeEnd{block}});
    for (const auto& [a, block] : of_block) {
      const Kept& kept = kept_.at(a);
      const Expr sum = running_ref(accumulator_name(block), accumulator(a).type);
      step(kept.block >= 0 ? kept.block : kept.total, accumulator(a).op, sum);
    }
    out.body.push_back({in_columns()});
    return out;
  }

  static TreeLoop over_blocks(const TreeLoop& rows, const std::string& name, int64_t height) {
    TreeLoop out;
    const Expr size = constant_int(height);
    out.var = {named(rows.var.name, name),
               simplify(apply(ScalarOp::FloorDiv, {rows.var.extent + size - constant_int(1), size}))};
    out.ordered = true;
    return out;
  }

  void correct(const Kept& kept, DType type) {
    if (kept.lost < 0) return;
    const Expr block = value_of(kept.block);
    set(kept.lost, value_of(kept.lost) + apply_as(ScalarOp::SumError, {value_of(kept.total), block}, type));
    set(kept.total, value_of(kept.total) + block);
    set(kept.block, constant_of(0, type));
  }

  void step(int temp, Reducer op, const Expr& value) { set(temp, apply(step_of(op), {value_of(temp), value})); }
  void set(int temp, const Expr& value) { leaf_.push_back({TreeDefine{temp, index_, Update::Assign, value, ""}}); }
  Expr value_of(int temp) const { return read_of(temp, k_.tensor(temp).dtype, index_); }

  Expr here(const Expr& e) const { return e ? substitute(e, names_) : e; }

  TreeNode here(TreeNode n) const {
    if (auto* a = std::get_if<TreeAccumulate>(&n.node)) a->value = here(a->value);
    if (auto* d = std::get_if<TreeDefine>(&n.node)) d->value = here(d->value);
    return n;
  }

  void flush() {
    if (!leaf_.empty()) body_->push_back({in_strip()});
  }

  /// A temporary added by this pass, whose strips are multiples of vectors.
  bool is_kept(int tensor) const { return tensor >= first_kept_; }

  /// The leaf in a loop over the columns of the strip.
  TreeLoop in_strip() {
    TreeLoop loop = in_columns();
    loop.in_strip = true;
    loop.overruns = all_of(loop.body, [&](const TreeNode& n) {
      const auto* d = std::get_if<TreeDefine>(&n.node);
      bool kept = d && is_kept(d->tensor);
      if (d) each_read(d->value, [&](const Read& r) { kept = kept && is_kept(r.tensor); });
      return kept;
    });
    return loop;
  }

  /// The leaf in a loop over the columns of the strip, with a name of its own.
  TreeLoop in_columns() {
    TreeLoop loop;
    loop.var = columns_.var;
    loop.var.name += "_" + std::to_string(++copies_);
    loop.begin = begin_;
    loop.end = end_;
    loop.body = renamed(std::move(leaf_), {{columns_.var.name, var_ref(loop.var.name)}});
    leaf_.clear();
    return loop;
  }

  static Tree renamed(Tree t, const std::map<std::string, Expr>& names) {
    const auto put = [&](Expr& e) {
      if (e) e = simplify(substitute(e, names));
    };
    for (TreeNode& n : t) {
      if (auto* l = std::get_if<TreeLoop>(&n.node)) l->body = renamed(std::move(l->body), names);
      if (auto* a = std::get_if<TreeAccumulate>(&n.node)) put(a->value);
      if (auto* d = std::get_if<TreeDefine>(&n.node)) {
        put(d->value);
        for (Expr& e : d->index) put(e);
      }
    }
    return t;
  }

  Kernel& k_;
  LoopTree& tree_;
  const TreeLoop columns_;
  const int first_kept_ = static_cast<int>(k_.tensors.size());
  Expr begin_, end_;                   ///< of the columns of a strip
  std::vector<Expr> dims_, index_;     ///< of temps
  std::map<int, Kept> kept_;           ///< by accumulator
  std::map<std::string, Expr> names_;  ///< accumulators → their kept parts
  Tree leaf_;                          ///< the work for each column
  Tree* body_ = nullptr;
  int copies_ = 0;
};

class Streamer {
 public:
  Streamer(Kernel& k, LoopTree& tree) : k_(k), tree_(tree), reductions_(k, tree) {}

  /// Whether some loop was streamed.
  bool run(Tree& t, std::vector<LoopVar>& around) {
    bool any = false;
    for (TreeNode& n : t) {
      auto* l = std::get_if<TreeLoop>(&n.node);
      if (!l || l->ordered || l->carried || l->begin || l->end) continue;
      if (reductions_.streams(*l)) {
        n.node = StripMaker(k_, tree_, *l).strips(around);
        any = true;
      } else {
        around.push_back(l->var);
        any = run(l->body, around) || any;
        around.pop_back();
      }
    }
    return any;
  }

 private:
  Kernel& k_;
  LoopTree& tree_;
  ColumnReductions reductions_;
};

}  // namespace

bool stream_rows(Kernel& k, LoopTree& tree) {
  std::vector<LoopVar> around;
  return k.reassociate && Streamer(k, tree).run(tree.body, around);
}

}  // namespace tenon
