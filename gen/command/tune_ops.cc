// `tenon tune OP`: libraries of ops with other blueprints, and the calls that `tenon bench` times.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "command/bench_case.h"
#include "command/drawn_inputs.h"
#include "command/select.h"
#include "command/tuner.h"
#include "command/written_files.h"
#include "frontend/tensors/tensor_files.h"
#include "isa/all_isas.h"
#include "lower/contraction/lower_contraction.h"
#include "lower/lower_kernel.h"
#include "pipeline/make.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/ranges.h"
#include "support/read_source.h"
#include "support/run_program.h"

namespace tenon {
namespace {

/// A call: the file that describes it, the kernel that it reaches, and the types of its results.
struct TimedCall {
  std::string file;
  const Kernel* kernel = nullptr;
  std::vector<DType> outputs;
};

/// The library and the program that calls it; the time of a kernel is the geometric mean over its calls, so that a
/// small one counts as much as a large one.
class TimedLibrary : public TimedProgram {
 public:
  TimedLibrary(std::string folder, std::string built, const std::string& compiler, const std::vector<TimedCall>& calls)
      : TimedProgram(std::move(folder), std::move(built)), compiler_(compiler), calls_(calls) {}

  bool compile() const override { return compile_changed(folder_, built_, compiler_, kCaseProgram) == 0; }

  std::optional<std::vector<TensorData>> outputs() const override {
    std::vector<TensorData> out;
    for (const TimedCall& c : calls_) {
      const std::string file = folder_ + "/outputs";
      if (!run_call(c, fmt::format("1 {}", shell_word(file)))) return std::nullopt;
      const auto bytes = read_bytes(file, file);
      if (!bytes) return std::nullopt;
      size_t at = 0;
      for (const DType type : c.outputs) {
        int64_t count = 0;  // of bytes
        if (bytes->size() < at + sizeof count) return std::nullopt;
        std::memcpy(&count, bytes->data() + at, sizeof count);
        at += sizeof count;
        if (count < 0 || bytes->size() - at < static_cast<size_t>(count)) return std::nullopt;
        const auto first = bytes->begin() + static_cast<std::ptrdiff_t>(at);
        out.push_back({type, {count / bytes_of(type)}, {first, first + static_cast<std::ptrdiff_t>(count)}});
        at += static_cast<size_t>(count);
      }
    }
    return out;
  }

  bool time(double us) override {
    std::map<std::string, std::vector<double>> logs;
    for (const TimedCall& c : calls_) {
      const auto taken = run_call(c, fmt::format("{}", us));
      if (!taken) return false;
      logs[c.kernel->name].push_back(std::log(std::max(*taken, 1e-3)));
    }
    for (const auto& [kernel, all] : logs) {
      double sum = 0;
      for (const double v : all) sum += v;
      times_[kernel].push_back(std::exp(sum / static_cast<double>(all.size())));
    }
    return true;
  }

 private:
  /// Microseconds; nothing where it fails.
  std::optional<double> run_call(const TimedCall& c, const std::string& rest) const {
    const std::string file = folder_ + "/measured";
    const std::string line =
        fmt::format("{} {} 1 {} >{}", shell_word(folder_ + "/bench_case"), shell_word(c.file), rest, shell_word(file));
    if (run_shell_line(line) != 0) return std::nullopt;
    const auto text = read_source(file);
    double us = 0;
    if (!text || !(std::istringstream((*text)->text()) >> us)) return std::nullopt;
    return us;
  }

