// `tenon tune`: programs with other blueprints, compiled and timed in turns; what wins beyond noise becomes a file.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "command/commands.h"
#include "command/drawn_inputs.h"
#include "command/select.h"
#include "command/timed_program.h"
#include "command/written_files.h"
#include "pipeline/make.h"
#include "schedule/read_blueprints.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "support/run_program.h"
#include "tune/tune.h"

namespace tenon {
namespace {

constexpr double kShareOfBuilding = 0.6, kShareOfSearch = 0.85;  // of the budget; the rest is for the last comparison
constexpr int kLeastRounds = 5, kMostRounds = 15;
constexpr double kRoundUs = 3e4;  // a program runs so long in a round, or once
constexpr double kLeastUs = 0.2;  // kernels below are not worth a row

/// Kernels that follow one blueprint, or loops, and the alternatives to try.
struct Group {
  std::vector<std::string> kernels;
  std::vector<Blueprint> candidates;
};

class Tuner {
 public:
  Tuner(Run& run, const TuneOptions& o, const std::string& folder)
      : run_(run),
        o_(o),
        folder_(folder),
        began_(std::chrono::steady_clock::now()),
        defs_(all_definitions(run, o.definitions)),
        model_(o) {
    model_.schedules.reset();  // kernels are grouped by the shipped blueprints
    model_.weights = WeightsForm::incbin;
    model_.main_program = true;
    if (!o.inputs.empty()) model_.given = o.inputs.size();
  }

