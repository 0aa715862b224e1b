// Recognises chains of contractions over the same rows and cuts them into kernels over a block of rows.
#include "lower/contraction/row_chain.h"

#include <map>
#include <set>

#include "algebra/contraction.h"
#include "lower/contraction/chain_limit.h"
#include "lower/contraction/contraction_builder.h"
#include "lower/contraction/plain_products.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Tensors written in the kernel: no matrix may be, as its panels are made before the first block.
std::set<int> written_in(const Kernel& k) {
  std::set<int> out;
  for (const KernelStatement& s : k.body) out.insert(s.target);
  return out;
}

/// The statement as a product whose right side is a matrix of floats, or nothing.
struct Product {
  std::vector<LoopVar> rows, columns, depth;
  Expr matrix;
};
std::optional<Product> product_of(const Kernel& k, const KernelStatement& s, const std::set<int>& written) {
  if (!std::holds_alternative<Reduce>(s.value->node) || !is_float(s.value->type)) return std::nullopt;
  Kernel one = k;
  one.body = {s};
  one.checks.clear();
  const auto c = find_contraction(one);
  if (!c || c->transposed || c->rows.empty() || c->columns.empty() || c->depth.empty()) return std::nullopt;
  const Read* left = plain_read(c->left);
  const Read* right = plain_read(c->right);
  if (!left || !right) return std::nullopt;
  const bool sums_rows = written.count(right->tensor) != 0;
  if (sums_rows && left->tensor == right->tensor) return std::nullopt;
  return Product{c->rows, c->columns, c->depth, c->right};
}

using Place = ChainSegment::Place;

/// What each statement is in a chain, and what all of them loop or sum over.
struct Roles {
  std::vector<Place> places;
  std::vector<std::optional<Product>> products;
  std::vector<LoopVar> common;
};

bool meet(const std::vector<LoopVar>& a, const std::vector<LoopVar>& b) {
  return any_of(a, [&](const LoopVar& v) { return has_loop(b, v.name); });
}

/// The roles where the first `end` statements are about rows; what sums over them is what has them in its depth.
Roles roles_of(const Kernel& k, size_t end, const std::set<int>& written) {
  Roles out;
  out.common = common_loops(k, end);
  const auto drop = [&](const std::vector<LoopVar>& vars) {
    std::erase_if(out.common, [&](const LoopVar& v) { return has_loop(vars, v.name); });
  };
  for (size_t i = 0; i < k.body.size(); ++i) {
    out.products.push_back(i < end ? product_of(k, k.body[i], written) : std::nullopt);
    if (out.products[i]) drop(out.products[i]->columns);
  }
  for (size_t i = 0; i < k.body.size(); ++i) {
    std::optional<Product>& p = out.products[i];
    const bool sums = p && meet(p->depth, out.common);
    if (p && !sums && written.count(plain_read(p->matrix)->tensor)) p.reset();
    if (sums) drop(p->rows);
    out.places.push_back(i >= end ? Place::After : !p ? Place::Between : sums ? Place::Sum : Place::Product);
  }
  return out;
}

/// Whether the statements match their roles: rows occur in the loops, or in the depth of sums.
bool keeps_roles(const Kernel& k, const Roles& roles) {
  for (size_t i = 0; i < k.body.size(); ++i) {
    const std::vector<LoopVar>& loops = k.body[i].loops;
    const bool all = all_of(roles.common, [&](const LoopVar& v) { return has_loop(loops, v.name); });
    if ((roles.places[i] == Place::Between || roles.places[i] == Place::Product) && !all) return false;
    if (roles.places[i] == Place::Sum && (k.body[i].update != Update::Assign || !k.reassociate)) return false;
  }
  return true;
}

/// The dimension that each of `vars` walks, in every access to a tensor that the kernel writes.
using Walked = std::map<int, std::vector<size_t>>;

class Walks {
 public:
  Walks(const Kernel& k, size_t end, const std::vector<LoopVar>& vars, const std::set<int>& written)
      : vars_(vars), written_(written) {
    for (size_t i = 0; i < end; ++i) {
      const KernelStatement& s = k.body[i];
      ok_ = ok_ && s.update == Update::Assign;
      note(s.target, s.index);
      each_read(s.value,
                [&](const Read& r) { note(r.tensor, r.index), ok_ = ok_ && (!r.fill || !written_.count(r.tensor)); });
      for (const Expr& e : s.index) each_read(e, [&](const Read& r) { note(r.tensor, r.index); });
    }
  }
  std::optional<Walked> found() const { return ok_ ? std::optional(walked_) : std::nullopt; }

