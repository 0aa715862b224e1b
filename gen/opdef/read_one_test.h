// One test of an op from a text of its own, as `tenon try --test` takes it.
#pragma once

#include <optional>

#include "ir/op/op_def.h"
#include "support/diagnostics.h"
#include "support/source_span.h"

namespace tenon {

/// One test of `op` from a text of its own, written as an entry of `tests`: `M=100, axis=1` or `{shapes: {X: [2, 3]}}`.
/// Names and values are checked against the op; nothing after an error.
std::optional<TestCase> read_one_test(const SourceFileRef& text, const OpDef& op, Diagnostics& diagnostics);

}  // namespace tenon
