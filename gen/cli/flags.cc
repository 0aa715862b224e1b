// What the flags that several commands take read, and their lines of --help.
#include "cli/flags.h"

namespace tenon {
namespace {

constexpr int most_threads = 1024;

}  // namespace

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

void add_compiler(CLI::App& app, std::string& command, const char* help) {
  const auto parse = [](const std::string& text) {
    return text.find_first_not_of(" \t\n") == std::string::npos ? std::nullopt : std::optional(text);
  };
  add_parsed(app, {"--cc", "CMD", "a command", help}, command, parse);
}

void add_fix(CLI::App& app, std::vector<std::string>& fix) {
  const char* help = "add bodies for known sizes and attributes: 'gemm: M=64 N=64; conv2d: kernel=3x3'";
  app.add_option("--fix", fix, help)->type_name("ENTRIES")->allow_extra_args(false);
}

void add_user_definitions(CLI::App& app, std::vector<std::string>& files) {
  app.add_option("--defs", files, "op definitions added to the shipped ones")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_until(CLI::App& app, std::optional<std::string>& value) {
  app.add_option("--until", value, "compute this value of the graph, not its outputs")->type_name("VALUE");
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

void add_arena(CLI::App& app, std::vector<MemoryRegion>& arena) {
  const char* flag = "--arena";
  const auto read = [&arena, flag](const std::string& text) {
    if (const std::string fault = parse_arena(text, arena); !fault.empty()) throw CLI::ValidationError(flag, fault);
  };
  app.add_option_function<std::string>(flag, read, "the arena in regions of memory, the preferred one first")
      ->type_name("fast=64K,slow");
}

std::optional<int> parse_threads(const std::string& text) {
  const auto number = parse_size_bound("threads=" + text);
  if (!number || number->low != number->high || number->low < 1 || number->high > most_threads) return std::nullopt;
  return static_cast<int>(number->low);
}

std::optional<NamedValue> parse_named(const std::string& text) {
  const size_t at = text.find('=');
  if (at == 0 || at == std::string::npos || at + 1 == text.size()) return std::nullopt;
  return NamedValue{text.substr(0, at), text.substr(at + 1)};
}

}  // namespace tenon