 private:
  void note(int tensor, const std::vector<Expr>& index) {
    if (!written_.count(tensor)) return;
    std::vector<size_t> dims;
    for (const LoopVar& v : vars_)
      for (size_t d = 0; d < index.size(); ++d)
        if (is_variable(index[d], v.name)) {
          dims.push_back(d);
          break;
        }
    ok_ = ok_ && dims.size() == vars_.size() && walked_.try_emplace(tensor, dims).first->second == dims;
  }

  const std::vector<LoopVar>& vars_;
  const std::set<int>& written_;
  Walked walked_;
  bool ok_ = true;
};

std::string fresh_size(Kernel& k, const std::string& word) {
  std::string name = unused_name(k, word);
  k.sizes.push_back({name, 0, INT64_MAX});
  return name;
}

/// Cuts the kernel's statements into segments over a block.
class Cutter {
 public:
  Cutter(const Kernel& k, RowChain& chain, const Walked& walked, const Roles& roles)
      : k_(k), chain_(chain), walked_(walked), places_(roles.places), common_(roles.common) {
    limit_ = find_chain_limit(k, chain.row);
    if (limit_ && !limits_rows_of_sums(roles)) limit_.reset();
    block_ = k;
    block_.checks.clear();
    for (const LoopVar& v : chain.shared) chain.shared_names.push_back(outer(v));
    for (const LoopVar& v : chain.outer) chain.outer_names.push_back(outer(v));
    chain.first = fresh_size(block_, "first_" + chain.row.name);
    chain.count = fresh_size(block_, "rows_of_" + chain.row.name);
    block_.facts.push_back(apply(ScalarOp::Le, {size_ref(chain.count), chain.row.extent - size_ref(chain.first)}));
    if (const auto n = constant_value(chain.row.extent)) {
      block_.sizes.back().hi = *n;
      block_.sizes[block_.sizes.size() - 2].hi = *n;
    }
    vars_[chain.row.name] = size_ref(chain.first) + var_ref(chain.row.name);
    if (limit_) name_limit();
    for (const auto& [tensor, dims] : walked)
      if (k.tensor(tensor).role == Role::Temp) shrink(block_.tensors[static_cast<size_t>(tensor)], dims);
  }

  void run() {
    if (!chain_.sums.empty()) chain_.segments.push_back(zeros());
    for (size_t from = 0, to; from < k_.body.size(); from = to) {
      const bool alone = places_[from] == Place::Product || places_[from] == Place::Sum;
      for (to = from + 1; !alone && to < k_.body.size() && places_[to] == places_[from]; ++to) {
      }
      chain_.segments.push_back(segment(from, to));
    }
  }

 private:
  /// Whether the limited columns are exactly the rows that are summed: the rest of a block contributes nothing, and its
  /// elements do not exist.
  bool limits_rows_of_sums(const Roles& roles) const {
    for (size_t i = 0; i < k_.body.size(); ++i) {
      if (places_[i] != Place::Sum || limit_->vars[i].empty()) continue;
      const std::vector<LoopVar>& rows = roles.products[i]->rows;
      if (rows.size() != 1 || !limit_->vars[i].count(rows[0].name)) return false;
    }
    return true;
  }

  std::string outer(const LoopVar& v) {
    const std::string name = fresh_size(block_, v.name);
    if (const auto n = constant_value(v.extent)) block_.sizes.back().hi = std::max<int64_t>(*n - 1, 0);
    block_.facts.push_back(apply(ScalarOp::Lt, {size_ref(name), v.extent}));
    vars_[v.name] = size_ref(name);
    return name;
  }

  /// The columns that the last row of a block needs.
  void name_limit() {
    chain_.limit = fresh_size(block_, "columns_of_" + chain_.row.name);
    chain_.limit_all = limit_->all;
    block_.facts.push_back(apply(ScalarOp::Le, {size_ref(chain_.limit), limit_->all}));
    if (const auto n = constant_value(limit_->all)) block_.sizes.back().hi = *n;
    const Expr last = size_ref(chain_.first) + size_ref(chain_.count) - constant_int(1),
               needed = substitute(limit_->needed, {{chain_.row.name, last}}),
               count = apply(ScalarOp::Max, {apply(ScalarOp::Min, {needed, limit_->all}), constant_int(0)});
    chain_.limit_value = limit_->guard ? select(limit_->guard, count, limit_->all) : count;
  }

