// The naive interpreter of graphs.
#include "oracle/run_graph.h"

#include <algorithm>
#include <memory>

#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Shared = std::shared_ptr<const TensorData>;

/// The child region of `outer` that contains `inner`.
RegionId child_towards(const Graph& graph, RegionId outer, RegionId inner) {
  while (graph.region(inner).parent != outer) inner = graph.region(inner).parent;
  return inner;
}

std::vector<int64_t> extents(const std::vector<SizeExpr>& dims, const SizeValues& sizes) {
  std::vector<int64_t> out;
  for (const SizeExpr& d : dims) {
    const auto v = evaluate(d, sizes);
    TENON_CHECK(v, "the extent {} has no value", to_text(d));
    out.push_back(*v);
  }
  return out;
}

class GraphRunner {
 public:
  GraphRunner(const Graph& graph, const std::vector<NodeKernel>& kernels, const SizeValues& sizes, Jitter jitter)
      : graph_(graph), kernels_(kernels), values_(graph.values.size()), jitter_(jitter.share), state_(jitter.stream) {
    run_.sizes = sizes;
    for (size_t v = 0; v < graph.values.size(); ++v) values_[v] = graph.values[v].constant;
  }

  GraphRun run(const std::vector<TensorData>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) value(graph_.inputs[i]) = std::make_shared<const TensorData>(inputs[i]);
    if (jitter_ > 0)
      for (Shared& v : values_)
        if (v) v = disturbed(*v);
    if (!part(0, graph_.nodes.size(), kTopLevel)) return std::move(run_);
    for (const ValueId v : graph_.outputs) run_.outputs.push_back(*value(v));
    return std::move(run_);
  }

 private:
  Shared& value(ValueId v) { return values_[static_cast<size_t>(v)]; }
  int64_t scalar(ValueId v) { return int_element(*value(v), 0); }
  std::vector<int64_t> dims_of(ValueId v) const { return extents(graph_.value(v).dims, run_.sizes); }

  bool stop(OracleStatus status, const std::string& origin) {
    run_.status = status;
    run_.origin = origin;
    return false;
  }

  /// Nodes begin … end, all of which are in `region`.
  bool part(size_t begin, size_t end, RegionId region) {
    for (size_t i = begin; i < end;) {
      const RegionId at = graph_.nodes[i].region;
      if (at == region) {
        if (!node(i++)) return false;
        continue;
      }
      const RegionId inner = child_towards(graph_, region, at);
      size_t last = i;
      while (last < end && lies_in(graph_.regions, graph_.nodes[last].region, inner)) ++last;
      const Region& r = graph_.region(inner);
      if (!(r.kind == Region::Kind::loop ? loop(r, i, last, inner) : branch(r, i, last, inner))) return false;
      i = last;
    }
    return true;
  }

  bool node(size_t i) {
    const NodeKernel& k = kernels_[i];
    OracleCall call;
    call.sizes = run_.sizes;
    call.tensors.resize(k.kernel.tensors.size());
    for (size_t t = 0; t < k.kernel.tensors.size(); ++t)
      if (k.kernel.tensors[t].role != Role::Output && k.values[t] != kNoValue) call.tensors[t] = *value(k.values[t]);
    const OracleStatus status = run_kernel(k.kernel, call);
    if (status != OracleStatus::Done) return stop(status, graph_.nodes[i].origin);
    for (const GraphSize& s : graph_.sizes)
      if (s.written) run_.sizes[s.name] = call.sizes.at(s.name);
    for (size_t t = 0; t < k.kernel.tensors.size(); ++t) {
      if (k.kernel.tensors[t].role != Role::Output || k.values[t] == kNoValue) continue;
      TensorData made = std::move(call.tensors[t]);
      made.dims = dims_of(k.values[t]);
      made.bytes.resize(static_cast<size_t>(element_count(made.dims)) * static_cast<size_t>(bytes_of(made.dtype)));
      value(k.values[t]) = disturbed(std::move(made));
    }
    return true;
  }

  Shared disturbed(TensorData t) {
    const bool floating = is_float(t.dtype) || is_complex(t.dtype);
    for (int64_t i = jitter_ > 0 && floating ? element_count(t.dims) : 0; i-- > 0;) {
      state_ = state_ * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const long double factor = 1 + jitter_ * (static_cast<double>(state_ >> 40) / 8388608.0 - 1);
      Number v = load_number(t, i);
      v.f *= factor;
      v.im *= factor;
      store_number(t, i, v);
    }
    return std::make_shared<const TensorData>(std::move(t));
  }

  bool loop(const Region& r, size_t begin, size_t end, RegionId id) {
    const int64_t maximum = std::max<int64_t>(0, evaluate(r.trip, run_.sizes).value_or(kUnboundedTrip));
    int64_t trip = r.count == kNoValue ? maximum : std::clamp<int64_t>(scalar(r.count), 0, maximum);
    if (r.starts != kNoValue && scalar(r.starts) == 0) trip = 0;
    const int64_t last = (r.count == kNoValue ? maximum : scalar(r.count)) - 1;
    for (const Carried& c : r.carried) value(c.inside) = value(c.initial);
    std::vector<std::vector<Shared>> parts(r.writes.size());
    int64_t done = 0;
    bool goes_on = true;
    for (; goes_on && done < trip; ++done) {
      run_.sizes[r.counter] = done;
      for (const Slice& s : r.reads)
        value(s.part) = slice(*value(s.whole), s.reversed ? last - done : done, dims_of(s.part));
      if (!part(begin, end, id)) return false;
      for (size_t k = 0; k < r.writes.size(); ++k) parts[k].push_back(value(r.writes[k].part));
      const std::vector<Shared> next = mapped(r.carried, [&](const Carried& c) { return value(c.next); });
      goes_on = r.continues == kNoValue || scalar(r.continues) != 0;
      for (size_t k = 0; k < next.size(); ++k) value(r.carried[k].inside) = next[k];
    }
    for (const Carried& c : r.carried)
      if (c.result != kNoValue) value(c.result) = value(c.inside);
    const bool cut_off = r.count != kNoValue && goes_on && done == maximum && scalar(r.count) > maximum;
    if (!r.writes.empty() && (r.partial ? cut_off : done != maximum)) return stop(OracleStatus::Shape, r.origin);
    for (size_t k = 0; k < parts.size(); ++k) value(r.writes[k].whole) = joined(r.writes[k], parts[k]);
    run_.sizes.erase(r.counter);
    return true;
  }

  static Shared slice(const TensorData& whole, int64_t at, std::vector<int64_t> dims) {
    TensorData out{whole.dtype, std::move(dims), {}};
    const auto bytes = static_cast<std::ptrdiff_t>(element_count(out.dims) * bytes_of(out.dtype));
    out.bytes.assign(whole.bytes.begin() + at * bytes, whole.bytes.begin() + (at + 1) * bytes);
    return std::make_shared<const TensorData>(std::move(out));
  }

  Shared joined(const Slice& s, const std::vector<Shared>& parts) const {
    TensorData out{graph_.value(s.whole).dtype, dims_of(s.whole), {}};
    for (size_t k = 0; k < parts.size(); ++k) {
      const TensorData& p = *parts[s.reversed ? parts.size() - 1 - k : k];
      append(out.bytes, p.bytes);
    }
    out.bytes.resize(static_cast<size_t>(element_count(out.dims) * bytes_of(out.dtype)));
    return std::make_shared<const TensorData>(std::move(out));
  }

  bool branch(const Region& r, size_t begin, size_t end, RegionId id) {
    if ((scalar(r.condition) != 0) != r.holds) return true;
    if (!part(begin, end, id)) return false;
    for (const BranchResult& b : r.results) value(b.result) = value(b.inside);
    return true;
  }

  const Graph& graph_;
  const std::vector<NodeKernel>& kernels_;
  std::vector<Shared> values_;
  double jitter_;
  uint64_t state_;
  GraphRun run_;
};

