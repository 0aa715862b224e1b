// How the section `train` of a graph says that parameters move.
#pragma once

#include "frontend/yaml/add_training.h"
#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// Reports keys of the section that are unknown, missing, or hold something else.
void check_train_keys(const YamlNode& train, Diagnostics& diagnostics);

/// Optimizer, schedule, limits of gradients, groups. Errors are reported.
Optimizer read_train_section(const YamlNode& train, const std::vector<TrainedParameter>& trained,
                             const OpSemantics& semantics, Diagnostics& diagnostics);

}  // namespace tenon
