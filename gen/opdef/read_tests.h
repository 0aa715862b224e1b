// Tests from texts of their own: one for `tenon try --test`, files of them for `tenon bench`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/result.h"
#include "support/source_span.h"

namespace tenon {

/// One test of `op` from a text of its own, written as an entry of `tests`: `M=100, axis=1` or `{shapes: {X: [2, 3]}}`.
/// Names and values are checked against the op; nothing after an error.
std::optional<TestCase> read_one_test(const SourceFileRef& text, const OpDef& op, Diagnostics& diagnostics);

/// Ops and their tests, written as entries of `tests` of a definition; in the order of the file.
using TimedTests = std::vector<std::pair<std::string, std::vector<TestCase>>>;

/// Names and values are checked against the ops of `defs`.
Result<TimedTests> read_timed_tests(const SourceFileRef& file, const OpLibrary& defs);

}  // namespace tenon
