// A model's self-test: inputs that the generated C and the generator draw alike, and what the outputs have to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/model/model_output.h"
#include "ir/number/tensor_data.h"

namespace tenon {

/// What the self-test stores of an output: its shape, evenly spaced elements, and the mean of all.
struct KeptOutput {
  std::vector<int64_t> dims;
  std::vector<double> elements;  ///< number k is element k*count/elements.size() of the output; of complex outputs real
                                 ///< and imaginary parts in turn
  double mean = 0;               ///< of all elements; not finite where it says nothing
  double tolerance = 0;          ///< by which an element and the mean may differ; 0 for exact ones
};

struct Selftest {
  SizeValues sizes;                 ///< of the caller
  int pattern = 0;                  ///< how integers are drawn
  std::vector<KeptOutput> outputs;  ///< in the graph's order
};

/// The number of patterns, from the widest range of integers to constants that are valid for any index.
inline constexpr int kSelftestPatterns = 4;

/// Empty, or the reason why numbers of this type are not drawn, or compared.
std::string selftest_type_fault(DType type);

/// Input number `input` with these extents: from a linear congruential generator that begins at the number of the
/// input. Floats are in [-1, 1) and are exact in their type; 8-bit integers are drawn from all of their range in
/// pattern 0; other integers, and all in pattern 1, are 0 or 1; those of pattern 2 are 0 and those of pattern 3 are 1.
TensorData draw_input(DType type, std::vector<int64_t> dims, int input, int pattern);

/// One unit in the last place of a floating type, as a share.
double unit_of(DType type);

/// Keeps at most 256 elements. `narrowest` is the floating type of the graph with the fewest bits of fraction, nothing
/// where it has none, and `disturbed` has the same output of runs in which every number was off by up to one unit of
/// that type: these determine the tolerance.
KeptOutput keep_output(const TensorData& output, const std::vector<TensorData>& disturbed,
                       std::optional<DType> narrowest);

/// The text of NAME_selftest.c, from its frame.
std::string selftest_source(const ExecutionPlan& plan, const ModelFrame& frame, const Selftest& test);

}  // namespace tenon
