// Building blocks of forks: queries about a kernel, conditions, and the two resulting kernels.
#pragma once

#include <functional>
#include <string>

#include "lower/kernel/variants.h"

namespace tenon {

Expr equals(const Expr& a, int64_t v);
/// Whether only run time knows the size.
bool is_open(const Kernel& k, const std::string& size);
/// The size that the expression is, "" where it is something else.
std::string size_name(const Expr& e);
/// A condition that the kernel is known not to meet, because it is the other side of a fork.
bool ruled_out(const Kernel& k, const Expr& holds);
/// Adds to the condition that the size, which only run time knows, is in this range, unless it always is; false where
/// it never is. What a kernel is known to meet has no place in a condition: facts are simplified, and not found again.
bool demand(const Kernel& k, const std::string& size, int64_t least, int64_t most, Expr& holds);
/// `otherwise`: the kernel itself.
Fork fork_on(const Expr& holds, Kernel then, const Kernel& otherwise);
/// Calls visit(reduction) for every reduction in the kernel.
void each_reduction(const Kernel& k, const std::function<void(const Reduce&)>& visit);

/// The expression where this element of an attribute is this number.
Expr replaced_attr(const Expr& e, const std::string& name, int element, int64_t v);

// ---- copies (copy_forks.cc)
/// A copy of a plane where source and target are dense along different dimensions: tiles are transposed in registers.
std::optional<Fork> fork_transposed(const Kernel& k);
/// Copies of lines whose places are clamped: where both ends are inside, all between them are.
std::optional<Fork> fork_clamped(const Kernel& k);
/// Copies of operands side by side: calls have two of them more often than all.
std::optional<Fork> fork_operands(const Kernel& k);
/// Copies that repeat a line: where it has one element, this is a value for all.
std::optional<Fork> fork_period(const Kernel& k);
/// Copies that step along a line: every element, every second, and backwards, by whole vectors.
std::optional<Fork> fork_copy_step(const Kernel& k);

// ---- lengths of reductions (length_forks.cc)
/// Short rows go several at a time.
std::optional<Fork> fork_rows(const Kernel& k);
/// Short rows with functions go a block at a time, each in a lane (rows_as_lanes.cc).
std::optional<Fork> fork_short_rows(const Kernel& k);
/// Long rows are asked for any or all elements in blocks, up to the one that decides.
std::optional<Fork> fork_questions(const Kernel& k);
/// Long columns are reduced a block of rows at a time.
std::optional<Fork> fork_columns(const Kernel& k);
/// Sums over windows that are short need no blocks.
std::optional<Fork> fork_windows(const Kernel& k);
/// Wide boxes are put together from smaller ones (box_forks.cc).
std::optional<Fork> fork_boxes(const Kernel& k);
/// Long windows are few: they get one body, whatever their steps.
bool has_long_windows(const Kernel& k);

// ---- positions of extremes (position_forks.cc)
/// Where an argmax runs in vectors: its positions fit, and there are many of them, as folding a vector of values and
/// positions takes longer than processing a few elements one by one.
std::optional<Fork> fork_positions(const Kernel& k);
/// Long rows of bytes are sought by blocks.
std::optional<Fork> fork_long_positions(const Kernel& k);

// ---- what is broadcast (repeat_forks.cc)
/// The last dimension of the operand has one element, or each element is there once.
std::optional<Fork> fork_last_repeated(const Kernel& k);

// ---- steps of windows (step_forks.cc)
/// Windows that slide along the last dimension by an attribute's steps: 1 and 2 get code of their own, taps lying side
/// by side, and so do other steps up to a bound.
std::optional<Fork> fork_steps(const Kernel& k);

// ---- maxima of windows (place_maxima.cc)
/// Windows whose maxima are places at which a statement adds: where all are inside, none is padded.
std::optional<Fork> fork_inside_windows(const Kernel& k);

}  // namespace tenon
