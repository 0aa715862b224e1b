// The commands and their flags, a function each; CLI11 does the matching.
#include "cli/parse_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "cli/contradiction.h"
#include "cli/value_syntax.h"
#include "support/version.h"

namespace tenon {
namespace {

const std::string version = fmt::format("tenon {}", kVersion);
constexpr int help_column = 30;
constexpr int most_threads = 1024;

// A flag as --help shows it; `syntax` completes "'x' is not …" for what does not parse.
struct Flag {
  const char* names;
  const char* value;
  const char* syntax;
  const char* help;
};

template <class T, class Parse>
T parsed_value(const Flag& flag, const std::string& text, Parse parse) {
  auto value = parse(text);
  if (!value) throw CLI::ValidationError(flag.names, fmt::format("'{}' is not {}", text, flag.syntax));
  return std::move(*value);
}

// Adds a flag whose text goes through `parse` into `place`.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& app, const Flag& flag, T& place, Parse parse) {
  const auto read = [&place, parse, flag](const std::string& text) {
    place = parsed_value<typename decltype(parse(text))::value_type>(flag, text, parse);
  };
  return app.add_option_function<std::string>(flag.names, read, flag.help)->type_name(flag.value);
}

// The same for a flag that may come several times, each one an element of `place`.
template <class T, class Parse>
void add_repeated(CLI::App& app, const Flag& flag, std::vector<T>& place, Parse parse) {
  const auto read = [&place, parse, flag](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) place.push_back(parsed_value<T>(flag, text, parse));
  };
  app.add_option_function<std::vector<std::string>>(flag.names, read, flag.help)
      ->type_name(flag.value)
      ->allow_extra_args(false);
}

void add_control(CLI::App& app, RunControl& control) {
  const char* group = "On all commands";
  app.add_option("--opdefs", control.opdefs, "op definitions from DIR, not the shipped ones")
      ->type_name("DIR")
      ->group(group);
  const Flag dump_after = {"--dump-after", "STAGE,..|all", "a list of stages", "print what these stages made"};
  add_parsed(app, dump_after, control.dump_after, parse_name_list)->group(group);
  app.add_flag("--list-outputs", control.list_outputs, "print the output names, write nothing")->group(group);
  app.add_option("--depfile", control.depfile, "write what was read as Make dependencies")
      ->type_name("F")
      ->group(group);
  app.add_flag("--check", control.check, "status 1 if the output is stale, write nothing")->group(group);
  app.add_flag("--force", control.force, "overwrite files that Tenon did not write")->group(group);
  app.add_flag("--dry-run", control.dry_run, "do everything but write")->group(group);
  app.add_flag("--verbose", control.verbose, "say what each stage does")->group(group);
  app.add_flag("-q,--quiet", control.quiet, "say errors only")->group(group);
}

void add_isa(CLI::App& app, std::vector<std::string>& isas) {
  add_parsed(app, {"--isa", "LIST", "a list of instruction sets", "native, all, or names of `tenon list isas`"}, isas,
             parse_name_list);
}

void add_dtypes(CLI::App& app, std::vector<std::string>& dtypes) {
  add_parsed(app, {"--dtypes", "f32,i8|all", "a list of dtypes", "only these"}, dtypes, parse_name_list);
}

void add_ops(CLI::App& app, KernelSelection& selection) {
  add_parsed(app, {"--ops", "a,b|all", "a list of ops", "only these"}, selection.ops, parse_name_list);
}

void add_selection(CLI::App& app, KernelSelection& selection) {
  add_ops(app, selection);
  add_dtypes(app, selection.dtypes);
  add_parsed(app, {"--ranks", "0-8", "ranks from 0 to 8 such as 0-4 or 1,2", "only these"}, selection.ranks,
             parse_ranks);
  add_isa(app, selection.isas);
}

void add_sizes(CLI::App& app, std::vector<SizeBound>& sizes) {
  add_repeated(app, {"--size", "N=1..64", "NAME=4 or NAME=1..64", "fix or bound an open size"}, sizes,
               parse_size_bound);
}

void add_files(CLI::App& app, const char* name, std::vector<std::string>& files, const char* help) {
  app.add_option(name, files, help)->type_name("");
}

