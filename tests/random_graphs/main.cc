// Graphs of random operators: the C with fusion, the C without it and the oracle have to agree.
//   random_graphs [--nodes N] [--seconds N] [--seed S] [--ops A,B] [--keep DIR] [--shrink] [--open | --grad] | --graphs
//   DIR
// With --grad the gradients of the graphs, next to differences of what the oracle says. With --ops half of the
// operators are among these.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <sstream>
#include <string>

#include "frame_files.h"
#include "isa/all_isas.h"
#include "opdef/read/read_math.h"
#include "opdef/read_ops.h"
#include "pipeline/read_data.h"
#include "random_graphs/choose_node.h"
#include "random_graphs/evaluate.h"
#include "random_graphs/gradients.h"
#include "random_graphs/known_graph.h"
#include "random_graphs/run_graph.h"
#include "random_graphs/shrink_graph.h"
#include "scratch_dir.h"

using namespace tenon;
using namespace tenon_test;

namespace {

struct Settings {
  int nodes = 500;  ///< stop when the graphs together have as many operators …
  int seconds = 0;  ///< … or, if that is given, after this time
  uint64_t seed = 1;
  std::string keep;  ///< where folders of findings stay
  bool shrink = false;
  bool open = false;          ///< two graphs of three are generated once more with an open size
  bool grad = false;          ///< gradients of the graphs
  std::set<std::string> ops;  ///< drawn more often than others
  std::string graphs;         ///< instead: the graphs in the YAML files there, at every level
};

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  std::istringstream words(list);
  for (std::string name; std::getline(words, name, ',');) names.insert(name);
  return names;
}

/// False after a message.
bool read_settings(int argc, char** argv, Settings& s) {
  for (int k = 1; k < argc; ++k) {
    const std::string flag = argv[k];
    if (flag == "--shrink") s.shrink = true;
    else if (flag == "--open") s.open = true;
    else if (flag == "--grad") s.grad = true;
    else if (k + 1 < argc && flag == "--nodes") s.nodes = std::atoi(argv[++k]);
    else if (k + 1 < argc && flag == "--seconds") s.seconds = std::atoi(argv[++k]);
    else if (k + 1 < argc && flag == "--seed") s.seed = std::strtoull(argv[++k], nullptr, 10);
    else if (k + 1 < argc && flag == "--keep") s.keep = argv[++k];
    else if (k + 1 < argc && flag == "--ops") s.ops = names_in(argv[++k]);
    else if (k + 1 < argc && flag == "--graphs") s.graphs = argv[++k];
    else
      return fmt::print(stderr,
                        "random_graphs [--nodes N] [--seconds N] [--seed S] [--ops A,B] [--keep DIR] "
                        "[--shrink] [--open | --grad] | --graphs DIR\n"),
             false;
  }
  return true;
}

std::vector<SourceFileRef> yaml_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& e : std::filesystem::directory_iterator(folder))
    if (e.path().extension() == ".yaml") paths.push_back(e.path());
  std::sort(paths.begin(), paths.end());
  std::vector<SourceFileRef> files;
  for (const auto& p : paths) files.push_back(*read_source(p.string()));
  return files;
}

constexpr size_t kMostOps = 1024;

/// What is counted over all graphs.
struct Counts {
  int graphs = 0, nodes = 0, findings = 0;
  int open = 0, refused = 0, sizes = 0;  ///< graphs with an open size that were run, that are refused (a constant fixes
                                         ///< it), and the sizes of the former
  Compared compared;
  int used[kMostOps] = {};  ///< per definition, in their order
};

/// Finds things and counts them.
class Hunt {
 public:
  Hunt(const Bench& bench, const Settings& settings, Counts& counts)
      : bench_(bench), settings_(settings), counts_(counts) {
    for (const Isa& isa : all_isas())
      if (runs_on_host(isa)) levels_.emplace_back(isa.name);
  }

  void one_graph(NodeChooser& chooser, uint64_t seed) {
    std::mt19937_64 rng(seed);
    const RandomGraph g = without_unread(chooser.graph(6 + static_cast<int>(rng() % 14)));
    const std::string isa =
        levels_[rng() % levels_.size()];  // before the judge draws: what it says does not change what is run
    const auto known = g.outputs.empty() ? std::nullopt : judged(g, rng);
    if (!known) return;
    ++counts_.graphs;
    counts_.nodes += static_cast<int>(g.nodes.size());
    for (const RandomNode& n : g.nodes)
      ++counts_.used[std::min<size_t>(kMostOps - 1, static_cast<size_t>(std::distance(
                                                        bench_.defs.ops.ops.begin(), bench_.defs.ops.ops.find(n.op))))];
    for (const bool fuse : {true, false}) {
      const Variant variant = {fuse, isa, fuse ? drawn_arena(seed) : std::vector<MemoryRegion>{}};
      const Finding f = run({*known}, variant, fmt::format("seed{}", seed));
      if (!f.kind.empty()) return report(g, variant, f, seed);
    }
    if (settings_.open) at_open_sizes(g, isa, seed, rng);
  }

