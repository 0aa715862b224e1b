// Which kernels compute all rows of a pack of matrices alike, so that a call may make them rows of one matrix.
#include <algorithm>
#include <optional>

#include "algebra/contraction.h"
#include "harness/library/kernel_forms.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kNoStride = 255;

/// Looks for what a kernel does with two loops, one inside of the other, besides indexing dimensions of their extents.
class RowPair {
 public:
  RowPair(const Kernel& k, const LoopVar& pack, const LoopVar& row) : k_(k), pack_(pack), row_(row) {}

  /// Whether they could be one loop in this value.
  bool is_plain(const Expr& e) const {
    if (const auto* r = std::get_if<Read>(&e->node)) return !r->fill && has_plain_index(*r);
    if (const auto* r = std::get_if<Reduce>(&e->node))
      if (any_of(r->vars, [&](const LoopVar& v) { return depends(v.extent); })) return false;
    if (std::holds_alternative<VarRef>(e->node) || std::holds_alternative<SizeRef>(e->node)) return !depends(e);
    bool plain = true;
    each_child(e, [&](const Expr& c) { plain = plain && is_plain(c); });
    return plain;
  }

  /// The dimensions of a tensor that are theirs: none, that of the pack, or both; nothing if it has others.
  struct Dims {
    int pack = -1, row = -1;
  };
  std::optional<Dims> dims_of(const Tensor& t) const {
    Dims out;
    for (size_t d = 0; d < t.dims.size(); ++d) {
      if (!depends(t.dims[d])) continue;
      int& at = same(t.dims[d], pack_.extent) ? out.pack : out.row;
      if (at >= 0 || (&at == &out.row && !same(t.dims[d], row_.extent))) return std::nullopt;
      at = static_cast<int>(d);
    }
    return out.row >= 0 && out.pack < 0 ? std::nullopt : std::optional(out);
  }

 private:
  bool depends(const Expr& e) const {
    return any_node(e, [&](const Expr& n) {
      return same(n, pack_.extent) || same(n, row_.extent) || is_variable(n, pack_.name) || is_variable(n, row_.name);
    });
  }

  bool has_plain_index(const Read& r) const {
    const auto dims = dims_of(k_.tensor(r.tensor));
    for (size_t d = 0; dims && d < r.index.size(); ++d) {
      const int at = static_cast<int>(d);
      const LoopVar* var = at == dims->pack ? &pack_ : at == dims->row ? &row_ : nullptr;
      if (var ? !is_variable(r.index[d], var->name) : depends(r.index[d])) return false;
    }
    return dims.has_value();
  }

  const Kernel& k_;
  const LoopVar &pack_, &row_;
};

int size_position(const Kernel& k, const Expr& e) {
  const auto* ref = std::get_if<SizeRef>(&e->node);
  const auto at = find_if(k.sizes, [&](const Size& s) { return ref && s.name == ref->name; });
  return at == k.sizes.end() ? -1 : static_cast<int>(at - k.sizes.begin());
}

/// Whether the only facts about the kernel are that matrices are dense: those of more rows are, too.
bool has_facts_of_matrices(const Kernel& k) {
  return all_of(k.facts, [&](const Expr& f) {
    return any_of(k.tensors, [&](const Tensor& t) { return t.strides.size() >= 2 && same(f, has_dense_dim(t)); });
  });
}

bool is_contiguous(const Tensor& t) {
  const std::vector<Expr> strides = contiguous_strides(t.dims);
  return std::equal(strides.begin(), strides.end(), t.strides.begin(), t.strides.end(),
                    [](const Expr& a, const Expr& b) { return same(a, b); });
}

/// The number of the loop over a pack whose innermost dimension calls merge; -1 if there is none with one inside of it.
int pack_loop(const LibraryOp& op, const LibraryKernel& of, const KernelStatement& s) {
  for (size_t i = 0; i + 1 < s.loops.size(); ++i) {
    const int at = size_position(of.kernel, s.loops[i].extent);
    const auto* from = at < 0 ? nullptr : std::get_if<FromPack>(&of.size_sources[static_cast<size_t>(at)]);
    const auto plan = from ? op.packs.find(from->pack) : op.packs.end();
    if (plan != op.packs.end() && plan->second == PackPlan::Odometer) return static_cast<int>(i);
  }
  return -1;
}

/// The positions of a tensor's strides along both dimensions, added to `out`; false if they are no sizes.
bool add_strides(const Kernel& k, const Tensor& t, const RowPair::Dims& dims, std::vector<int>& out) {
  const auto stride = [&](int d) { return d < 0 ? kNoStride : size_position(k, t.strides[static_cast<size_t>(d)]); };
  out.push_back(stride(dims.pack));
  out.push_back(stride(dims.row));
  return dims.pack >= 0 && out.back() >= 0 && out[out.size() - 2] >= 0;
}

}  // namespace

std::vector<int> merged_rows(const LibraryOp& op, const LibraryKernel& of) {
  const Kernel& k = of.kernel;
  if (k.body.size() != 1 || !k.parts.empty() || k.call || !k.checks.empty() || !of.fixed.empty()) return {};
  const KernelStatement& s = k.body[0];
  const int at = pack_loop(op, of, s);
  if (at < 0 || s.where || s.update != Update::Assign || is_in_recurrence(s) || !has_facts_of_matrices(k)) return {};
  const LoopVar &pack = s.loops[static_cast<size_t>(at)], &row = s.loops[static_cast<size_t>(at) + 1];
  const RowPair pair(k, pack, row);
  std::vector<int> out = {size_position(k, pack.extent), size_position(k, row.extent), 0};
  if (out[1] < 0 || !pair.is_plain(s.value)) return {};
  for (size_t d = 0; d < s.index.size(); ++d)
    if (s.index.size() != s.loops.size() || !is_variable(s.index[d], s.loops[d].name)) return {};
  bool is_shared = false;  // else nothing is won by it
  for (const Tensor& t : k.tensors) {
    const auto dims = pair.dims_of(t);
    if (!dims) return {};
    if (t.role != Role::Input) {
      if (t.role == Role::Output && (dims->row != dims->pack + 1 || !is_contiguous(t))) return {};
      continue;
    }
    is_shared = is_shared || dims->row < 0;
    if (dims->pack < 0) continue;
    if (!add_strides(k, t, *dims, out)) return {};
    ++out[2];
  }
  return is_shared ? out : std::vector<int>();
}

}  // namespace tenon
