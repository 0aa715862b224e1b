// Generated programs in folders of their own, compiled to be timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/number/tensor_data.h"
#include "tune/tune.h"

namespace tenon {

class TimedProgram {
 public:
  /// `folder` has the program's sources; `built` objects of another one, or is empty.
  explicit TimedProgram(std::string folder, std::string built = "")
      : folder_(std::move(folder)), built_(std::move(built)) {}
  virtual ~TimedProgram() = default;

  /// False where the compiler fails.
  virtual bool compile() const = 0;
  /// Nothing where the program fails.
  virtual std::optional<std::vector<TensorData>> outputs() const = 0;
  /// One more round of about so many microseconds: the time of each kernel. False where the program fails.
  virtual bool time(double us) = 0;

  const KernelTimes& times() const { return times_; }
  /// The sum over all kernels, round by round.
  std::vector<double> totals() const;

 protected:
  const std::string folder_, built_;
  KernelTimes times_;
};

/// How the program of a model is compiled and started.
struct ProgramRun {
  std::string compiler;
  std::vector<std::string> inputs;  ///< .npy files
  size_t outputs = 0;
};

/// The program of a model; the times of its kernels are medians.
class TimedModel : public TimedProgram {
 public:
  TimedModel(std::string folder, const ProgramRun& how, std::string built = "")
      : TimedProgram(std::move(folder), std::move(built)), how_(how) {}

  bool compile() const override;
  std::optional<std::vector<TensorData>> outputs() const override;
  bool time(double us) override;

 private:
  std::string command() const;
  bool profile(int64_t repeat, KernelTimes& times) const;

  const ProgramRun& how_;
  int64_t repeat_ = 0;  ///< runs in a round, after the first
};

}  // namespace tenon
