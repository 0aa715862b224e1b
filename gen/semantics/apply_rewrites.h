// Stage rewrite as the driver calls it: the module `rewrite` with the library, its recipes and its folding of
// constants.
#pragma once

#include "ir/op/op_def.h"
#include "rewrite/rewrite_graph.h"
#include "support/result.h"

namespace tenon {

/// Reads files of rules, which may name the ops of `defs`.
Result<RuleSet> read_rewrites(const OpLibrary& defs, const std::vector<SourceFileRef>& files);

/// Applies the rules to a graph of these definitions. What a rule computes of constants is computed here.
RewriteOutcome apply_rewrites(const OpLibrary& defs, const RuleSet& rules, Graph graph);

}  // namespace tenon
