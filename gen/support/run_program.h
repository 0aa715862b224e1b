// Runs another program to its end; signals that stop this one are passed on to it.
#pragma once

#include <string>

namespace tenon {

/// Runs a line of the shell and returns its status; 128 and the signal where one ended it.
int run_shell_line(const std::string& line);

/// Whether such a status says that a user or the system ended it.
bool is_interruption(int status);

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
