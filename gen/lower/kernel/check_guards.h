// The failure conditions of checks, split into parts: each is evaluated in the outermost loop where its operands are
// known. Adjacent checks over the same loops share them.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// The condition under which a check fails, as a conjunction. Entry k holds the facts known within the first k loops of
/// the check, null for nothing; reads and divisions stay in the innermost entry, in their order, because what comes
/// before them may guard them. Loops without a condition have no entry: the last entry requires that they have
/// iterations.
std::vector<Expr> failing_parts(const Check&);

/// Checks that leave with one status from the same loops. Which of them fails first is not observable.
struct CheckGroup {
  std::vector<LoopVar> loops;  ///< those in which something is asked
  std::vector<Expr> around;    ///< per loop: the condition before it, or null
  std::vector<Expr> fails;     ///< conditions in the innermost loop, one a check
  CheckStatus status = CheckStatus::Range;
  std::vector<std::string> what;  ///< each text once
};

std::vector<CheckGroup> group_checks(const std::vector<Check>& checks);

}  // namespace tenon