void add_c_name(CLI::App& app, const char* flag, std::string& place, const char* help) {
  const auto parse = [](const std::string& text) { return is_c_name(text) ? std::optional(text) : std::nullopt; };
  add_parsed(app, {flag, "NAME", "a C name", help}, place, parse);
}

void add_schedules(CLI::App& app, std::optional<std::string>& file) {
  app.add_option("--schedules", file, "blueprints that replace shipped ones, from `tenon tune`")->type_name("FILE");
}

void add_math(CLI::App& app, MathChoice& math) {
  app.add_flag("--fast-math", math.fast, "cheaper exp, tanh, erf and gelu of f32: bounds in docs/accuracy.md");
  const auto parse = [](const std::string& text) {
    return text == "own" || text == "libm" ? std::optional(text == "libm") : std::nullopt;
  };
  add_parsed(app, {"--math", "own|libm", "own or libm", "libm: exp and the like are those of <math.h>, -lm [own]"},
             math.libm, parse);
}

void add_compiler(CLI::App& app, std::string& command, const char* help = "the C compiler [cc]") {
  const auto parse = [](const std::string& text) {
    return text.find_first_not_of(" \t\n") == std::string::npos ? std::nullopt : std::optional(text);
  };
  add_parsed(app, {"--cc", "CMD", "a command", help}, command, parse);
}

void add_fix(CLI::App& app, std::vector<std::string>& fix) {
  const char* help = "add bodies for known sizes and attributes: 'gemm: M=64 N=64; conv2d: kernel=3x3'";
  app.add_option("--fix", fix, help)->type_name("ENTRIES")->allow_extra_args(false);
}

void add_lib(CLI::App& app, LibOptions& lib) {
  app.description("Writes a library of C kernels: the shipped ops, or those of DEFS.yaml.");
  app.footer("example: tenon lib --ops gemm,softmax --dtypes f32 -o kernels");
  add_files(app, "DEFS.yaml", lib.definitions, "definitions added to the shipped ones, or einsum:SUBSCRIPTS");
  add_selection(app, lib.selection);
  add_c_name(app, "--prefix", lib.prefix, "what every C name begins with [tn]");
  app.add_flag_callback(
      "--no-registry", [&lib] { lib.registry = false; }, "leave out tn_find and the uniform entry");
  app.add_flag("--amalgamate", lib.amalgamate, "one C file and one header");
  app.add_flag("--grad", lib.gradients, "add f_grad, the gradient of f, for each op f that has a derivative");
  app.add_flag("--threads", lib.threads, "add f_on(context, ...), calls of f whose loops the context's workers share");
  app.add_flag("--freestanding", lib.freestanding, "include no header of a C library");
  add_fix(app, lib.fix);
  add_math(app, lib.math);
  add_schedules(app, lib.schedules);
  app.add_option("-o", lib.output_dir, "where the library goes")->type_name("DIR")->required();
}

std::optional<int> parse_threads(const std::string& text) {
  const auto number = parse_size_bound("threads=" + text);
  if (!number || number->low != number->high || number->low < 1 || number->high > most_threads) return std::nullopt;
  return static_cast<int>(number->low);
}

