// Graph and the kernel of each operator → execution plan.
#include <fmt/format.h>

#include "algebra/contraction.h"
#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "schedule/fused_kernel.h"
#include "schedule/index_map.h"
#include "schedule/kernel_graph.h"
#include "schedule/plan_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The maximum number of operations for which a value is recomputed for a second reader.
constexpr int kCheap = 4;
/// The maximum number of nodes of a formula: substituting a value that its reader uses twice doubles the formula.
constexpr int64_t kLongest = 4000;
constexpr std::string_view kIntoPanels = "its elements are computed where the panels of the product are made";

/// Scalar operations of a formula; elementary functions count as many.
int operations(const Expr& e) {
  int n = 0;
  walk(e, [&](const Expr& x) {
    if (const auto* a = std::get_if<Apply>(&x->node))
      n += a->op == ScalarOp::Cast ? 0 : scalar_op_row(a->op).has('M') || a->op == ScalarOp::Philox ? 100 : 1;
    n += std::holds_alternative<Select>(x->node) ? 1 : 0;
    return !std::holds_alternative<Read>(x->node);
  });
  return n;
}

/// Nodes of formulas as trees, which is how later stages walk them.
int64_t length_of(const Kernel& k) {
  int64_t n = 0;
  for (const KernelStatement& s : k.body)
    walk(s.value, [&](const Expr&) {
      ++n;
      return true;
    });
  return n;
}

class KernelFormer {
 public:
  KernelFormer(const Graph& graph, std::vector<FusedKernel> nodes)
      : graph_(graph), kernels_(graph, with_constants(graph, std::move(nodes))) {}

  void fuse() {
    find_views();
    substitute_all();
    share_products(kernels_);
    merge_rows(kernels_);
    substitute_all();
    for (size_t k = 0; k < kernels_.size(); ++k)
      if (kernels_.alive(k)) split_loops(k);
  }

  ExecutionPlan plan() {
    const std::vector<Region> regions = kernels_.regions();
    return assign_buffers(graph_, regions, kernels_.take());
  }

 private:
  static std::vector<FusedKernel> with_constants(const Graph& graph, std::vector<FusedKernel> nodes) {
    for (FusedKernel& k : nodes) use_constants(graph, k);
    return nodes;
  }

  /// A kernel that copies its input element by element in the same order moves nothing: readers look at the input.
  static bool is_view(const FusedKernel& k) {
    if (!is_movement(k.kernel) || !k.kernel.checks.empty()) return false;
    const KernelStatement& s = k.kernel.body[0];
    const auto* r = std::get_if<Read>(&s.value->node);
    if (!r || r->fill) return false;
    const auto& op = k.kernel.fused;  // below, quotients and remainders would hide that the order is kept
    if (op.size() == 1 && (op[0] == "reshape" || op[0] == "reshape_grad_dX")) return true;
    const auto at = reindex(k.kernel.tensor(r->tensor), r->index, k.kernel.tensor(s.target));
    if (!at) return false;
    Ranges ranges;
    std::map<std::string, Expr> fixed;  // a variable that has one value
    for (const LoopVar& v : s.loops) {
      ranges.extents[v.name] = v.extent;
      if (is_one(v.extent)) fixed[v.name] = constant_int(0);
    }
    for (size_t d = 0; d < s.index.size(); ++d)
      if (!same(simplify(substitute((*at)[d], fixed), ranges), s.index[d]) &&
          !is_one(k.kernel.tensor(s.target).dims[d]))
        return false;
    return true;
  }

  /// Whether the memory of one holds the other whatever steps write: where such extents have to be equal, they are
  /// compared after they are written.
  bool keeps_count(ValueId made, ValueId read) const {
    const SizeExpr a = product(graph_.value(made).dims), b = product(graph_.value(read).dims);
    return a == b || (!depends_on_data(a) && !depends_on_data(b));
  }
  bool depends_on_data(const SizeExpr& extent) const {
    const std::vector<std::string> names = names_in(extent);
    return any_of(graph_.sizes, [&](const GraphSize& s) { return s.written && contains(names, s.name); });
  }

