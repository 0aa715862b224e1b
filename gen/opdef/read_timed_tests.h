// The cases of `tenon bench`, read from a file: `bench: {gemm: [{shapes: {A: [64, 64], B: [64, 64]}}]}`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/op/op_def.h"
#include "support/result.h"

namespace tenon {

/// Ops and their tests, written as entries of `tests` of a definition; in the order of the file.
using TimedTests = std::vector<std::pair<std::string, std::vector<TestCase>>>;

/// Names and values are checked against the ops of `defs`.
Result<TimedTests> read_timed_tests(const SourceFileRef& file, const OpLibrary& defs);

}  // namespace tenon
