// `tenon train`: the step with its program in a temporary folder, compiled and started on the data.
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

std::vector<std::string> files_of(const TrainOptions& options) {
  std::vector<std::string> paths;
  for (const auto* list : {&options.data, &options.validation})
    for (const NamedValue& d : *list) paths.push_back(d.value);
  for (size_t k = 0; k + 1 < options.of_program.size(); k += 2)
    if (options.of_program[k] == "--order" || options.of_program[k] == "--resume")
      paths.push_back(options.of_program[k + 1]);
  return paths;
}

/// Runs it; its own status says what was wrong.
int program_status(const std::string& program, const TrainOptions& options) {
  std::string command = "exec " + shell_word(program);
  for (const NamedValue& d : options.data) command += " --data " + shell_word(d.name + "=" + d.value);
  for (const NamedValue& d : options.validation) command += " --validate " + shell_word(d.name + "=" + d.value);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  if (options.threads) command += fmt::format(" --threads {}", *options.threads);
  const int status = run_shell_line(command);
  return status <= exit_bad_command_line || is_interruption(status) ? status : exit_run_failed;
}

}  // namespace

int run_command(Run& run, const TrainOptions& options) {
  if (!run.only_looks()) refuse_unreadable(files_of(options));
  const TemporaryFolder folder("tenon_train");
  if (folder.path().empty()) stop_run(exit_bad_input, folder.why());
  ModelOptions model;
  model.graph = options.graph;
  model.sizes = options.sizes;
  model.isas = options.isas;
  model.max_threads = options.threads;
  model.winograd = options.winograd;
  model.main_program = model.training = true;
  model.data.emplace();
  for (const NamedValue& d : options.data) model.data->learned.push_back(d.name);
  for (const NamedValue& d : options.validation) model.data->validated.push_back(d.name);
  const int status =
      run.deliver(make_model(run, all_definitions(run, options.definitions), model), folder.path(), true);
  if (status != exit_done || run.only_looks()) return status;
  const int compiled = compile_folder(folder.path(), options.compiler, "net_train");
  if (compiled != 0) return is_interruption(compiled) ? compiled : exit_run_failed;
  return program_status(folder.path() + "/net_train", options);
}

}  // namespace tenon
