// Graph and the kernel of each operator → execution plan.
#include "schedule/form_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "algebra/simplify.h"
#include "schedule/index_map.h"

namespace tenon {
namespace {

class KernelFormer {
 public:
  KernelFormer(const Graph& graph, std::vector<FusedKernel> nodes, std::vector<FusionNote>* notes) : graph_(graph), notes_(notes) {
    for (FusedKernel& n : nodes) kernels_.push_back(std::move(n));
    alive_.assign(kernels_.size(), true);
    for (size_t i = 0; i < kernels_.size(); ++i)
      for (size_t t = 0; t < kernels_[i].values.size(); ++t) {
        const ValueId v = kernels_[i].values[t];
        if (v == kNoValue) continue;
        if (kernels_[i].kernel.tensors[t].role == Role::Output)
          maker_[v] = i;
        else
          readers_[v].insert(i);
      }
    for (const ValueId v : graph.outputs) outputs_.insert(v);
  }

  void fuse() {
    find_views();
    for (size_t i = 0; i < kernels_.size(); ++i)
      while (alive_[i] && fuse_into(i)) {
      }
  }

  ExecutionPlan plan() {
    ExecutionPlan p;
    p.name = graph_.name;
    p.doc = graph_.doc;
    p.sizes = graph_.sizes;
    for (size_t i = 0; i < kernels_.size(); ++i)
      if (alive_[i]) p.steps.push_back(step(i, p));
    for (const ValueId v : graph_.inputs) p.inputs.push_back(buffer(v, p));
    for (const ValueId v : graph_.outputs) p.outputs.push_back(buffer(v, p));
    return p;
  }

 private:
  /// A kernel that copies its input element by element in the same order moves nothing: readers look at the input.
  bool is_view(const FusedKernel& k) const {
    if (!is_movement(k.kernel) || !k.kernel.checks.empty()) return false;
    const KernelStatement& s = k.kernel.body[0];
    const auto* r = std::get_if<Read>(&s.value->node);
    if (!r || r->fill) return false;
    const auto at = reindex(k.kernel.tensors[static_cast<size_t>(r->tensor)], r->index, k.kernel.tensors[static_cast<size_t>(s.target)]);
    if (!at) return false;
    Ranges ranges;
    for (const LoopVar& v : s.loops) ranges.extents[v.name] = v.extent;
    for (size_t d = 0; d < s.index.size(); ++d)
      if (!same(simplify((*at)[d], ranges), s.index[d]) && !is_one(k.kernel.tensors[static_cast<size_t>(s.target)].dims[d])) return false;
    return true;
  }

  void find_views() {
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (!is_view(kernels_[i])) continue;
      const ValueId made = output_of(i), read = input_of(i);
      if (outputs_.count(made) || read == kNoValue || is_border(read)) continue;
      replace_reads(made, read);
      alive_[i] = false;
    }
  }

  bool is_border(ValueId v) const { return outputs_.count(v) != 0; }

  ValueId output_of(size_t i) const {
    ValueId out = kNoValue;
    for (size_t t = 0; t < kernels_[i].values.size(); ++t)
      if (kernels_[i].kernel.tensors[t].role == Role::Output) out = out == kNoValue ? kernels_[i].values[t] : kNoValue - 1;
    return out < 0 ? kNoValue : out;
  }

  ValueId input_of(size_t i) const {
    for (size_t t = 0; t < kernels_[i].values.size(); ++t)
      if (kernels_[i].kernel.tensors[t].role == Role::Input) return kernels_[i].values[t];
    return kNoValue;
  }

  /// Readers of a view read what it views; their own shapes of it stay, since the memory is the same.
  void replace_reads(ValueId made, ValueId read) {
    for (const size_t reader : readers_[made]) {
      for (size_t t = 0; t < kernels_[reader].values.size(); ++t)
        if (kernels_[reader].values[t] == made && kernels_[reader].kernel.tensors[t].role == Role::Input) kernels_[reader].values[t] = read;
      readers_[read].insert(reader);
    }
    readers_[read].erase(maker_.at(made));
    readers_.erase(made);
    maker_.erase(made);
  }

  bool is_constant(ValueId v) const { return graph_.values[static_cast<size_t>(v)].constant != nullptr; }

