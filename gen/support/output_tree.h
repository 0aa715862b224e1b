// OutputTree: the files of one run, complete in memory before the first byte lands on disk; the only writer of files.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// How a directory differs from a tree: names relative to it, sorted.
struct OutputDifference {
  std::vector<std::string> missing;
  std::vector<std::string> stale;

  bool up_to_date() const { return missing.empty() && stale.empty(); }
};

/// What `OutputTree::write` did. With `error`, nothing that was there before has changed its content.
struct WriteOutcome {
  std::vector<std::string> written;
  size_t unchanged = 0;
  std::optional<std::string> error;
};

/// Maps relative paths to bytes, sorted by path.
class OutputTree {
 public:
  /// Adds a file. The path is relative, with '/' and without '.' or '..'; adding one twice is a bug and aborts.
  void add(std::string path, std::string bytes);

  /// Adds every file of another tree below `folder` ("" for none).
  void add_all(const OutputTree& other, const std::string& folder);

  bool contains(const std::string& path) const { return files_.count(path) != 0; }
  const std::map<std::string, std::string>& files() const { return files_; }
  std::vector<std::string> list() const;

  /// Compares with what is on disk; files there that the tree does not know are none of its business.
  OutputDifference check(const std::filesystem::path& directory) const;

  /// Writes the files that are missing or differ. All bytes go to temporary files beside their places first; only when
  /// each of them is complete are they renamed. On an error the temporary files and new directories are taken away. A
  /// run that is killed leaves whole files under their names, old ones or new ones; its temporary files,
  /// `NAME.PROCESS.tmp`, are taken away by the next.
  WriteOutcome write(const std::filesystem::path& directory) const;

 private:
  std::map<std::string, std::string> files_;
};

/// Reads a whole file; nothing if it cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& path);

}  // namespace tenon
