// The C programs that `tenon try` compiles next to a library.
#pragma once

#include <string>

#include "command/commands.h"
#include "command/try_case.h"
#include "ir/kernel/library.h"

namespace tenon {

/// Calls the op at `key`, compares with the answers of the case, and takes the time.
std::string try_driver(Run& run, const OpDef& def, DType key, const TryCase& c, const TryOptions& options);

/// An op, its gradient, and the key at which the op is found.
struct TriedGradient {
  const OpDef& def;
  const OpDef& gradient;
  DType key;
};

/// Calls the gradient and compares with differences of the op.
std::string try_gradient_driver(Run& run, const TriedGradient& tried, const TryCase& c, const TryOptions& options);

}  // namespace tenon
