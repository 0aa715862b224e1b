// `tenon bench`: compiles and times kernels of the library and models, and compares them with the peak rates of the
// machine.
#include <fmt/format.h>

#include <sstream>

#include "bench/measurement.h"
#include "command/bench_case.h"
#include "command/commands.h"
#include "command/drawn_inputs.h"
#include "command/select.h"
#include "command/written_files.h"
#include "isa/all_isas.h"
#include "pipeline/make.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/read_source.h"
#include "support/run_program.h"

namespace tenon {
namespace {

constexpr double kModelUs = 5e5;  // minimum run time of a model, at least five runs
constexpr int kLeastBytes = 16;   // length of the vectors that measure the ceilings
constexpr const char* kMemorySizes = "1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26";

[[noreturn]] void fail_bench(const std::string& why) { stop_run(exit_run_failed, why); }

/// Compiles and starts programs, and collects what they measure.
class Bench {
 public:
  Bench(Run& run, const BenchOptions& o, std::string folder)
      : run_(run), o_(o), folder_(std::move(folder)), defs_(all_definitions(run, o.definitions)), isa_(chosen_isa()) {
    report_.machine.threads = o.threads;
    report_.machine.isa = isa_.name;
  }

  int run() {
    refuse_unreadable(o_.graphs);
    if (o_.graphs.empty() || o_.selection.ops)
      found_ = find_cases(run_, defs_.ops, {o_.selection.ops, o_.selection.dtypes, o_.cases, "--ops: "});
    if (const int status = make_library_of_cases(); status != exit_done) return status;
    if (!run_.only_looks()) measure_ceilings();
    for (const BenchCase& c : found_.cases)
      if (!run_.only_looks()) time_case(c);
    for (size_t k = 0; k < o_.graphs.size(); ++k)
      if (const int status = time_model(o_.graphs[k], fmt::format("{}/net{}", folder_, k)); status != exit_done)
        return status;
    return run_.only_looks() ? exit_done : deliver();
  }

 private:
  /// The highest chosen level, which has to run on this machine.
  const Isa& chosen_isa() const {
    const Isa* best = nullptr;
    for (const Isa* isa : chosen_levels(o_.selection.isas))
      if (runs_on_host(*isa)) best = isa;
    if (!best) stop_run(exit_bad_command_line, "--isa: this machine runs none of these; `tenon list isas` marks those");
    return *best;
  }

  /// The library of all cases, compiled, and the program that times one of them.
  int make_library_of_cases() {
    if (found_.cases.empty()) return exit_done;
    const Library library = library_of(run_, defs_.ops, found_.cases);
    LibOptions lib;
    lib.selection.isas = o_.selection.isas;
    const int status = run_.deliver(make_library(run_, defs_, library, lib), library_folder(), true);
    if (status != exit_done || run_.only_looks()) return status;
    say("compiling the kernels");
    compile_sources(library_folder());
    write_case_program(run_, library_folder());
    compile(library_folder(), fmt::format("{} $(ls objects/*.o)", kCaseProgram));
    return exit_done;
  }

  std::string library_folder() const { return folder_ + "/library"; }

  void compile(const std::string& folder, const std::string& rest) const {
    const std::string line = fmt::format("{} -w {}", with_optimization(o_.compiler), rest);
    const int status = run_in(folder, line);
    if (status != 0) fail_bench(fmt::format("`{}` ended with status {}", line, status));
  }

  /// Compiles each file separately, on all processors.
  void compile_sources(const std::string& folder) const {
    std::vector<std::string> sources;
    std::istringstream list(run_.open(read_source(folder + "/sources.txt"))->text());
    for (std::string line; std::getline(list, line);) sources.push_back(line);
    compile_folder_for_objects(folder);
    for_each_index(sources.size(), [&](size_t i) {
      compile(folder, fmt::format("-std=c99 -Iinclude -c -o objects/{}.o {}", i, sources[i]));
    });
  }

