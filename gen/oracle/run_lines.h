// Statements of the interpreter a line of elements at a time, so that large constants fold in reasonable time.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/number.h"
#include "oracle/run_kernel.h"

namespace tenon {

/// Extents and strides of a kernel's tensors as numbers.
struct TensorShapes {
  std::vector<std::vector<int64_t>> dims, strides;
};

/// Carries out an assignment in a call whose tensors are allocated; the numbers are those that run_kernel computes
/// element by element. False, with nothing done, where it sums, or has another part that lines have no form of.
bool run_in_lines(const Kernel& kernel, const KernelStatement& statement, const TensorShapes& shapes, OracleCall& call);

/// A node of an expression, and its values for the line at hand: one where it is uniform.
struct LineValue {
  enum class Kind : uint8_t { constant, variable, read, apply, select } kind = Kind::constant;
  DType type = DType::I64;
  ScalarOp op = ScalarOp::Add;
  Number value;
  size_t slot = 0;       ///< variable: its loop; read: its tensor
  bool padded = false;   ///< read: the last part is the value outside
  bool uniform = false;  ///< the same in the whole line
  bool affine = false;   ///< an integer that grows by the same amount from one element to the next
  const std::vector<int64_t>*dims = nullptr, *strides = nullptr;  ///< of a read's tensor
  std::vector<LineValue> parts;
  std::vector<int64_t> whole;     ///< integers and bool
  std::vector<long double> real;  ///< floats
};

/// The values of all loops' variables at the first element of a line, and how many elements it has.
struct Line {
  const std::vector<int64_t>& vars;
  int64_t count;
};

/// Computes the values.
void evaluate_line(LineValue& v, const Line& line, const std::vector<TensorData>& tensors);

/// `to` is a read of the place that is written, with the value as its last part.
void store_line(LineValue& to, const Line& line, std::vector<TensorData>& tensors);

}  // namespace tenon
