// The driver: the request for a run (Options), and run_pipeline, which executes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/model/model_weights.h"
#include "ir/graph/graph_passes.h"
#include "ir/nest/blueprint.h"
#include "ir/plan/memory_region.h"
#include "schedule/recompute.h"

namespace tenon {

/// The statuses that the program ends with.
enum ExitStatus : int {
  exit_done = 0,
  exit_bad_input = 1,         ///< the input is wrong, or --check found stale output
  exit_bad_command_line = 2,  ///< a flag is malformed, or names what there is not
  exit_run_failed = 3,        ///< `try` or `run`: compiling failed or an answer was wrong
};

/// `--size N=4` (low == high) or `--size N=1..64`; the name as the file has it.
struct SizeBound {
  std::string name;
  int64_t low = 0;
  int64_t high = 0;
};

/// Which kernels: shared by every command that generates some. Absent names mean the default of the contract.
struct KernelSelection {
  std::optional<std::vector<std::string>> ops;  ///< "all" alone is every op
  std::vector<std::string> dtypes = {"all"};    ///< "all" alone is every dtype
  std::vector<int> ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::string>
      isas;  ///< empty: portable and every level of this architecture; "all" and "native" unresolved
};

/// Where elementary functions come from.
struct MathChoice {
  std::string fast;   ///< what --fast-math says, "" without it: entries of opdefs/math_variants, within stated bounds
  bool libm = false;  ///< <math.h>
};

struct LibOptions {
  std::vector<std::string> definitions;  ///< YAML files, added to the shipped ones
  KernelSelection selection;
  std::string prefix = "tn";
  bool registry = true;
  bool amalgamate = false;
  bool gradients = false;        ///< f_grad for each op f that has a derivative
  bool threads = false;          ///< f_on next to each f, for calls that have workers
  bool freestanding = false;     ///< no header of a C library
  std::vector<std::string> fix;  ///< sizes and attributes that kernels get bodies of their own for
  MathChoice math;
  std::optional<std::string> schedules;          ///< blueprints in front of the shipped ones
  std::shared_ptr<const Blueprints> blueprints;  ///< those of a search, instead of files
  std::string output_dir;
};

/// `NAME=VALUE`: of `--state` an input and the output that becomes it in the next call, of `--data` an input and a
/// file.
struct NamedValue {
  std::string name, value;
};

/// Names of the inputs and targets that there are files for.
struct TrainingData {
  std::vector<std::string> learned, validated;
};

/// The target of a graph: sizes, network or training step, memory.
struct GraphForm {
  std::vector<SizeBound> sizes;
  bool training = false;                  ///< the graph's section `train` as a step, not the network
  std::optional<std::string> train_with;  ///< the file that says how an ONNX model is trained
  std::optional<Recompute> recompute;     ///< given for a graph with gradients alone
  std::vector<MemoryRegion> arena;        ///< the preferred one first; none: it is one piece
};

/// Options of every command that generates a model.
struct ModelInput : GraphForm {
  std::string graph;                     ///< .yaml or .onnx
  std::vector<std::string> definitions;  ///< of ops, added to the shipped ones
  std::vector<std::string> isas;         ///< as in KernelSelection
  std::optional<std::string> schedules;  ///< as in LibOptions
  std::optional<std::string> until;      ///< the value to compute, instead of the graph's outputs
  bool winograd = true;                  ///< false: convolutions are sums of products, whatever they cost
  bool images = false, sounds = false;   ///< what the program reads next to .npy
  MathChoice math;
};

struct ModelOptions : ModelInput {
  explicit ModelOptions(ModelInput input = {}) : ModelInput(std::move(input)) {}

  std::string name = "net";
  WeightsForm weights = WeightsForm::c;
  ByteOrder byte_order = ByteOrder::little;
  std::optional<int> max_threads;
  bool main_program = false;
  bool selftest = false;
  bool freestanding = false;    ///< as in LibOptions; there is no program then
  double selftest_limit = 2e7;  ///< numbers that the interpreter may compute for the self-test: some seconds
  std::optional<AskedGradients> gradients;  ///< outputs next to the graph's
  std::vector<NamedValue> states;           ///< kept from one call to the next
  bool mpi = false;                         ///< a step is one of several processes that train together
  std::optional<TrainingData> data;         ///< what the program that trains will be given
  /// Files that the program will be called with: as many as the graph has inputs.
  std::optional<std::vector<std::string>> given;
  size_t asked = 0;                              ///< files for outputs
  std::shared_ptr<const Blueprints> blueprints;  ///< those of a search, instead of files
  bool fuse = true;  ///< false: a kernel an operator and memory of its own for every value, to compare with
  std::string output_dir;
};

struct RunOptions : ModelInput {
  std::vector<std::string> inputs;   ///< .npy files in graph order
  std::vector<std::string> outputs;  ///< .npy files in graph order
  std::string compiler = "cc";
  std::optional<int> threads;           ///< workers of the program
  std::vector<std::string> of_program;  ///< its other options, as words
};

/// The graph is .yaml with a section `train`, or .onnx; `images`: folders of pictures as data.
struct TrainOptions : ModelInput {
  TrainOptions() { isas = {"native"}; }

