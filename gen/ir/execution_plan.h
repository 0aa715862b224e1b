// An execution plan: fused kernels in order, the buffers that they read and write, and where each lies in the arena.
//
//   plan   := name, sizes, buffers, steps, inputs, outputs, arena
//   buffer := kind name: dtype[extent, …] bytes, offset | alias of buffer
//   step   := kernel(buffer, …)
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/kernel.h"

namespace tenon {

enum class BufferKind : uint8_t { Input, Output, Constant, Arena };

struct PlanBuffer {
  std::string name;      ///< C identifier
  std::string original;  ///< the name that the file has
  DType dtype = DType::F32;
  std::vector<SizeExpr> dims;
  BufferKind kind = BufferKind::Arena;
  int64_t bytes = 0;     ///< at the greatest sizes
  int64_t offset = 0;    ///< Arena: in bytes from its start, a multiple of 64
  std::shared_ptr<const TensorData> data;   ///< Constant
};

/// One kernel of the program.
struct PlanStep {
  Kernel kernel;             ///< tensors that are not temps are the buffers
  std::vector<int> buffers;  ///< per tensor of the kernel: index into ExecutionPlan::buffers, -1 for temps
  std::string origin;        ///< operators that it carries out
  int64_t scratch = 0;       ///< bytes of workspace that its body needs
  int64_t scratch_offset = 0;
};

struct ExecutionPlan {
  std::string name;
  std::string doc;
  std::vector<GraphSize> sizes;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanStep> steps;
  std::vector<int> inputs, outputs;   ///< buffers in graph order
  int64_t arena_bytes = 0;
};

std::string to_text(const ExecutionPlan& plan);
/// Buffers out of range, steps that read what nothing has written, overlapping live buffers; empty when sound.
std::vector<std::string> verify(const ExecutionPlan& plan);

}  // namespace tenon
