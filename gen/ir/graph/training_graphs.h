// What a program that trains needs of a training graph.
#pragma once

#include "ir/graph/graph.h"

namespace tenon {

/// States that every step may have next to those of its parameters: the number of steps that were done, and the seed of
/// the run. No parameter has such a name.
inline constexpr const char *kStepState = "tenon.step", *kSeedState = "tenon.seed";

/// States of a step whose loss is scaled by what overflows: the scale, the steps since it changed, and the updates that
/// were made.
inline constexpr const char *kScaleState = "tenon.loss_scale", *kScaleAgeState = "tenon.loss_scale.age",
                            *kUpdatesState = "tenon.updates";

/// Suffix of a parameter's running mean, which validation reads in its place.
inline constexpr const char* kAverageState = ".average";

/// What a step computes: the loss, which is the first output, the gradients of the parameters, and the next state.
Graph step_graph(const Graph& training);

}  // namespace tenon
