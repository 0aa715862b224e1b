// Each step once.
#include "ir/op/deferred_op.h"

namespace tenon {

const OpDef& DeferredOp::declared() {
  const std::lock_guard lock(reading_);
  if (!declared_) declared_ = read_();
  return *declared_;
}

const OpDef& DeferredOp::checked(const OpLibrary& library) {
  const std::lock_guard lock(checking_);
  if (!checked_) checked_ = check_(declared(), library);
  return *checked_;
}

}  // namespace tenon
