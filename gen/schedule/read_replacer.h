// Replaces the reads of one tensor by the formula that makes its elements.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

/// How a producer makes a value: `formula` at the place `vars`, of the tensor `shape`. The formula's tensors are
/// numbered as in `consumer`.
struct MadeValue {
  Expr formula;
  std::vector<std::string> vars;
  Tensor shape;
};

/// Reads of one element share one copy of the formula.
class ReadReplacer {
 public:
  /// Replaces reads of `tensor`, which the consumer sees with the shape `as_read`. Names of new reduction variables go
  /// into `taken`.
  ReadReplacer(int tensor, Tensor as_read, MadeValue made, const Kernel& consumer, std::set<std::string>& taken)
      : tensor_(tensor), read_(std::move(as_read)), made_(std::move(made)), consumer_(consumer), taken_(taken) {}

  /// True once a read was met whose shape does not nest in the producer's.
  bool failed() const { return failed_; }
  Expr replace(const Expr& e);

 private:
  Expr formula_at(const Expr& formula, const std::vector<Expr>& at) const;
  Expr made_at(const Read& read, const std::vector<Expr>& at);
  bool already_filled(const Expr& made, const Read& outer) const;

  int tensor_;
  const Tensor read_;
  const MadeValue made_;
  const Kernel& consumer_;
  std::set<std::string>& taken_;
  std::vector<std::pair<Expr, Expr>> done_;
  bool failed_ = false;
};

}  // namespace tenon
