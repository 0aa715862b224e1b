// Statements of a recurrence on their way into a kernel: the types of their intermediates, which their own values read,
// and their loops.
#pragma once

#include <functional>
#include <vector>

#include "library/expr_builder.h"

namespace tenon {

/// The point at which the statements of a body become those of a kernel.
struct RecurrenceScope {
  const OpLibrary& library;
  Scope& scope;
  Kernel& kernel;
  std::function<ExprBuilder::Statement(const Statement&)> facts_of;  ///< what holds while a statement is built
};

/// Gives the intermediates that `statements` define, temps of the kernel by now, the types of their values.
void infer_types(const std::vector<const Statement*>& statements, const RecurrenceScope& in);

/// The loops of a statement in its order, and how many of them it shares with the one before.
void run_in_order(const Statement& s, const Scope& scope, ExprBuilder& expr, KernelStatement& out);

/// Of the group of the statements from `first` on: an element that is read through a guard (clamp, wrap, …) and is not
/// computed yet is 0.
void read_computed_only(Kernel& kernel, size_t first);

/// Whether a check needs what the tensor will be only once the kernel runs.
bool asks_for(const Check& check, int tensor);

}  // namespace tenon
