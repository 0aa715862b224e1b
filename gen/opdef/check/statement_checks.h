// Checks of a body's statements as a whole: recurrences, extents from data, ranges of index variables.
#pragma once

#include <vector>

#include "opdef/check/body_scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// Whether only the names of its targets could be read.
inline bool is_unread(const Statement& s) { return s.is_call && !s.value.is(SyntaxKind::call); }

/// Adjacent statements of a body that depend on each other: `first` … `last`.
struct RecurrentGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  const Statement* between = nullptr;  ///< the first that is not a member, if any; it is ordered with them
};

/// Reports a read of a member that is defined further down, behind a statement that is none.
void report_between(const Syntax& read, const std::string& later, const Statement& between, Diagnostics& diagnostics);

/// Makes the statements of each group adjacent where only those of other groups are between them.
void gather_groups(OpDef& op);

/// The groups of a body, in order. Statements that need each other and are not adjacent are reported.
std::vector<RecurrentGroup> recurrent_groups(const OpDef& op, Diagnostics& diagnostics);

/// Whether the index is guarded by clamp, wrap, reflect or mirror.
bool is_guarded(const Syntax& index);

/// The order of each statement of a group; reports the reads that no order has computed before.
std::vector<RunOrder> order_of(const RecurrentGroup& group, BodyScope& scope, Diagnostics& diagnostics);

/// Checks the lets `M: upto(D)` of an op with a body: what names them, and the order of its statements.
void check_extents(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics);

/// Warns of a variable that has its range from other statements and indexes larger dims alone in this one:
/// `sum[i](A[i])` of all but the last elements of A, because R[i] elsewhere has fewer.
void warn_of_partial_ranges(const OpDef& op, BodyScope& scope, Diagnostics& diagnostics);

}  // namespace tenon