  /// A temp with the rows of a block: the row outermost in memory, outer dimensions of one element. A cache line of
  /// padding between two rows avoids cache conflicts between rows of a power-of-two length.
  void shrink(Tensor& t, const std::vector<size_t>& dims) const {
    size_t row = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      if (common_[i].name == chain_.row.name) row = dims[i];
    for (const size_t d : dims) t.dims[d] = constant_int(1);
    t.strides = contiguous_strides(t.dims);
    Expr all = constant_int(1);
    for (const Expr& d : t.dims) all = all * d;
    for (const size_t d : dims) t.strides[d] = constant_int(0);
    t.dims[row] = size_ref(chain_.count);
    t.strides[row] = is_one(all) ? all : all + constant_int(64 / bytes_of(t.dtype));
  }

  bool is_block(int tensor) const { return walked_.count(tensor) && k_.tensor(tensor).role == Role::Temp; }

  std::vector<Expr> block_index(int tensor, std::vector<Expr> index) const {
    const std::vector<size_t>& dims = walked_.at(tensor);
    for (size_t i = 0; i < dims.size(); ++i)
      index[dims[i]] = common_[i].name == chain_.row.name ? var_ref(chain_.row.name) : constant_int(0);
    return index;
  }

  Expr blocked(const Expr& e) const {
    const Expr r = map_children(e, [&](const Expr& c) { return blocked(c); });
    if (const auto* v = std::get_if<VarRef>(&r->node))
      if (const auto* at = find_value(vars_, v->name)) return *at;
    const auto* read = std::get_if<Read>(&r->node);
    return read && is_block(read->tensor) ? read_of(read->tensor, r->type, block_index(read->tensor, read->index)) : r;
  }

  /// The sums before the first block.
  ChainSegment zeros() const {
    ChainSegment out{Place::Before, block_};
    out.kernel.body.clear();
    for (size_t i = 0; i < k_.body.size(); ++i) {
      if (places_[i] != Place::Sum) continue;
      KernelStatement s = k_.body[i];
      s.value = constant_of(0, s.value->type);
      out.kernel.body.push_back(blocked(std::move(s)));
      out.kernel.tensor(k_.body[i].target).role = Role::Output;
    }
    return out;
  }

  /// A sum over the rows as the sum so far and the sum over the rows of a block.
  KernelStatement added(KernelStatement s) const {
    const auto& r = std::get<Reduce>(s.value->node);
    const Expr of_block = reduce(Reducer::Sum, blocked(r.vars), nullptr, blocked(r.value), s.value->type);
    KernelStatement out = blocked(s);
    out.value = read_of(s.target, s.value->type, out.index) + of_block;
    return out;
  }

  KernelStatement blocked(KernelStatement s) const {
    s.value = blocked(s.value);
    if (s.where) s.where = blocked(s.where);
    for (Expr& e : s.index) e = blocked(e);
    if (is_block(s.target)) s.index = block_index(s.target, std::move(s.index));
    s.loops = blocked(s.loops);
    return s;
  }
  /// Without the loops around all blocks.
  std::vector<LoopVar> blocked(const std::vector<LoopVar>& vars) const {
    std::vector<LoopVar> out;
    for (const LoopVar& v : vars) {
      if (v.name == chain_.row.name) out.push_back({v.name, size_ref(chain_.count)});
      else if (!has_loop(common_, v.name)) out.push_back(v);
    }
    return out;
  }

  bool touches(const KernelStatement& s, int tensor) const {
    bool found = s.target == tensor || reads_tensor(s.value, tensor);
    for (const Expr& e : s.index) found = found || reads_tensor(e, tensor);
    return found;
  }

  ChainSegment segment(size_t from, size_t to) const {
    ChainSegment out{places_[from], block_};
    out.kernel.body.clear();
    for (size_t i = from; i < to; ++i) {
      const KernelStatement& s = k_.body[i];
      // panels have all columns, and so has the kernel of a product
      const bool limited = limit_ && places_[i] == Place::Between;
      if (places_[i] == Place::Sum) out.kernel.body.push_back(added(s));
      else out.kernel.body.push_back(blocked(limited ? limited_to(size_ref(chain_.limit), *limit_, i, s) : s));
      if (limit_ && places_[i] == Place::Sum) out.limits_rows = walks_limited(s.loops, *limit_, i);
      if (!limit_ || places_[i] != Place::Product) continue;
      out.limits_columns = walks_limited(s.loops, *limit_, i);
      out.limits_depth = walks_limited(std::get<Reduce>(s.value->node).vars, *limit_, i);
    }
    for (const int t : chain_.sums)
      if (std::any_of(k_.body.begin() + static_cast<std::ptrdiff_t>(from),
                      k_.body.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](const KernelStatement& s) { return touches(s, t); }))
        out.kernel.tensor(t).role = places_[from] == Place::Sum ? Role::Output : Role::Input;
    for (const auto& [tensor, dims] : walked_) {
      if (!is_block(tensor)) continue;
      bool elsewhere = false, here = false;
      for (size_t i = 0; i < k_.body.size(); ++i) {
        if (i < from || i >= to) elsewhere = elsewhere || touches(k_.body[i], tensor);
        else here = here || k_.body[i].target == tensor;
      }
      if (!elsewhere) continue;
      out.kernel.tensor(tensor).role = here ? Role::Output : Role::Input;
      if (!contains(chain_.between, tensor)) chain_.between.push_back(tensor);
    }
    return out;
  }

  const Kernel& k_;
  RowChain& chain_;
  const Walked& walked_;
  const std::vector<Place>& places_;
  const std::vector<LoopVar>& common_;
  Kernel block_;
  std::map<std::string, Expr> vars_;
  std::optional<ChainLimit> limit_;
};