  /// Fuses one producer of kernel `i` into it; false when there is none left to fuse.
  bool fuse_into(size_t i) {
    for (size_t t = kernels_[i].values.size(); t-- > 0;) {
      const ValueId v = kernels_[i].values[t];
      if (v == kNoValue || kernels_[i].kernel.tensors[t].role != Role::Input) continue;
      const auto m = maker_.find(v);
      if (m == maker_.end() || !alive_[m->second] || outputs_.count(v) || readers_[v].size() != 1) continue;
      if (!worth(m->second, i, v)) continue;
      auto fused = substitute_producer(kernels_[m->second], kernels_[i], v);
      if (!fused) continue;
      note(m->second, i);
      adopt(m->second, i, v, std::move(*fused));
      return true;
    }
    return false;
  }

  bool worth(size_t producer, size_t consumer, ValueId v) const {
    const FusedKernel& p = kernels_[producer];
    const FusedKernel& c = kernels_[consumer];
    if (output_of(producer) != v) return false;
    if (reads_in_step(c, v)) return is_pointwise(p.kernel) || has_room_for_reduction(c);
    return is_pointwise(p.kernel) && is_pointwise(c.kernel) && (is_movement(p.kernel) || is_movement(c.kernel)) && p.kernel.checks.empty();
  }

  /// One reduction a kernel: a second would be computed beside the first in the same loops.
  bool has_room_for_reduction(const FusedKernel& c) const { return is_pointwise(c.kernel); }

  void adopt(size_t producer, size_t consumer, ValueId v, FusedKernel fused) {
    alive_[producer] = false;
    for (const ValueId x : kernels_[producer].values)
      if (x != kNoValue && x != v) {
        readers_[x].erase(producer);
        readers_[x].insert(consumer);
      }
    readers_.erase(v);
    maker_.erase(v);
    kernels_[consumer] = std::move(fused);
  }

  void note(size_t producer, size_t consumer) {
    if (notes_)
      notes_->push_back({fmt::format("{}", fmt::join(kernels_[consumer].kernel.fused, "_")),
                         fmt::format("{} goes into {}: its value is used once, at the element that is written", fmt::join(kernels_[producer].kernel.fused, " + "),
                                     fmt::join(kernels_[consumer].kernel.fused, " + "))});
  }

  int buffer(ValueId v, ExecutionPlan& p) {
    const auto known = buffers_.find(v);
    if (known != buffers_.end()) return known->second;
    const Value& value = graph_.values[static_cast<size_t>(v)];
    PlanBuffer b;
    b.name = value.name;
    b.original = value.original;
    b.dtype = value.dtype;
    b.dims = value.dims;
    b.data = value.constant;
    const bool input = std::find(graph_.inputs.begin(), graph_.inputs.end(), v) != graph_.inputs.end();
    b.kind = b.data ? BufferKind::Constant : input ? BufferKind::Input : outputs_.count(v) ? BufferKind::Output : BufferKind::Arena;
    SizeValues greatest;
    for (const GraphSize& s : graph_.sizes) greatest[s.name] = s.hi;
    b.bytes = evaluate(product(b.dims), greatest).value_or(0) * bytes_of(b.dtype);
    const int id = static_cast<int>(p.buffers.size());
    p.buffers.push_back(std::move(b));
    return buffers_[v] = id;
  }

  PlanStep step(size_t i, ExecutionPlan& p) {
    FusedKernel& k = kernels_[i];
    PlanStep s;
    for (size_t t = 0; t < k.values.size(); ++t) {
      s.buffers.push_back(k.values[t] == kNoValue ? -1 : buffer(k.values[t], p));
      if (s.buffers.back() >= 0 && p.buffers[static_cast<size_t>(s.buffers.back())].kind == BufferKind::Constant) k.kernel.tensors[t].role = Role::Constant;
    }
    std::string name = fmt::format("{}", fmt::join(k.kernel.fused, "_"));
    if (name.size() > 48) name = fmt::format("{}_and_{}_more", k.kernel.fused[0], k.kernel.fused.size() - 1);
    const int n = ++named_[name];
    k.kernel.name = n == 1 ? name : fmt::format("{}_{}", name, n);
    s.origin = fmt::format("{}", fmt::join(k.origins, ", "));
    s.kernel = k.kernel;
    return s;
  }

  const Graph& graph_;
  std::vector<FusionNote>* notes_;
  std::vector<FusedKernel> kernels_;
  std::vector<bool> alive_;
  std::map<ValueId, size_t> maker_;
  std::map<ValueId, std::set<size_t>> readers_;
  std::set<ValueId> outputs_;
  std::map<ValueId, int> buffers_;
  std::map<std::string, int> named_;
};

}  // namespace

ExecutionPlan form_kernels(const Graph& graph, std::vector<FusedKernel> nodes, bool fuse, std::vector<FusionNote>* notes) {
  KernelFormer former(graph, std::move(nodes), notes);
  if (fuse) former.fuse();
  return former.plan();
}

}  // namespace tenon
