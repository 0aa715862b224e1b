// Rewritings of a loop tree, in the order of the table: where temps live, which loops are vectors.
#pragma once

#include <span>
#include <string_view>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/tree/loop_tree.h"

namespace tenon {

struct LowerContext {
  const Kernel& kernel;
  const Isa& isa;
  const Blueprints& blueprints;
};

struct TreePass {
  std::string_view name;
  void (*run)(const LowerContext&, LoopTree&);
};

/// The passes by name, in order.
std::span<const TreePass> tree_passes();

/// A temp of the shape and type of an output, whose last use computes the output's element from its own, is kept in the
/// output until then: softmax needs no memory for its exponentials.
void reuse_outputs(const Kernel&, LoopTree&);

/// Makes loops over one run of memory, and what is read for it, one loop: rows that are written one after the other.
void merge_loops(const Kernel&, LoopTree&);

/// Replaces the two loops of a nest that reads along one variable and writes along the other by a transposed tile;
/// loops that stood between them move outside.
void find_transposes(const Kernel&, const Isa&, LoopTree&);

/// Marks definitions that may overwrite what the step before has made. A step that gives new values to single elements,
/// g[t,i] = select(i == At[t], v, g[t - 1,i]), goes over these elements only.
void update_in_place(const Kernel&, LoopTree&);

/// Marks the outermost loops whose iterations can be written together: every store and most loads walk memory by ones,
/// no lane needs what another does. Loops over a reduction get accumulators of their own in every lane. Without vectors
/// in the ISA, sums and products of floats still get several accumulators.
void plan_vectors(const Kernel&, const Isa&, const Blueprints&, LoopTree&);

/// For loops whose body is several vector loops over the same extent (softmax, norms): the last of them fetches what
/// the first passes of the next iteration read, and tensors that an earlier one went over are not fetched again.
void plan_prefetch(const Kernel&, const Isa&, const Blueprints&, LoopTree&);

/// Marks loops over rows known to be short, each of which is reduced by vector loops to a number that the next rows'
/// numbers are next to: as many rows as a vector has lanes go together, and one fold gives a vector of their results.
/// The loop may be alone in another one where it sums products.
void join_rows(const Kernel&, const Isa&, LoopTree&);

/// Whether a loop of the tree takes rows together.
bool joins_rows(const Tree&);

/// Marks each outermost loop of a tree whose iterations write different elements and share no memory of the workspace.
/// A vector loop over many elements is cut into blocks first, and the loop over blocks is marked.
void mark_parallel(const Kernel&, LoopTree&);

/// Finds loops that only accumulate what is read in an arm of a selection whose condition is known before: the loop is
/// skipped where the condition holds in no lane.
void skip_loops(const Kernel&, LoopTree&);

/// Splits each loop that sums in floating point, and may run longer than one accumulator adds accurately, into blocks:
/// a block is added up as before, and the blocks into a compensated total. A loop that asks for any or all elements has
/// blocks too: those after the one that decides are skipped.
void block_sums(const Kernel&, LoopTree&);

}  // namespace tenon
