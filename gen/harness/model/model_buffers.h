// How steps of a model reach its buffers, in C.
#pragma once

#include <string>

#include "harness/model/model_arena.h"
#include "harness/model/model_weights.h"
#include "ir/nest/c_ast.h"

namespace tenon {

/// Pointers to the buffers of a plan: members of the call's inputs and outputs, constants, addresses in the arena or
/// the state.
class ModelBuffers {
 public:
  /// `name` is the model's prefix.
  ModelBuffers(const ExecutionPlan& plan, const ModelArena& arena, const ModelWeights& weights, std::string name)
      : plan_(plan), arena_(arena), weights_(weights), name_(std::move(name)) {}

  CExpr pointer(int buffer, bool writes) const;
  /// The buffer's first element.
  CExpr element(int buffer) const { return c_unary("*", pointer(buffer, false)); }

 private:
  CExpr slice(const PlanBuffer& part, bool writes) const;
  CExpr view(int buffer, bool writes) const;
  /// An address as a pointer to elements.
  CExpr typed(DType dtype, bool writes, CExpr address) const;
  /// The bytes of a buffer that is in the arena or the state, from an offset on.
  CExpr bytes(const PlanBuffer& b, int64_t offset) const;

  const ExecutionPlan& plan_;
  const ModelArena& arena_;
  const ModelWeights& weights_;
  std::string name_;
};

}  // namespace tenon
