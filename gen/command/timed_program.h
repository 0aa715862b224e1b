// A generated program in a folder of its own, compiled to be timed.
#pragma once

#include <string>
#include <vector>

#include "ir/number/tensor_data.h"
#include "tune/tune.h"

namespace tenon {

/// How programs are compiled and started.
struct ProgramRun {
  std::string compiler;
  std::vector<std::string> inputs;  ///< .npy files
};

class TimedProgram {
 public:
  /// `folder` has the program's sources.
  TimedProgram(std::string folder, const ProgramRun& how) : folder_(std::move(folder)), how_(how) {}

  /// False where the compiler fails.
  bool compile() const;
  /// The outputs; nothing where the program fails.
  std::optional<std::vector<TensorData>> outputs(size_t count) const;
  /// One more round: the median time of each kernel over `repeat` runs. False where the program fails.
  bool time(int64_t repeat);

  const KernelTimes& times() const { return times_; }
  /// The sum over all kernels, round by round.
  std::vector<double> totals() const;

 private:
  std::string command() const;

  std::string folder_;
  const ProgramRun& how_;
  KernelTimes times_;
};

}  // namespace tenon
