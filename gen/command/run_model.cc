// `tenon run`: the model with its program in a temporary folder, compiled and started on the inputs.
#include <fmt/format.h>

#include "command/commands.h"
#include "command/select.h"
#include "command/written_files.h"
#include "pipeline/make.h"
#include "support/quoted.h"
#include "support/run_program.h"

namespace tenon {
namespace {

/// Runs it: its exit status tells whether an input or the command line was wrong.
int program_status(const std::string& program, const RunOptions& options) {
  std::string command = shell_word(program);
  for (const std::string& in : options.inputs) command += " " + shell_word(in);
  for (const std::string& out : options.outputs) command += " -o " + shell_word(out);
  if (options.threads) command += fmt::format(" --threads {}", *options.threads);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  const int status = run_shell_line("exec " + command);
  return status <= exit_bad_command_line ? status : exit_run_failed;
}

/// Stops if an output would overwrite a file that the command reads.
void check_outputs(const Run& run, const RunOptions& options) {
  std::vector<WrittenFile> outputs;
  for (const std::string& out : options.outputs) outputs.push_back({"-o", out, FileForm::npy});
  std::vector<std::string> read = run.files_read();
  read.push_back(options.graph);
  read.insert(read.end(), options.inputs.begin(), options.inputs.end());
  read.insert(read.end(), options.definitions.begin(), options.definitions.end());
  for (size_t k = 0; k + 1 < options.of_program.size(); ++k)
    if (options.of_program[k] == "--labels") read.push_back(options.of_program[k + 1]);
  refuse_overwriting(run, outputs, read);
  refuse_missing_folders(run, outputs);
}

}  // namespace

int run_command(Run& run, const RunOptions& options) {
  check_outputs(run, options);
  if (options.outputs.empty()) run.writes_nothing("tenon run` without `-o");
  for (const std::string& in : options.inputs) run.depends_on(in);
  if (!run.only_looks()) refuse_unreadable(options.inputs);
  const TemporaryFolder folder("tenon_run");
  ModelOptions model(options);
  model.max_threads = options.threads.value_or(1);
  model.main_program = true;
  model.given = options.inputs;
  model.asked = options.outputs.size();
  const int status = run.deliver(
      make_model(run, all_definitions(run, options.definitions, nullptr, options.math), model), folder.path(), true);
  if (status != exit_done || run.only_looks()) return status;
  check_outputs(run, options);
  const std::string libraries = options.images ? picture_flags(options.compiler) : "";
  if (compile_folder(folder.path(), options.compiler, "net", libraries + (options.math.libm ? " -lm" : "")) != 0)
    return exit_run_failed;
  const int ended = program_status(folder.path() + "/net", options);
  return ended == exit_done && !options.outputs.empty() ? run.deliver_depfile(options.outputs[0]) : ended;
}

}  // namespace tenon
