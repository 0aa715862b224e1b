// `tenon run`: the model with its program in a temporary folder, compiled and started on the inputs.
#include <fmt/format.h>

#include "command/commands.h"
#include "command/program_folder.h"
#include "command/select.h"
#include "pipeline/make.h"
#include "support/quoted.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace tenon {
namespace {

/// Runs it: its own status says whether an input or the command line was wrong.
int program_status(const std::string& program, const RunOptions& options) {
  std::string command = shell_word(program);
  for (const std::string& in : options.inputs) command += " " + shell_word(in);
  for (const std::string& out : options.outputs) command += " -o " + shell_word(out);
  if (options.threads) command += fmt::format(" --threads {}", *options.threads);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  const int status = run_shell_line("exec " + command);
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
  model.max_threads = options.threads.value_or(1);
  model.main_program = true;
  model.until = options.until;
  model.winograd = options.winograd;
  model.schedules = options.schedules;
  model.images = options.images;
  model.sounds = options.sounds;
  model.math = options.math;
  model.given = options.inputs.size();
  const int status = run.deliver(
      make_model(run, all_definitions(run, options.definitions, nullptr, options.math), model), folder.path(), true);
  if (status != exit_done || run.only_looks()) return status;
  if (compile_folder(folder.path(), options.compiler, "net", options.math.libm ? " -lm" : "") != 0)
    return exit_run_failed;
  return program_status(folder.path() + "/net", options);
}

}  // namespace tenon