void add_user_definitions(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("--defs", files, "op definitions added to the shipped ones")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_until(CLI::App& app, std::optional<std::string>& value) {
  app.add_option("--until", value, "compute this value of the graph, not its outputs")->type_name("VALUE");
}

/// Two flags; the help names the second in the line of the first.
void add_gradients(CLI::App& app, std::optional<AskedGradients>& asked) {
  const auto of = [&asked](const std::string& name) {
    asked = {name, asked ? asked->wrt : std::vector<std::string>{}};
  };
  const auto wrt = [&asked](const std::vector<std::string>& names) { asked = {asked ? asked->of : "", names}; };
  app.add_option_function<std::string>("--grad-of", of, "return its gradients too, with respect to --wrt A,B")
      ->type_name("VALUE");
  app.add_option_function<std::vector<std::string>>("--wrt", wrt, "")->delimiter(',')->group("");
}

std::optional<NamedValue> parse_named(const std::string& text) {
  const size_t at = text.find('=');
  if (at == 0 || at == std::string::npos || at + 1 == text.size()) return std::nullopt;
  return NamedValue{text.substr(0, at), text.substr(at + 1)};
}

void add_states(CLI::App& app, std::vector<NamedValue>& states) {
  const Flag flag = {"--state", "IN=OUT", "an input and an output such as h0=hn",
                     "keep output OUT as the next input IN"};
  add_repeated(app, flag, states, parse_named);
}

void add_arena(CLI::App& app, std::vector<MemoryRegion>& arena) {
  const char* flag = "--arena";
  const auto read = [&arena, flag](const std::string& text) {
    if (const std::string fault = parse_arena(text, arena); !fault.empty()) throw CLI::ValidationError(flag, fault);
  };
  app.add_option_function<std::string>(flag, read, "the arena in regions of memory, the preferred one first")
      ->type_name("fast=64K,slow");
}

std::optional<double> parse_work(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && value >= 1 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void add_winograd(CLI::App& app, bool& winograd) {
  app.add_flag_callback(
      "--no-winograd", [&winograd] { winograd = false; }, "convolutions as sums of products, rounded less");
}

void add_recompute(CLI::App& app, std::optional<Recompute>& mode) {
  const auto parse = [](const std::string& text) -> std::optional<Recompute> {
    if (text == "never") return Recompute::never;
    if (text == "auto") return Recompute::automatic;
    return text == "always" ? std::optional(Recompute::always) : std::nullopt;
  };
  const Flag flag = {"--recompute", "never|auto|always", "never, auto or always",
                     "what gradients read: keep it, or compute it again [never]"};
  add_parsed(app, flag, mode, parse);
}

void add_train_with(CLI::App& app, std::optional<std::string>& file) {
  app.add_option("--train-with", file, "how NET.onnx is trained: which weights, loss, optimizer")->type_name("FILE");
}

void add_model(CLI::App& app, ModelOptions& model) {
  app.description("Writes a model as C.");
  app.footer("example: tenon model net.onnx --size N=1..64 --main -o net && make -C net");
  app.add_option("NET", model.graph, "NET.yaml or NET.onnx")->type_name("")->required();
  add_c_name(app, "--name", model.name, "what every C name begins with [net]");
  add_sizes(app, model.sizes);
  add_isa(app, model.isas);
  const std::map<std::string, WeightsForm> forms = {
      {"c", WeightsForm::c}, {"incbin", WeightsForm::incbin}, {"bin", WeightsForm::bin}};
  const auto parse_form = [forms](const std::string& text) {
    const auto it = forms.find(text);
    return it == forms.end() ? std::nullopt : std::optional(it->second);
  };
  add_parsed(app, {"--weights", "c|incbin|bin", "c, incbin or bin", "how the weights travel [c]"}, model.weights,
             parse_form);
  const Flag max_threads = {"--max-threads", "N", "a number from 1 to 1024",
                            "workers there is room for [8; 1 for portable C without --main]"};
  add_parsed(app, max_threads, model.max_threads, parse_threads);
  add_arena(app, model.arena);
  add_user_definitions(app, model.definitions);
  add_until(app, model.until);
  add_states(app, model.states);
  add_gradients(app, model.gradients);
  add_schedules(app, model.schedules);
  app.add_flag("--train", model.training, "the graph's section `train`: a step that trains, not the network");
  app.add_flag("--mpi", model.mpi,
               "processes train together, each on a part of every batch: mpirun -n 4 net/net_train");
  add_train_with(app, model.train_with);
  add_recompute(app, model.recompute);
  add_winograd(app, model.winograd);
  add_math(app, model.math);
  app.add_flag("--main", model.main_program, "add a program that reads and writes .npy");
  app.add_flag("--images", model.images, "its program reads .ppm, .pgm and .png too");
  app.add_flag("--sounds", model.sounds, "its program reads .wav too");
  app.add_flag("--selftest", model.selftest, "add a function that checks the model on the machine it runs on");
  app.add_flag("--freestanding", model.freestanding, "include no header of a C library, add no threads");
  add_parsed(app, {"--selftest-limit", "N", "a number such as 1e9", "what its interpreter may compute [2e7]"},
             model.selftest_limit, parse_work);
  app.add_option("-o", model.output_dir, "where the model goes")->type_name("DIR")->required();
}

/// Options of the program, passed on as they are; what they mean is in docs/programs.md.
void add_program_options(CLI::App& app, RunOptions& run) {
  std::vector<std::string>& words = run.of_program;
  const char* group = "Of the program";
  const auto with_value = [&](const char* flag, const char* value, const char* help) {
    const auto pass = [&words, flag](const std::string& text) {
      words.emplace_back(flag);
      words.push_back(text);
    };
    return app.add_option_function<std::string>(flag, pass, help)->type_name(value)->group(group);
  };
  const auto number = [&](const char* flag, const char* help) {
    const auto pass = [&words, flag](const std::string& text) {
      const auto parse = [](const std::string& t) { return parse_size_bound("n=" + t); };
      const SizeBound n = parsed_value<SizeBound>({flag, "N", "a number above 0", ""}, text, parse);
      if (n.low != n.high || n.low < 1)
        throw CLI::ValidationError(flag, fmt::format("'{}' is not a number above 0", text));
      words.emplace_back(flag);
      words.push_back(text);
    };
    app.add_option_function<std::string>(flag, pass, help)->type_name("N")->group(group);
  };
  number("--top", "print the N largest elements of each output");
  with_value("--labels", "FILE", "name them by the lines of FILE");
  number("--repeat", "run N more times and print the time of a run");
  add_parsed(app, {"--threads", "N", "a number from 1 to 1024", "share the work between N threads"}, run.threads,
             parse_threads)
      ->group(group);
  app.add_flag_callback(
         "--profile", [&words] { words.emplace_back("--profile"); }, "print the time of each kernel")
      ->group(group);
  for (const char* flag : {"--scale", "--mean", "--std", "--resize", "--filter", "--layout", "--colors"})
    with_value(flag, "V", "for pictures")->group("");
  for (const char* flag : {"--rate", "--skip"}) with_value(flag, "V", "for sounds")->group("");
}

void add_run(CLI::App& app, RunOptions& run) {
  app.description("Generates a model, compiles it and runs it on IN.npy….");
  app.footer("example: tenon run net.onnx image.npy -o scores.npy");
  app.add_option("NET", run.graph, "NET.yaml or NET.onnx")->type_name("")->required();
  add_files(app, "IN.npy", run.inputs, "inputs in graph order");
  app.add_option("-o", run.outputs, "outputs in graph order; printed if left out")
      ->type_name("OUT.npy")
      ->allow_extra_args(false);
  add_sizes(app, run.sizes);
  add_isa(app, run.isas);
  add_compiler(app, run.compiler);
  add_user_definitions(app, run.definitions);
  add_until(app, run.until);
  add_winograd(app, run.winograd);
  add_math(app, run.math);
  add_schedules(app, run.schedules);
  app.add_flag("--images", run.images, "pictures as inputs: --scale, --mean, --std, --resize, ...");
  app.add_flag("--sounds", run.sounds, "sounds as inputs: --rate, --skip");
  add_program_options(app, run);
}

/// Options of the program that trains, passed on as they are: docs/training.md.
void add_training_options(CLI::App& app, TrainOptions& train) {
  std::vector<std::string>& words = train.of_program;
  const auto number = [&](const char* flag, int64_t least, const char* help) {
    const auto pass = [&words, flag, least](const std::string& text) {
      const auto n = parse_size_bound("n=" + text);
      if (!n || n->low != n->high || n->low < least)
        throw CLI::ValidationError(flag, fmt::format("'{}' is not a number from {} on", text, least));
      words.emplace_back(flag);
      words.push_back(text);
    };
    app.add_option_function<std::string>(flag, pass, help)->type_name("N");
  };
  const auto file = [&](const char* flag, const char* help) {
    const auto pass = [&words, flag](const std::string& text) {
      if (text.empty()) throw CLI::ValidationError(flag, "the name of a file is expected, not ''");
      words.emplace_back(flag);
      words.push_back(text);
    };
    app.add_option_function<std::string>(flag, pass, help)->type_name("FILE");
  };
  number("--epochs", 1, "go through the data N times [1]");
  number("--steps", 1, "or do N steps in all");
  number("--batch", 1, "examples a step [the most that the graph takes]");
  number("--seed", 0, "of the shuffle [0]");
  file("--order", "i64[steps, batch]: the examples of each step, not a shuffle");
  number("--patience", 1, "end after N epochs without a lower validation loss");
  file("--log", "write the loss of each step, and a curve, .svg");
  file("--grads", "write the gradients of the first step, .npz");
  file("-o", "write the parameters, .npz; `from:` of a graph takes it");
  file("--checkpoint", "write the whole state at the end and when interrupted");
  number("--every", 1, "write the checkpoint every N steps too");
  file("--resume", "go on from a checkpoint");
}

void add_train(CLI::App& app, TrainOptions& train) {
  app.description("Generates a program that trains a graph with a section `train`, compiles it and runs it.");
  app.footer("example: tenon train net.yaml --data x=images.npy --data t=labels.npy --epochs 10 -o params.npz");
  app.add_option("NET", train.graph, "a graph in YAML with a section `train`, or NET.onnx")->type_name("")->required();
  add_repeated(app, {"--data", "NAME=FILE", "NAME=FILE", "all examples of an input or target: docs/training.md"},
               train.data, parse_named);
  add_repeated(app, {"--validate", "NAME=FILE", "NAME=FILE", "the same, for examples looked at after each epoch"},
               train.validation, parse_named);
  add_train_with(app, train.train_with);
  add_training_options(app, train);
  app.add_option("--export-onnx", train.export_onnx, "write the trained weights, those of NET.onnx into a copy of it")
      ->type_name("FILE");
  add_parsed(app, {"--threads", "N", "a number from 1 to 1024", "share the work between N threads"}, train.threads,
             parse_threads);
  add_sizes(app, train.sizes);
  add_isa(app, train.isas);
  add_winograd(app, train.winograd);
  add_recompute(app, train.recompute);
  add_compiler(app, train.compiler);
  add_user_definitions(app, train.definitions);
}

std::optional<double> parse_seconds(const std::string& text) {
  const std::string number = text.ends_with("s") ? text.substr(0, text.size() - 1) : text;
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  return !number.empty() && *end == '\0' && value > 0 && value < 1e6 ? std::optional(value) : std::nullopt;
}

void add_tune(CLI::App& app, TuneOptions& tune) {
  app.description("Searches schedules for the kernels of a model by timing them on this machine.");
  app.footer(
      "example: tenon tune net.onnx --budget 60s -o tuned.yaml && tenon model net.onnx --schedules tuned.yaml -o net");
  app.add_option("NET", tune.graph, "NET.yaml or NET.onnx")->type_name("")->required();
  add_files(app, "IN.npy", tune.inputs, "inputs in graph order; numbers at random if left out");
  add_parsed(app, {"--budget", "60s", "a number of seconds such as 60s", "how long to search [60s]"}, tune.budget_s,
             parse_seconds);
  add_sizes(app, tune.sizes);
  add_parsed(app, {"--isa", "NAME", "an instruction set", "native, or a name of `tenon list isas`"}, tune.isas,
             parse_name_list);
  add_compiler(app, tune.compiler);
  add_user_definitions(app, tune.definitions);
  add_schedules(app, tune.schedules);
  app.add_option("-o", tune.output, "the file of schedules to write")->type_name("FILE")->required();
}

/// "minmax", or "percentile=99.99".
std::optional<std::optional<double>> parse_calibration(const std::string& text) {
  if (text == "minmax") return std::optional<double>();
  const std::string word = "percentile=";
  if (!text.starts_with(word)) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + word.size(), &end);
  if (text.size() == word.size() || *end != '\0' || !(value > 50 && value <= 100)) return std::nullopt;
  return std::optional<double>(value);
}

void add_quantize(CLI::App& app, QuantizeOptions& quantize) {
  app.description("Writes a float model in 8-bit integers, with steps chosen on examples: docs/quantize.md.");
  app.footer("example: tenon quantize net.onnx --data examples -o net_int8.onnx && tenon model net_int8.onnx -o net");
  app.add_option("NET", quantize.graph, "NET.onnx")->type_name("")->required();
  app.add_option("--data", quantize.data, "examples: DIR/*.npy, of several inputs DIR/INPUT/*.npy")
      ->type_name("DIR")
      ->required();
  add_parsed(app,
             {"--calibration", "minmax|percentile=P", "minmax or percentile=P with P from 50 to 100",
              "what steps reach: all examples, or P % of the elements [minmax]"},
             quantize.percentile, parse_calibration);
  app.add_option("--keep", quantize.kept, "this node, or what makes this value, stays in floats")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--labels", quantize.labels, "integers .npy: the right class of each row of the first output")
      ->type_name("FILE");
  add_sizes(app, quantize.sizes);
  add_parsed(app, {"--isa", "NAME", "a name of an instruction set", "native, or a name of `tenon list isas`"},
             quantize.isas, parse_name_list);
  add_compiler(app, quantize.compiler);
  app.add_option("-o", quantize.output, "the model to write")->type_name("FILE")->required();
}

void add_try(CLI::App& app, TryOptions& attempt) {
  app.description("Generates ops, compiles them, checks them against the oracle and times them.");
  app.footer("example: tenon try my_ops.yaml --op swish --test \"M=100,N=37,alpha=2\"");
  add_files(app, "DEFS.yaml", attempt.definitions, "definitions; - is standard input, einsum:ij,jk->ik an einsum");
  app.add_option("--body", attempt.body, "a definition's body, 'Y[i,j] = …'")->type_name("TEXT");
  app.add_flag("--grad", attempt.gradients, "compare the ops' gradients with differences in f64");
  app.add_option("--op", attempt.op, "this op alone, not all of DEFS.yaml")->type_name("NAME");
  app.add_option("--test", attempt.tests, "sizes and attributes, not those of the definition's `tests`")
      ->type_name("M=100,axis=1")
      ->allow_extra_args(false);
  attempt.selection.dtypes.clear();  // one that the op takes, not all
  add_dtypes(app, attempt.selection.dtypes);
  add_isa(app, attempt.selection.isas);
  add_compiler(app, attempt.compiler, "the C compiler [cc]; -O2 unless it says -O");
  app.add_option("--runner", attempt.runner, "what starts the program, such as qemu-aarch64")->type_name("CMD");
}

void add_bench(CLI::App& app, BenchOptions& bench) {
  app.description("Times kernels of the library and models beside the ceilings that this machine reaches.");
  app.footer("example: tenon bench --ops gemm,softmax --json times.json --svg roofline.svg");
  add_files(app, "NET", bench.graphs, "models (.yaml or .onnx) to time, alone where --ops is left out");
  add_ops(app, bench.selection);
  bench.selection.dtypes.clear();  // one that each op takes, not all
  add_dtypes(app, bench.selection.dtypes);
  bench.selection.isas = {"native"};
  add_isa(app, bench.selection.isas);
  app.add_option("--cases", bench.cases, "shapes to time, not those of opdefs/bench: docs/benchmarks.md")
      ->type_name("FILE");
  add_user_definitions(app, bench.definitions);
  add_sizes(app, bench.sizes);
  const Flag threads = {"--threads", "N", "a number from 1 to 1024", "calls of a kernel at once, workers of a model"};
  add_parsed(app, threads, bench.threads, parse_threads);
  add_compiler(app, bench.compiler);
  app.add_option("--json", bench.json, "write all figures")->type_name("FILE");
  app.add_option("--svg", bench.svg, "write a roofline")->type_name("FILE");
}

void add_dump(CLI::App& app, DumpOptions& dump) {
  app.description("Prints what a stage makes of definitions or of a graph.");
  app.footer("example: tenon dump lower --ops relu --dtypes f32 --isa portable");
  app.add_option("STAGE", dump.stage, "a row of `tenon list stages`")->type_name("")->required();
  add_files(app, "FILE", dump.inputs, "definitions or one graph; left out: the shipped ones");
  add_selection(app, dump.selection);
  add_sizes(app, dump.sizes);
  app.add_flag("--train", dump.training, "of a graph: the step that its section `train` describes");
  add_train_with(app, dump.train_with);
  add_recompute(app, dump.recompute);
  add_arena(app, dump.arena);
  add_fix(app, dump.fix);
  add_math(app, dump.math);
}

void add_explain(CLI::App& app, ExplainOptions& explain) {
  app.description("Says why a kernel is as it is, what a graph becomes and why, or what a diagnostic code means.");
  app.footer("example: tenon explain softmax_f32\n         tenon explain net.onnx --memory --svg memory.svg");
  app.add_option(
         "KERNEL|CODE|GRAPH", explain.subject,
         "a kernel's name, a diagnostic code, a graph (.yaml or .onnx), or scalar-loops: kernels that have some")
      ->type_name("")
      ->required();
  add_files(app, "FILE", explain.inputs, "definitions or the graph that the kernel is from");
  app.add_flag("--memory", explain.memory, "of a graph: a table of its buffers");
  app.add_option("--svg", explain.svg, "of a graph: write a picture of its memory to this file")->type_name("FILE");
  add_selection(app, explain.selection);
  add_sizes(app, explain.sizes);
  add_schedules(app, explain.schedules);
  app.add_flag("--train", explain.training, "of a graph: the step that its section `train` describes");
  add_train_with(app, explain.train_with);
  add_recompute(app, explain.recompute);
  add_arena(app, explain.arena);
  add_fix(app, explain.fix);
  add_math(app, explain.math);
}

void add_list(CLI::App& app, ListOptions& list) {
  app.description("Prints a row for each, its name first; isas that this machine runs are marked `host`.");
  app.footer("example: tenon list isas");
  const std::map<std::string, ListSubject> subjects = {{"ops", ListSubject::ops},
                                                       {"dtypes", ListSubject::dtypes},
                                                       {"isas", ListSubject::isas},
                                                       {"stages", ListSubject::stages}};
  const auto parse_subject = [subjects](const std::string& text) {
    const auto it = subjects.find(text);
    return it == subjects.end() ? std::nullopt : std::optional(it->second);
  };
  const char* what = "ops, dtypes, isas or stages";
  add_parsed(app, {"WHAT", "", what, what}, list.subject, parse_subject)->required();
}

// One subcommand: its flags write into a value that becomes `options.command` when the subcommand is the one chosen.
template <class Command>
void add_command(CLI::App& app, const char* name, Options& options, void (*add)(CLI::App&, Command&)) {
  auto command = std::make_shared<Command>();
  CLI::App* sub = app.add_subcommand(name);
  add(*sub, *command);
  add_control(*sub, options.control);
  sub->set_help_flag("-h,--help", "print this");
  sub->get_formatter()->column_width(help_column);
  sub->callback([&options, command] { options.command = *command; });
}

std::string chosen_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "tenon" : "tenon " + chosen.front()->get_name();
}