  void find_views() {
    for (size_t k = 0; k < kernels_.size(); ++k) {
      if (!is_view(kernels_.at(k))) continue;
      const FusedKernel& f = kernels_.at(k);  // it may have operands read only by a check that constants proved
      const int shown = std::get<Read>(f.kernel.body[0].value->node).tensor;
      const ValueId made = kernels_.only_output(k), read = f.values[static_cast<size_t>(shown)];
      if (made == kNoValue || kernels_.is_output(read) || !keeps_count(made, read)) continue;
      if (!kernels_.is_output(made)) {
        kernels_.remove(k);
        kernels_.replace_reads(made, read);
        continue;
      }
      // An output that is a view has to be written: by the kernel that makes its source, if there is one.
      const auto m = kernels_.maker(read);
      if (!m || kernels_.is_needed(read) || kernels_.at(*m).region != kernels_.at(k).region) continue;
      kernels_.remove(k);
      kernels_.replace_made(read, made);
    }
  }

  void substitute_all() {
    for (size_t k = 0; k < kernels_.size(); ++k)
      while (kernels_.alive(k) && fuse_into(k)) {
      }
  }

  /// Fuses one producer of kernel `k` into it; false when there is none left to fuse. A sum comes last: a kernel takes
  /// only one.
  bool fuse_into(size_t k) { return fuse_into(k, true) || fuse_into(k, false); }

  bool fuse_into(size_t k, bool pointwise) {
    std::vector<ValueId> reads = kernels_.read_by(k);
    std::reverse(reads.begin(), reads.end());
    for (const ValueId v : reads) {
      const auto m = kernels_.maker(v);
      if (m && is_pointwise(kernels_.at(*m).kernel) != pointwise) continue;
      if (!m || *m == k || kernels_.only_output(*m) != v || kernels_.at(*m).region != kernels_.at(k).region) continue;
      if (!fit_one_kernel(kernels_.at(*m), kernels_.at(k))) continue;
      const bool alone = kernels_.readers(v).size() == 1 && !kernels_.is_needed(v);
      const std::string_view why = alone ? worth(*m, k, v) : worth_repeating(*m, k);
      if (why.empty()) continue;
      auto fused = substitute_producer(kernels_.at(*m), kernels_.at(k), v);
      if (!fused || length_of(fused->kernel) > kLongest || !stays_contraction(kernels_.at(k), *fused) ||
          (why == kIntoPanels && !left_is_read(*fused)))
        continue;
      fused->notes.push_back(
          fmt::format("{} goes into {}: {}", operators_of(kernels_.at(*m)), operators_of(kernels_.at(k)), why));
      if (alone) kernels_.remove(*m);
      kernels_.set(k, std::move(*fused));
      if (!alone && kernels_.readers(v).empty() && !kernels_.is_needed(v)) kernels_.remove(*m);
      return true;
    }
    return false;
  }

  /// A consumer that runs from panels and register tiles keeps doing so.
  static bool stays_contraction(const FusedKernel& before, const FusedKernel& after) {
    const Kernel split_before = with_split_loops(before.kernel), split_after = with_split_loops(after.kernel);
    const auto was = find_contraction(split_before);
    if (!was) return true;
    const auto is = find_contraction(split_after);
    return is && is->is_stencil() == was->is_stencil() && (!reads_evenly(*was) || reads_evenly(*is));
  }

  /// The factors are read at constant steps: no index is divided or looked up, no element selected.
  static bool reads_evenly(const Contraction& c) {
    const auto steps = [](const Read& r) {
      return all_of(r.index, [](const Expr& i) { return steps_evenly(linear_form(i)); });
    };
    return !has_node<Select>(c.left) && !has_node<Select>(c.right) && all_reads(c.left, steps) &&
           all_reads(c.right, steps);
  }

  static bool steps_evenly(const LinearForm& form) {
    return none_of(form.terms, [](const auto& term) {
      const auto& node = term.first->node;
      return std::holds_alternative<Apply>(node) || std::holds_alternative<Select>(node) ||
             std::holds_alternative<Read>(node);
    });
  }

  /// Last, because fusion looks for one bare variable a dimension.
  void split_loops(size_t k) {
    FusedKernel split = kernels_.at(k);
    split.kernel = with_split_loops(split.kernel);
    for (KernelStatement& s : split.kernel.body) s.value = simplify(s.value, ranges_of(s.loops));
    kernels_.set(k, std::move(split));
  }

