// A random graph generated as C, compiled, run in a process of its own, and compared with the oracle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ir/math_function.h"
#include "ir/op_def.h"
#include "pipeline/session.h"
#include "random_graphs/random_graph.h"

namespace tenon_test {

/// What all runs share.
struct Bench {
  Session& session;
  const OpLibrary& defs;
  const MathLibrary& math;
  std::string compiler;
};

/// One way to generate a graph.
struct Variant {
  bool fuse = true;
  std::string isa = "portable";
};

/// What is wrong with a run; `kind` is empty where nothing is.
struct Finding {
  std::string kind;     ///< generate, compile, crash, status, memory, or wrong
  std::string detail;
  int output = -1;      ///< of `wrong`: which of the graph's outputs
};

/// Elements that were compared, and those that were not because roundings decide between answers.
struct Compared {
  int64_t elements = 0, undecided = 0;
};

/// Generates below `folder`, which has to hold the graph's files, and runs the variant there. `limits` as tolerances() makes them.
Finding run_graph(const Bench& bench, const RandomGraph& graph, const Variant& variant, const std::vector<std::vector<double>>& limits, const std::filesystem::path& folder, Compared& compared);

}  // namespace tenon_test
