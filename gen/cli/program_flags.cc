// Commands that compile what they generate, and run it.
#include <cstdlib>

#include "cli/command_flags.h"
#include "cli/flags.h"

namespace tenon {
namespace {

/// An option of the program: it and its value become two of `words`. `fault` of a value: "", or what is wrong.
template <class Fault>
CLI::Option* pass_on(CLI::App& app, const Flag& flag, std::vector<std::string>& words, Fault fault) {
  const auto pass = [&words, flag, fault](const std::string& text) {
    if (const std::string wrong = fault(text); !wrong.empty()) throw CLI::ValidationError(flag.names, wrong);
    words.emplace_back(flag.names);
    words.push_back(text);
  };
  return app.add_option_function<std::string>(flag.names, pass, flag.help)->type_name(flag.value);
}

std::string no_fault(const std::string&) { return ""; }

/// A flag whose value is an integer from `least` on; its syntax says so.
CLI::Option* pass_number(CLI::App& app, const Flag& flag, std::vector<std::string>& words, int64_t least) {
  return pass_on(app, flag, words, [flag, least](const std::string& text) {
    const auto n = parse_size_bound("n=" + text);
    return n && n->low == n->high && n->low >= least ? "" : fmt::format("'{}' is not {}", text, flag.syntax);
  });
}

/// How pixels become elements: docs/programs.md.
void add_picture_options(CLI::App& app, std::vector<std::string>& words) {
  for (const char* flag : {"--scale", "--mean", "--std", "--filter", "--layout", "--colors"})
    pass_on(app, {flag, "V", "", "for pictures"}, words, no_fault)->group("");
}

/// Options of the program, passed on as they are; what they mean is in docs/programs.md.
void add_program_options(CLI::App& app, RunOptions& run) {
  std::vector<std::string>& words = run.of_program;
  const char* group = "Of the program";
  const auto with_value = [&](const char* flag, const char* value, const char* help) {
    return pass_on(app, {flag, value, "", help}, words, no_fault)->group(group);
  };
  const auto number = [&](const char* flag, const char* help) {
    pass_number(app, {flag, "N", "a number above 0", help}, words, 1)->group(group);
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
  with_value("--resize", "V", "for pictures")->group("");
  add_picture_options(app, words);
  for (const char* flag : {"--rate", "--skip"}) with_value(flag, "V", "for sounds")->group("");
}

/// Options of the program that trains, passed on as they are: docs/training.md.
void add_training_options(CLI::App& app, TrainOptions& train) {
  std::vector<std::string>& words = train.of_program;
  const auto number = [&](const char* flag, int64_t least, const char* help) {
    pass_number(app, {flag, "N", least > 0 ? "a number from 1 on" : "a number from 0 on", help}, words, least);
  };
  const auto file = [&](const char* flag, const char* help) {
    pass_on(app, {flag, "FILE", "", help}, words, [](const std::string& text) {
      return text.empty() ? std::string("the name of a file is expected, not ''") : "";
    });
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

std::optional<double> parse_seconds(const std::string& text) {
  const std::string number = text.ends_with("s") ? text.substr(0, text.size() - 1) : text;
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  return !number.empty() && *end == '\0' && value > 0 && value < 1e6 ? std::optional(value) : std::nullopt;
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

}  // namespace

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
  app.add_flag("--images", run.images, "images as inputs: --scale, --mean, --std, --resize, ...");
  app.add_flag("--sounds", run.sounds, "audio as inputs: --rate, --skip");
  add_program_options(app, run);
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
  app.add_flag("--images", train.images, "folders of pictures as data: --scale, --mean, --std, ...");
  add_picture_options(app, train.of_program);
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

void add_tune(CLI::App& app, TuneOptions& tune) {
  app.description("Searches schedules for the kernels of a model or of ops by timing them on this machine.");
  app.footer(
      "example: tenon tune net.onnx --budget 60s -o tuned.yaml && tenon model net.onnx --schedules tuned.yaml -o net");
  app.add_option("NET|OP", tune.graph, "NET.yaml or NET.onnx, or names of ops: gemm,softmax")
      ->type_name("")
      ->required();
  add_files(app, "IN.npy", tune.inputs, "inputs in graph order; numbers at random if left out");
  add_dtypes(app, tune.dtypes);
  app.add_option("--cases", tune.cases, "shapes of the ops, not those of opdefs/bench: docs/benchmarks.md")
      ->type_name("FILE");
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
  app.description("Times kernels of the library and models and compares them with the peak rates of this machine.");
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

}  // namespace tenon
