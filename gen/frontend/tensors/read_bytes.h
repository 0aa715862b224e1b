// Reading binary files from the disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace tenon {

/// The bytes of a file, or of `length` bytes from `offset` where length is not negative. A file that cannot be opened,
/// a folder, one that is shorter, or one over 16 GiB is an error named `where`.
Result<std::vector<uint8_t>> read_bytes(const std::string& path, const std::string& where, int64_t offset = 0,
                                        int64_t length = -1);

}  // namespace tenon
