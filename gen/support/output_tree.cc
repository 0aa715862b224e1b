// Comparing an OutputTree with a directory, and writing it in two steps: temporary files first, renames after.
#include "support/output_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
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
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

bool same_on_disk(const fs::path &path, const std::string &bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) != bytes.size()) return false;
  const auto old = read_whole_file(path);
  return old && *old == bytes;
}

// Empty on success, else why not.
std::string write_bytes(const fs::path &path, const std::string &bytes) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return std::strerror(errno);
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) return std::strerror(errno);
  if (std::fclose(file.release()) != 0) return std::strerror(errno);
  return {};
}

// One write under way: undoes itself unless it was committed.
class Transaction {
 public:
  ~Transaction() {
    std::error_code ignored;
    for (const auto &[temporary, final_path] : pending_) fs::remove(temporary, ignored);
    for (auto it = made_.rbegin(); it != made_.rend(); ++it) fs::remove(*it, ignored);
  }

  std::string make_directory(const fs::path &directory) {
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
  std::string stage(const std::vector<std::pair<fs::path, const std::string *>> &files) {
    std::vector<std::string> errors(files.size());
    for (const auto &[final_path, bytes] : files) {
      fs::path temporary = final_path;
      temporary += fmt::format(".{}.tmp", ::getpid());
      std::error_code ignored;
      if (fs::is_directory(final_path, ignored)) return fmt::format("{} is a directory", final_path.string());
      pending_.emplace_back(temporary, final_path);
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
      const auto &[temporary, final_path] = pending_.back();
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

bool is_plain_relative(const std::string &path) {
  const fs::path as_path(path);
  return !path.empty() && as_path.is_relative() && as_path.lexically_normal().generic_string() == path &&
         path.rfind("..", 0) != 0 && path != "." && path.back() != '/';
}

}  // namespace

std::optional<std::string> read_whole_file(const fs::path &path) {
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

void OutputTree::add_all(const OutputTree &other, const std::string &folder) {
  for (const auto &[path, bytes] : other.files_) add((std::filesystem::path(folder) / path).generic_string(), bytes);
}

std::vector<std::string> OutputTree::list() const {
  std::vector<std::string> names;
  for (const auto &[path, bytes] : files_) names.push_back(path);
  return names;
}

OutputDifference OutputTree::check(const fs::path &directory) const {
  OutputDifference difference;
  std::error_code error;
  for (const auto &[path, bytes] : files_) {
    const fs::path place = directory / path;
    if (!fs::exists(place, error)) difference.missing.push_back(path);
    else if (!same_on_disk(place, bytes)) difference.stale.push_back(path);
  }
  return difference;
}

WriteOutcome OutputTree::write(const fs::path &directory) const {
  WriteOutcome outcome;
  Transaction transaction;
  fs::path last_made;
  const auto fail = [&](std::string why) {
    outcome.written.clear();
    outcome.error = std::move(why);
    return outcome;
  };
  std::vector<std::pair<fs::path, const std::string *>> changed;
  for (const auto &[path, bytes] : files_) {
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
