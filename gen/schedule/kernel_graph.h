// The kernels of a graph while they are fused: who makes each value, who reads it, which order they can run in.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "schedule/fused_kernel.h"

namespace tenon {

class KernelGraph {
 public:
  KernelGraph(const Graph& graph, std::vector<FusedKernel> kernels);

  size_t size() const { return kernels_.size(); }
  bool alive(size_t k) const { return alive_[k]; }
  const FusedKernel& at(size_t k) const { return kernels_[k]; }
  const Graph& graph() const { return graph_; }

  /// The graph's regions, reading through views.
  const std::vector<Region>& regions() const { return regions_; }

  /// The graph or a region returns the value: it has to exist in memory.
  bool is_output(ValueId v) const { return outputs_.count(v) != 0; }
  /// Something other than a kernel needs the value.
  bool is_needed(ValueId v) const { return is_output(v) || region_reads_.count(v) != 0; }
  std::optional<size_t> maker(ValueId v) const;
  const std::set<size_t>& readers(ValueId v) const;
  /// Values that kernel `k` reads, in order of its tensors, each once; and those that it makes.
  std::vector<ValueId> read_by(size_t k) const { return values(k, false); }
  std::vector<ValueId> made_by(size_t k) const { return values(k, true); }
  /// The one value that `k` makes; kNoValue where there are several.
  ValueId only_output(size_t k) const;

  void set(size_t k, FusedKernel kernel);
  void remove(size_t k);
  /// Readers of `made` read `read` instead; their own shapes of it stay, since the memory is the same.
  void replace_reads(ValueId made, ValueId read);
  /// The kernel that makes `from` makes `to` instead, in the shape that it has; readers follow.
  void replace_made(ValueId from, ValueId to);

  /// Kernel `from` can run as late as `to`, in the same region: all others that read what it makes come after `to`,
  /// and so do regions.
  bool can_wait(size_t from, size_t to) const;
  /// The kernels that are left, in the graph's order.
  std::vector<FusedKernel> take();

 private:
  void rename(size_t k, Role role, ValueId from, ValueId to);
  std::vector<ValueId> values(size_t k, bool made) const;
  /// A region that reads the value, as a condition or whole, begins between the two kernels.
  bool begins_between(ValueId v, size_t from, size_t to) const;
  void link(size_t k);
  void unlink(size_t k);

  const Graph& graph_;
  std::vector<FusedKernel> kernels_;
  std::vector<bool> alive_;
  std::map<ValueId, size_t> maker_;
  std::map<ValueId, std::set<size_t>> readers_;
  std::vector<Region> regions_;
  std::set<ValueId> outputs_, region_reads_;
};

/// Puts the statements of `first` before those of `second`, whose reads of what `first` makes become reads of its
/// tensors. Values that nothing outside `needed` any more become temps. Nothing where the shapes of a value do not
/// nest.
std::optional<FusedKernel> concatenate(const FusedKernel& first, const FusedKernel& second,
                                       const std::set<ValueId>& needed);

/// Readers of `k`'s values outside of `k` and `with`, and the graph's outputs.
std::set<ValueId> needed_outside(const KernelGraph& g, size_t k, size_t with);

/// Temps that several statements make alike are made by the first of them. Whether a product or a recurrence is among
/// them.
bool share_statements(FusedKernel& kernel);
/// Merges kernels that differ in little more than their results and compute the same products or recurrences, such as
/// the gradients of attention.
void share_products(KernelGraph& graph);

/// Merges makers into readers, and readers of one value with each other, where at least one of the two reduces, every
/// value that flows between their statements is read at the row that is written, and a row of it is small. Contractions
/// and windows stay alone.
void merge_rows(KernelGraph& graph);

}  // namespace tenon
