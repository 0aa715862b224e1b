// rows-as-lanes: short rows go a block at a time. The block is transposed, so that each row is a lane of vectors, and
// what is computed for each element is transposed back.
#include <map>
#include <set>

#include "algebra/fresh_names.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rows of a block, and the length from which on vectors along a row are better: a later one for positions, whose
/// vectors take long to fold.
constexpr int64_t kLanesOfBlock = 32, kShortRow = 16, kShortRowOfPositions = 32;
/// Of elements: short rows of 16-bit floats are rare, and would double the text of these bodies.
constexpr int kLeastBytes = 4;

/// A row, and an element of it where there are several: indices that are variables or 0, after the second one 0 alone.
bool is_plain(const std::vector<Expr>& index) {
  return all_of(index, [](const Expr& e) { return std::holds_alternative<VarRef>(e->node) || is_zero(e); }) &&
         (index.size() <= 2 || std::all_of(index.begin() + 2, index.end(), is_zero));
}

bool is_element(const std::vector<Expr>& index) { return index.size() > 1 && !is_zero(index[1]); }

/// Roots, and functions of many steps: with a number a row, vectors along the row leave them scalar.
bool is_function(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  return a && (a->op == ScalarOp::Sqrt || scalar_op_row(a->op).has('M'));
}

/// Whether all statements are computed row by row: each element from those of its row, and of what all rows share.
/// Rows that are reduced to numbers by cheap operations alone have a body already (fork_rows); positions have none.
class RowKernel {
 public:
  explicit RowKernel(const Kernel& k) : k_(k) {
    plain_ = !k.body.empty() && k.reassociate;
    for (const KernelStatement& s : k.body) made_.insert(s.target);
    for (const KernelStatement& s : k.body) add(s);
  }

  explicit operator bool() const {
    return plain_ && (elements_ ? reduces_ && functions_ : reduces_functions_ || positions_) && is_open(k_, rows) &&
           is_open(k_, length);
  }

  int64_t longest() const { return (positions_ ? kShortRowOfPositions : kShortRow) - 1; }

  std::string rows, length;  ///< the sizes: how many rows there are, and the elements of one

 private:
  void add(const KernelStatement& s) {
    plain_ = plain_ && s.update == Update::Assign && !is_in_recurrence(s) && !s.where && !s.loops.empty() &&
             s.loops.size() <= 2 && is_plain(s.index) && is_variable(s.index[0], s.loops[0].name);
    if (!plain_) return;
    note(s.target, s.index);
    take(rows, s.loops[0].extent);
    elements_ = elements_ || s.loops.size() == 2;
    if (s.loops.size() == 2) take(length, s.loops[1].extent);
    look(s.value, s.loops[0].name);
  }

  void take(std::string& size, const Expr& extent) {
    const std::string name = size_name(extent);
    plain_ = plain_ && !name.empty() && (size.empty() || size == name);
    size = name;
  }

  /// All accesses are to elements of a tensor's rows, or all to a number of each.
  void note(int tensor, const std::vector<Expr>& index) {
    plain_ = plain_ && has_elements_.try_emplace(tensor, is_element(index)).first->second == is_element(index);
  }

  void look(const Expr& e, const std::string& row) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) {
      const bool position = is_positional(r->op);
      plain_ = plain_ && (r->op == Reducer::Sum || r->op == Reducer::Max || r->op == Reducer::Min || position) &&
               !r->where && !r->start && r->vars.size() == 1;
      if (!plain_) return;
      reduces_ = true;
      positions_ = positions_ || position;
      reduces_functions_ = reduces_functions_ || any_node(r->value, [](const Expr& n) { return is_function(n); });
      take(length, r->vars[0].extent);
    }
    functions_ = functions_ || is_function(e);
    if (const auto* r = std::get_if<Read>(&e->node)) {
      const auto here = count_if(r->index, [&](const Expr& i) { return is_variable(i, row); });
      const bool made_here = k_.tensor(r->tensor).role == Role::Temp;  // a position
      plain_ = plain_ && !r->fill && is_plain(r->index) && here <= 1 && (here == 0 || is_variable(r->index[0], row)) &&
               (is_float(e->type) || made_here) && bytes_of(e->type) >= kLeastBytes &&
               (here == 1 || !made_.contains(r->tensor));
      if (plain_ && here == 1) note(r->tensor, r->index);
      return;
    }
    plain_ = plain_ && !is_variable(e, row);
    each_child(e, [&](const Expr& c) { look(c, row); });
  }

  const Kernel& k_;
  std::set<int> made_;
  std::map<int, bool> has_elements_;
  bool plain_ = true, elements_ = false, reduces_ = false, functions_ = false, reduces_functions_ = false,
       positions_ = false;
};

/// Whether the size is known to be so.
bool is_known(const Kernel& k, const std::string& size, int64_t least, int64_t most) {
  return any_of(k.sizes, [&](const Size& s) { return s.name == size && s.lo >= least && s.hi <= most; });
}

bool are_short(const Kernel& k, const RowKernel& of) {
  return is_known(k, of.length, 0, of.longest()) && is_known(k, of.rows, kLanesOfBlock, INT64_MAX);
}

