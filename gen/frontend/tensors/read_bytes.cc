// Reads whole binary files or parts of them.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "frontend/tensors/tensor_files.h"

namespace tenon {
namespace {

constexpr int64_t kMaxFile = int64_t{16} << 30;

Diagnostics unreadable(const std::string& where, const std::string& message) {
  Diagnostics d;
  d.error_at(Code::E0108, where, message);
  return d;
}

}  // namespace

Result<std::vector<uint8_t>> read_bytes(const std::string& path, const std::string& where, int64_t offset,
                                        int64_t length) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec))
    return unreadable(where, fmt::format("{} is a folder, not a file", path));
  if (!std::filesystem::is_regular_file(path, ec)) return unreadable(where, fmt::format("there is no file {}", path));
  const int64_t size = static_cast<int64_t>(std::filesystem::file_size(path, ec));
  if (ec || size > kMaxFile) return unreadable(where, fmt::format("{} is larger than 16 GiB", path));
  if (offset < 0 || offset > size)
    return unreadable(where,
                      fmt::format("{} has {} bytes, but those from byte {} on are asked for", path, size, offset));
  const int64_t wanted = length < 0 ? size - offset : length;
  if (wanted > size - offset)
    return unreadable(where,
                      fmt::format("{} has {} bytes, but {} from byte {} on are asked for", path, size, wanted, offset));
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file || std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0)
    return unreadable(where, fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  std::vector<uint8_t> bytes(static_cast<size_t>(wanted));
  if (!bytes.empty() && std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    return unreadable(where, fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  return bytes;
}

}  // namespace tenon
