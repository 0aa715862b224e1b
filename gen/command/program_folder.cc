// Compiles generated programs.
#include "command/program_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "pipeline/run.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/run_program.h"

namespace tenon {

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

std::string compile_line(const std::string& compiler, const std::string& program, const std::string& libraries) {
  return fmt::format("{} -O2 -std=c99 -Iinclude -o {} $(cat sources.txt){}", compiler, program, libraries);
}

int compile_folder(const std::string& folder, const std::string& compiler, const std::string& program,
                   const std::string& libraries) {
  const std::string line = compile_line(compiler, program, libraries);
  const int status = run_shell_line(fmt::format("cd {} && exec {}", shell_word(folder), line));
  if (status != 0 && !is_interruption(status)) print_to(stderr, "tenon: error: `{}` failed\n", line);
  return status;
}

}  // namespace tenon
