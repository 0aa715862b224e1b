// A random graph generated as C, compiled, run in a process of its own, and compared with the oracle.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/make.h"
#include "random_graphs/random_graph.h"

namespace tenon_test {

/// What all runs share.
struct Bench {
  Run& run;
  const Definitions& defs;
  std::string compiler;
};

/// One way to generate a graph.
struct Variant {
  bool fuse = true;
  std::string isa = "portable";
  std::vector<MemoryRegion> arena;  ///< none: it is one piece
};

/// What is wrong with a run; `kind` is empty where nothing is.
struct Finding {
  std::string kind;  ///< generate, compile, crash, status, memory, or wrong
  std::string detail;
  int output = -1;  ///< of `wrong`: which of the graph's outputs
};

/// What is asked of the program that the graph becomes.
enum class Answer : uint8_t {
  Values,           ///< the outputs
  ValuesOrRefusal,  ///< the same, or E_SHAPE
  Refusal,          ///< a negative status, and no output touched
};

/// A graph whose values are known, and how far each element of its outputs may be off, as tolerances() says; or one
/// whose inputs alone are known, which it does not take.
struct KnownRun {
  RandomGraph graph;
  std::vector<std::vector<double>> limits;
  Answer answer = Answer::Values;
};

/// Elements that were compared, and those that were not because roundings decide between answers; calls that were
/// refused as they should be.
struct Compared {
  int64_t elements = 0, undecided = 0, refused = 0;
};

/// Generates below `folder`, which has to hold the graph's files, and runs the variant there on each of `runs`: the
/// same graph with other values, of other sizes where it has an open one.
Finding run_graph(const Bench& bench, const std::vector<KnownRun>& runs, const Variant& variant,
                  const std::filesystem::path& folder, Compared& compared);

}  // namespace tenon_test
