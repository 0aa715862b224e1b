// Runs in child processes: an abort of the generator or a crash of what it made is a finding and not the end.
#include "random_graphs/run_graph.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "random_graphs/evaluate.h"

namespace tenon_test {
namespace {

constexpr size_t kGuard = 64;
constexpr uint8_t kGuardByte = 0xa5;
constexpr unsigned kMostSeconds = 60;        ///< of a processor
constexpr unsigned kMostClockSeconds = 900;  ///< next to other work, or where something sleeps for ever
constexpr int kShapeStatus = -3;             ///< NET_E_SHAPE
enum Exit : int {
  kRan,
  kNotGenerated = 10,
  kNotCompiled,
  kNotLoaded,
  kStatus,
  kOutside,
  kInputChanged,
  kTaken,
  kTouched
};

std::string text_of(const std::filesystem::path& path) {
  std::stringstream s;
  s << std::ifstream(path).rdbuf();
  return s.str();
}

/// What the header says of the arena, or of a region of it, whose name is one small letter.
size_t arena_bytes(const std::string& header, const std::string& region) {
  const std::string macro =
      region.empty() ? "NET_ARENA_BYTES " : fmt::format("NET_ARENA_{}_BYTES ", static_cast<char>(region[0] - 32));
  const size_t at = header.find(macro);
  return at == std::string::npos ? 0 : std::strtoull(header.c_str() + at + macro.size(), nullptr, 10);
}

/// Memory of one tensor or of the arena between guard bytes, on a boundary of 64.
struct Block {
  std::vector<uint8_t> memory;
  size_t begin = 0, size = 0;

  explicit Block(size_t bytes) : memory(bytes + 2 * kGuard + 64, kGuardByte), size(bytes) {
    begin = kGuard;
    while (reinterpret_cast<uintptr_t>(memory.data() + begin) % 64) ++begin;
  }
  uint8_t* data() { return memory.data() + begin; }
  bool is_guarded() const {
    for (size_t i = 0; i < memory.size(); ++i)
      if ((i < begin || i >= begin + size) && memory[i] != kGuardByte) return false;
    return true;
  }
};

/// The memory of a call: one block, or one for each region.
class Arena {
 public:
  Arena(const Variant& variant, const std::string& header) : divided_(!variant.arena.empty()) {
    for (const MemoryRegion& r : variant.arena) blocks_.emplace_back(arena_bytes(header, r.name));
    if (!divided_) blocks_.emplace_back(arena_bytes(header, ""));
    for (Block& b : blocks_) pointers_.push_back(b.data());
  }
  /// What net_run takes.
  void* argument() { return divided_ ? static_cast<void*>(pointers_.data()) : pointers_.front(); }
  bool is_guarded() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.is_guarded(); });
  }

 private:
  bool divided_;
  std::vector<Block> blocks_;
  std::vector<void*> pointers_;
};

/// Room for the results of a run, one behind the other.
size_t output_bytes(const RandomGraph& g) {
  size_t bytes = 1;  // whether there are results
  for (const int v : g.outputs) bytes += g.values[static_cast<size_t>(v)].data.bytes.size();
  return bytes;
}

/// What a status below 0 means. What was refused is not compared.
int refused(const KnownRun& known, int status, const std::vector<Block>& outputs) {
  if (known.answer == Answer::Values || (known.answer == Answer::ValuesOrRefusal && status != kShapeStatus))
    return kStatus;
  const bool untouched = std::all_of(outputs.begin(), outputs.end(), [](const Block& b) {
    return std::all_of(b.memory.begin(), b.memory.end(), [](uint8_t byte) { return byte == kGuardByte; });
  });
  return untouched ? kRan : kTouched;
}

