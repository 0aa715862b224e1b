// Recognises chains of contractions over the same rows and cuts them into kernels over a block of rows.
#include "lower/contraction/row_chain.h"

#include <algorithm>
#include <map>
#include <set>

#include "algebra/contraction.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

bool holds(const std::vector<LoopVar>& vars, const std::string& name) {
  return std::any_of(vars.begin(), vars.end(), [&](const LoopVar& v) { return v.name == name; });
}

/// What is written in the kernel: no matrix may be, as its panels are made before the first block.
std::set<int> written_in(const Kernel& k) {
  std::set<int> out;
  for (const KernelStatement& s : k.body) out.insert(s.target);
  return out;
}

/// The statement as a product of rows with a matrix of floats, or nothing.
struct Product {
  std::vector<LoopVar> rows;
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
  if (!left || !right || written.count(right->tensor)) return std::nullopt;
  return Product{c->rows, c->right};
}

/// The loops that all statements have.
std::vector<LoopVar> common_loops(const Kernel& k) {
  std::vector<LoopVar> out = k.body[0].loops;
  for (const KernelStatement& s : k.body)
    out.erase(std::remove_if(out.begin(), out.end(),
                             [&](const LoopVar& v) {
                               return std::none_of(s.loops.begin(), s.loops.end(), [&](const LoopVar& w) {
                                 return w.name == v.name && same(w.extent, v.extent);
                               });
                             }),
              out.end());
  return out;
}

/// The dimension that each of `vars` walks, in every access to a tensor that the kernel writes.
using Walked = std::map<int, std::vector<size_t>>;

