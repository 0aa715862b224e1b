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

/// A graph whose values are known, and how far each element of its outputs may be off, as tolerances() says.
struct KnownValues {
  RandomGraph graph;
  std::vector<std::vector<double>> limits;
};

/// Elements that were compared, and those that were not because roundings decide between answers.
struct Compared {
  int64_t elements = 0, undecided = 0;
};

/// Generates below `folder`, which has to hold the graph's files, and runs the variant there on each of `runs`: the same graph with other
/// values, of other sizes where it has an open one.
Finding run_graph(const Bench& bench, const std::vector<KnownValues>& runs, const Variant& variant, const std::filesystem::path& folder, Compared& compared);

}  // namespace tenon_test
