// Expressions of a kernel for evaluation: names resolved to slots, so that big constants fold in reasonable time.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/kernel.h"
#include "oracle/run_kernel.h"

namespace tenon {

struct CompiledExpr {
  enum class Kind : uint8_t { constant, variable, running, read, apply, reduce, select } kind = Kind::constant;
  DType type = DType::I64;
  Number value;
  ScalarOp op = ScalarOp::Add;
  Reducer reducer = Reducer::Sum;
  int slot = 0;  ///< variable; read: tensor; the running value of a fold, also of the fold itself
  bool padded = false, guarded = false;
  std::vector<CompiledExpr> parts;  ///< arguments; read: indices then fill; reduce: value, then predicate, then a
                                    ///< fold's start; select: condition, yes, no
  std::vector<std::pair<int, int64_t>> loops;  ///< reduce: slot and extent
};

/// Compiles expressions that share the slots of their variables. Sizes and attributes are those of a call.
class ExprCompiler {
 public:
  explicit ExprCompiler(const OracleCall& call) : call_(call) {}

  /// New slots for loops, with their extents.
  std::vector<std::pair<int, int64_t>> bind(const std::vector<LoopVar>& loops);
  /// Gives a variable a slot that another one has.
  void name(const std::string& variable, int slot) { slots_[variable] = slot; }
  CompiledExpr compile(const Expr& e);

  /// How many slots there are.
  size_t variables() const { return variables_; }
  size_t running_values() const { return running_values_; }

 private:
  struct Visitor;

  const OracleCall& call_;
  std::map<std::string, int> slots_, running_slots_;
  size_t variables_ = 0, running_values_ = 0;
};

}  // namespace tenon