  void at_open_sizes(const RandomGraph& g, const std::string& isa, uint64_t seed, std::mt19937_64& rng) {
    for (const int64_t extent : extents_to_open(g, rng)) {
      RandomGraph open = g;
      open.open = open.size = extent;
      const std::vector<KnownRun> runs = at_sizes(open, seed);
      const Variant variant{rng() % 4 != 0, isa, drawn_arena(seed + 1)};
      const Finding f = run(runs, variant, fmt::format("open{}", seed));
      if (f.kind == "generate") {
        ++counts_.refused;
        continue;
      }
      if (!f.kind.empty()) return report(open, variant, f, seed);
      ++counts_.open;
      counts_.sizes += static_cast<int>(runs.size());
    }
  }

  /// A graph of a file, at every level of this machine with fusion, and once without.
  void known(const std::filesystem::path& file) {
    std::mt19937_64 rng(1);
    const auto g = known_graph(bench_.defs.ops, file);
    const auto judgement = g ? judged(*g, rng) : std::nullopt;
    ++counts_.graphs;
    if (!judgement)
      return void(
          (++counts_.findings, fmt::print("FAIL {}: the oracle has no values of it\n", file.filename().string())));
    counts_.nodes += static_cast<int>(g->nodes.size());
    for (const std::string& isa : levels_)
      for (const bool fuse : {true, false}) {
        if (!fuse && isa != levels_.front()) continue;
        const Finding f = run({*judgement}, {fuse, isa, {}}, file.stem().string());
        if (!f.kind.empty()) return report(*g, {fuse, isa, {}}, f, 0);
      }
  }

 private:
  /// The graph with what its results have to be, or its gradients with what these have to be.
  std::optional<KnownRun> judged(const RandomGraph& g, std::mt19937_64& rng) const {
    if (settings_.grad) return with_gradients(bench_.defs.ops, g, rng);
    const auto limits = tolerances(bench_.defs.ops, g, rng);
    return limits ? std::optional(KnownRun{g, *limits}) : std::nullopt;
  }

  /// For one graph of two the arena in three regions, of which two have some hundred or thousand bytes.
  static std::vector<MemoryRegion> drawn_arena(uint64_t seed) {
    if (seed % 2 == 0) return {};
    return {{"a", 64 << (seed / 2 % 6), 0}, {"b", 64 << (seed / 12 % 6), 0}, {"c", std::nullopt, 0}};
  }

  /// For two graphs of three one of the extents above 1 that the inputs have, or none.
  static std::vector<int64_t> extents_to_open(const RandomGraph& g, std::mt19937_64& rng) {
    std::vector<int64_t> extents;
    for (const int v : values_from(g, From::Input))
      for (const int64_t d : g.values[static_cast<size_t>(v)].data.dims)
        if (d > 1) extents.push_back(d);
    return extents.empty() || rng() % 3 == 0 ? std::vector<int64_t>{}
                                             : std::vector<int64_t>{extents[rng() % extents.size()]};
  }

  /// The open graph as it is, at the ends of its size, and behind them. An open extent next to a fixed one is taken to
  /// be equal to it, so that a program may refuse the 1 that the definition stretches, but only where other sizes are
  /// refused by the definition too.
  std::vector<KnownRun> at_sizes(const RandomGraph& g, uint64_t seed) const {
    std::vector<KnownRun> runs;
    bool fixed = false;
    for (const int64_t size : {g.open, maximum_size(g), g.open - 1, int64_t{1}, int64_t{0}, maximum_size(g) + 1}) {
      std::mt19937_64 rng(seed);
      const auto sized = at_size(bench_.defs.ops, g, size);
      if (!sized) continue;
      const bool outside = size < 1 || size > maximum_size(g);
      const auto limits = sized->refused || outside ? std::nullopt : tolerances(bench_.defs.ops, sized->graph, rng);
      if (sized->refused || outside) runs.push_back({sized->graph, {}, Answer::Refusal});
      else if (limits)
        runs.push_back({sized->graph, *limits, size == 1 && fixed ? Answer::ValuesOrRefusal : Answer::Values});
      fixed = fixed || (sized->refused && size > 1);
    }
    return runs;
  }

