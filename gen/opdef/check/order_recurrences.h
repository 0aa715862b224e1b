// Recurrences: statements that read their own values, or each other's, and the order in which their elements are
// computed.
#pragma once

#include <optional>
#include <vector>

#include "opdef/check/body_scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// Statements of a body that need each other: `first` … `last`, adjacent.
struct RecurrentGroup {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Makes the statements of each group adjacent where only those of other groups are between them.
void gather_groups(OpDef& op);

/// The groups of a body, in order. Statements that need each other and are not adjacent are reported.
std::vector<RecurrentGroup> recurrent_groups(const OpDef& op, Diagnostics& diagnostics);

/// Whether the index is guarded by clamp, wrap, reflect or mirror.
bool is_guarded(const Syntax& index);

/// The order of each statement of a group; reports the reads that no order has computed before.
std::vector<RunOrder> order_of(const RecurrentGroup& group, BodyScope& scope, Diagnostics& diagnostics);

}  // namespace tenon