/// What nothing takes is named before what is missing: a misspelt command or flag is the cause of both.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const bool incomplete =
      dynamic_cast<const CLI::RequiredError*>(&error) || dynamic_cast<const CLI::ExtrasError*>(&error);
  const std::vector<std::string> extra = incomplete ? app.remaining(true) : std::vector<std::string>{};
  if (extra.empty()) return error.what();
  if (!app.get_subcommands().empty())
    return fmt::format("unknown argument '{}' for `{}`", extra.front(), chosen_name(app));
  if (extra.front().starts_with("-")) return fmt::format("'{}' is before any command", extra.front());
  return fmt::format("there is no command '{}'", extra.front());
}

ParsedCommandLine wrong(const CLI::App& app, const std::string& what) {
  const std::string name = chosen_name(app);
  return {std::nullopt, fmt::format("{}: error: {}\n  note: `{} --help` lists what it takes\n", name, what, name),
          exit_bad_command_line};
}

}  // namespace

ParsedCommandLine parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app("Tenon: op definitions and models in, standalone C99 out.", "tenon");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "print this");
  app.set_version_flag("--version", version);
  app.footer("`tenon COMMAND --help` has the flags and an example of each.");
  add_command(app, "lib", options, add_lib);
  add_command(app, "model", options, add_model);
  add_command(app, "run", options, add_run);
  add_command(app, "train", options, add_train);
  add_command(app, "tune", options, add_tune);
  add_command(app, "quantize", options, add_quantize);
  add_command(app, "try", options, add_try);
  add_command(app, "bench", options, add_bench);
  add_command(app, "dump", options, add_dump);
  add_command(app, "explain", options, add_explain);
  add_command(app, "list", options, add_list);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, app.help(), exit_done};
  } catch (const CLI::CallForVersion&) {
    return {std::nullopt, version + "\n", exit_done};
  } catch (const CLI::ParseError& error) {
    return wrong(app, complaint(app, error));
  }
  if (const std::string what = contradiction(options); !what.empty()) return wrong(app, what);
  return {std::move(options), {}, exit_done};
}

}  // namespace tenon
