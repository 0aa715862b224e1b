// The values of an entry of --fix for one kernel: its sizes and attributes, and what follows from them.
#pragma once

#include <optional>
#include <string>

#include "command/fix_values.h"
#include "ir/kernel/library.h"

namespace tenon {

/// Why an entry cannot be true of any call of a kernel.
struct FixConflict {
  const FixBinding* binding = nullptr;  ///< null: the whole entry
  std::string what;
};

/// The values for a kernel. Nothing asked: it depends on none of the names, or cannot have one of the values.
struct KernelValues {
  FixedValues values;
  std::optional<FixConflict> conflict;
};
KernelValues kernel_values(const LibraryOp& op, const LibraryKernel& k, const FixedNames& names);

/// Whether the kernel depends on the name: one of its sizes or attributes, or how an input is stored.
bool depends_on(const LibraryOp& op, const LibraryKernel& k, const std::string& name);

}  // namespace tenon
