// Merging of kernels that share their rows.
#include <fmt/format.h>

#include "algebra/contraction.h"
#include "schedule/fused_kernel.h"
#include "schedule/index_map.h"
#include "schedule/kernel_graph.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A row of a temp beyond this does not stay in the caches.
constexpr int64_t kRowBytes = 1 << 16;
/// Statements that are one row altogether: small enough to be kept whole.
constexpr int64_t kWholeBytes = 1 << 14;

bool reduces(const Kernel& k) {
  return any_of(k.body, [](const KernelStatement& s) { return has_node<Reduce>(s.value); });
}

/// The values that products of matrices multiply: sums of products whose factors each have loops of the result that
/// the other lacks.
std::set<ValueId> multiplied_values(const FusedKernel& f) {
  std::set<ValueId> out;
  for (const KernelStatement& s : f.kernel.body)
    each_node<Reduce>(s.value, [&](const Reduce& r) {
      const auto* product = std::get_if<Apply>(&r.value->node);
      if (r.op != Reducer::Sum || !product || product->op != ScalarOp::Mul) return;
      const auto lacks = [&](const Expr& a, const Expr& b) {
        return any_of(s.loops, [&](const LoopVar& v) { return mentions(a, v.name) && !mentions(b, v.name); });
      };
      const Expr &left = product->args[0], &right = product->args[1];
      if (!lacks(left, right) || !lacks(right, left)) return;
      each_read(r.value, [&](const Read& x) { out.insert(f.values[static_cast<size_t>(x.tensor)]); });
    });
  return out;
}

/// Only full definitions, whose every read is at plain variables and constants: neither windows nor scatters.
bool is_plain(const Kernel& k) {
  bool plain = !is_opaque(k) && k.checks.empty() && !has_recurrence(k) && !find_contraction(with_split_loops(k));
  for (const KernelStatement& s : k.body) {
    plain = plain && s.update == Update::Assign;
    walk(s.value, [&](const Expr& e) {
      if (const auto* r = std::get_if<Reduce>(&e->node)) plain = plain && !r->where;
      if (const auto* r = std::get_if<Read>(&e->node)) {
        plain = plain && !r->fill;
        for (const Expr& i : r->index)
          plain = plain && (std::holds_alternative<VarRef>(i->node) || std::holds_alternative<Constant>(i->node));
      }
      return plain;
    });
  }
  return plain;
}

/// The statements' rows: dimensions 0 … count-1 of every value that flows between them.
class Rows {
 public:
  explicit Rows(const Kernel& k) : k_(k) {
    written_.assign(k.tensors.size(), false);
    flows_.assign(k.tensors.size(), false);
    for (const KernelStatement& s : k.body) written_[static_cast<size_t>(s.target)] = true;
    for (const KernelStatement& s : k.body)
      each_node<Read>(s.value, [&](const Read& r) {
        flows_[static_cast<size_t>(r.tensor)] = written_[static_cast<size_t>(r.tensor)];
      });
  }

  /// True where rows of `count` dimensions are independent of each other and what flows between statements is small.
  bool fit(size_t count) const {
    const Tensor& first = k_.tensor(k_.body[0].target);
    if (first.dims.size() < count) return false;
    for (const KernelStatement& s : k_.body)
      if (!statement_fits(s, first, count)) return false;
    int64_t bytes = 0;
    for (size_t t = 0; t < k_.tensors.size(); ++t) {
      if (!flows_[t]) continue;
      int64_t n = bytes_of(k_.tensors[t].dtype);
      for (size_t d = count; d < k_.tensors[t].dims.size(); ++d)
        n *= constant_value(k_.tensors[t].dims[d]).value_or(kRowBytes);
      bytes = std::max(bytes, n);
    }
    return bytes <= (count == 0 ? kWholeBytes : kRowBytes);
  }

 private:
  bool statement_fits(const KernelStatement& s, const Tensor& like, size_t count) const {
    const Tensor& target = k_.tensor(s.target);
    if (target.dims.size() < count) return false;
    for (size_t d = 0; d < count; ++d) {
      if (!same(target.dims[d], like.dims[d])) return false;
      if (!is_one(like.dims[d]) && !std::holds_alternative<VarRef>(s.index[d]->node)) return false;
    }
    return all_reads(s.value, [&](const Read& r) {
      if (!written_[static_cast<size_t>(r.tensor)]) return true;
      bool in_row = r.index.size() >= count;
      for (size_t d = 0; in_row && d < count; ++d) in_row = is_one(like.dims[d]) || same(r.index[d], s.index[d]);
      return in_row;
    });
  }

