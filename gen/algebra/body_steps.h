// The parts of a body besides statements: calls of C templates, and extents that the data decide.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// Statements and calls are numbered together, in the order in which they are done.
struct BodySteps {
  struct Call {
    size_t at = 0;  ///< the number of statements before it
    FrameCall call;
  };
  std::vector<Call> calls;
  std::vector<FoundSize> found;      ///< `part` is the number of what finds it
  std::vector<size_t> check_makers;  ///< per check of the kernel: the number of what asks for it
  std::vector<size_t> checked_at;    ///< per check of joined parts: the number of statements before it

  bool late_checks = false;  ///< a check asks for what a recurrence or updates make

  bool empty() const { return calls.empty() && found.empty() && !late_checks; }
};

/// Splits the kernel into parts: each call by itself, readers of an extent after the part that finds it, and every
/// check before the first store to an output. A kernel without steps stays as it is.
void cut_into_parts(const BodySteps& steps, Kernel& kernel);

/// The inverse: moves the statements and checks of a kernel's parts into the kernel. place_steps() numbers the steps
/// once the body is complete.
BodySteps join_parts(Kernel& kernel);
/// Renumbers the steps after statements were added or removed: a call runs when its results are first read.
void place_steps(const Kernel& kernel, BodySteps& steps);

/// Tensors that a call writes, and those that it reads.
std::set<int> written_by(const FrameCall& call);
std::set<int> read_by(const FrameCall& call);

}  // namespace tenon
