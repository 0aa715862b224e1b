// `tenon train`: the step with its program in a temporary folder, compiled and started on the data.
#include <fmt/format.h>

#include <filesystem>

#include "command/commands.h"
#include "command/select.h"
#include "command/written_files.h"
#include "frontend/onnx/write_onnx.h"
#include "frontend/tensors/tensor_files.h"
#include "ir/graph/graph_passes.h"
#include "pipeline/make.h"
#include "support/quoted.h"
#include "support/ranges.h"
#include "support/run_program.h"

namespace tenon {
namespace {

/// FILE of FILE.csv:COLUMNS.
std::string file_of(const std::string& value) {
  const size_t colon = value.rfind(':');
  const std::string file = value.substr(0, colon);
  return colon != std::string::npos && (file.ends_with(".csv") || file.ends_with(".tsv")) ? file : value;
}

std::vector<std::string> files_of(const TrainOptions& options) {
  std::vector<std::string> paths;
  for (const auto* list : {&options.data, &options.validation})
    for (const NamedValue& d : *list)
      if (!options.images || !std::filesystem::is_directory(d.value)) paths.push_back(file_of(d.value));
  for (size_t k = 0; k + 1 < options.of_program.size(); k += 2)
    if (options.of_program[k] == "--order" || options.of_program[k] == "--resume")
      paths.push_back(options.of_program[k + 1]);
  return paths;
}

/// The value of an option of the program; empty without it.
std::string value_of(const TrainOptions& options, std::string_view flag) {
  for (size_t k = 0; k + 1 < options.of_program.size(); k += 2)
    if (options.of_program[k] == flag) return options.of_program[k + 1];
  return "";
}

/// The files that the program writes, and the model of --export-onnx.
std::vector<WrittenFile> written_files(const TrainOptions& options) {
  std::vector<WrittenFile> written;
  if (const std::string log = value_of(options, "--log"); !log.empty()) {
    written.push_back({"--log", log, FileForm::log});
    const std::string curve = std::filesystem::path(log).replace_extension(".svg").string();
    std::error_code ignored;
    if (curve != log && (!std::filesystem::exists(log, ignored) || std::filesystem::is_regular_file(log, ignored)))
      written.push_back({"--log", curve, FileForm::svg});
  }
  for (const char* flag : {"--grads", "-o", "--checkpoint"})
    if (const std::string file = value_of(options, flag); !file.empty()) written.push_back({flag, file, FileForm::npz});
  if (options.export_onnx) written.push_back({"--export-onnx", *options.export_onnx, FileForm::onnx});
  return written;
}

/// Stops if an output file would overwrite an input file. A run may continue from its own checkpoint.
void check_written(const Run& run, const TrainOptions& options) {
  std::vector<std::string> read = options.definitions;
  read.push_back(options.graph);
  if (options.train_with) read.push_back(*options.train_with);
  append(read, run.files_read());
  std::vector<WrittenFile> written = written_files(options);
  refuse_overwriting(run, written, read);
  if (options.export_onnx) written.pop_back();  // the command itself writes this file, and creates its folder
  refuse_missing_folders(run, written);
}

/// Runs it; its own status describes the error.
int program_status(const std::string& program, const TrainOptions& options, const std::string& more) {
  std::string command = "exec " + shell_word(program);
  for (const NamedValue& d : options.data) command += " --data " + shell_word(d.name + "=" + d.value);
  for (const NamedValue& d : options.validation) command += " --validate " + shell_word(d.name + "=" + d.value);
  for (const std::string& word : options.of_program) command += " " + shell_word(word);
  if (options.threads) command += fmt::format(" --threads {}", *options.threads);
  const int status = run_shell_line(command + more);
  return status <= exit_bad_command_line || is_interruption(status) ? status : exit_run_failed;
}

/// The parameters of an archive; the running mean of one instead of its last value.
NamedTensors read_parameters(Run& run, const std::string& path) {
  const std::vector<uint8_t> bytes = run.open(read_bytes(path, path));
  NamedTensors out;
  const std::vector<std::string> names = run.open(npz_names(bytes, path));
  for (const std::string& name : names) {
    if (name.ends_with(kAverageState)) continue;
    const std::string mean = name + kAverageState;
    const bool averaged = contains(names, mean);
    out[name] = run.open(read_npz(bytes, averaged ? mean : name, path));
  }
  return out;
}

/// The trained weights as ONNX.
int export_onnx(Run& run, const TrainOptions& options, const std::string& parameters) {
  const NamedTensors weights = read_parameters(run, parameters);
  if (!options.graph.ends_with(".onnx")) {
    const std::string name = std::filesystem::path(options.graph).stem().string();
    return run.deliver_file(run.open(onnx_of_weights(name, weights)), *options.export_onnx);
  }
  const std::vector<uint8_t> bytes = run.open(read_bytes(options.graph, options.graph));
  return run.deliver_file(run.open(onnx_with_weights({options.graph, bytes}, weights)), *options.export_onnx);
}

}  // namespace

int run_command(Run& run, const TrainOptions& options) {
  for (const std::string& file : files_of(options))
    if (file != value_of(options, "--resume")) run.depends_on(file);
  check_written(run, options);
  if (written_files(options).empty()) run.writes_nothing("tenon train` without `-o");
  if (!run.only_looks()) refuse_unreadable(files_of(options));
  const TemporaryFolder folder("tenon_train");
  ModelOptions model(options);
  model.max_threads = options.threads;
  model.main_program = model.training = true;
  model.data.emplace();
  for (const NamedValue& d : options.data) model.data->learned.push_back(d.name);
  for (const NamedValue& d : options.validation) model.data->validated.push_back(d.name);
  const int status =
      run.deliver(make_model(run, all_definitions(run, options.definitions), model), folder.path(), true);
  if (status != exit_done || run.only_looks()) return status;
  check_written(run, options);
  const std::string libraries = options.images ? picture_flags(options.compiler) : "";
  const int compiled = compile_folder(folder.path(), options.compiler, "net_train", libraries);
  if (compiled != 0) return is_interruption(compiled) ? compiled : exit_run_failed;
  std::string parameters = value_of(options, "-o"), more;
  if (options.export_onnx && parameters.empty()) {
    parameters = folder.path() + "/parameters.npz";
    more = " -o " + shell_word(parameters);
  }
  const int ended = program_status(folder.path() + "/net_train", options, more);
  if (ended != exit_done) return ended;
  if (options.export_onnx) return export_onnx(run, options, parameters);
  const std::vector<WrittenFile> written = written_files(options);
  return written.empty() ? ended : run.deliver_depfile(written[0].path);
}

}  // namespace tenon
