// A shipped definition, read when it is first asked for: a run needs a few of hundreds.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "ir/op/op_def.h"

namespace tenon {

/// The same for all who ask, on any thread. What `read` and `check` throw goes to who asks.
class DeferredOp {
 public:
  using Read = std::function<OpDef()>;
  using Check = std::function<OpDef(OpDef declared, const OpLibrary& library)>;

  DeferredOp(Read read, Check check) : read_(std::move(read)), check_(std::move(check)) {}

  /// The definition as it was written.
  const OpDef& declared();
  /// The definition with what checks find out. `library` has the definitions that it calls, which it needs as written.
  const OpDef& checked(const OpLibrary& library);

 private:
  Read read_;
  Check check_;
  std::mutex reading_, checking_;  // two, as definitions that call each other are checked concurrently
  std::optional<OpDef> declared_, checked_;
};

}  // namespace tenon
