// Keeps only as many steps of a recurrence's temporary as reads reach back: the dim of the step becomes a ring buffer.
#include <map>

#include "algebra/linear.h"
#include "lower/contraction/recurrence_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Dims of one temp that are shortened: their place, the extent that they had, and how many elements are kept.
struct KeptDim {
  size_t dim = 0;
  Expr extent;
  int64_t elements = 1;
};
using KeptDims = std::map<int, std::vector<KeptDim>>;

class StepKeeper {
 public:
  explicit StepKeeper(SteppedGroup& g) : g_(g) {}

  void run() {
    for (const KernelStatement& s : g_.kernel.body) {
      const Tensor& t = g_.kernel.tensor(s.target);
      if (t.role == Role::Temp && g_.outside.count(s.target) == 0 && made_once(s)) find(s);
    }
    for (const auto& [tensor, dims] : kept_) shorten(g_.kernel.tensor(tensor), dims);
    for (KernelStatement& s : g_.kernel.body) {
      map_exprs(s, [&](const Expr& e) { return changed(e); });
      s.index = in_ring(s.target, std::move(s.index));
    }
  }

 private:
  bool made_once(const KernelStatement& s) const {
    return s.update == Update::Assign && count_if(g_.kernel.body, [&](auto& o) { return o.target == s.target; }) == 1;
  }

  void find(const KernelStatement& made) {
    for (const std::string& name : g_.names) {
      const auto at = find_if(made.index, [&](const Expr& e) {
        const auto* size = std::get_if<SizeRef>(&e->node);
        return size && size->name == name;
      });
      if (at == made.index.end()) return;
      const auto dim = static_cast<size_t>(at - made.index.begin());
      const auto back = reach(made.target, dim, *at);
      if (!back) return;
      int64_t elements = 1;
      while (elements <= *back) elements *= 2;
      const Expr extent = g_.kernel.tensor(made.target).dims[dim];
      kept_[made.target].push_back({dim, extent, elements});
      if (*back == 0) continue;
      g_.kept.insert(made.target);
      return;
    }
  }

  /// The maximum number of steps between a write and its read; nothing where a read is elsewhere.
  std::optional<int64_t> reach(int tensor, size_t dim, const Expr& step) const {
    constexpr int64_t kMostBack = 1 << 10;
    std::optional<int64_t> most = 0;
    for (const KernelStatement& s : g_.kernel.body) {
      const auto see = [&](const Expr& e) {
        each_read(e, [&](const Read& r) {
          if (r.tensor != tensor || !most) return;
          const auto apart = constant_difference(r.index[dim], step);
          const bool near = apart && std::abs(*apart) <= kMostBack;
          most = near ? std::optional(std::max(*most, std::abs(*apart))) : std::nullopt;
        });
      };
      for (const Expr& e : s.index) see(e);
      see(s.value);
      if (s.where) see(s.where);
    }
    return most;
  }

  static void shorten(Tensor& t, const std::vector<KeptDim>& dims) {
    for (const KeptDim& k : dims) t.dims[k.dim] = constant_int(k.elements);
    t.strides = contiguous_strides(t.dims);
  }

  std::vector<Expr> in_ring(int tensor, std::vector<Expr> index) const {
    const auto at = kept_.find(tensor);
    if (at == kept_.end()) return index;
    for (const KeptDim& k : at->second)
      index[k.dim] = k.elements == 1 ? constant_int(0) : apply(ScalarOp::Mod, {index[k.dim], constant_int(k.elements)});
    return index;
  }

  /// Reads of the ring buffer; whether a fill applies is decided by the original step.
  Expr changed(const Expr& e) const {
    const Expr r = map_children(e, [&](const Expr& c) { return changed(c); });
    const auto* read = std::get_if<Read>(&r->node);
    const auto at = read ? kept_.find(read->tensor) : kept_.end();
    if (at == kept_.end()) return r;
    const Expr inside = read_of(read->tensor, r->type, in_ring(read->tensor, read->index), read->fill);
    Expr holds;
    for (const KeptDim& k : at->second) {
      if (!read->fill || k.elements == 1) continue;
      const Expr& i = read->index[k.dim];
      holds = both(holds, both(apply(ScalarOp::Ge, {i, constant_int(0)}), apply(ScalarOp::Lt, {i, k.extent})));
    }
    return holds ? select(holds, inside, read->fill) : inside;
  }

  SteppedGroup& g_;
  KeptDims kept_;
};

}  // namespace

void keep_steps(SteppedGroup& group) { StepKeeper(group).run(); }

}  // namespace tenon
