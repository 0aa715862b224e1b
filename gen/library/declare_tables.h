// The tables that a body names as tensors of its kernel.
#pragma once

#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// Tables that only expressions read are in the type in which they are computed with, those that calls are given in
/// their own.
void declare_tables(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tenon