class Walks {
 public:
  Walks(const Kernel& k, const std::vector<LoopVar>& vars, const std::set<int>& written)
      : vars_(vars), written_(written) {
    for (const KernelStatement& s : k.body) {
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
  std::set<std::string> taken;
  for (const Tensor& t : k.tensors) taken.insert(t.name);
  for (const Size& s : k.sizes) taken.insert(s.name);
  for (const Attr& a : k.attrs) taken.insert(a.name);
  std::string name = word;
  while (taken.count(name)) name += "_at";
  k.sizes.push_back({name, 0, INT64_MAX});
  return name;
}

/// Cuts the kernel's statements into segments over a block.
class Cutter {
 public:
  Cutter(const Kernel& k, RowChain& chain, const Walked& walked, const std::vector<bool>& contracts)
      : k_(k), chain_(chain), walked_(walked), contracts_(contracts) {
    block_ = k;
    block_.checks.clear();
    for (const LoopVar& v : chain.shared) chain.shared_names.push_back(outer(v));
    for (const LoopVar& v : chain.outer) chain.outer_names.push_back(outer(v));
    chain.first = fresh_size(block_, "first_" + chain.row.name);
    chain.count = fresh_size(block_, "rows_of_" + chain.row.name);
    if (const auto n = constant_value(chain.row.extent)) {
      block_.sizes.back().hi = *n;
      block_.sizes[block_.sizes.size() - 2].hi = *n;
    }
    vars_[chain.row.name] = size_ref(chain.first) + var_ref(chain.row.name);
    for (const auto& [tensor, dims] : walked)
      if (k.tensors[static_cast<size_t>(tensor)].role == Role::Temp)
        shrink(block_.tensors[static_cast<size_t>(tensor)], dims);
  }

  void run() {
    for (size_t from = 0, to; from < k_.body.size(); from = to) {
      for (to = from + 1; !contracts_[from] && to < k_.body.size() && !contracts_[to]; ++to) {
      }
      chain_.segments.push_back(segment(from, to));
    }
  }

 private:
  std::string outer(const LoopVar& v) {
    const std::string name = fresh_size(block_, v.name);
    if (const auto n = constant_value(v.extent)) block_.sizes.back().hi = std::max<int64_t>(*n - 1, 0);
    vars_[v.name] = size_ref(name);
    return name;
  }

  /// A temp with the rows of a block: the row outermost in memory, outer dimensions of one element. A line of the cache
  /// between two rows keeps rows of a power of two from falling on top of each other.
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

  bool is_block(int tensor) const {
    return walked_.count(tensor) && k_.tensors[static_cast<size_t>(tensor)].role == Role::Temp;
  }

  std::vector<Expr> block_index(int tensor, std::vector<Expr> index) const {
    const std::vector<size_t>& dims = walked_.at(tensor);
    for (size_t i = 0; i < dims.size(); ++i)
      index[dims[i]] = common_[i].name == chain_.row.name ? var_ref(chain_.row.name) : constant_int(0);
    return index;
  }

  Expr blocked(const Expr& e) const {
    const Expr r = map_children(e, [&](const Expr& c) { return blocked(c); });
    if (const auto* v = std::get_if<VarRef>(&r->node))
      if (const auto at = vars_.find(v->name); at != vars_.end()) return at->second;
    const auto* read = std::get_if<Read>(&r->node);
    return read && is_block(read->tensor) ? read_of(read->tensor, r->type, block_index(read->tensor, read->index)) : r;
  }

  KernelStatement blocked(KernelStatement s) const {
    s.value = blocked(s.value);
    for (Expr& e : s.index) e = blocked(e);
    if (is_block(s.target)) s.index = block_index(s.target, std::move(s.index));
    std::vector<LoopVar> loops;
    for (const LoopVar& v : s.loops) {
      if (v.name == chain_.row.name) loops.push_back({v.name, size_ref(chain_.count)});
      else if (!holds(common_, v.name)) loops.push_back(v);
    }
    s.loops = std::move(loops);
    return s;
  }

  bool touches(const KernelStatement& s, int tensor) const {
    bool found = s.target == tensor || reads_tensor(s.value, tensor);
    for (const Expr& e : s.index) found = found || reads_tensor(e, tensor);
    return found;
  }

  ChainSegment segment(size_t from, size_t to) const {
    ChainSegment out{contracts_[from], block_};
    out.kernel.body.clear();
    for (size_t i = from; i < to; ++i) out.kernel.body.push_back(blocked(k_.body[i]));
    for (const auto& [tensor, dims] : walked_) {
      if (!is_block(tensor)) continue;
      bool elsewhere = false, here = false;
      for (size_t i = 0; i < k_.body.size(); ++i) {
        if (i < from || i >= to) elsewhere = elsewhere || touches(k_.body[i], tensor);
        else here = here || k_.body[i].target == tensor;
      }
      if (!elsewhere) continue;
      out.kernel.tensors[static_cast<size_t>(tensor)].role = here ? Role::Output : Role::Input;
      if (std::count(chain_.between.begin(), chain_.between.end(), tensor) == 0) chain_.between.push_back(tensor);
    }
    return out;
  }

  const Kernel& k_;
  RowChain& chain_;
  const Walked& walked_;
  const std::vector<bool>& contracts_;
  const std::vector<LoopVar> common_ = common_loops(k_);
  Kernel block_;
  std::map<std::string, Expr> vars_;
};

}  // namespace

std::optional<RowChain> find_row_chain(const Kernel& k) {
  if (k.call || k.body.size() < 2) return std::nullopt;
  const std::set<int> written = written_in(k);
  std::vector<bool> contracts;
  std::vector<Product> products;
  for (const KernelStatement& s : k.body) {
    auto p = product_of(k, s, written);
    contracts.push_back(p.has_value());
    if (p) products.push_back(*std::move(p));
  }
  if (products.size() < 2) return std::nullopt;
  const std::vector<LoopVar> common = common_loops(k);
  RowChain chain;
  for (const LoopVar& v : common)
    if (std::all_of(products.begin(), products.end(), [&](const Product& p) { return holds(p.rows, v.name); }))
      chain.row = v;
  const auto walked = Walks(k, common, written).found();
  if (!chain.row.extent || !walked) return std::nullopt;
  for (const LoopVar& v : common) {
    if (v.name == chain.row.name) continue;
    const bool in_matrix =
        std::any_of(products.begin(), products.end(), [&](const Product& p) { return mentions(p.matrix, v.name); });
    (in_matrix ? chain.shared : chain.outer).push_back(v);
  }
  Cutter(k, chain, *walked, contracts).run();
  return chain;
}

}  // namespace tenon
