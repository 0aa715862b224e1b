// Groups kernels by the blueprint that they follow, builds and times a program for each candidate, and chooses.
#include "command/tuner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "schedule/read_blueprints.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "tune/tune.h"

namespace tenon {
namespace {

constexpr double kShareOfBuilding = 0.6, kShareOfSearch = 0.85;  // of the budget; the rest: the final comparison
constexpr int kLeastRounds = 5, kMostRounds = 15;
constexpr double kRoundUs = 3e4;  // run time of a program in a round, at least one run
constexpr double kLeastUs = 0.2;  // faster kernels are not worth a row

/// Kernels that follow one blueprint, or loops, and the alternatives to try.
struct Group {
  std::vector<std::string> kernels;
  std::vector<Blueprint> candidates;
};

class Tuner {
 public:
  Tuner(Run& run, const TuneOptions& o, TuneSource& source, const std::string& folder)
      : run_(run), o_(o), source_(source), folder_(folder), began_(std::chrono::steady_clock::now()) {}

  int tune() {
    find_groups();
    build();
    time_rounds(programs_, kShareOfSearch);
    return deliver(chosen());
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

  [[noreturn]] static void fail(const std::string& why) { stop_run(exit_run_failed, why); }

  /// The kernels by the blueprint that they follow; loops follow those of maps and of reductions.
  void find_groups() {
    for (const TunedKernel& k : source_.kernels()) {
      owner_[k.name] = k.owner;
      if (k.owner != k.name) continue;
      Group& group = groups_[k.blueprint + " " + std::string(k.isa->name)];
      group.kernels.push_back(k.name);
      if (group.kernels.size() == 1) find_candidates(k, group);
    }
  }

  void find_candidates(const TunedKernel& k, Group& group) const {
    for (const Blueprint& b : source_.shipped().rows) {
      const bool followed = k.blueprint == "loops" ? b.kind == "map" || b.kind == "reduction" : b.name == k.blueprint;
      if (!followed) continue;
      for (Blueprint& c : candidates_of(b, *k.isa)) {
        c.isa = k.isa->name;
        group.candidates.push_back(std::move(c));
      }
    }
  }

  /// A program with `rows` added in front of the existing ones, not yet compiled.
  std::unique_ptr<TimedProgram> program(const std::vector<Blueprint>& rows, const std::string& name) const {
    Blueprints all;
    all.rows = rows;
    all.rows.insert(all.rows.end(), source_.shipped().rows.begin(), source_.shipped().rows.end());
    return source_.program(all, folder_ + "/" + name);
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
      if (k % 2 == 0) compile();  // the first by itself: others take its objects
    }
    compile();
    say(fmt::format("{} of {} candidates compiled after {:.0f} s", programs_.size() - 1, count, elapsed()));
  }

  /// All programs that are not compiled yet.
  void compile() {
    for_each_index(programs_.size() - compiled_, [&](size_t i) {
      if (!programs_[compiled_ + i]->compile()) throw Stop{exit_run_failed};
    });
    compiled_ = programs_.size();
  }

  void time_rounds(const std::vector<std::unique_ptr<TimedProgram>>& programs, double share) const {
    for (int round = 0; round < kMostRounds; ++round) {
      if (round >= kLeastRounds && elapsed() > o_.budget_s * share) break;
      for (const auto& p : programs)
        if (!p->time(kRoundUs)) fail(source_.why_it_fails());
    }
  }

  /// The time of the function that computes a kernel in a program: the sum over all steps that share it.
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
          us.push_back(times_of(*programs_[p], kernel));
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

  /// Relative to the largest element: the effect of another order of additions, and the last bit of narrow types.
  static double tolerance(DType d) {
    return d == DType::BF16 ? 0x1p-7 : d == DType::F16 ? 0x1p-10 : bytes_of(d) < 2 ? 0.25 : 1e-4;
  }

  /// Whether outputs differ by at most that.
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
      if (off > tolerance(a[t].dtype) * most) return false;
    }
    return true;
  }

  /// All winners in one program, compared with the untuned one: gains that were measured separately may not add up.
  int deliver(Chosen rows) {
    std::string result = "nothing is faster beyond noise";
    if (!rows.rows.rows.empty()) {
      for (Blueprint& b : rows.rows.rows) b.name = b.kind + "/" + b.isa;
      std::vector<std::unique_ptr<TimedProgram>> both;
      both.push_back(program({}, "before"));
      both.push_back(program(rows.rows.rows, "tuned"));
      for_each_index(2, [&](size_t i) {
        if (!both[i]->compile()) throw Stop{exit_run_failed};
      });
      const auto before = both[0]->outputs(), after = both[1]->outputs();
      if (!before || !after) fail(source_.why_it_fails());
      if (!agree(*before, *after)) fail("the tuned program has other outputs: this is a bug of Tenon");
      time_rounds(both, 1);
      const double was = median(both[0]->totals()), is = median(both[1]->totals());
      if (is < was)
        result = fmt::format("{} kernels changed: {:.1f} us, {:.1f} us before", rows.remarks.size(), is, was);
      else rows = {};
    }
    say(result);
    const std::string head = fmt::format("# Found by `tenon tune` for {}: {}.\n", source_.name(), result);
    return run_.deliver_file(head + print_blueprints(rows.rows, rows.remarks), o_.output);
  }

  void say(const std::string& text) const {
    if (!run_.control().quiet) print_to(stderr, "{}\n", text);
  }

  Run& run_;
  const TuneOptions& o_;
  TuneSource& source_;
  const std::string folder_;
  const std::chrono::steady_clock::time_point began_;
  std::map<std::string, std::string> owner_;  ///< of the function of a kernel: the kernel that it is named after
  std::map<std::string, Group> groups_;
  std::vector<std::unique_ptr<TimedProgram>> programs_;
  size_t compiled_ = 0;  ///< of these
};

}  // namespace

int tune(Run& run, const TuneOptions& o, TuneSource& source, const std::string& folder) {
  return Tuner(run, o, source, folder).tune();
}

}  // namespace tenon
