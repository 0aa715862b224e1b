// Passes over an execution plan, in the order of plan_graph: fusion, buffers, then changes of these.
#pragma once

#include <vector>

#include "ir/nest/isa.h"
#include "ir/plan/execution_plan.h"
#include "schedule/fused_kernel.h"

namespace tenon {

/// The constant that holds the data of `t`, once for all kernels that read these elements; a new one has the name.
int table_buffer(ExecutionPlan& plan, const Tensor& t, const std::string& name);

/// Puts convolutions of stride 1 with constant weights into the transformed space of winograd_kernel, with their
/// weights transformed, where a count of operations and bytes says that it pays at the highest of `levels`; none where
/// there is no level with vectors. Sums come out in another order: kernels that forbid that stay as they are.
void use_winograd(ExecutionPlan& plan, const std::vector<const Isa*>& levels);

/// Turns buffers into views of others and drops what becomes a copy of a buffer to itself:
///   a statement that copies all of X to one run of elements of Y  → X is in Y, its maker writes it there
///   a step that copies one run of elements of X to all of Y       → Y is in X
///   a step that reads X only at the element that it writes, last  → its result is in X (or X in the result, where
///   that leaves the model)
/// Inputs of a graph are never written, and a view of a graph's output is written only by its single writer.
void place_views(ExecutionPlan& plan);

/// The new value of a state becomes a view of it if nothing reads the old contents after they are overwritten; copies
/// of a whole state that are then changed element by element become changes of the state itself. Views are placed.
void place_states(ExecutionPlan& plan);

/// Every constant that is the right side of a contraction becomes panels: [outer…][columns / w][depth][w], w the
/// columns that fill a cache line, the last panel filled with 0. The kernel then reads panel n/w, depth k, column n%w:
/// one layout for every ISA level. With wider panels, levels with narrower tiles would use half of each pair of cache
/// lines, and so half of the cache sets. Convolutions of floats come to sum over their channels last. `quads`: panels
/// of bytes have words of four after those of two (BytePanel).
void prepack_weights(ExecutionPlan& plan, bool quads);

/// Sets PlanStep::twin where an earlier step's kernel does the same to tensors of the same shapes: one function serves
/// both.
void share_kernels(ExecutionPlan& plan);

/// The kernel with names that depend on its structure alone; equal texts of two such kernels mean equal kernels.
std::string structure_of(const Kernel& kernel);

/// `nodes`: per node of the graph its kernel, in order. Fuses pointwise operators into what makes their input
/// (epilogue) or reads their output (prologue), leaves reshapes as views of their input, and keeps everything that an
/// output needs. Each step says in its notes why its operators are one kernel. Offsets are not assigned yet.
ExecutionPlan form_kernels(const Graph& graph, std::vector<FusedKernel> nodes, bool fuse);

/// The plan of `kernels`, which are in the order in which they run; `regions` are the graph's. A value has a buffer
/// of its own, except: a carried value and its result share one, and so does what the next iteration sees if nobody
/// needs the old value any more (else it is copied); a branch writes its results where the outside reads them; slices
/// are places in the buffer of the whole. Offsets in the arena are not assigned yet.
ExecutionPlan assign_buffers(const Graph& graph, const std::vector<Region>& regions, std::vector<FusedKernel> kernels);

}  // namespace tenon
