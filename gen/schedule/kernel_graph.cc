// Who makes and who reads each value.
#include "schedule/kernel_graph.h"

#include "support/ranges.h"

namespace tenon {

KernelGraph::KernelGraph(const Graph& graph, std::vector<FusedKernel> kernels)
    : graph_(graph),
      kernels_(std::move(kernels)),
      alive_(kernels_.size(), true),
      regions_(graph.regions),
      outputs_(graph.outputs.begin(), graph.outputs.end()) {
  for (const Region& r : regions_) {
    const std::vector<ValueId> handed = handed_on(r), read = tenon::read_by(r);
    outputs_.insert(handed.begin(), handed.end());
    region_reads_.insert(read.begin(), read.end());
  }
  for (size_t k = 0; k < kernels_.size(); ++k) link(k);
}

std::vector<ValueId> KernelGraph::values(size_t k, bool made) const {
  std::vector<ValueId> out;
  const FusedKernel& f = kernels_[k];
  for (size_t t = 0; t < f.values.size(); ++t) {
    const Role role = f.kernel.tensors[t].role;
    if (f.values[t] == kNoValue || role == Role::Temp || (role == Role::Output) != made) continue;
    if (!contains(out, f.values[t])) out.push_back(f.values[t]);
  }
  return out;
}

void KernelGraph::link(size_t k) {
  for (const ValueId v : made_by(k)) maker_[v] = k;
  for (const ValueId v : read_by(k)) readers_[v].insert(k);
}

void KernelGraph::unlink(size_t k) {
  for (const ValueId v : made_by(k)) maker_.erase(v);
  for (const ValueId v : read_by(k)) readers_[v].erase(k);
}

std::optional<size_t> KernelGraph::maker(ValueId v) const { return lookup(maker_, v); }

const std::set<size_t>& KernelGraph::readers(ValueId v) const {
  static const std::set<size_t> none;
  const auto it = readers_.find(v);
  return it == readers_.end() ? none : it->second;
}

ValueId KernelGraph::only_output(size_t k) const {
  const std::vector<ValueId> made = made_by(k);
  return made.size() == 1 ? made[0] : kNoValue;
}

void KernelGraph::set(size_t k, FusedKernel kernel) {
  unlink(k);
  kernels_[k] = std::move(kernel);
  link(k);
}

void KernelGraph::remove(size_t k) {
  unlink(k);
  alive_[k] = false;
}

void KernelGraph::rename(size_t k, Role role, ValueId from, ValueId to) {
  FusedKernel changed = kernels_[k];
  for (size_t t = 0; t < changed.values.size(); ++t)
    if (changed.values[t] == from && changed.kernel.tensors[t].role == role) changed.values[t] = to;
  set(k, std::move(changed));
}

void KernelGraph::replace_reads(ValueId made, ValueId read) {
  const std::set<size_t> all = readers(made);
  for (const size_t k : all) rename(k, Role::Input, made, read);
  if (region_reads_.erase(made) == 0) return;
  region_reads_.insert(read);
  for (Region& r : regions_) for_each_value(r, [&](ValueId& v) { v = v == made ? read : v; });
}

void KernelGraph::replace_made(ValueId from, ValueId to) {
  rename(*maker(from), Role::Output, from, to);
  replace_reads(from, to);
}

bool KernelGraph::can_wait(size_t from, size_t to) const {
  if (from >= to || kernels_[from].region != kernels_[to].region) return false;
  for (const ValueId v : made_by(from)) {
    if (region_reads_.count(v) && begins_between(v, from, to)) return false;
    for (const size_t r : readers(v))
      if (r < to) return false;
  }
  return true;
}

bool KernelGraph::begins_between(ValueId v, size_t from, size_t to) const {
  for (size_t id = 0; id < regions_.size(); ++id) {
    const std::vector<ValueId> read = tenon::read_by(regions_[id]);
    if (!contains(read, v)) continue;
    for (size_t k = from + 1; k < to; ++k)
      if (alive_[k] && lies_in(regions_, kernels_[k].region, static_cast<RegionId>(id))) return true;
  }
  return false;
}

std::vector<FusedKernel> KernelGraph::take() {
  std::vector<FusedKernel> out;
  for (size_t k = 0; k < kernels_.size(); ++k)
    if (alive_[k]) out.push_back(std::move(kernels_[k]));
  return out;
}

}  // namespace tenon
