// Comparing an OutputTree with a directory, and writing it in two steps: temporary files first, renames after.
#include "support/output_tree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <system_error>

#include "support/check.h"
#include "support/file_hashes.h"
#include "support/parallel.h"
#include "support/parse_number.h"
#include "support/ranges.h"

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

/// The temporary path of a file until all files are complete.
fs::path temporary_of(fs::path final_path, pid_t writer) { return final_path += fmt::format(".{}.tmp", writer); }

/// The process that `name` was a temporary file of, where it is one of `final_name`; else 0.
pid_t writer_of(const std::string& name, const std::string& final_name) {
  const std::string_view tail = ".tmp";
  if (name.size() <= final_name.size() + 1 + tail.size() || name.rfind(final_name + ".", 0) != 0 ||
      !name.ends_with(tail))
    return 0;
  std::string_view digits = std::string_view(name).substr(final_name.size() + 1);
  digits.remove_suffix(tail.size());
  return std::max(parse_number<pid_t>(digits).value_or(0), 0);
}

/// The path itself, or the target of its link.
fs::path behind_links(const fs::path& place) {
  std::error_code error;
  if (!fs::is_symlink(place, error)) return place;
  const fs::path target = fs::weakly_canonical(place, error);
  return error ? place : target;
}

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

/// Removes temporary files that killed runs left next to these files. Those of running processes are kept.
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

  /// Writes the files next to their places, several at once; the first error in their order.
  std::string stage(const std::vector<std::pair<fs::path, const std::string*>>& files) {
    std::vector<std::string> errors(files.size());
    for (const auto& [final_path, bytes] : files) {
      std::error_code ignored;
      if (fs::is_directory(final_path, ignored)) return fmt::format("{} is a directory", final_path.string());
      const fs::path place = behind_links(final_path);
      pending_.emplace_back(temporary_of(place, ::getpid()), place);
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

/// The files that earlier runs wrote into the directory: from the manifest there, and from that of a run killed while
/// renaming its files.
std::vector<FileHashes> earlier_runs(const fs::path& directory, const std::string& manifest) {
  std::vector<FileHashes> out;
  if (manifest.empty()) return out;
  const fs::path place = directory / manifest;
  if (const auto text = read_whole_file(place)) out.push_back(read_file_hashes(*text));
  std::error_code ignored;
  const std::string name = place.filename().string();
  for (const auto& entry : fs::directory_iterator(place.parent_path(), ignored))
    if (const pid_t writer = writer_of(entry.path().filename().string(), name); writer > 0 && is_gone(writer))
      if (const auto text = read_whole_file(entry.path())) out.push_back(read_file_hashes(*text));
  return out;
}

/// Files of earlier runs that are on disk and not among `files`.
std::vector<std::string> left_over_files(const fs::path& directory, const std::vector<FileHashes>& runs,
                                         const std::map<std::string, std::string>& files) {
  std::set<std::string> out;
  std::error_code ignored;
  for (const FileHashes& run : runs)
    for (const auto& [path, hash] : run.hashes)
      if (files.count(path) == 0 && fs::is_regular_file(directory / path, ignored)) out.insert(path);
  return {out.begin(), out.end()};
}

/// The error message if the folder holds another output: outputs share names such as Makefile and sources.txt, so a
/// folder holds only one.
std::optional<std::string> other_output(const fs::path& directory, const std::vector<FileHashes>& runs,
                                        const std::string& output) {
  for (const FileHashes& run : runs)
    if (!run.output.empty() && run.output != output)
      return fmt::format(
          "{} holds the {}, and the {} would take its place\n"
          "  note: choose another folder with -o, or replace it with --force",
          directory.string(), run.output, output);
  return std::nullopt;
}

bool is_of(const std::vector<FileHashes>& runs, const std::string& path, const std::string& bytes) {
  return any_of(runs, [&](const FileHashes& run) { return run.wrote(path, bytes); });
}

/// The present state of a path that would be written.
enum class Standing : uint8_t { absent, same, own, foreign, folder, special };

Standing standing_of(const fs::path& place, const std::string& path, const std::string& bytes,
                     const std::vector<FileHashes>& runs) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (!fs::exists(status)) return Standing::absent;
  if (fs::is_directory(status)) return Standing::folder;
  if (!fs::is_regular_file(status)) return Standing::special;
  if (same_on_disk(place, bytes)) return Standing::same;
  const auto old = read_whole_file(place);
  return old && is_of(runs, path, *old) ? Standing::own : Standing::foreign;
}

/// The sentence about files that are not replaced.
std::string refusal(const std::vector<std::string>& foreign) {
  constexpr size_t shown = 3;
  std::string names;
  for (size_t i = 0; i < foreign.size() && i < shown; ++i) names += (i ? ", " : "") + foreign[i];
  if (foreign.size() > shown) names += fmt::format(" and {} more", foreign.size() - shown);
  return fmt::format(
      "{} would be overwritten, but Tenon did not write {} as {} now\n"
      "  note: choose another folder with -o, or overwrite with --force",
      names, foreign.size() > 1 ? "them" : "it", foreign.size() > 1 ? "they are" : "it is");
}

/// Removes stale files that were not edited, and folders that become empty.
void remove_left_over(const fs::path& directory, const std::vector<FileHashes>& runs,
                      const std::vector<std::string>& paths, WriteOutcome& outcome) {
  std::error_code ignored;
  for (const std::string& path : paths) {
    const fs::path place = directory / path;
    const auto bytes = read_whole_file(place);
    const bool goes = bytes && is_of(runs, path, *bytes) && fs::remove(place, ignored);
    (goes ? outcome.removed : outcome.left_over).push_back(path);
    for (fs::path folder = fs::path(path).parent_path(); goes && !folder.empty(); folder = folder.parent_path())
      if (!fs::is_empty(directory / folder, ignored) || !fs::remove(directory / folder, ignored)) break;
  }
}

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

std::vector<std::string> OutputTree::list() const {
  return mapped(files_, [](const auto& file) { return file.first; });
}

void OutputTree::seal(const std::string& path, const std::string& output) {
  FileHashes table{output, {}};
  std::vector<std::pair<const std::string*, std::string>> hashes;
  for (const auto& [name, bytes] : files_)
    if (name != path) hashes.push_back({&name, {}});
  for_each_index(hashes.size(), [&](size_t i) { hashes[i].second = hash_of(files_.at(*hashes[i].first)); });
  for (auto& [name, hash] : hashes) table.hashes[*name] = std::move(hash);
  std::string& text = files_.at(path);
  text = with_file_hashes(std::move(text), table);
  manifest_ = path;
}

OutputTree::Survey OutputTree::survey(const fs::path& directory, bool force) const {
  Survey out;
  out.runs = earlier_runs(directory, manifest_);
  if (!manifest_.empty() && !force)
    out.obstacle = other_output(directory, out.runs, read_file_hashes(files_.at(manifest_)).output);
  if (out.obstacle) return out;
  std::vector<std::string> foreign;
  for (const auto& [path, bytes] : files_) {
    const fs::path place = directory / path;
    const Standing standing = standing_of(place, path, bytes, out.runs);
    if (standing == Standing::same) ++out.unchanged;
    else out.changed.push_back(path);
    if (standing == Standing::folder) out.obstacle = fmt::format("{} is a directory", place.string());
    if (standing == Standing::special) out.obstacle = fmt::format("{} is not a regular file", place.string());
    if (out.obstacle) return out;
    const bool is_manifest = path == manifest_ && !out.runs.empty() && !out.runs[0].output.empty();
    if (standing == Standing::foreign && !is_manifest && !force && !manifest_.empty())
      foreign.push_back(place.string());
  }
  if (!foreign.empty()) out.obstacle = refusal(foreign);
  return out;
}

std::optional<std::string> OutputTree::obstacle(const fs::path& directory, bool force) const {
  return survey(directory, force).obstacle;
}

OutputDifference OutputTree::check(const fs::path& directory) const {
  OutputDifference difference;
  std::error_code error;
  for (const auto& [path, bytes] : files_) {
    const fs::path place = directory / path;
    if (!fs::exists(place, error)) difference.missing.push_back(path);
    else if (!same_on_disk(place, bytes)) difference.stale.push_back(path);
  }
  if (!manifest_.empty()) difference.left_over = left_over_files(directory, earlier_runs(directory, manifest_), files_);
  return difference;
}

WriteOutcome OutputTree::write(const fs::path& directory, bool force) const {
  WriteOutcome outcome;
  const Survey found = survey(directory, force);
  const auto fail = [&](std::string why) {
    outcome.written.clear();
    outcome.error = std::move(why);
    return outcome;
  };
  if (found.obstacle) return fail(*found.obstacle);
  outcome.unchanged = found.unchanged;
  remove_leftovers(directory, files_);
  Transaction transaction;
  std::vector<std::pair<fs::path, const std::string*>> changed;
  for (const std::string& path : found.changed) {
    const fs::path place = directory / path;
    if (std::string why = transaction.make_directory(place.parent_path()); !why.empty()) return fail(std::move(why));
    // The manifest comes first, since the last of the list is put in place first.
    changed.emplace(path == manifest_ ? changed.begin() : changed.end(), place, &files_.at(path));
    outcome.written.push_back(path);
  }
  if (std::string why = transaction.stage(changed); !why.empty()) return fail(std::move(why));
  if (std::string why = transaction.commit(); !why.empty()) return fail(std::move(why));
  if (!manifest_.empty())
    remove_left_over(directory, found.runs, left_over_files(directory, found.runs, files_), outcome);
  return outcome;
}

std::string write_named_file(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    const std::string why = write_bytes(path, bytes);
    return why.empty() ? why : fmt::format("cannot write {}: {}", path.string(), why);
  }
  const fs::path place = behind_links(path);
  OutputTree tree;
  tree.add(place.filename().string(), bytes);
  return tree.write(place.has_parent_path() ? place.parent_path() : fs::path(".")).error.value_or("");
}

std::string to_text(const OutputTree& tree) {
  std::string out;
  for (const auto& [path, bytes] : tree.files()) out += fmt::format("{:>9} {}\n", bytes.size(), path);
  return out;
}

}  // namespace tenon
