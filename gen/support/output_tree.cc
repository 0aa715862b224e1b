// Comparing an OutputTree with a directory, and writing it in two steps: temporary files first, renames after.
#include "support/output_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "support/check.h"
#include "support/parallel.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool same_on_disk(const fs::path& path, const std::string& bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) != bytes.size()) return false;
  const auto old = read_whole_file(path);
  return old && *old == bytes;
}

// Empty on success, else why not.
std::string write_bytes(const fs::path& path, const std::string& bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return std::strerror(errno);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return std::strerror(errno);
  if (std::fclose(file.release()) != 0) return std::strerror(errno);
  return {};
}

/// Where the bytes of a file wait until all are complete.
fs::path temporary_of(fs::path final_path, pid_t writer) { return final_path += fmt::format(".{}.tmp", writer); }

/// The process that `name` was a temporary file of, where it is one of `final_name`; else 0.
pid_t writer_of(const std::string& name, const std::string& final_name) {
  const std::string_view tail = ".tmp";
  if (name.size() <= final_name.size() + 1 + tail.size() || name.rfind(final_name + ".", 0) != 0 ||
      !name.ends_with(tail))
    return 0;
  const char *const first = name.data() + final_name.size() + 1, *const last = name.data() + name.size() - tail.size();
  pid_t writer = 0;
  const auto [end, status] = std::from_chars(first, last, writer);
  return status == std::errc() && end == last && writer > 0 ? writer : 0;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

/// Takes away what runs that were killed have left beside the places of these files. A run that is still going keeps
/// its own.
void remove_leftovers(const fs::path& directory, const std::map<std::string, std::string>& files) {
  std::map<fs::path, std::vector<std::string>> names;
  for (const auto& [path, bytes] : files)
    names[(directory / path).parent_path()].push_back(fs::path(path).filename().string());
  std::error_code ignored;
  for (const auto& [folder, finals] : names)
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".tmp")) continue;
      for (const std::string& f : finals)
        if (const pid_t writer = writer_of(name, f); writer > 0 && is_gone(writer)) fs::remove(entry.path(), ignored);
    }
}

// One write under way: undoes itself unless it was committed.
class Transaction {
 public:
  ~Transaction() {
    std::error_code ignored;
    for (const auto& [temporary, final_path] : pending_) fs::remove(temporary, ignored);
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) fs::remove(*it, ignored);
  }

  std::string make_directory(const fs::path& directory) {
    std::vector<fs::path> missing;
    std::error_code error;
    for (fs::path at = directory; !at.empty() && !fs::exists(at, error); at = at.parent_path()) {
      missing.push_back(at);
      if (at == at.parent_path()) break;
    }
    for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
      if (fs::create_directory(*it, error)) made_.push_back(*it);
      if (error) return fmt::format("cannot make the directory {}: {}", it->string(), error.message());
    }
    if (!fs::is_directory(directory, error)) return fmt::format("{} is not a directory", directory.string());
    return {};
  }

  /// Writes the files beside their places, several at once; the first error in their order.
  std::string stage(const std::vector<std::pair<fs::path, const std::string*>>& files) {
    std::vector<std::string> errors(files.size());
    for (const auto& [final_path, bytes] : files) {
      std::error_code ignored;
      if (fs::is_directory(final_path, ignored)) return fmt::format("{} is a directory", final_path.string());
      pending_.emplace_back(temporary_of(final_path, ::getpid()), final_path);
    }
    for_each_index(files.size(), [&](size_t i) { errors[i] = write_bytes(pending_[i].first, *files[i].second); });
    for (size_t i = 0; i < files.size(); ++i)
      if (!errors[i].empty()) return fmt::format("cannot write {}: {}", files[i].first.string(), errors[i]);
    return {};
  }

  std::string commit() {
    std::error_code error;
    made_.clear();
    while (!pending_.empty()) {
      const auto& [temporary, final_path] = pending_.back();
      fs::rename(temporary, final_path, error);
      if (error) return fmt::format("cannot write {}: {}", final_path.string(), error.message());
      pending_.pop_back();
    }
    return {};
  }

 private:
  std::vector<std::pair<fs::path, fs::path>> pending_;
  std::vector<fs::path> made_;
};

bool is_plain_relative(const std::string& path) {
  const fs::path as_path(path);
  return !path.empty() && as_path.is_relative() && as_path.lexically_normal().generic_string() == path &&
         path.rfind("..", 0) != 0 && path != "." && path.back() != '/';
}

}  // namespace

std::optional<std::string> read_whole_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return std::nullopt;
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return std::nullopt;
  std::string bytes;
  const auto expected = fs::file_size(path, error);
  if (!error) bytes.reserve(expected);
  char chunk[1 << 16];
  while (const size_t n = std::fread(chunk, 1, sizeof chunk, file.get())) bytes.append(chunk, n);
  if (std::ferror(file.get())) return std::nullopt;
  return bytes;
}

void OutputTree::add(std::string path, std::string bytes) {
  TENON_CHECK(is_plain_relative(path), "output path '{}'", path);
  TENON_CHECK(!contains(path), "output path '{}' added twice", path);
  files_.emplace(std::move(path), std::move(bytes));
}

void OutputTree::add_all(const OutputTree& other, const std::string& folder) {
  for (const auto& [path, bytes] : other.files_) add((std::filesystem::path(folder) / path).generic_string(), bytes);
}

std::vector<std::string> OutputTree::list() const {
  std::vector<std::string> names;
  for (const auto& [path, bytes] : files_) names.push_back(path);
  return names;
}

OutputDifference OutputTree::check(const fs::path& directory) const {
  OutputDifference difference;
  std::error_code error;
  for (const auto& [path, bytes] : files_) {
    const fs::path place = directory / path;
    if (!fs::exists(place, error)) difference.missing.push_back(path);
    else if (!same_on_disk(place, bytes)) difference.stale.push_back(path);
  }
  return difference;
}

WriteOutcome OutputTree::write(const fs::path& directory) const {
  WriteOutcome outcome;
  remove_leftovers(directory, files_);
  Transaction transaction;
  fs::path last_made;
  const auto fail = [&](std::string why) {
    outcome.written.clear();
    outcome.error = std::move(why);
    return outcome;
  };
  std::vector<std::pair<fs::path, const std::string*>> changed;
  for (const auto& [path, bytes] : files_) {
    const fs::path place = directory / path;
    if (same_on_disk(place, bytes)) {
      ++outcome.unchanged;
      continue;
    }
    if (place.parent_path() != last_made) {
      last_made = place.parent_path();
      if (std::string why = transaction.make_directory(last_made); !why.empty()) return fail(std::move(why));
    }
    changed.emplace_back(place, &bytes);
    outcome.written.push_back(path);
  }
  if (std::string why = transaction.stage(changed); !why.empty()) return fail(std::move(why));
  if (std::string why = transaction.commit(); !why.empty()) return fail(std::move(why));
  return outcome;
}

}  // namespace tenon
