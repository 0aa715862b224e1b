// The values of an entry of --fix: for its op, and for one kernel of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "command/fix_text.h"
#include "ir/kernel/library.h"
#include "support/diagnostics.h"

namespace tenon {

/// A number as it was written; `integer` where it is one.
struct FixedNumber {
  double real = 0;
  std::optional<int64_t> integer;
};

/// The values of a size (one), a pack (its extents, the innermost last) or an attribute (its elements).
struct FixedName {
  const FixBinding* binding = nullptr;
  std::vector<FixedNumber> values;
};
using FixedNames = std::map<std::string, FixedName>;

/// Nothing after an error: an unknown name, a value that what it is for cannot have, a name that is given twice. The
/// result refers to the entry.
std::optional<FixedNames> fixed_names(const LibraryOp& op, const FixEntry& entry, Diagnostics& diagnostics);

/// Why an entry cannot be true of any call of a kernel.
struct FixConflict {
  const FixBinding* binding = nullptr;  ///< null: the whole entry
  std::string what;
};

/// The values for a kernel; nothing if it depends on none of the names or cannot have one of the values.
struct KernelValues {
  FixedValues values;
  std::optional<FixConflict> conflict;
};
KernelValues kernel_values(const LibraryOp& op, const LibraryKernel& k, const FixedNames& names);

/// Whether the kernel depends on the name: one of its sizes or attributes, or how an input is stored.
bool depends_on(const LibraryOp& op, const LibraryKernel& k, const std::string& name);

}  // namespace tenon
