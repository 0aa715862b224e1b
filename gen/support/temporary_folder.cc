// Temporary folders by mkdtemp.
#include "support/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tenon {

TemporaryFolder::TemporaryFolder(const std::string& name) {
  const char* root = std::getenv("TMPDIR");
  std::string folder = fmt::format("{}/{}_XXXXXX", root && *root ? root : "/tmp", name);
  if (mkdtemp(folder.data())) path_ = std::move(folder);
  else why_ = fmt::format("no temporary folder can be made: {}: {}", folder, std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tenon
