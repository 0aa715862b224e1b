// Kernels that compute the same on the way to different results, as gradients of one call do, become one kernel that
// computes it once.
#include <fmt/format.h>

#include "algebra/contraction.h"
#include "ir/kernel/statement_parts.h"
#include "schedule/kernel_graph.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Which statement makes each tensor of a kernel; -1: none, or several.
class Makers {
 public:
  explicit Makers(const Kernel& k) : k_(k), at_(k.tensors.size(), -1), written_(k.tensors.size()) {
    for (size_t i = 0; i < k.body.size(); ++i) {
      const auto t = static_cast<size_t>(k.body[i].target);
      at_[t] = written_[t] ? -1 : static_cast<int>(i);
      written_[t] = true;
    }
  }

  /// The statement makes a temporary that is not changed later, from values with the same property: another copy of the
  /// statement gives the same elements.
  bool is_lasting(const KernelStatement& s) const {
    if (k_.tensor(s.target).role != Role::Temp || s.update != Update::Assign || at_[static_cast<size_t>(s.target)] < 0)
      return false;
    return !any_read(s.value, [&](const Read& r) {
      return written_[static_cast<size_t>(r.tensor)] && at_[static_cast<size_t>(r.tensor)] < 0;
    });
  }

  /// `e`, with sums that have a name in its place: a definition's own sums have none where a gradient does not read
  /// them.
  Expr with_sums(const Expr& e) const {
    const auto* r = std::get_if<Read>(&e->node);
    const int at = r && !r->fill ? at_[static_cast<size_t>(r->tensor)] : -1;
    if (at < 0) return map_children(e, [&](const Expr& c) { return with_sums(c); });
    const KernelStatement& s = k_.body[static_cast<size_t>(at)];
    const bool here = is_lasting(s) && std::holds_alternative<Reduce>(s.value->node) &&
                      std::equal(s.index.begin(), s.index.end(), r->index.begin(), r->index.end(),
                                 [](const Expr& a, const Expr& b) { return same(a, b); });
    return here ? s.value : e;
  }

 private:
  const Kernel& k_;
  std::vector<int> at_;
  std::vector<bool> written_;
};

bool is_product(const Kernel& k, const KernelStatement& s) {
  Kernel one = k;
  one.body = {s};
  one.checks.clear();
  return find_contraction(one).has_value();
}

class StatementSharer {
 public:
  explicit StatementSharer(FusedKernel& fused) : fused_(fused), k_(fused.kernel) {}

  /// Whether a product or a recurrence was among the merged statements.
  bool run() {
    const Makers makers(k_);
    std::vector<int> to(k_.tensors.size());
    for (size_t t = 0; t < to.size(); ++t) to[t] = static_cast<int>(t);
    bool long_work = false;
    std::vector<KernelStatement> kept;
    std::vector<std::vector<KernelStatement>> forms;  // of groups that others may be copies of
    for (size_t begin = 0, end; begin < k_.body.size(); begin = end) {
      for (end = begin + 1; end < k_.body.size() && k_.body[end].joined > 0;) ++end;
      std::vector<KernelStatement> group(k_.body.begin() + static_cast<std::ptrdiff_t>(begin),
                                         k_.body.begin() + static_cast<std::ptrdiff_t>(end));
      const bool lasting = all_of(group, [&](const KernelStatement& s) { return makers.is_lasting(s); });
      std::vector<KernelStatement> form = group;
      for (KernelStatement& s : form) s.value = makers.with_sums(s.value);
      renumber(group, to);
      renumber(form, to);
      const auto known =
          find_if(forms, [&](const std::vector<KernelStatement>& f) { return lasting && make_the_same(f, form); });
      if (known != forms.end()) {
        for (size_t i = 0; i < form.size(); ++i) to[static_cast<size_t>(form[i].target)] = (*known)[i].target;
        long_work = long_work ||
                    any_of(form, [&](const KernelStatement& s) { return is_in_recurrence(s) || is_product(k_, s); });
        continue;
      }
      append(kept, std::move(group));
      if (lasting) forms.push_back(std::move(form));
    }
    k_.body = std::move(kept);
    drop_unread();
    return long_work;
  }

 private:
  static void renumber(std::vector<KernelStatement>& group, const std::vector<int>& to) {
    for (KernelStatement& s : group) renumber_tensors(s, to);
  }