/// The loop that is taken in blocks: of the rows of every product, or of the depth where it sums over rows.
LoopVar block_loop(const Roles& roles) {
  LoopVar row;
  for (const LoopVar& v : roles.common) {
    bool all = true;
    for (size_t i = 0; i < roles.places.size(); ++i)
      if (const auto& p = roles.products[i])
        all = all && has_loop(roles.places[i] == Place::Sum ? p->depth : p->rows, v.name);
    if (all) row = v;
  }
  return row;
}

/// The loops around the blocks; false where a sum goes over one that a matrix depends on or another sum keeps.
bool divide_loops(const Kernel& k, const Roles& roles, RowChain& chain) {
  for (const LoopVar& v : roles.common) {
    if (v.name == chain.row.name) continue;
    bool shared = false, summed = false;
    for (size_t i = 0; i < roles.places.size(); ++i) {
      if (roles.places[i] == Place::Product) shared = shared || mentions(roles.products[i]->matrix, v.name);
      if (roles.places[i] == Place::Sum) {
        shared = shared || has_loop(k.body[i].loops, v.name);
        summed = summed || has_loop(roles.products[i]->depth, v.name);
      }
    }
    if (shared && summed) return false;
    (shared ? chain.shared : chain.outer).push_back(v);
  }
  return true;
}

/// Whether sums over rows are read only when complete, and no later statement concerns single rows.
bool sums_stand_apart(const Kernel& k, const Roles& roles, const RowChain& chain) {
  std::set<int> late(chain.sums.begin(), chain.sums.end());
  for (size_t i = 0; i < k.body.size(); ++i) {
    const KernelStatement& s = k.body[i];
    const bool after = roles.places[i] == Place::After;
    bool reads_late = false, reads_rows = false;
    each_read(s.value, [&](const Read& r) {
      const bool written = any_of(k.body, [&](const KernelStatement& w) { return w.target == r.tensor; });
      (late.count(r.tensor) ? reads_late : reads_rows) |= late.count(r.tensor) || written;
    });
    if (after ? reads_rows || mentions(s.value, chain.row.name) || meet(s.loops, chain.outer) : reads_late)
      return false;
    if (after) late.insert(s.target);
  }
  return late.empty() || Walks(k, k.body.size(), chain.shared, late).found();
}

/// The chain of a kernel whose first `end` statements are about rows.
std::optional<RowChain> chain_to(const Kernel& k, size_t end) {
  std::set<int> written = written_in(k);
  const Roles roles = roles_of(k, end, written);
  const auto products = count_if(roles.products, [](const auto& p) { return !!p; });
  if (products < 2 || !keeps_roles(k, roles)) return std::nullopt;
  RowChain chain;
  chain.row = block_loop(roles);
  for (size_t i = 0; i < k.body.size(); ++i) {
    if (roles.places[i] == Place::Sum) chain.sums.push_back(k.body[i].target);
    if (roles.places[i] == Place::Sum || roles.places[i] == Place::After) written.erase(k.body[i].target);
  }
  if (!chain.row.extent || !divide_loops(k, roles, chain) || !sums_stand_apart(k, roles, chain)) return std::nullopt;
  const auto walked = Walks(k, end, roles.common, written).found();
  if (!walked) return std::nullopt;
  Cutter(k, chain, *walked, roles).run();
  return chain;
}

}  // namespace

std::optional<RowChain> find_row_chain(const Kernel& kernel) {
  if (kernel.call || kernel.body.size() < 2) return std::nullopt;
  if (auto chain = chain_to(kernel, kernel.body.size())) return chain;
  const Kernel k = with_conclusions_last(kernel);
  const size_t end = end_of_reductions(k);
  return end < k.body.size() ? chain_to(k, end) : std::nullopt;
}

}  // namespace tenon
