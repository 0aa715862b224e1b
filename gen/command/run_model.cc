// `tenon run`: the model with its program in a temporary folder, compiled and started on the inputs.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "command/commands.h"
#include "command/select.h"
#include "pipeline/make.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/temporary_folder.h"

namespace tenon {
namespace {

/// Stops at a file that cannot be read, before any work starts.
void refuse_unreadable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) stop_run(exit_bad_input, fmt::format("{}: {}", path, std::strerror(errno)));
    std::fclose(file);
  }
}

/// Compiles the program; false after an error, which is printed because compilers may be silent.
bool compile_program(const std::string& folder, const std::string& compiler) {
  const std::string line = fmt::format("{} -O2 -std=c99 -Iinclude -o net $(cat sources.txt)", compiler);
  if (std::system(fmt::format("cd {} && {}", shell_word(folder), line).c_str()) == 0) return true;
  print_to(stderr, "tenon: error: `{}` failed\n", line);
  return false;
}

/// Runs it: its own status says whether an input or the command line was wrong.
int program_status(const std::string& program, const RunOptions& options) {
  std::string command = shell_word(program);
  for (const std::string& in : options.inputs) command += " " + shell_word(in);
  for (const std::string& out : options.outputs) command += " -o " + shell_word(out);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  std::fflush(stdout);
  const int ended = std::system(command.c_str());
  const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : exit_run_failed;
  return status <= exit_bad_command_line ? status : exit_run_failed;
}

}  // namespace

int run_command(Run& run, const RunOptions& options) {
  if (!run.only_looks()) refuse_unreadable(options.inputs);
  const TemporaryFolder folder("tenon_run");
  if (folder.path().empty()) stop_run(exit_bad_input, folder.why());
  ModelOptions model;
  model.graph = options.graph;
  model.sizes = options.sizes;
  model.isas = options.isas;
  model.main_program = true;
  model.until = options.until;
  model.images = options.images;
  model.sounds = options.sounds;
  model.given = options.inputs.size();
  const int status =
      run.deliver(make_model(run, all_definitions(run, options.definitions), model), folder.path(), true);
  if (status != exit_done || run.only_looks()) return status;
  if (!compile_program(folder.path(), options.compiler)) return exit_run_failed;
  return program_status(folder.path() + "/net", options);
}

}  // namespace tenon