  const Kernel& k_;
  std::vector<bool> written_, flows_;
};

bool has_rows(const Kernel& k) {
  const size_t rank = k.tensor(k.body[0].target).dims.size();
  const Rows rows(k);
  for (size_t count = rank + 1; count-- > 0;)
    if (rows.fit(count)) return true;
  return false;
}

/// Whether a row that is summed lies in memory as another shape that splits its lines: the sum would go from element to
/// element, in an order of its own.
bool splits_lines(const Kernel& k) {
  return any_of(k.body, [&](const KernelStatement& s) {
    return !all_reads(s.value, [&](const Read& r) { return !splits_line(k.tensor(r.tensor), r.index); });
  });
}

/// Where the second kernel's tensors are in the merged one; makes reads of other shapes of a made value reads of its
/// own shape.
class Joiner {
 public:
  Joiner(const FusedKernel& first, const FusedKernel& second) : out_(first), second_(second) {}

  bool run() {
    for (size_t t = 0; t < second_.values.size(); ++t) ids_.push_back(place(t));
    for (KernelStatement s : second_.kernel.body) {
      map_exprs(s, [&](const Expr& e) { return moved(e); });
      s.target = ids_[static_cast<size_t>(s.target)];
      out_.kernel.body.push_back(std::move(s));
    }
    return !failed_;
  }
  FusedKernel take() { return std::move(out_); }

 private:
  int place(size_t t) {
    const Tensor& x = second_.kernel.tensors[t];
    const ValueId v = second_.values[t];
    for (size_t k = 0; v != kNoValue && x.role != Role::Output && k < out_.values.size(); ++k) {
      const Tensor& o = out_.kernel.tensors[k];
      if (out_.values[k] == v && (o.role == Role::Output || same_shape(o, x))) return static_cast<int>(k);
    }
    out_.kernel.tensors.push_back(x);
    out_.values.push_back(v);
    Tensor& added = out_.kernel.tensors.back();
    const std::string name = added.name;
    const auto taken = [&] {
      return std::any_of(out_.kernel.tensors.begin(), out_.kernel.tensors.end() - 1,
                         [&](const Tensor& o) { return o.name == added.name; });
    };
    for (int n = 1; taken(); ++n) added.name = fmt::format("{}{}", name, n);
    return static_cast<int>(out_.kernel.tensors.size()) - 1;
  }

  Expr moved(const Expr& e) {
    const Expr x = map_children(e, [&](const Expr& c) { return moved(c); });
    const auto* r = std::get_if<Read>(&x->node);
    if (!r) return x;
    const auto from = static_cast<size_t>(r->tensor);
    const auto at = reindex(second_.kernel.tensors[from], r->index, out_.kernel.tensor(ids_[from]));
    failed_ = failed_ || !at;
    return read_of(ids_[from], x->type, at ? *at : r->index, r->fill);
  }

  FusedKernel out_;
  const FusedKernel& second_;
  std::vector<int> ids_;
  bool failed_ = false;
};

class RowMerger {
 public:
  explicit RowMerger(KernelGraph& g) : g_(g), traits_(g.size()) {}

  void run() {
    for (size_t k = 0; k < g_.size(); ++k)
      while (g_.alive(k) && merge_into(k)) {
      }
    for (size_t k = 0; k < g_.size(); ++k)
      if (g_.alive(k)) follow_maker(k);
  }

 private:
  struct Traits {
    bool plain, reduces;
    std::set<ValueId> multiplied;
  };

  /// Cached, because it is queried for each pair of kernels that share a value, and a weight may have thousands of
  /// readers.
  const Traits& of(size_t k) {
    const FusedKernel& f = g_.at(k);
    if (!traits_[k]) traits_[k] = Traits{is_plain(f.kernel), reduces(f.kernel), multiplied_values(f)};
    return *traits_[k];
  }

  bool merge_into(size_t k) {
    if (!of(k).plain) return false;
    for (const ValueId v : g_.read_by(k)) {
      if (const auto m = g_.maker(v); m && *m != k && try_merge(*m, k, "both work on the same rows")) return true;
      for (const size_t other : g_.readers(v))
        if (other < k && g_.alive(other) && of(other).reduces && of(k).reduces &&
            try_merge(other, k, "both reduce the rows of one value"))
          return true;
    }
    return false;
  }