/// Calls net_run of the shared object. At `results` 1 and the outputs one behind the other, or 0 where it refuses.
int call_model(const KnownRun& known, const Variant& variant, const std::filesystem::path& folder, uint8_t* results) {
  const RandomGraph& g = known.graph;
  void* library = dlopen((folder / "net.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  using Run = int (*)(const void* const*, void* const*, void*, const void*);
  const auto run = library ? reinterpret_cast<Run>(dlsym(library, "net_run")) : nullptr;
  if (!run) return kNotLoaded;
  std::vector<Block> inputs, outputs;
  std::vector<const void*> in;
  std::vector<void*> out;
  const auto given = values_from(g, From::Input);
  for (const int v : given) {
    const auto& bytes = g.values[static_cast<size_t>(v)].data.bytes;
    inputs.emplace_back(bytes.size());
    if (!bytes.empty()) std::memcpy(inputs.back().data(), bytes.data(), bytes.size());
  }
  // Outputs of a call that should be refused have the extents of another one: room for what is not to be written.
  const size_t more = known.answer == Answer::Refusal ? 1 << 16 : 0;
  for (const int v : g.outputs) outputs.emplace_back(g.values[static_cast<size_t>(v)].data.bytes.size() + more);
  for (Block& b : inputs) in.push_back(b.data());
  for (Block& b : outputs) out.push_back(b.data());
  // Behind the pointers the sizes, and room for the shapes of the outputs.
  in.push_back(reinterpret_cast<const void*>(static_cast<intptr_t>(g.size)));
  out.resize(out.size() + 1 + 8 * g.outputs.size(), nullptr);
  Arena arena(variant, text_of(folder / "include" / "net.h"));
  const int status = run(in.data(), out.data(), arena.argument(), nullptr);
  *results++ = status >= 0;
  if (status < 0) return refused(known, status, outputs);
  if (known.answer == Answer::Refusal) return kTaken;
  bool guarded = arena.is_guarded();
  for (Block& b : outputs) {
    guarded = guarded && b.is_guarded();
    if (b.size) std::memcpy(results, b.data(), b.size);
    results += b.size;
  }
  if (!guarded) return kOutside;
  for (size_t k = 0; k < given.size(); ++k) {
    const auto& bytes = g.values[static_cast<size_t>(given[k])].data.bytes;
    if (!inputs[k].is_guarded() || (!bytes.empty() && std::memcmp(inputs[k].data(), bytes.data(), bytes.size()) != 0))
      return kInputChanged;
  }
  return kRan;
}

/// The child's part: generates, compiles, runs.
int child(const Bench& bench, const std::vector<KnownRun>& runs, const Variant& variant,
          const std::filesystem::path& folder, uint8_t* results) {
  const int log = open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(log, 1);
  dup2(log, 2);
  const rlimit processor{kMostSeconds, kMostSeconds};
  setrlimit(RLIMIT_CPU, &processor);
  alarm(kMostClockSeconds);
  ModelOptions options;
  options.graph = (folder.parent_path() / "graph.yaml").string();
  options.isas = {variant.isa};
  options.fuse = variant.fuse;
  options.arena = variant.arena;
  options.output_dir = folder.string();
  try {
    if (bench.run.deliver(make_model(bench.run, bench.defs, options), folder.string()) != exit_done)
      return kNotGenerated;
  } catch (const Stop&) {
    return kNotGenerated;
  }
  // One compiler instead of one for each file: with one level, no two files have a static function of the same name.
  const std::string line = fmt::format(
      "cd '{}' && sed 's/.*/#include \"&\"/' sources.txt >all.c && {} -std=c99 -shared -fPIC -Iinclude -o net.so all.c",
      folder.string(), bench.compiler);
  if (std::system(line.c_str()) != 0) return kNotCompiled;
  for (const KnownRun& r : runs) {
    if (const int how = call_model(r, variant, folder, results); how != kRan) return how;
    results += output_bytes(r.graph);
  }
  return kRan;
}

std::string last_lines(const std::filesystem::path& log) {
  const std::string text = text_of(log);
  return text.size() > 1500 ? text.substr(text.size() - 1500) : text;
}

Finding compare(const KnownRun& known, const uint8_t* results, Compared& compared) {
  const RandomGraph& g = known.graph;
  if (!*results++) return ++compared.refused, Finding{};
  const std::string where = g.open != 0 ? fmt::format(" where N = {}", g.size) : "";
  for (size_t k = 0; k < g.outputs.size(); ++k) {
    const RandomValue& wanted = g.values[static_cast<size_t>(g.outputs[k])];
    TensorData got = wanted.data;
    if (!got.bytes.empty()) std::memcpy(got.bytes.data(), results, got.bytes.size());
    results += got.bytes.size();
    const std::vector<long double> w = real_elements(wanted.data), x = real_elements(got);
    for (size_t i = 0; i < w.size(); ++i) {
      ++compared.elements;
      if (std::isnan(known.limits[k][i])) {
        ++compared.undecided;
        continue;
      }
      const bool same = x[i] == w[i] || (std::isnan(x[i]) && std::isnan(w[i]));
      if (same || std::fabs(x[i] - w[i]) <= static_cast<long double>(known.limits[k][i])) continue;
      return {"wrong",
              fmt::format("{}[{}]{} is {:.9g}, the oracle says {:.9g} within {:.3g}", wanted.name, i, where,
                          static_cast<double>(x[i]), static_cast<double>(w[i]), known.limits[k][i]),
              static_cast<int>(k)};
    }
  }
  return {};
}

Finding finding_of(int status, const std::filesystem::path& folder) {
  if (WIFSIGNALED(status)) return {"crash", fmt::format("signal {}\n{}", WTERMSIG(status), last_lines(folder / "log"))};
  switch (WEXITSTATUS(status)) {
    case kRan: return {};
    case kNotGenerated: return {"generate", last_lines(folder / "log")};
    case kNotCompiled: return {"compile", last_lines(folder / "log")};
    case kStatus: return {"status", "net_run returns a negative status"};
    case kTaken: return {"taken", "net_run takes sizes that the definitions or the declared range refuse"};
    case kTouched: return {"touched", "net_run refuses sizes after it has written to an output"};
    case kOutside: return {"memory", "bytes outside of the outputs or of the arena were written"};
    case kInputChanged: return {"memory", "an input was written"};
    default: return {"load", last_lines(folder / "log")};
  }
}

}  // namespace

Finding run_graph(const Bench& bench, const std::vector<KnownRun>& runs, const Variant& variant,
                  const std::filesystem::path& root, Compared& compared) {
  const auto folder = root / fmt::format("{}_{}", variant.fuse ? "fused" : "plain", variant.isa);
  std::filesystem::create_directories(folder);
  size_t bytes = 1;
  for (const KnownRun& r : runs) bytes += output_bytes(r.graph);
  auto* results =
      static_cast<uint8_t*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t pid = fork();
  if (pid == 0) _exit(child(bench, runs, variant, folder, results));
  int status = 0;
  waitpid(pid, &status, 0);
  Finding found = finding_of(status, folder);
  const uint8_t* at = results;
  for (const KnownRun& r : runs) {
    if (found.kind.empty()) found = compare(r, at, compared);
    at += output_bytes(r.graph);
  }
  munmap(results, bytes);
  return found;
}

}  // namespace tenon_test