  Finding run(const std::vector<KnownRun>& runs, const Variant& variant, const std::string& name) {
    const auto folder = scratch_ / name;
    if (runs.empty()) return {};
    write_graph(runs[0].graph, folder);
    Finding f = run_graph(bench_, runs, variant, folder, counts_.compared);
    if (!f.kind.empty() && !settings_.keep.empty()) {
      std::filesystem::create_directories(settings_.keep);
      std::filesystem::copy(
          folder, std::filesystem::path(settings_.keep) / name,
          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    }
    std::filesystem::remove_all(folder);
    return f;
  }

  std::vector<KnownRun> as_it_is(const RandomGraph& g, uint64_t seed) const {
    std::mt19937_64 rng(seed);
    const auto known = judged(g, rng);
    return known ? std::vector<KnownRun>{*known} : std::vector<KnownRun>{};
  }

  void report(RandomGraph g, const Variant& variant, Finding f, uint64_t seed) {
    ++counts_.findings;
    if (settings_.shrink)
      g = shrink_graph(std::move(g), [&](const RandomGraph& less) {
        const std::vector<KnownRun> runs = less.open != 0 ? at_sizes(less, seed) : as_it_is(less, seed);
        if (runs.empty()) return false;
        const Finding again = run(runs, variant, fmt::format("small{}", seed));
        if (again.kind == f.kind) f.detail = again.detail;
        return again.kind == f.kind;
      });
    std::string how = variant.fuse ? "with fusion" : "without fusion";
    for (const MemoryRegion& r : variant.arena) how += fmt::format(" {}={}", r.name, r.budget.value_or(0));
    fmt::print("FAIL seed {} {} {}: {}\n  {}\n{}\n", seed, how, variant.isa, f.kind, f.detail,
               yaml_text(settings_.grad ? as_it_is(g, seed)[0].graph : g));
    std::fflush(stdout);
  }

  const Bench& bench_;
  const Settings& settings_;
  Counts& counts_;
  ScratchDir scratch_;
  std::vector<std::string> levels_;
};

/// One graph in a process of its own: the generator's stages and the oracle abort where something is wrong with them.
void one_process(const Bench& bench, const Settings& s, uint64_t seed, Counts& counts) {
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    {
      Hunt h(bench, s, counts);
      NodeChooser chooser(bench.defs.ops, seed, s.grad, s.ops);  // a seed alone says which graph it is
      h.one_graph(chooser, seed);
    }
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  ++counts.graphs;
  ++counts.findings;
  const std::string end =
      WIFEXITED(status) ? fmt::format("status {}", WEXITSTATUS(status)) : fmt::format("signal {}", WTERMSIG(status));
  fmt::print("FAIL seed {}: {} of the process that draws the graph and runs it\n", seed,
             end);  // sanitizers end it with a status
}

int hunt(const Bench& bench, const Settings& s) {
  auto* shared = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Counts& counts = *new (shared) Counts;
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  };
  if (!s.graphs.empty())
    for (const SourceFileRef& file : yaml_files(s.graphs)) Hunt(bench, s, counts).known(file->name());
  else
    for (uint64_t seed = s.seed; s.seconds > 0 ? seconds() < s.seconds : counts.nodes < s.nodes; ++seed)
      one_process(bench, s, seed, counts);
  const double undecided = counts.compared.elements ? 100.0 * static_cast<double>(counts.compared.undecided) /
                                                          static_cast<double>(counts.compared.elements)
                                                    : 100;
  const auto kinds = std::count_if(std::begin(counts.used), std::end(counts.used), [](int n) { return n > 0; });
  fmt::print("{} graphs, {} operators of {} kinds, {} elements compared, {:.1f} % of them undecided, {} s\n",
             counts.graphs, counts.nodes, kinds, counts.compared.elements, undecided, seconds());
  if (s.open)
    fmt::print("{} with an open size, at {} sizes, {} of them refused; {} more are refused where it is open\n",
               counts.open, counts.sizes, counts.compared.refused, counts.refused);
  const bool vague = undecided > 20;
  if (vague) fmt::print("FAIL too many elements are undecided\n");
  fmt::print("{} passed, {} failed, 0 skipped\n", counts.graphs - counts.findings, counts.findings + vague);
  return counts.findings || vague ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!read_settings(argc, argv, settings)) return 2;
  RunControl control;
  control.quiet = true;
  Run run(control);
  const auto defs = read_ops(yaml_files(TENON_CHECKOUT "/opdefs"), {}, frame_files(TENON_CHECKOUT));
  const auto math = read_math(yaml_files(TENON_CHECKOUT "/opdefs/math"));
  if (!defs.ok() || !math.ok())
    return fmt::print(stderr, "{}{}", defs.diagnostics().text(), math.diagnostics().text()), 1;
  for (const std::string& name : settings.ops) {
    const OpDef* def = defs->op(name);
    if (!def || (settings.grad && def->grad == GradKind::none))
      return fmt::print(stderr, "random_graphs: --ops: there is no {} '{}'\n", def ? "gradient of" : "op", name), 2;
  }
  const char* cc = std::getenv("CC");
  const Definitions all{*defs, *math, read_scalar_functions(run)};
  return hunt({run, all, fmt::format("{} -O0 -w", cc ? cc : "cc")}, settings);  // compiling is most of the time
}
