// The accesses of an iteration of a parallel loop, as polynomials in quantities of the nest.
#pragma once

#include <string>
#include <vector>

#include "algebra/known_quantities.h"
#include "ir/nest/loop_nest.h"

namespace tenon {

/// One element of a buffer, for all values of the quantities that its offset mentions.
struct Access {
  int buffer = 0;
  bool writes = false;
  Polynomial offset;  ///< in elements
  Facts facts;        ///< conditions under which it happens
};

/// The accesses of one parallel loop to memory that workers share.
struct LoopAccesses {
  KnownQuantities known;
  std::vector<Polynomial> numbers;  ///< quantities: any two iterations differ in at least one of them
  std::vector<Access> accesses;
  std::vector<std::string> faults;  ///< what cannot be followed
};

/// The accesses of a parallel phase: `nest` ends in a parallel loop, perhaps inside of serial ones and of branches, of
/// which it is the last statement; each worker executes the statements before it. Only
/// buffers that are written are listed, and none that each worker has for itself. `count`: declarations and a loop of
/// as many iterations as the name `end` stands for; empty where the loop has a number.
LoopAccesses accesses_of(const LoopNest& nest, const Block& count);

}  // namespace tenon
