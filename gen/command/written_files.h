// Files and folders that a command writes: programs compiled in a folder, names that the user gave.
#pragma once

#include <string>
#include <vector>

#include "pipeline/run.h"
#include "support/file_form.h"

namespace tenon {

struct WrittenFile {
  std::string flag;
  std::string path;
  FileForm form;
};

/// A folder below $TMPDIR or /tmp, until the end of its scope. Stops where none can be made.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a line of the shell in the folder: its status.
int run_in(const std::string& folder, const std::string& line);

/// Stops if one of them would overwrite a file that the command reads, another that it writes, or, without --force, a
/// file that does not look like one of Tenon's.
void refuse_overwriting(const Run& run, const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

/// Stops where one of them, written by a generated program, would be in a folder that does not exist.
void refuse_missing_folders(const Run& run, const std::vector<WrittenFile>& written);

/// Stops at a file that cannot be read, before any work starts.
void refuse_unreadable(const std::vector<std::string>& paths);

/// The compiler of a command line, which may say how to optimise itself; -O2 where it does not.
std::string with_optimization(const std::string& compiler);
/// Shell text, run in a program's folder: the flags that enable .png if the compiler finds libpng; otherwise nothing.
std::string picture_flags(const std::string& compiler);
/// Compiles the folder's sources one by one, but takes the objects of `built` for those that it has too, if its headers
/// are the same, and links them: the status. `built` may be empty. No warnings: nobody reads these sources.
int compile_changed(const std::string& folder, const std::string& built, const std::string& compiler,
                    const std::string& link);
/// Compiles the folder's sources to `program` in it: the status; `libraries` is "" or " -lm". A failing compiler is
/// named, because it may print nothing.
int compile_folder(const std::string& folder, const std::string& compiler, const std::string& program,
                   const std::string& libraries = "");

}  // namespace tenon