  static void compile_folder_for_objects(const std::string& folder) {
    if (run_shell_line("mkdir -p " + shell_word(folder + "/objects")) != 0) fail_bench(folder + ": cannot write");
  }

  /// The first line that a shell command prints; empty if it fails.
  std::string line_of(const std::string& command) const {
    const std::string file = folder_ + "/line";
    if (run_shell_line(fmt::format("{} >{}", command, shell_word(file))) != 0) return "";
    const auto text = read_source(file);
    return text ? (*text)->text().substr(0, (*text)->text().find('\n')) : "";
  }

  void measure_ceilings() {
    say("measuring the ceilings");
    const std::string target = isa_.target.empty() ? "" : fmt::format("__attribute__((target(\"{}\")))", isa_.target);
    write_frame(run_, folder_, "bench_threads.h", {});
    write_frame(run_, folder_, "bench_ceilings.c",
                {{"target", target},
                 {"vector_bytes", fmt::format("{}", std::max(kLeastBytes, isa_.vector_bits / 8))},
                 {"sizes", kMemorySizes}});
    compile(folder_, "-std=gnu99 -ffp-contract=fast -Wno-psabi -pthread -o ceilings bench_ceilings.c");
    const std::string file = folder_ + "/measured";
    if (run_shell_line(fmt::format("{} {} >{}", shell_word(folder_ + "/ceilings"), o_.threads, shell_word(file))) != 0)
      fail_bench("the program that measures the ceilings failed");
    std::istringstream lines(run_.open(read_source(file))->text());
    for (std::string word; lines >> word;) {
      if (word == "arithmetic") {
        lines >> report_.ceilings.gflops_f32 >> report_.ceilings.gflops_f64;
        continue;
      }
      MemoryRates m;
      lines >> m.bytes >> m.read >> m.copy >> m.write;
      report_.ceilings.memory.push_back(m);
    }
    report_.machine.compiler = line_of(o_.compiler + " --version 2>&1");
    const std::string processor = line_of("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null");
    report_.machine.processor = processor.empty() ? line_of("uname -m") : processor;
    print_to(stdout, "{}\n{}", ceilings_text(report_.machine, report_.ceilings), table_head());
    std::fflush(stdout);
  }

  void add(Timing t) {
    print_to(stdout, "{}", table_row(t));
    std::fflush(stdout);
    report_.timings.push_back(std::move(t));
  }

  void time_case(const BenchCase& c) {
    const TryCase data = data_of(run_, defs_.ops, c);
    const DType key = c.def->types.empty() ? first_tensor(data).dtype : c.key;
    const std::string file = folder_ + "/case";
    write_for_program(file, case_file(c.def->name, key, data));
    const std::string line =
        line_of(fmt::format("{} {} {}", shell_word(library_folder() + "/bench_case"), shell_word(file), o_.threads));
    Timing t;
    t.name = fmt::format("{}_{}", c.def->name, name_of(key));
    t.what = case_label(data);
    t.calls = {o_.threads, o_.threads};
    std::istringstream words(line);
    if (!(words >> t.us >> t.median_us >> t.runs)) fail_bench(fmt::format("{} {}: the program failed", t.name, t.what));
    t.load = load_of(key, data.work);
    if (t.load) t.bound = least_time(*t.load, t.calls, report_.ceilings);
    add(std::move(t));
  }

