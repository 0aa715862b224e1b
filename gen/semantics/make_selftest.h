// The expected outputs of a model's self-test: those of the interpreter for random inputs.
#pragma once

#include <optional>
#include <string>

#include "harness/model/model_selftest.h"
#include "ir/graph/graph.h"
#include "ir/op/op_def.h"

namespace tenon {

/// The answers of the graph as it was read, operator by operator. Open sizes are two above their minimum, if their
/// ranges allow. Nothing where there is no self-test for this model; `fault` then says why.
std::optional<Selftest> make_selftest(const OpLibrary& defs, const Graph& graph, double most_work, std::string& fault);

}  // namespace tenon
