// Reads the files of rewrite rules: opdefs/rewrites.
//
//   commutative: add mul …            ops whose two operands may change places
//   functions: {name(a, b): recipe}   functions for the recipes below
//   rules:
//     - rule: name
//       doc: what it does, and what it does to rounding
//       each: {op: [relu, exp]}       the rule once for each word, which stands for `op` in calls
//       match: recipe                 calls of ops; the last one is replaced
//       optional: b c                 inputs that may be absent
//       shared: d                     results inside of the pattern that others may read too
//       where: expression             must hold
//       replace: recipe               its value, or a list of values, takes the place of the last call's
#pragma once

#include "rewrite/rule.h"
#include "support/result.h"

namespace tenon {

/// Reads all files. All mistakes in them are reported, each at its place.
Result<RuleSet> read_rules(const std::vector<SourceFileRef>& files, const RuleLibrary& library);

}  // namespace tenon
