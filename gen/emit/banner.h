// The comment above a kernel: what it computes and how. Private to emit.
#pragma once

#include <string>

#include "emit/kernel_to_c.h"

namespace tenon::emit {

std::string banner_text(const KernelBanner&, const std::string& blueprint);

}  // namespace tenon::emit