  /// Whether two groups make the same; statements of a recurrence read what others of their group make.
  bool make_the_same(const std::vector<KernelStatement>& a, std::vector<KernelStatement> b) const {
    if (a.size() != b.size()) return false;
    std::vector<int> to(k_.tensors.size());
    for (size_t t = 0; t < to.size(); ++t) to[t] = static_cast<int>(t);
    for (size_t i = 0; i < a.size(); ++i) {
      const Tensor &x = k_.tensor(a[i].target), &y = k_.tensor(b[i].target);
      if (x.dtype != y.dtype || !same(x.dims, y.dims) || !same(x.strides, y.strides)) return false;
      to[static_cast<size_t>(b[i].target)] = a[i].target;
    }
    renumber(b, to);
    return std::equal(a.begin(), a.end(), b.begin(), same_statement);
  }

  static bool same_statement(const KernelStatement& a, const KernelStatement& b) {
    return a.target == b.target && a.joined == b.joined && a.masks_by_zero == b.masks_by_zero &&
           same(a.index, b.index) &&
           std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), b.loops.end(),
                      [](const LoopVar& v, const LoopVar& w) {
                        return v.name == w.name && v.direction == w.direction && same(v.extent, w.extent);
                      }) &&
           same(a.value, b.value);
  }

  bool is_read(int tensor) const {
    const auto in = [&](const Expr& e) { return any_read(e, [&](const Read& r) { return r.tensor == tensor; }); };
    return any_of(k_.body, [&](const KernelStatement& s) { return any_expression(s, in); }) ||
           any_of(k_.checks, [&](const Check& c) { return in(c.holds); });
  }

  /// Unread temporaries, and the statements that made them.
  void drop_unread() {
    for (size_t t = k_.tensors.size(); t-- > 0;) {
      const int tensor = static_cast<int>(t);
      if (k_.tensors[t].role != Role::Temp || is_read(tensor)) continue;
      for (size_t i = k_.body.size(); i-- > 0;)
        if (k_.body[i].target == tensor) erase_statement(k_.body, i);
      drop_tensor(k_, tensor);
      fused_.values.erase(fused_.values.begin() + static_cast<std::ptrdiff_t>(t));
    }
  }

  FusedKernel& fused_;
  Kernel& k_;
};

/// Intermediates on the way to a result.
bool is_chain(const Kernel& k) { return (k.body.size() > 2 || has_recurrence(k)) && !is_opaque(k) && k.checks.empty(); }

/// Whether sharing leaves few statements more than the larger kernel had: the result of the other, or with recurrences
/// at most half of the other.
bool is_shared(const Kernel& merged, const Kernel& a, const Kernel& b) {
  const size_t larger = std::max(a.body.size(), b.body.size()), smaller = std::min(a.body.size(), b.body.size());
  return merged.body.size() <= larger + (has_recurrence(merged) ? smaller / 2 : 1);
}

/// Puts kernel `first` into `second` where a product or a recurrence is then made once instead of twice.
bool share(KernelGraph& g, size_t first, size_t second) {
  const FusedKernel &a = g.at(first), &b = g.at(second);
  if (a.region != b.region || !fit_one_kernel(a, b) || !g.can_wait(first, second)) return false;
  auto merged = concatenate(a, b, needed_outside(g, first, second));
  if (!merged || !share_statements(*merged)) return false;
  if (!is_shared(merged->kernel, a.kernel, b.kernel)) return false;
  merged->notes.push_back(fmt::format("{} and {}: both need the same {}", operators_of(a), operators_of(b),
                                      has_recurrence(merged->kernel) ? "recurrence" : "products"));
  g.remove(first);
  g.set(second, std::move(*merged));
  return true;
}

bool share_into(KernelGraph& g, size_t k) {
  for (const ValueId v : g.read_by(k))
    for (const size_t other : g.readers(v))
      if (other < k && g.alive(other) && is_chain(g.at(other).kernel) && share(g, other, k)) return true;
  return false;
}

}  // namespace

bool share_statements(FusedKernel& fused) { return StatementSharer(fused).run(); }

void share_products(KernelGraph& graph) {
  for (size_t k = 0; k < graph.size(); ++k)
    while (graph.alive(k) && is_chain(graph.at(k).kernel) && share_into(graph, k)) {
    }
}

}  // namespace tenon
