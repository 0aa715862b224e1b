// OutputTree: the files of one run, complete in memory before the first byte lands on disk; the only writer of files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/file_hashes.h"

namespace tenon {

/// How a directory differs from a tree: names relative to it, sorted.
struct OutputDifference {
  std::vector<std::string> missing;
  std::vector<std::string> stale;
  std::vector<std::string> left_over;  ///< an earlier run wrote them, this one would not

  bool up_to_date() const { return missing.empty() && stale.empty() && left_over.empty(); }
};

/// The result of `OutputTree::write`. With `error`, no existing file has changed.
struct WriteOutcome {
  std::vector<std::string> written;
  std::vector<std::string> removed;    ///< files of an earlier run that this one does not write
  std::vector<std::string> left_over;  ///< the same, but edited since: they stay
  size_t unchanged = 0;
  std::optional<std::string> error;
};

/// Maps relative paths to bytes, sorted by path.
class OutputTree {
 public:
  /// Adds a file. The path is relative, with '/' and without '.' or '..'; adding one twice is a bug and aborts.
  void add(std::string path, std::string bytes);

  /// The file at `path`, a JSON object, becomes the manifest: it gets the hash of every other file, and `output`, such
  /// as "model net". `write` then refuses a folder that holds another output, replaces only what the manifest of an
  /// earlier run lists with the hash that is on disk, and removes what this run does not write. The last call; nothing
  /// is added after it.
  void seal(const std::string& path, const std::string& output);

  bool contains(const std::string& path) const { return files_.count(path) != 0; }
  const std::map<std::string, std::string>& files() const { return files_; }
  std::vector<std::string> list() const;

  /// Compares with the files on disk; files there that neither the tree nor the manifest on disk knows are ignored.
  OutputDifference check(const std::filesystem::path& directory) const;

  /// Why `write` would refuse this directory: a file that is in the way, or another output. Nothing where it would not.
  /// `force` allows the files of others, and replaces the output.
  std::optional<std::string> obstacle(const std::filesystem::path& directory, bool force = false) const;

  /// Writes the files that are missing or differ, the manifest last. All bytes go to temporary files next to their
  /// places first; only when each of them is complete are they renamed. On an error the temporary files and new
  /// directories are removed. A run that is killed leaves whole files under their names, old ones or new ones; its
  /// temporary files, `NAME.PROCESS.tmp`, are removed by the next. Symbolic links stay; their targets are written.
  WriteOutcome write(const std::filesystem::path& directory, bool force = false) const;

 private:
  /// How the directory compares with the files.
  struct Survey {
    std::vector<FileHashes> runs;      ///< what earlier runs wrote
    std::vector<std::string> changed;  ///< to be written
    size_t unchanged = 0;
    std::optional<std::string> obstacle;
  };
  Survey survey(const std::filesystem::path& directory, bool force) const;

  std::map<std::string, std::string> files_;
  std::string manifest_;  ///< path of the manifest; empty: the tree has none
};

/// Writes one file that the user named: whole or not at all where it is a plain file, through a link to its target, and
/// through a pipe or a device that is already open elsewhere. Empty on success, else why not.
std::string write_named_file(const std::filesystem::path& path, const std::string& bytes);

/// Size and name of each file.
std::string to_text(const OutputTree& tree);

/// Reads a whole file; nothing if it cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

}  // namespace tenon
