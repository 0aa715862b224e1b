// Files that a command writes under names that the user gave, checked before it starts to work.
#include "command/written_files.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "pipeline/run.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/run_program.h"

namespace tenon {

TemporaryFolder::TemporaryFolder(const std::string& name) {
  const char* root = std::getenv("TMPDIR");
  path_ = fmt::format("{}/{}_XXXXXX", root && *root ? root : "/tmp", name);
  if (!mkdtemp(path_.data()))
    stop_run(exit_bad_input, fmt::format("no temporary folder can be made: {}: {}", path_, std::strerror(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

int run_in(const std::string& folder, const std::string& line) {
  return run_shell_line(fmt::format("cd {} && {}", shell_word(folder), line));
}

void refuse_overwriting(const Run& run, const std::vector<WrittenFile>& written, const std::vector<std::string>& read) {
  const RunControl& control = run.control();
  for (size_t i = 0; i < written.size(); ++i) {
    const WrittenFile& w = written[i];
    for (size_t k = 0; k < i; ++k)
      if (same_file(w.path, written[k].path))
        stop_run(exit_bad_command_line,
                 w.flag == written[k].flag
                     ? fmt::format("{}: '{}' is named twice, and would be overwritten", w.flag, w.path)
                     : fmt::format("{} and {} name the same file, '{}'", written[k].flag, w.flag, w.path));
    if (control.list_outputs || control.check) continue;
    if (std::error_code error; std::filesystem::is_directory(w.path, error))
      stop_run(exit_bad_input, fmt::format("{}: '{}' is a folder: name a file", w.flag, w.path));
    for (const std::string& input : read)
      if (same_file(w.path, input))
        stop_run(exit_bad_input,
                 fmt::format("{}: '{}' is an input of this command: name another file", w.flag, w.path));
    if (!control.force && !may_replace(w.path, w.form))
      stop_run(exit_bad_input,
               fmt::format("{}: '{}' would be overwritten, but it is not {}\n  note: name another file, or overwrite "
                           "it with --force",
                           w.flag, w.path, name_of(w.form)));
  }
}

void refuse_missing_folders(const Run& run, const std::vector<WrittenFile>& written) {
  if (run.only_looks()) return;
  for (const WrittenFile& w : written) {
    const std::filesystem::path folder = std::filesystem::path(w.path).parent_path();
    if (std::error_code error; !folder.empty() && !std::filesystem::is_directory(folder, error))
      stop_run(exit_bad_input, fmt::format("{}: '{}': there is no folder '{}'", w.flag, w.path, folder.string()));
  }
}

void refuse_unreadable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (is_directory(status)) stop_run(exit_bad_input, fmt::format("{}: this is a folder, not a file", path));
    if (exists(status) && !is_regular_file(status)) continue;  // a pipe can be opened once
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) stop_run(exit_bad_input, fmt::format("{}: {}", path.empty() ? "''" : path, std::strerror(errno)));
    std::fclose(file);
  }
}

std::string with_optimization(const std::string& compiler) {
  return compiler.find(" -O") == std::string::npos ? compiler + " -O2" : compiler;
}

std::string picture_flags(const std::string& compiler) {
  return fmt::format(
      " $(echo '#include <png.h>' | {} -E - >/dev/null 2>&1 && ls src | sed -n 's/_image[.]c$/_WITH_PNG/p' | "
      "tr a-z A-Z | sed 's/.*/-D& -lpng -lz -lm/')",
      compiler);
}

int compile_changed(const std::string& folder, const std::string& built, const std::string& compiler,
                    const std::string& link) {
  const std::string cc = with_optimization(compiler) + " -w";
  const int status = run_shell_line(
      fmt::format("cd {0} && same={1} && for h in $(find . -name '*.h'); do cmp -s $h {2}/$h || same=; done; "
                  "for f in $(cat sources.txt); do if [ $same ] && cmp -s $f {2}/$f; then cp {2}/$f.o $f.o; "
                  "else {3} -std=c99 -Iinclude -c -o $f.o $f; fi || exit; done; {3} {4} $(sed 's/$/.o/' sources.txt)",
                  shell_word(folder), built.empty() ? "" : "yes", shell_word(built), cc, link));
  if (status != 0 && !is_interruption(status)) print_to(stderr, "tenon: error: `{}` failed\n", cc);
  return status;
}

int compile_folder(const std::string& folder, const std::string& compiler, const std::string& program,
                   const std::string& libraries) {
  const std::string line =
      fmt::format("{} -O2 -std=c99 -Wno-psabi -Iinclude -o {} $(cat sources.txt){}", compiler, program, libraries);
  const int status = run_in(folder, "exec " + line);
  if (status != 0 && !is_interruption(status)) print_to(stderr, "tenon: error: `{}` failed\n", line);
  return status;
}

}  // namespace tenon
