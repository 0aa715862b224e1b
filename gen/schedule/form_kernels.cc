// Graph and the kernel of each operator → execution plan.
#include "schedule/form_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "algebra/simplify.h"
#include "schedule/assign_buffers.h"
#include "schedule/index_map.h"

namespace tenon {
namespace {

class KernelFormer {
 public:
  KernelFormer(const Graph& graph, std::vector<FusedKernel> nodes, std::vector<FusionNote>* notes) : graph_(graph), regions_(graph.regions), notes_(notes) {
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
    outputs_.insert(graph.outputs.begin(), graph.outputs.end());
    for (const Region& r : regions_) {
      const std::vector<ValueId> handed = handed_on(r), read = read_by(r);
      outputs_.insert(handed.begin(), handed.end());
      region_reads_.insert(read.begin(), read.end());
    }
  }

  void fuse() {
    find_views();
    for (size_t i = 0; i < kernels_.size(); ++i)
      while (alive_[i] && fuse_into(i)) {
      }
  }

  ExecutionPlan plan() {
    std::vector<FusedKernel> kernels;
    for (size_t i = 0; i < kernels_.size(); ++i)
      if (alive_[i]) kernels.push_back(std::move(kernels_[i]));
    return assign_buffers(graph_, regions_, std::move(kernels));
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
    std::map<std::string, Expr> fixed;  // a variable that has one value
    for (const LoopVar& v : s.loops) {
      ranges.extents[v.name] = v.extent;
      if (is_one(v.extent)) fixed[v.name] = constant_int(0);
    }
    for (size_t d = 0; d < s.index.size(); ++d)
      if (!same(simplify(substitute((*at)[d], fixed), ranges), s.index[d]) && !is_one(k.kernel.tensors[static_cast<size_t>(s.target)].dims[d])) return false;
    return true;
  }

  void find_views() {
    for (size_t i = 0; i < kernels_.size(); ++i) {
      if (!is_view(kernels_[i])) continue;
      const ValueId made = output_of(i), read = input_of(i);
      if (is_border(made) || read == kNoValue || is_border(read)) continue;
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
    if (region_reads_.erase(made) == 0) return;
    region_reads_.insert(read);
    for (Region& r : regions_)
      for_each_value(r, [&](ValueId& v) { v = v == made ? read : v; });
  }

  bool is_constant(ValueId v) const { return graph_.values[static_cast<size_t>(v)].constant != nullptr; }

  /// Fuses one producer of kernel `i` into it; false when there is none left to fuse.
  bool fuse_into(size_t i) {
    for (size_t t = kernels_[i].values.size(); t-- > 0;) {
      const ValueId v = kernels_[i].values[t];
      if (v == kNoValue || kernels_[i].kernel.tensors[t].role != Role::Input) continue;
      const auto m = maker_.find(v);
      if (m == maker_.end() || !alive_[m->second] || is_border(v) || region_reads_.count(v) || readers_[v].size() != 1) continue;
      // What a loop could compute once, it does not compute in every iteration.
      if (kernels_[m->second].region != kernels_[i].region) continue;
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

  const Graph& graph_;
  std::vector<Region> regions_;  // the graph's, reading through views
  std::vector<FusionNote>* notes_;
  std::vector<FusedKernel> kernels_;
  std::vector<bool> alive_;
  std::map<ValueId, size_t> maker_;
  std::map<ValueId, std::set<size_t>> readers_;
  std::set<ValueId> outputs_;       // of the graph, and what regions hand on: they have to exist
  std::set<ValueId> region_reads_;  // what regions look at themselves
};

}  // namespace

ExecutionPlan form_kernels(const Graph& graph, std::vector<FusedKernel> nodes, bool fuse, std::vector<FusionNote>* notes) {
  KernelFormer former(graph, std::move(nodes), notes);
  if (fuse) former.fuse();
  return former.plan();
}

}  // namespace tenon
