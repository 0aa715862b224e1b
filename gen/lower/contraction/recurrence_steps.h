// Recurrences over products: each step multiplies rows by matrices that all steps share, as the cells of recurrent
// networks do. The panels of such a matrix are packed once for all steps; a product of inputs is computed for all steps
// before the first.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/contraction/join_segments.h"

namespace tenon {

/// Neighbouring statements as a kernel of their own; temps that other segments touch are its inputs and outputs.
struct StepSegment {
  bool contracts = false;  ///< one statement, a contraction
  Kernel kernel;
};

struct RecurrenceSteps {
  std::vector<StepSegment> before, after;  ///< over all steps
  std::vector<StepSegment> steps;          ///< of one step; empty where no product is part of the recurrence
  std::vector<LoopVar> lead;               ///< the loops over the steps, outermost first
  std::vector<std::string> lead_names;     ///< what their variables are called as sizes of the steps' kernels
  std::vector<Tensor> shared;              ///< temps that more than one segment touches, as far as they are kept
  Expr rows, columns;                      ///< what the first product has of them
};

/// The segments of a kernel whose reductions are statements of their own (separate-reductions); nothing where it is no
/// recurrence, or has no product in it or before it.
std::optional<RecurrenceSteps> find_recurrence_steps(const Kernel& kernel);

/// A recurrence with products, after its passes, and the segments that it has.
struct SteppedKernel {
  Kernel kernel;
  RecurrenceSteps steps;
};

/// A group of statements as those of one step: the loops over steps have become sizes.
struct SteppedGroup {
  Kernel kernel;
  std::vector<LoopVar> lead;
  std::vector<std::string> names;
  std::set<int> outside = {};  ///< tensors that other statements touch
  std::set<int> kept = {};     ///< temps of which later steps read what earlier ones made
};

/// Temps that nothing else touches keep as many steps as their reads reach back.
void keep_steps(SteppedGroup& group);

/// The segments of a recurrence; nothing where a segment cannot be expressed, and the target is as before.
std::optional<PanelledBody> lower_recurrence(const SteppedKernel& recurrence, const Isa& isa,
                                             const Blueprints& blueprints, const LowerStatements& loops,
                                             NestTarget target);

}  // namespace tenon
