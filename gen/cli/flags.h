// Flags as --help shows them, and those that several commands take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline.h"

namespace tenon {

/// A flag as --help shows it; `syntax` completes "'x' is not …" for what does not parse.
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

/// Adds a flag whose text goes through `parse` into `place`.
template <class T, class Parse>
CLI::Option* add_parsed(CLI::App& app, const Flag& flag, T& place, Parse parse) {
  const auto read = [&place, parse, flag](const std::string& text) {
    place = parsed_value<typename decltype(parse(text))::value_type>(flag, text, parse);
  };
  return app.add_option_function<std::string>(flag.names, read, flag.help)->type_name(flag.value);
}

/// The same for a flag that may come several times, each one an element of `place`.
template <class T, class Parse>
void add_repeated(CLI::App& app, const Flag& flag, std::vector<T>& place, Parse parse) {
  const auto read = [&place, parse, flag](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) place.push_back(parsed_value<T>(flag, text, parse));
  };
  app.add_option_function<std::vector<std::string>>(flag.names, read, flag.help)
      ->type_name(flag.value)
      ->allow_extra_args(false);
}

void add_isa(CLI::App& app, std::vector<std::string>& isas);
void add_dtypes(CLI::App& app, std::vector<std::string>& dtypes);
void add_ops(CLI::App& app, KernelSelection& selection);
void add_selection(CLI::App& app, KernelSelection& selection);
void add_sizes(CLI::App& app, std::vector<SizeBound>& sizes);
void add_files(CLI::App& app, const char* name, std::vector<std::string>& files, const char* help);
void add_c_name(CLI::App& app, const char* flag, std::string& place, const char* help);
void add_schedules(CLI::App& app, std::optional<std::string>& file);
void add_math(CLI::App& app, MathChoice& math);
void add_compiler(CLI::App& app, std::string& command, const char* help = "the C compiler [cc]");
void add_fix(CLI::App& app, std::vector<std::string>& fix);
void add_user_definitions(CLI::App& app, std::vector<std::string>& files);
void add_until(CLI::App& app, std::optional<std::string>& value);
void add_winograd(CLI::App& app, bool& winograd);
void add_recompute(CLI::App& app, std::optional<Recompute>& mode);
void add_train_with(CLI::App& app, std::optional<std::string>& file);
void add_arena(CLI::App& app, std::vector<MemoryRegion>& arena);
std::optional<int> parse_threads(const std::string& text);
std::optional<NamedValue> parse_named(const std::string& text);

/// "a,b" → {a, b}; nothing if a part is empty.
std::optional<std::vector<std::string>> parse_name_list(std::string_view text);

/// "0-8", "2", "0-2,4" → the ranks, ascending; nothing if malformed or outside 0..8.
std::optional<std::vector<int>> parse_ranks(std::string_view text);

/// "N=4" or "N=1..64" with 0 ≤ low ≤ high.
std::optional<SizeBound> parse_size_bound(std::string_view text);

/// "fast=64K,slow=2M" → memory regions with their budgets in `regions`; the last may have none: "fast=64K,slow". Empty,
/// or an error.
std::string parse_arena(std::string_view text, std::vector<MemoryRegion>& regions);

/// Whether a C compiler takes `text` as an identifier that is neither a keyword nor reserved (a leading underscore).
bool is_c_name(std::string_view text);

}  // namespace tenon