/// The name that the first statement gives rows, unless another one goes over something else by it.
std::string name_of_row(const Kernel& k, FreshNames& fresh) {
  const std::string& row = k.body[0].loops[0].name;
  const bool other = any_of(k.body, [&](const KernelStatement& s) {
    bool found = s.loops.size() > 1 && s.loops[1].name == row;
    each_node<Reduce>(s.value, [&](const Reduce& r) { found = found || has_loop(r.vars, row); });
    return found;
  });
  return other ? fresh(row) : row;
}

/// Writes the kernel by blocks: temps [block, element, row] take the place of what is indexed by rows.
class BlockMaker {
 public:
  BlockMaker(const Kernel& k, const RowKernel& of)
      : k_(k),
        out_(k),
        fresh_(k),
        longest_(of.longest()),
        length_(size_ref(of.length)),
        row_{name_of_row(k, fresh_), constant_int(kLanesOfBlock)} {
    const Expr rows = size_ref(of.rows), block = row_.extent;
    block_ = {fresh_(row_.name + "_block"), apply(ScalarOp::FloorDiv, {rows + block - constant_int(1), block})};
    at_ = var_ref(block_.name) * block + var_ref(row_.name);
    inside_ = apply(ScalarOp::Lt, {var_ref(row_.name), rows - var_ref(block_.name) * block});
    lanes_.assign(k.tensors.size(), -1);
  }

  Kernel run() {
    std::vector<KernelStatement> body;
    for (KernelStatement s : k_.body) {
      s.value = in_lanes(s.value, s.loops[0].name);
      s.loops[0] = block_;
      s.loops.push_back(row_);
      const bool element = is_element(s.index);
      if (k_.tensor(s.target).role == Role::Output && !element && !is_read(s.target)) {
        s.index[0] = at_;
        s.where = inside_;
      } else {
        s.index = lane_index(s.index);
        s.target = lanes_of(s.target, element);
      }
      body.push_back(std::move(s));
    }
    out_.body.clear();
    copy(Role::Input);
    append(out_.body, body);
    copy(Role::Output);
    return std::move(out_);
  }

 private:
  bool is_read(int tensor) const {
    return any_of(k_.body, [&](const KernelStatement& s) { return reads_tensor(s.value, tensor); });
  }

  std::vector<Expr> lane_index(const std::vector<Expr>& index) const {
    std::vector<Expr> out = {var_ref(block_.name), var_ref(row_.name)};
    if (is_element(index)) out.insert(out.begin() + 1, index[1]);
    return out;
  }

  int lanes_of(int tensor, bool element) {
    int& lanes = lanes_[static_cast<size_t>(tensor)];
    std::vector<Expr> dims = {block_.extent, row_.extent};
    if (element) dims.insert(dims.begin() + 1, constant_int(longest_));
    if (lanes < 0) lanes = add_temp(out_, k_.tensor(tensor).name + "_lanes", k_.tensor(tensor).dtype, dims);
    return lanes;
  }

  Expr in_lanes(const Expr& e, const std::string& row) {
    const auto* r = std::get_if<Read>(&e->node);
    if (!r) return map_children(e, [&](const Expr& c) { return in_lanes(c, row); });
    if (r->index.empty() || !is_variable(r->index[0], row)) return e;
    return read_of(lanes_of(r->tensor, is_element(r->index)), e->type, lane_index(r->index));
  }

  /// The block of each tensor of this role, in from the rows or out to them.
  void copy(Role role) {
    for (size_t t = 0; t < k_.tensors.size(); ++t) {
      const Tensor& rows = k_.tensors[t];
      if (lanes_[t] < 0 || rows.role != role) continue;
      const bool element = out_.tensor(lanes_[t]).dims.size() == 3;
      KernelStatement s;
      s.loops = {block_, row_};
      std::vector<Expr> index(rows.dims.size(), constant_int(0));
      index[0] = at_;
      if (element) {
        s.loops.push_back({fresh_.unused(row_.name + "_element"), length_});
        index[1] = var_ref(s.loops.back().name);
      }
      const std::vector<Expr> lanes = lane_index(index);
      const bool in = role == Role::Input;
      s.target = in ? lanes_[t] : static_cast<int>(t);
      s.index = in ? lanes : index;
      s.value = in ? read_of(static_cast<int>(t), rows.dtype, index) : read_of(lanes_[t], rows.dtype, lanes);
      s.where = inside_;
      out_.body.push_back(std::move(s));
    }
  }

  const Kernel& k_;
  Kernel out_;
  FreshNames fresh_;
  int64_t longest_;
  Expr length_;
  LoopVar row_, block_;
  Expr at_, inside_;        ///< the row, and that there is one
  std::vector<int> lanes_;  ///< per tensor: the temp in its place
};

}  // namespace

std::optional<Fork> fork_short_rows(const Kernel& k) {
  const RowKernel rows(k);
  if (!rows || are_short(k, rows)) return std::nullopt;
  Expr holds;
  const bool can =
      demand(k, rows.length, INT64_MIN, rows.longest(), holds) && demand(k, rows.rows, kLanesOfBlock, INT64_MAX, holds);
  if (!can || ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, k, k);
  for (Size& s : f.then.sizes) {
    if (s.name == rows.length) s.hi = std::min(s.hi, rows.longest());
    if (s.name == rows.rows) s.lo = std::max(s.lo, kLanesOfBlock);
  }
  f.what = "short rows: a block of them, each in a lane";
  return f;
}

Kernel rows_as_lanes(const Kernel& k) {
  const RowKernel rows(k);
  return rows && are_short(k, rows) ? BlockMaker(k, rows).run() : k;
}

}  // namespace tenon
