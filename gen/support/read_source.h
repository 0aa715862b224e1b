// Reading a text file from the disk, or standard input.
#pragma once

#include <string>

#include "support/result.h"

namespace tenon {

/// The file's text; "-" is standard input, named `<stdin>`. A file that cannot be opened, a folder, or one over 64 MiB
/// is an error.
Result<SourceFileRef> read_source(const std::string& path);

}  // namespace tenon
