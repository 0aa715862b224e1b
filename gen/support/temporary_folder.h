// A temporary folder, removed with the object.
#pragma once

#include <string>

namespace tenon {

class TemporaryFolder {
 public:
  /// Below $TMPDIR or /tmp. Where none can be made `path` is empty and `why` says it.
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  const std::string& why() const { return why_; }

 private:
  std::string path_, why_;
};

}  // namespace tenon
