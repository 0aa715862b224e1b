// Contradictions between flags, each of which is valid by itself.
#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/command_flags.h"
#include "support/ranges.h"

namespace tenon {
namespace {

// Empty, or why a flag's value is not a name of a file that could be written.
std::string no_file(const char* flag, const std::optional<std::string>& path) {
  if (!path) return {};
  const std::string name = std::filesystem::path(*path).filename().string();
  return name.empty() || name == "." || name.starts_with("..")
             ? fmt::format("{}: the name of a file is expected, not '{}'", flag, *path)
             : "";
}

// Empty, or which size has two flags, of which one would be lost.
std::string given_twice(const std::vector<SizeBound>& sizes) {
  std::set<std::string> names;
  for (const SizeBound& s : sizes)
    if (!names.insert(s.name).second) return fmt::format("--size: '{}' is given twice", s.name);
  return {};
}

// Empty, or why a graph cannot be trained as the file says.
std::string wrong_file(const std::optional<std::string>& train_with, const std::string& graph, bool training) {
  if (!train_with) return "";
  if (train_with->empty()) return "--train-with: the name of a file is expected, not ''";
  if (!graph.ends_with(".onnx"))
    return "--train-with is about a model in ONNX; a graph in YAML says it in its section `train`";
  return training ? "" : "--train-with says how a model is trained: add --train";
}

// Empty, or a contradiction between the flags of training.
std::string training_contradiction(const auto&) { return ""; }
std::string training_contradiction(const TrainOptions& o) {
  const std::string wrong = wrong_file(o.train_with, o.graph, true);
  return wrong.empty() ? no_file("--export-onnx", o.export_onnx) : wrong;
}
std::string training_contradiction(const ModelOptions& o) { return wrong_file(o.train_with, o.graph, o.training); }
std::string training_contradiction(const DumpOptions& o) {
  return wrong_file(o.train_with, o.inputs.empty() ? "" : o.inputs.front(), o.training);
}
std::string training_contradiction(const ExplainOptions& o) {
  return wrong_file(o.train_with, o.inputs.empty() ? o.subject : o.inputs.front(), o.training);
}

// Empty, or why functions cannot come from where the flags say.
std::string math_contradiction(const MathChoice& math, const auto& command) {
  if (!math.fast.empty() && math.fast != "true" && math.fast != "functions")
    return fmt::format("--fast-math: '{}' is not functions, the only thing that it takes", math.fast);
  if (!math.fast.empty() && math.libm)
    return "--fast-math and --math=libm exclude each other: both replace exp and its like";
  if constexpr (requires { command.freestanding; })
    if (math.libm && command.freestanding) return "--math=libm needs a C library: leave out --freestanding";
  return "";
}

// Empty, or the first flag of a selection of kernels other than --isa.
std::string selecting_flag(const KernelSelection& selection) {
  const KernelSelection all;
  if (selection.ops) return "--ops";
  if (selection.dtypes != all.dtypes) return "--dtypes";
  return selection.ranks != all.ranks ? "--ranks" : "";
}

// Empty, or the first flag that applies only to a graph.
std::string flag_of_graph(const ExplainOptions& o) {
  if (o.memory) return "--memory";
  if (o.svg) return "--svg";
  if (o.training) return "--train";
  if (o.recompute) return "--recompute";
  if (!o.arena.empty()) return "--arena";
  return o.sizes.empty() ? "" : "--size";
}

// Errors in the flags of one command.
std::string command_contradiction(const auto&) { return ""; }

std::string command_contradiction(const LibOptions& o) {
  return o.output_dir.empty() ? "-o: the name of a folder is expected, not ''" : "";
}

std::string command_contradiction(const QuantizeOptions& o) { return no_file("-o", o.output); }

std::string command_contradiction(const ExplainOptions& o) {
  const auto is_graph = [](const std::string& file) {
    return file.ends_with(".onnx") || file.ends_with(".yaml") || file.ends_with(".yml");
  };
  const bool graph = is_graph(o.subject);
  if (const std::string flag = selecting_flag(o.selection); graph && !flag.empty())
    return fmt::format("{} is about kernels of the library, and {} is a graph", flag, o.subject);
  if (graph && !o.fix.empty())
    return fmt::format("--fix is about kernels of the library, and {} is a graph", o.subject);
  if (const std::string flag = flag_of_graph(o);
      !flag.empty() && !graph && (o.memory || o.svg || !o.arena.empty() || none_of(o.inputs, is_graph)))
    return fmt::format("{} is about a graph: a file that ends in .yaml, .yml or .onnx", flag);
  return no_file("--svg", o.svg);
}

std::string command_contradiction(const ModelOptions& o) {
  if ((o.images || o.sounds) && !o.main_program) return "--images and --sounds are parts of the program: add --main";
  if (o.until && !o.states.empty()) return "--until and --state exclude each other";
  if (o.training) {
    if (o.until || !o.states.empty()) return "--train excludes --until and --state";
    if (o.sounds || o.selftest) return "--train excludes --sounds and --selftest";
    if (o.main_program && o.weights == WeightsForm::bin)
      return "--weights bin: a program that trains carries its weights; take c or incbin";
  }
  if (o.mpi && !o.training) return "--mpi is about training: add --train";
  if (o.freestanding && o.mpi) return "--mpi needs a C library: leave out --freestanding";
  if (o.freestanding && o.main_program) return "--main needs a C library: leave out --freestanding";
  return o.output_dir.empty() ? "-o: the name of a folder is expected, not ''" : "";
}

std::string command_contradiction(const BenchOptions& o) {
  if (std::string wrong = no_file("--json", o.json); !wrong.empty()) return wrong;
  if (std::string wrong = no_file("--svg", o.svg); !wrong.empty()) return wrong;
  if (!o.sizes.empty() && o.graphs.empty()) return "--size is about a model: name one";
  const bool kernels = o.graphs.empty() || o.selection.ops;
  return !kernels && (o.cases || !o.selection.dtypes.empty())
             ? "--cases and --dtypes are about kernels: add --ops, or leave out the models"
             : "";
}

std::string command_contradiction(const RunOptions& o) {
  for (const std::string& output : o.outputs)
    if (std::string wrong = no_file("-o", output); !wrong.empty()) return wrong;
  return "";
}

std::string command_contradiction(const TryOptions& o) {
  if (o.definitions.empty() && !o.body && !o.op) return "name DEFS.yaml, --body or --op";
  if (o.gradients)
    for (const std::string& name : o.selection.dtypes)
      if (name != "f64") return fmt::format("--dtypes: --grad compares in f64 alone, not in {}", name);
  return "";
}

// A search is at one level.
std::string command_contradiction(const TuneOptions& o) {
  if (o.isas.size() != 1 || o.isas[0] == "all") return "--isa: a search is at one level: name one";
  if (!o.tunes_ops() && (!o.dtypes.empty() || o.cases)) return "--dtypes and --cases are for ops; a model has its own";
  if (o.tunes_ops() && (!o.inputs.empty() || !o.sizes.empty()))
    return "IN.npy and --size are for models; the shapes of ops are in --cases FILE";
  return no_file("-o", o.output);
}

// Errors that the training program would report, reported before it is compiled.
std::string command_contradiction(const TrainOptions& o) {
  const auto given = [&](std::string_view flag) { return contains(o.of_program, flag); };
  if (given("--epochs") && given("--steps")) return "--epochs and --steps exclude each other";
  if (given("--every") && !given("--checkpoint"))
    return "--every says how often --checkpoint FILE is written, which is missing";
  if (given("--patience") && o.validation.empty())
    return "--patience looks at the loss of --validate NAME=FILE, which is missing";
  return "";
}

// Errors in the flags of a command, those of several commands first.
std::string any_contradiction(const auto& command) {
  std::string wrong;
  if constexpr (requires { command.sizes; }) wrong = given_twice(command.sizes);
  if (wrong.empty()) wrong = training_contradiction(command);
  if constexpr (requires { command.math; })
    if (wrong.empty()) wrong = math_contradiction(command.math, command);
  return wrong.empty() ? command_contradiction(command) : wrong;
}

}  // namespace

std::string contradiction(const Options& options) {
  if (options.control.verbose && options.control.quiet) return "--verbose and --quiet exclude each other";
  const auto any = [](const auto& command) { return any_contradiction(command); };
  if (std::string wrong = std::visit(any, options.command); !wrong.empty()) return wrong;
  return no_file("--depfile", options.control.depfile);
}

}  // namespace tenon