  int time_model(const std::string& graph, const std::string& folder) {
    ModelOptions model;
    model.graph = graph;
    model.sizes = o_.sizes;
    model.isas = o_.selection.isas;
    model.weights = WeightsForm::incbin;
    model.main_program = true;
    model.max_threads = std::max(o_.threads, 8);
    const int status = run_.deliver(make_model(run_, defs_, model), folder, true);
    if (status != exit_done || run_.only_looks()) return status;
    compile(folder, "-std=c99 -Iinclude -pthread -o net $(cat sources.txt)");
    const PlacedModel placed = place_model(run_, defs_, model);
    std::string line = fmt::format("{} --threads {}", shell_word(folder + "/net"), o_.threads);
    for (const std::string& in : drawn_inputs(placed.source.graph, folder)) line += " " + shell_word(in);
    Timing t = model_timing(placed, graph);
    run_model(line, 3, t);
    run_model(line, static_cast<int64_t>(std::clamp(kModelUs / std::max(t.us, 1.0), 5.0, 1e4)), t);
    add(std::move(t));
    return exit_done;
  }

  /// Its name and its load: the sum over its kernels, where their extents are numbers and none is in a loop.
  Timing model_timing(const PlacedModel& model, const std::string& graph) const {
    Timing t;
    t.model = true;
    t.name = graph.substr(graph.find_last_of('/') + 1);
    for (const SizeBound& s : o_.sizes) t.what += fmt::format("{}{}={}", t.what.empty() ? "" : " ", s.name, s.high);
    t.calls = {1, o_.threads};
    if (!model.plan.regions.empty()) return t;
    Load sum;
    LeastTime bound;
    double most = -1, arithmetic_us = 0;
    for (const PlanStep& step : model.plan.steps) {
      const auto load = load_of(output_type(step.kernel), work_of(step.kernel));
      if (!load) return t;
      const LeastTime least = least_time(*load, t.calls, report_.ceilings);
      if (load->operations > most) most = load->operations, sum.dtype = load->dtype;
      sum.operations += load->operations;
      sum.read += load->read;
      sum.written += load->written;
      bound.us += least.us;
      arithmetic_us += least.arithmetic ? least.us : 0;
    }
    bound.arithmetic = arithmetic_us > bound.us / 2;
    t.load = sum;
    t.bound = bound;
    return t;
  }

  static DType output_type(const Kernel& kernel) {
    for (const Tensor& t : kernel.tensors)
      if (t.role == Role::Output) return t.dtype;
    return DType::F32;
  }

  /// The median and the minimum of `repeat` runs.
  void run_model(const std::string& program, int64_t repeat, Timing& t) const {
    const std::string file = folder_ + "/measured";
    if (run_shell_line(fmt::format("{} --repeat {} >{}", program, repeat, shell_word(file))) != 0)
      fail_bench(t.name + ": the program failed on inputs at random");
    const std::string text = run_.open(read_source(file))->text();
    const size_t at = text.rfind("time: min ");
    if (at == std::string::npos ||
        std::sscanf(text.c_str() + at, "time: min %lf us, median %lf us", &t.us, &t.median_us) != 2)
      fail_bench(t.name + ": the program printed no time");
    t.runs = repeat;
  }

  int deliver() const {
    int status = exit_done;
    if (o_.json) status = run_.deliver_file(report_json(report_), *o_.json);
    if (o_.svg && status == exit_done) status = run_.deliver_file(roofline_svg(report_), *o_.svg);
    return status;
  }

  void say(const std::string& text) const {
    if (!run_.control().quiet) print_to(stderr, "{}\n", text);
  }

  Run& run_;
  const BenchOptions& o_;
  const std::string folder_;
  const Definitions defs_;
  const Isa& isa_;
  BenchCases found_;
  BenchReport report_;
};

}  // namespace

int run_command(Run& run, const BenchOptions& o) {
  std::vector<WrittenFile> written;
  if (o.json) written.push_back({"--json", *o.json, FileForm::json});
  if (o.svg) written.push_back({"--svg", *o.svg, FileForm::svg});
  std::vector<std::string> read = o.graphs;
  read.insert(read.end(), o.definitions.begin(), o.definitions.end());
  if (o.cases) read.push_back(*o.cases);
  refuse_overwriting(run, written, read);
  const TemporaryFolder folder("tenon_bench");
  return Bench(run, o, folder.path()).run();
}

}  // namespace tenon