  const std::string& compiler_;
  const std::vector<TimedCall>& calls_;
};

/// The kernel that a call reaches: the one of its types for the inputs that are given.
const LibraryKernel* reached(const Library& library, const BenchCase& c, const TryCase& data) {
  const LibraryOp* op = find_pointer(library.ops, [&](const LibraryOp& o) { return o.def->name == c.def->name; });
  const LibraryKernel* found = nullptr;
  size_t most = 0;
  for (const LibraryKernel& k : op->kernels) {
    const bool typed = all_of(c.types, [&](const auto& t) {
      const auto at = k.call_types.find(t.first);
      return at == k.call_types.end() || at->second == t.second;
    });
    if (!typed) continue;
    size_t alike = 1;
    for (size_t i = 0; i < std::min(k.present.size(), data.inputs.size()); ++i)
      alike += k.present[i] == data.inputs[i].has_value();
    if (alike > most) most = alike, found = &k;
  }
  return found;
}

class TunedOps : public TuneSource {
 public:
  TunedOps(Run& run, const TuneOptions& o, const std::string& folder)
      : run_(run), o_(o), defs_(all_definitions(run, o.definitions)), levels_(chosen_levels(o.isas)) {
    std::vector<std::string> names;
    std::istringstream words(o.graph);
    for (std::string word; std::getline(words, word, ',');) names.push_back(word);
    found_ = find_cases(run, defs_.ops, {names, o.dtypes, o.cases});
    library_ = library_of(run, defs_.ops, found_.cases);
    shipped_ = read_schedules(run, o.schedules, kernel_names(library_));
    options_.selection.isas = o.isas;
    if (run.only_looks()) return;
    for (const BenchCase& c : found_.cases) add_call(c, fmt::format("{}/case{}", folder, calls_.size()));
  }

  std::string name() const override {
    return fmt::format("{} on the shapes of {}", o_.graph, o_.cases.value_or("opdefs/bench or of `tests`"));
  }
  const Blueprints& shipped() const override { return shipped_; }
  std::string why_it_fails() const override { return "the calls of these shapes failed; name others: --cases FILE"; }

  /// Uses the highest level that has its own body for the kernel.
  std::vector<TunedKernel> kernels() const override {
    std::vector<TunedKernel> out;
    for (const TimedCall& c : calls_) {
      const std::string& name = c.kernel->name;
      if (any_of(out, [&](const TunedKernel& k) { return k.name == name; })) continue;
      const Isa* isa = levels_.back();
      if (!isa->base.empty() && !multiplies_bytes(*c.kernel, *isa)) isa = isa_from_name(isa->base);
      if (!gains(*c.kernel, *isa)) continue;
      out.push_back({name, name, library_nest(*c.kernel, shipped_.of_kernel(name), *isa).blueprint, isa});
    }
    return out;
  }

  std::unique_ptr<TimedProgram> program(const Blueprints& blueprints, const std::string& folder) override {
    options_.blueprints = std::make_shared<Blueprints>(blueprints);
    const int status = run_.deliver(make_library(run_, defs_, library_, options_), folder, true);
    if (status != exit_done) throw Stop{status};
    write_case_program(run_, folder);
    return std::make_unique<TimedLibrary>(folder, built(folder), o_.compiler, calls_);
  }

 private:
  void add_call(const BenchCase& c, const std::string& file) {
    const TryCase data = data_of(run_, defs_.ops, c);
    const LibraryKernel* kernel = reached(library_, c, data);
    TENON_CHECK(kernel, "a call of a kernel that the library lacks");
    const DType key = c.def->types.empty() ? first_tensor(data).dtype : c.key;
    write_for_program(file, case_file(c.def->name, key, data));
    calls_.push_back({file, &kernel->kernel, mapped(data.outputs, [](const TensorData& t) { return t.dtype; })});
  }

  Run& run_;
  const TuneOptions& o_;
  const Definitions defs_;
  const std::vector<const Isa*> levels_;
  BenchCases found_;
  Library library_;
  Blueprints shipped_;
  LibOptions options_;
  std::vector<TimedCall> calls_;
};

}  // namespace

int tune_ops(Run& run, const TuneOptions& o, const std::string& folder) {
  TunedOps ops(run, o, folder);
  return run.only_looks() ? exit_done : tune(run, o, ops, folder);
}

}  // namespace tenon
