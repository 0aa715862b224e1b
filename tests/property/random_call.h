// Calls of kernels drawn at random: sizes for which the kernel's facts hold, strides with gaps, attributes, inputs.
#pragma once

#include <optional>
#include <random>
#include <string>

#include "ir/kernel/kernel.h"
#include "oracle/run_kernel.h"

namespace tenon_test {

/// A call, and what the oracle makes of it.
struct DrawnCall {
  tenon::OracleCall given, want;
  tenon::OracleStatus status;
};

/// A call of the kernel with its inputs filled; nothing where no sizes were found for which its facts hold and that
/// keep it within its tensors.
std::optional<DrawnCall> random_call(const tenon::Kernel& kernel, std::mt19937& random);

/// Where the outputs of two runs of the kernel differ by more than rounding explains; "" where they do not.
std::string difference(const tenon::Kernel& kernel, const tenon::OracleCall& want, const tenon::OracleCall& got);

}  // namespace tenon_test
