// The naive interpreter of kernels: the reference for everything that is generated, and what folds constants.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "oracle/number.h"

namespace tenon {

/// How a result of an operation within a statement is rounded.
using Rounding = std::function<Number(ScalarOp op, const Number& result, DType type)>;

/// Values of run-time sizes and attributes (by name, all elements of a list).
struct OracleCall {
  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::vector<Number>> attrs;
  std::vector<TensorData>
      tensors;       ///< parallel to kernel.tensors; inputs filled in storage order, outputs and temps are made here
  Rounding rounded;  ///< if given: results of operations, and sums and products as a whole, go through it
  bool any_sizes = false;  ///< sizes that no call has are possible: an access outside of a tensor ends the run
};

/// Unknown: a C template that is not a part of the interpreter; nothing was computed. Outside: see
/// OracleCall::any_sizes.
enum class OracleStatus : uint8_t { Done, Range, Shape, Attribute, Unknown, Outside };

/// How a run ends whose check fails.
OracleStatus status_of(CheckStatus);

/// Runs the kernel: checks first, then each statement for every value of its variables, sums in order, in long double
/// and 64-bit integers that wrap to their type. Values are rounded only when they are stored; temps of f32 are kept as
/// f64. A padded read outside yields its fill. Another access outside of a tensor is a bug and aborts.
OracleStatus run_kernel(const Kernel& kernel, OracleCall& call);

/// Gives extents that the kernel finds the values of their bounds, which are the most that they can be.
void take_bounds(const Kernel& kernel, OracleCall& call);

/// Bytes that the tensors made by such a run take; nothing where 64 bits do not count them.
std::optional<int64_t> bytes_made(const Kernel& kernel, const OracleCall& call);

/// Value of an expression without tensors and variables.
int64_t evaluate_size(const Expr& e, const OracleCall& call);

}  // namespace tenon