  std::optional<std::string> export_onnx;  ///< where the trained weights go
  std::vector<NamedValue> data;            ///< files by the names of inputs and targets
  std::vector<NamedValue> validation;      ///< the same, for validation
  std::optional<int> threads;
  std::string compiler = "cc";
  std::vector<std::string> of_program;  ///< options of the program, as words
};

/// The search begins with the blueprints of `schedules`.
struct TuneOptions : ModelInput {
  TuneOptions() { isas = {"native"}; }

  std::vector<std::string> dtypes;   ///< of ops, as in TryOptions
  std::optional<std::string> cases;  ///< shapes of ops, instead of those of opdefs/bench

  std::vector<std::string> inputs;  ///< .npy files in graph order; none: numbers at random
  double budget_s = 60;
  std::string compiler = "cc";
  std::string output;  ///< the file of schedules

  /// Whether `graph` is no file, but names of ops.
  bool tunes_ops() const { return graph.find_first_of("./") == std::string::npos; }
};

/// The graph is .onnx, in floats.
struct QuantizeOptions : ModelInput {
  QuantizeOptions() { isas = {"native"}; }

  std::string data;                   ///< a folder of examples
  std::optional<double> percentile;   ///< of the elements of a value that its steps reach; none: all
  std::vector<std::string> kept;      ///< nodes that stay in floats
  std::optional<std::string> labels;  ///< .npy: the largest element that each row of the first output should have
  std::string compiler = "cc";
  std::string output;  ///< .onnx
};

struct TryOptions {
  std::vector<std::string> definitions;  ///< "-" is standard input
  std::optional<std::string> body;       ///< a definition's body from the command line
  std::optional<std::string> op;
  std::vector<std::string> tests;  ///< as entries of a definition's `tests`; none: those of the definition
  KernelSelection selection;       ///< dtypes: none is f32, or the first that the op takes
  std::string compiler = "cc";     ///< optimises by -O2 unless it says -O itself
  std::string runner;              ///< what starts the compiled program; empty: this machine itself
  bool gradients = false;          ///< compare gradients with differences instead of the op with the oracle
};

struct BenchOptions {
  std::vector<std::string> graphs;       ///< .yaml or .onnx
  std::vector<std::string> definitions;  ///< as in ModelOptions
  std::optional<std::string> cases;      ///< cases to time, instead of opdefs/bench
  KernelSelection selection;             ///< kernels to time; dtypes as in TryOptions
  std::vector<SizeBound> sizes;          ///< of the graphs
  int threads = 1;
  std::string compiler = "cc";
  std::optional<std::string> json, svg;  ///< files to write
};

struct DumpOptions : GraphForm {
  std::string stage;
  std::vector<std::string> inputs;  ///< definitions or one graph; none: the shipped definitions
  KernelSelection selection;
  bool gradients = false;        ///< as in LibOptions
  std::vector<std::string> fix;  ///< as in LibOptions
  MathChoice math;
};

struct ExplainOptions : GraphForm {
  std::string subject;              ///< a kernel's name, a diagnostic code or a graph
  bool memory = false;              ///< of a graph: the table of its buffers
  std::optional<std::string> svg;   ///< of a graph: the file for the diagram of its memory
  std::vector<std::string> inputs;  ///< as in DumpOptions
  KernelSelection selection;
  std::optional<std::string> schedules;  ///< as in LibOptions
  std::vector<std::string> fix;          ///< as in LibOptions
  MathChoice math;
};

enum class ListSubject : uint8_t { ops, dtypes, isas, stages };

struct ListOptions {
  ListSubject subject = ListSubject::ops;
};

/// Options of every command.
struct RunControl {
  std::optional<std::string> opdefs;    ///< --opdefs DIR instead of the shipped definitions
  std::vector<std::string> dump_after;  ///< stages whose result is printed to stdout; "all" alone is every one
  bool list_outputs = false;            ///< print the names of the outputs, write nothing
  std::optional<std::string> depfile;   ///< a Makefile fragment of everything that was read
  bool check = false;                   ///< status 1 if the output on disk is stale; write nothing
  bool force = false;                   ///< overwrite files that Tenon did not write
  bool dry_run = false;                 ///< do everything but write
  bool verbose = false;
  bool quiet = false;
};

struct Options {
  RunControl control;
  std::variant<LibOptions, ModelOptions, RunOptions, TrainOptions, TuneOptions, QuantizeOptions, TryOptions,
               BenchOptions, DumpOptions, ExplainOptions, ListOptions>
      command;
};

/// Runs the stages that the command asks for, in order. Results go to stdout, diagnostics to stderr.
/// Returns one of ExitStatus.
int run_pipeline(const Options& options);

}  // namespace tenon