  int tune() {
    const PlacedModel placed = place_model(run_, defs_, model_);
    outputs_ = placed.plan.outputs.size();
    base_ = read_schedules(run_, o_.schedules, kernel_names(placed.plan));
    if (run_.only_looks()) return exit_done;
    isa_ = placed.lowered.levels.back().isa;
    model_.isas = {std::string(isa_->name)};
    how_ = {o_.compiler, o_.inputs.empty() ? drawn_inputs(placed.source.graph, folder_) : o_.inputs};
    find_groups(placed);
    build();
    time_rounds(programs_, kShareOfSearch);
    return deliver(chosen());
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

  [[noreturn]] static void fail(const std::string& why) { stop_run(exit_run_failed, why); }

  /// The kernels of a model by the blueprint that they follow; loops follow those of maps and of reductions.
  void find_groups(const PlacedModel& placed) {
    const LoweredLevel& level = placed.lowered.levels.back();
    for (size_t i = 0; i < placed.plan.steps.size(); ++i) {
      const PlanStep& step = placed.plan.steps[i];
      const size_t owner = step.twin >= 0 ? static_cast<size_t>(step.twin) : i;
      owner_[step.kernel.name] = placed.plan.steps[owner].kernel.name;
      if (owner == i) groups_[level.steps[i].nest.blueprint].kernels.push_back(step.kernel.name);
    }
    for (auto& [name, group] : groups_)
      for (const Blueprint& b : base_.rows) {
        const bool followed = name == "loops" ? b.kind == "map" || b.kind == "reduction" : b.name == name;
        if (!followed) continue;
        for (Blueprint& c : candidates_of(b, *isa_)) {
          c.isa = isa_->name;
          group.candidates.push_back(std::move(c));
        }
      }
  }

  /// A program with `rows` in front of what there is, not yet compiled.
  TimedProgram program(const std::vector<Blueprint>& rows, const std::string& name) {
    auto all = std::make_shared<Blueprints>();
    all->rows = rows;
    all->rows.insert(all->rows.end(), base_.rows.begin(), base_.rows.end());
    model_.blueprints = all;
    const std::string folder = folder_ + "/" + name;
    if (const int status = run_.deliver(make_model(run_, defs_, model_), folder, true); status != exit_done)
      throw Stop{status};
    return {folder, how_};
  }

  /// Candidate k of every group is in program k + 1: groups share no kernels, so that one program times them all.
  void build() {
    size_t count = 0;
    for (const auto& [name, group] : groups_) count = std::max(count, group.candidates.size());
    for (size_t k = 0; k <= count; ++k) {
      if (k > 1 && elapsed() > o_.budget_s * kShareOfBuilding) break;
      std::vector<Blueprint> rows;
      for (const auto& [name, group] : groups_)
        if (k > 0 && k <= group.candidates.size()) rows.push_back(group.candidates[k - 1]);
      programs_.push_back(program(rows, fmt::format("p{}", k)));
      if (programs_.size() % 2 == 0 || k == count) compile(programs_.size() % 2 == 0 ? 2 : 1);
    }
    if (programs_.size() % 2 != 0 && programs_.size() <= count) compile(1);
    say(fmt::format("{} of {} candidates compiled after {:.0f} s", programs_.size() - 1, count, elapsed()));
  }

  void compile(size_t last) const {
    const size_t first = programs_.size() - last;
    for_each_index(last, [&](size_t i) {
      if (!programs_[first + i].compile()) throw Stop{exit_run_failed};
    });
  }

  void time_rounds(std::vector<TimedProgram>& programs, double share) const {
    const auto run = [](TimedProgram& p, int64_t repeat) {
      if (!p.time(repeat)) fail("the program failed on these inputs; name files with others: IN.npy");
    };
    TimedProgram probe = programs[0];
    run(probe, 1);
    const double us = std::max(probe.totals().back(), 1.0);
    const auto repeat = static_cast<int64_t>(std::clamp(kRoundUs / us, 1.0, 1e4));
    for (int round = 0; round < kMostRounds; ++round) {
      if (round >= kLeastRounds && elapsed() > o_.budget_s * share) break;
      for (TimedProgram& p : programs) run(p, repeat);
    }
  }

  /// The time of the function that computes a kernel, in a program: that of all steps which share it.
  std::vector<double> times_of(const TimedProgram& p, const std::string& kernel) const {
    std::vector<double> sum;
    for (const auto& [name, us] : p.times()) {
      const auto owner = owner_.find(name);
      if (owner == owner_.end() || owner->second != kernel) continue;
      sum.resize(us.size());
      for (size_t r = 0; r < us.size(); ++r) sum[r] += us[r];
    }
    return sum;
  }

  struct Chosen {
    Blueprints rows;
    std::vector<std::string> remarks;
  };

  Chosen chosen() {
    Chosen out;
    for (const auto& [name, group] : groups_)
      for (const std::string& kernel : group.kernels) {
        std::vector<std::vector<double>> us;
        for (size_t p = 0; p < programs_.size() && p <= group.candidates.size(); ++p)
          us.push_back(times_of(programs_[p], kernel));
        if (us[0].empty() || median(us[0]) < kLeastUs) continue;
        const auto win = find_win(us);
        if (run_.control().verbose) print_times(kernel, us, win);
        if (!win) continue;
        Blueprint row = group.candidates[win->program - 1];
        row.kernel = kernel;
        row.name.clear();
        out.rows.rows.push_back(row);
        out.remarks.push_back(fmt::format("{:.1f} us, {:.1f} us before", median(us[win->program]), median(us[0])));
      }
    return out;
  }

  static void print_times(const std::string& kernel, const std::vector<std::vector<double>>& us,
                          const std::optional<Win>& win) {
    print_to(stderr, "{:>40}", kernel);
    for (size_t p = 0; p < us.size(); ++p)
      print_to(stderr, "{} {:.2f}", win && win->program == p ? " *" : "", median(us[p]));
    print_to(stderr, "\n");
  }

  /// Whether outputs differ by no more than another order of additions explains: 1e-4 of the largest element.
  static bool agree(const std::vector<TensorData>& a, const std::vector<TensorData>& b) {
    for (size_t t = 0; t < a.size(); ++t) {
      if (a[t].dtype != b[t].dtype || a[t].dims != b[t].dims) return false;
      if (!is_float(a[t].dtype)) {
        if (a[t].bytes != b[t].bytes) return false;
        continue;
      }
      double most = 0, off = 0;
      for (int64_t k = 0; k < element_count(a[t].dims); ++k) {
        const double x = real_element(a[t], k), y = real_element(b[t], k);
        if (std::isnan(x) != std::isnan(y)) return false;
        if (std::isnan(x) || x == y) continue;
        most = std::max(most, std::abs(x));
        off = std::max(off, std::abs(x - y));
      }
      if (off > 1e-4 * most) return false;
    }
    return true;
  }

  /// All winners in one program, compared with the untuned one: gains that were measured separately may not add up.
  int deliver(Chosen rows) {
    std::string result = "nothing is faster beyond noise";
    if (!rows.rows.rows.empty()) {
      for (Blueprint& b : rows.rows.rows) b.name = b.kind + "/" + b.isa;
      std::vector<TimedProgram> both = {program({}, "before"), program(rows.rows.rows, "tuned")};
      for_each_index(2, [&](size_t i) {
        if (!both[i].compile()) throw Stop{exit_run_failed};
      });
      const auto before = both[0].outputs(outputs_), after = both[1].outputs(outputs_);
      if (!before || !after) fail("the program failed on these inputs; name files with others: IN.npy");
      if (!agree(*before, *after)) fail("the tuned program has other outputs: this is a bug of Tenon");
      time_rounds(both, 1);
      const double was = median(both[0].totals()), is = median(both[1].totals());
      if (is < was)
        result = fmt::format("{} kernels changed: {:.1f} us, {:.1f} us before", rows.remarks.size(), is, was);
      else rows = {};
    }
    say(result);
    const std::string head = fmt::format("# Found by `tenon tune` for {} at {}: {}.\n",
                                         std::filesystem::path(o_.graph).filename().string(), isa_->name, result);
    return run_.deliver_file(head + print_blueprints(rows.rows, rows.remarks), o_.output);
  }

  void say(const std::string& text) const {
    if (!run_.control().quiet) print_to(stderr, "{}\n", text);
  }

  Run& run_;
  const TuneOptions& o_;
  const std::string folder_;
  const std::chrono::steady_clock::time_point began_;
  const Definitions defs_;
  ModelOptions model_;
  Blueprints base_;
  const Isa* isa_ = nullptr;
  ProgramRun how_;
  size_t outputs_ = 0;
  std::map<std::string, std::string> owner_;  ///< of the function of a kernel: the kernel that it is named after
  std::map<std::string, Group> groups_;
  std::vector<TimedProgram> programs_;
};

}  // namespace

int run_command(Run& run, const TuneOptions& o) {
  std::vector<std::string> read = o.inputs;
  read.push_back(o.graph);
  read.insert(read.end(), o.definitions.begin(), o.definitions.end());
  refuse_overwriting(run, {{"-o", o.output, FileForm::schedules}}, read);
  if (!run.only_looks()) refuse_unreadable(o.inputs);
  const TemporaryFolder folder("tenon_tune");
  if (folder.path().empty()) stop_run(exit_bad_input, folder.why());
  return Tuner(run, o, folder.path()).tune();
}

}  // namespace tenon