  /// Whether a product of the second reads what the first makes: panels of it are made before the rows begin.
  bool multiplies_result(size_t first, size_t second) {
    return any_of(g_.made_by(first), [&](ValueId v) { return of(second).multiplied.count(v) != 0; });
  }

  bool try_merge(size_t first, size_t second, std::string_view reason) {
    const FusedKernel &a = g_.at(first), &b = g_.at(second);
    if (!fit_one_kernel(a, b) || !of(first).plain || (!of(first).reduces && !of(second).reduces) ||
        multiplies_result(first, second) || !g_.can_wait(first, second))
      return false;
    auto merged = concatenate(a, b, needed_outside(g_, first, second));
    if (!merged || !has_rows(merged->kernel) || splits_lines(merged->kernel)) return false;
    share_statements(*merged);
    merged->notes.push_back(fmt::format("{} and {}: {}", operators_of(a), operators_of(b), reason));
    g_.remove(first);
    g_.set(second, std::move(*merged));
    traits_[second].reset();
    return true;
  }

  /// Puts a formula of one element after the statement that makes that element, among others, for it alone.
  void follow_maker(size_t k) {
    const FusedKernel& reader = g_.at(k);
    if (!is_pointwise(reader.kernel) || !reader.kernel.checks.empty()) return;
    for (const ValueId v : g_.read_by(k)) {
      const auto m = g_.maker(v);
      if (!m || *m == k || g_.only_output(*m) == v || g_.is_needed(v) || g_.readers(v).size() != 1) continue;
      const FusedKernel& maker = g_.at(*m);
      if (maker.region != reader.region || !fit_one_kernel(maker, reader) || !makes_each_once(maker, v) ||
          !reads_in_step(reader, v) || !g_.can_wait(*m, k))
        continue;
      auto merged = concatenate(maker, reader, needed_outside(g_, *m, k));
      if (!merged) continue;
      merged->notes.push_back(fmt::format("{} goes into {}: its value is used once, at the element that is written",
                                          operators_of(reader), operators_of(maker)));
      g_.remove(*m);
      g_.set(k, std::move(*merged));
      return;
    }
  }

  /// Whether one statement defines all elements of the value, and no product of matrices is near.
  static bool makes_each_once(const FusedKernel& maker, ValueId v) {
    const Kernel& k = maker.kernel;
    if (is_opaque(k) || has_recurrence(k) || !multiplied_values(maker).empty()) return false;
    const auto makes = [&](const KernelStatement& s) { return maker.values[static_cast<size_t>(s.target)] == v; };
    const auto s = find_if(k.body, makes);
    return s != k.body.end() && count_if(k.body, makes) == 1 && s->update == Update::Assign && !s->where &&
           all_of(s->index, [](const Expr& i) { return std::holds_alternative<VarRef>(i->node) || is_zero(i); });
  }

  KernelGraph& g_;
  std::vector<std::optional<Traits>> traits_;  ///< by kernel, until it changes
};

}  // namespace

std::set<ValueId> needed_outside(const KernelGraph& g, size_t k, size_t with) {
  std::set<ValueId> out;
  for (const ValueId v : g.made_by(k)) {
    const auto& readers = g.readers(v);
    if (g.is_needed(v) || any_of(readers, [&](size_t r) { return r != k && r != with; })) out.insert(v);
  }
  return out;
}

std::optional<FusedKernel> concatenate(const FusedKernel& first, const FusedKernel& second,
                                       const std::set<ValueId>& needed) {
  Joiner joiner(first, second);
  if (!joiner.run()) return std::nullopt;
  FusedKernel out = joiner.take();
  for (size_t t = 0; t < first.values.size(); ++t) {
    if (out.kernel.tensors[t].role != Role::Output || needed.count(out.values[t])) continue;
    out.kernel.tensors[t].role = Role::Temp;
    out.values[t] = kNoValue;
  }
  join_descriptions(first, second, out);
  std::set<std::string> sizes;
  for (const Size& s : out.kernel.sizes) sizes.insert(s.name);
  for (const Size& s : second.kernel.sizes)
    if (sizes.insert(s.name).second) out.kernel.sizes.push_back(s);
  append(out.kernel.facts, second.kernel.facts);
  out.kernel.reassociate = first.kernel.reassociate && second.kernel.reassociate;
  out.kernel.vectors = first.kernel.vectors;
  out.kernel.op = second.kernel.op;
  return out;
}

void merge_rows(KernelGraph& graph) { RowMerger(graph).run(); }

}  // namespace tenon
