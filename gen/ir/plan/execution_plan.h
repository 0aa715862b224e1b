// An execution plan: fused kernels in order, the buffers that they read and write, and the arena offset of each.
//
//   plan   := name, sizes, buffers, regions, steps, inputs, outputs, state, arena with its memories
//   buffer := kind name: dtype[extent, …] bytes, offset | slice of a buffer | view of a buffer from a byte on
//   region := loop or branch, copies before it and at the end of each iteration
//   step   := kernel(buffer, …)
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/kernel.h"
#include "ir/plan/memory_region.h"

namespace tenon {

enum class BufferKind : uint8_t {
  Input,
  Output,
  Constant,
  Arena,
  Slice,  ///< part `counter` of another buffer along its first axis
  View,   ///< a run of elements of another buffer
  State,  ///< in the memory that the caller keeps from one call to the next
};

struct PlanBuffer {
  std::string name;      ///< C identifier
  std::string original;  ///< the name that the file has
  DType dtype = DType::F32;
  std::vector<SizeExpr> dims;
  BufferKind kind = BufferKind::Arena;
  int64_t bytes = 0;                       ///< at the maximum sizes
  int64_t offset = 0;                      ///< Arena, State: in bytes from its start, a multiple of 64
  int memory = 0;                          ///< Arena: which of the plan's memories, where it has some
  std::shared_ptr<const TensorData> data;  ///< Constant
  RegionId region =
      kTopLevel;   ///< Arena: the region outside of which nobody needs it; Slice: the loop whose counter it follows
  int whole = -1;  ///< Slice: the buffer that it is a part of
  bool reversed = false;    ///< Slice: part trip - 1 - counter, or count - 1 - counter
  int base = -1;            ///< View: the buffer that it is in
  int64_t base_offset = 0;  ///< View: from this byte of it on
};

/// All elements of `to` become those of `from`.
struct PlanCopy {
  int to = -1, from = -1;
};

/// A loop or a branch around steps. Its values are buffers of one element.
struct PlanRegion : RegionHead {
  bool complete = false;         ///< fewer iterations than `trip` would leave results undefined
  std::vector<PlanCopy> before;  ///< once, before the first iteration
  std::vector<PlanCopy> after;   ///< after each iteration
};

/// One kernel of the program.
struct PlanStep {
  Kernel kernel;               ///< tensors that are not temps are the buffers
  std::vector<int> buffers;    ///< per tensor of the kernel: index into ExecutionPlan::buffers, -1 for temps
  std::string origin;          ///< operators that it carries out
  int64_t scratch = 0;         ///< bytes of workspace that its body needs, those of the workers after the rest
  int64_t worker_scratch = 0;  ///< of these, bytes for each worker
  int64_t scratch_offset = 0;
  int scratch_memory = 0;       ///< as in PlanBuffer
  RegionId region = kTopLevel;  ///< the innermost one that it is in
  int twin = -1;  ///< an earlier step whose kernel is the same but for names; this step calls it with its own buffers
  std::vector<std::string> notes;  ///< why its operators are one kernel
  std::string algorithm;           ///< how it computes what its operators say, where that is another way; or ""
};

/// Memory that is kept from one call to the next.
struct PlanState {
  int held = -1;      ///< State: what a call reads
  int next = -1;      ///< what replaces it: a view of `held`, or a buffer that is copied at the end of the call
  int initial = -1;   ///< Constant: the contents before the first call; -1: zeros
  int gradient = -1;  ///< output with the gradient of a trained parameter; -1: none
  bool parameter = false;
};

struct ExecutionPlan {
  std::string name;
  std::string doc;
  std::vector<GraphSize> sizes;
  std::vector<EqualExtents>
      equal;  ///< checked at every call: as the ranges of the sizes are, or when a step has written them
  std::vector<PlanBuffer> buffers;
  std::vector<PlanRegion> regions;
  std::vector<PlanStep> steps;       ///< the steps of a region are adjacent, and there is at least one
  std::vector<int> inputs, outputs;  ///< buffers in graph order
  std::vector<PlanState> state;
  int64_t arena_bytes = 0;             ///< of all its memories together
  std::vector<MemoryRegion> memories;  ///< those of the arena, the preferred one first; none: it is one piece
  int64_t state_bytes = 0;

  /// The number of a new buffer.
  int add(PlanBuffer b) {
    buffers.push_back(std::move(b));
    return static_cast<int>(buffers.size()) - 1;
  }
  const PlanBuffer& buffer(int b) const { return buffers[static_cast<size_t>(b)]; }
  PlanBuffer& buffer(int b) { return buffers[static_cast<size_t>(b)]; }
  const PlanRegion& region(RegionId id) const { return regions[static_cast<size_t>(id)]; }
  PlanRegion& region(RegionId id) { return regions[static_cast<size_t>(id)]; }
};

/// The step after which both extents are known; nothing if the caller gives all of their sizes, or the step that would
/// write one was removed as unused.
std::optional<size_t> last_writer(const ExecutionPlan& plan, const EqualExtents& extents);
/// The buffer that has memory of its own, that contains a slice or view; the buffer itself if it is neither.
int root_of(const ExecutionPlan& plan, int buffer);
/// Whether the contents of a state are replaced by a kernel, not by a copy at the end of the call.
bool is_in_place(const ExecutionPlan& plan, const PlanState& state);
/// Where a view is: the buffer that is not a view, and the byte in it.
struct BufferPlace {
  int root = 0;
  int64_t offset = 0;
};
BufferPlace place_of(const ExecutionPlan& plan, int buffer);
/// "fast + 128", a place in one of the arena's memories; "128" where it is one piece.
std::string arena_place_text(const ExecutionPlan& plan, int memory, int64_t offset);

std::string to_text(const ExecutionPlan& plan);
/// Buffers out of range, steps that read what nothing has written, overlapping live buffers; empty when sound.
std::vector<std::string> verify(const ExecutionPlan& plan);

}  // namespace tenon
