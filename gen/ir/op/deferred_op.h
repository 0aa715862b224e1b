// A shipped definition, read on first use: a run needs a few of hundreds.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "ir/op/op_def.h"

namespace tenon {

/// Returns the same object to all callers, on any thread. Exceptions of `read` and `check` reach the caller.
class DeferredOp {
 public:
  using Read = std::function<OpDef()>;
  using Check = std::function<OpDef(OpDef declared, const OpLibrary& library)>;

  DeferredOp(Read read, Check check) : read_(std::move(read)), check_(std::move(check)) {}

  /// The definition as it was written.
  const OpDef& declared();
  /// The checked definition. `library` has the definitions that it calls, which are needed as written.
  const OpDef& checked(const OpLibrary& library);

 private:
  Read read_;
  Check check_;
  std::mutex reading_, checking_;  // two, as definitions that call each other are checked concurrently
  std::optional<OpDef> declared_, checked_;
};

}  // namespace tenon