  /// Why the value's one reader computes it itself; empty where it does not.
  std::string_view worth(size_t producer, size_t consumer, ValueId v) const {
    const FusedKernel &p = kernels_.at(producer), &c = kernels_.at(consumer);
    const bool pointwise = is_pointwise(p.kernel);
    if (pointwise && moves_evenly(p.kernel) && p.kernel.checks.empty() && only_statement_reduces(c))
      return "it only moves or converts what is read";
    if (pointwise && p.kernel.checks.empty() && only_statement_reduces(c) &&
        operations(p.kernel.body[0].value) <= kCheap && grows(p.kernel) && is_panel(c, v))
      return kIntoPanels;
    if (!is_pointwise(c.kernel)) return {};
    if (reads_in_step(c, v) && (pointwise || p.kernel.body.size() == 1 || keeps_shape(p, c, v)))
      return "its value is used once, at the element that is written";
    if (pointwise && (is_movement(p.kernel) || is_movement(c.kernel)) && p.kernel.checks.empty())
      return "one of them only moves elements";
    return {};
  }

  /// The value is the side of a product that is copied to panels, each element once.
  static bool is_panel(const FusedKernel& c, ValueId v) {
    const Kernel split = with_split_loops(c.kernel);
    const auto product = find_contraction(split);
    const Read* right = product && !product->is_stencil() ? plain_read(product->right) : nullptr;
    return right && c.values[static_cast<size_t>(right->tensor)] == v;
  }
  /// The other side of the product is still read unchanged.
  static bool left_is_read(const FusedKernel& fused) {
    const Kernel split = with_split_loops(fused.kernel);
    const auto product = find_contraction(split);
    return product && plain_read(product->left);
  }

  /// Writes more bytes than it reads, as unpacking quantised numbers does; a value broadcast over a dimension is read
  /// once.
  static bool grows(const Kernel& k) {
    constexpr int64_t kOpen = 64;  // assumed for an unknown extent
    int64_t read = 0, made = 0;
    for (const Tensor& t : k.tensors) {
      int64_t n = bytes_of(t.dtype);
      for (size_t d = 0; d < t.dims.size(); ++d)
        n *= is_zero(t.strides[d]) ? 1 : constant_value(t.dims[d]).value_or(kOpen);
      (t.role == Role::Output ? made : read) += n;
    }
    return read < made;
  }

  /// Moves elements by constant steps: mirrored, wrapped, divided or looked-up indices would be computed for every
  /// product.
  static bool moves_evenly(const Kernel& k) {
    if (!is_movement(k)) return false;
    const Ranges ranges = ranges_of(k.body[0].loops);
    return all_reads(k.body[0].value, [&](const Read& r) {
      return all_of(r.index, [&](const Expr& i) { return steps_evenly(linear_form(simplify(i, ranges))); });
    });
  }

  /// Convolutions, products, pooling and plain reductions: one statement, no other reader of the elements in between.
  static bool only_statement_reduces(const FusedKernel& c) {
    return c.kernel.body.size() == 1 && c.kernel.checks.empty() && !is_pointwise(c.kernel) && !has_recurrence(c.kernel);
  }

  /// Statements of rows stay aligned only where the reader writes the same shape.
  static bool keeps_shape(const FusedKernel& p, const FusedKernel& c, ValueId v) {
    const Tensor& out = c.kernel.tensor(c.kernel.body[0].target);
    for (size_t t = 0; t < p.values.size(); ++t)
      if (p.values[t] == v && p.kernel.tensors[t].role == Role::Output && !same(p.kernel.tensors[t].dims, out.dims))
        return false;
    return true;
  }

  /// A value with several readers that is cheaper to compute than to load: computed from indices alone, or from far
  /// fewer elements than it has.
  std::string_view worth_repeating(size_t producer, size_t consumer) const {
    const FusedKernel &p = kernels_.at(producer), &c = kernels_.at(consumer);
    if (!is_pointwise(p.kernel) || !p.kernel.checks.empty() || operations(p.kernel.body[0].value) > kCheap) return {};
    if (!is_pointwise(c.kernel) && !only_statement_reduces(c)) return {};
    int64_t read = 0, made = 0;
    for (const Tensor& t : p.kernel.tensors) {
      int64_t n = bytes_of(t.dtype);
      for (const Expr& d : t.dims) n *= constant_value(d).value_or(1);
      (t.role == Role::Output ? made : read) += n;
    }
    return read * 4 <= made ? "computing it again costs less than reading it" : "";
  }

  const Graph& graph_;
  KernelGraph kernels_;
};

}  // namespace

ExecutionPlan form_kernels(const Graph& graph, std::vector<FusedKernel> nodes, bool fuse) {
  KernelFormer former(graph, std::move(nodes));
  if (fuse) former.fuse();
  return former.plan();
}

}  // namespace tenon