double product_of(const std::vector<Expr>& extents, const OracleCall& call) {
  double n = 1;
  for (const Expr& e : extents) n *= static_cast<double>(evaluate_size(e, call));
  return n;
}

double loops_product(const std::vector<LoopVar>& loops, const OracleCall& call) {
  const std::vector<Expr> extents = mapped(loops, &LoopVar::extent);
  return product_of(extents, call);
}

/// Numbers that one evaluation of `e` computes: one, and those of its reductions.
double evaluations(const Expr& e, const OracleCall& call) {
  double n = 1;
  const auto* r = std::get_if<Reduce>(&e->node);
  if (r) return loops_product(r->vars, call) * evaluations(r->value, call);
  each_child(e, [&](const Expr& c) { n += evaluations(c, call) - 1; });
  return n;
}

double kernel_work(const Kernel& kernel, const OracleCall& given) {
  OracleCall call{given.sizes, given.attrs, {}, {}};
  take_bounds(kernel, call);
  double n = 0;
  for (const KernelStatement& s : kernel.body) n += loops_product(s.loops, call) * evaluations(s.value, call);
  for (const Kernel& part : kernel.parts) n += kernel_work(part, call);
  if (kernel.call)
    for (const Tensor& t : kernel.tensors) n += product_of(t.dims, call);
  return n;
}

}  // namespace

GraphRun run_graph(const Graph& graph, const std::vector<NodeKernel>& kernels, const SizeValues& sizes,
                   const std::vector<TensorData>& inputs, Jitter jitter) {
  return GraphRunner(graph, kernels, sizes, jitter).run(inputs);
}

double graph_work(const Graph& graph, const std::vector<NodeKernel>& kernels, const SizeValues& sizes) {
  OracleCall call;
  call.sizes = sizes;
  for (const GraphSize& s : all_sizes(graph)) call.sizes.emplace(s.name, s.hi);
  double n = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    double times = 1;
    for (RegionId r = graph.nodes[i].region; r != kTopLevel; r = graph.region(r).parent) {
      const Region& region = graph.region(r);
      if (region.kind == Region::Kind::loop)
        times *= static_cast<double>(std::max<int64_t>(0, evaluate(region.trip, call.sizes).value_or(kUnboundedTrip)));
    }
    n += times * kernel_work(kernels[i].kernel, call);
  }
  return n;
}

}  // namespace tenon
