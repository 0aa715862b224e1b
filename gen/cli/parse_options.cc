// The commands; CLI11 does the matching.
#include "cli/parse_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command_flags.h"
#include "cli/flags.h"
#include "support/version.h"

namespace tenon {
namespace {

const std::string version = fmt::format("tenon {}", kVersion);
constexpr int help_column = 30;

void add_control(CLI::App& app, RunControl& control) {
  const char* group = "On all commands";
  app.add_option("--opdefs", control.opdefs, "op definitions from DIR, not the shipped ones")
      ->type_name("DIR")
      ->group(group);
  const Flag dump_after = {"--dump-after", "STAGE,..|all", "a list of stages", "print what these stages made"};
  add_parsed(app, dump_after, control.dump_after, parse_name_list)->group(group);
  app.add_flag("--list-outputs", control.list_outputs, "print the output names, write nothing")->group(group);
  app.add_option("--depfile", control.depfile, "write what was read as Make dependencies")
      ->type_name("F")
      ->group(group);
  app.add_flag("--check", control.check, "status 1 if the output is stale, write nothing")->group(group);
  app.add_flag("--force", control.force, "overwrite files that Tenon did not write")->group(group);
  app.add_flag("--dry-run", control.dry_run, "do everything but write")->group(group);
  app.add_flag("--verbose", control.verbose, "say what each stage does")->group(group);
  app.add_flag("-q,--quiet", control.quiet, "say errors only")->group(group);
}

// One subcommand: its flags write into a value that becomes `options.command` when the subcommand is the one chosen.
template <class Command>
void add_command(CLI::App& app, const char* name, Options& options, void (*add)(CLI::App&, Command&)) {
  auto command = std::make_shared<Command>();
  CLI::App* sub = app.add_subcommand(name);
  add(*sub, *command);
  add_control(*sub, options.control);
  sub->set_help_flag("-h,--help", "print this");
  sub->get_formatter()->column_width(help_column);
  sub->callback([&options, command] { options.command = *command; });
}

std::string chosen_name(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? "tenon" : "tenon " + chosen.front()->get_name();
}

/// Unknown words are reported before missing ones: a misspelt command or flag causes both.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const bool incomplete =
      dynamic_cast<const CLI::RequiredError*>(&error) || dynamic_cast<const CLI::ExtrasError*>(&error);
  const std::vector<std::string> extra = incomplete ? app.remaining(true) : std::vector<std::string>{};
  const std::string text = error.what(), flag = text.substr(0, text.find(": "));
  if (text.find(": At Most 1 ") != std::string::npos) return flag + " is given more than once";
  if (text.find(": 1 required ") != std::string::npos) return flag + " takes a value";
  if (extra.empty()) return text;
  if (!app.get_subcommands().empty())
    return fmt::format("unknown argument '{}' for `{}`", extra.front(), chosen_name(app));
  if (extra.front().starts_with("-")) return fmt::format("'{}' is before any command", extra.front());
  return fmt::format("there is no command '{}'", extra.front());
}

ParsedCommandLine wrong(const CLI::App& app, const std::string& what) {
  const std::string name = chosen_name(app);
  return {std::nullopt, fmt::format("{}: error: {}\n  note: `{} --help` lists what it takes\n", name, what, name),
          exit_bad_command_line};
}

}  // namespace

ParsedCommandLine parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app("Tenon: op definitions and models in, standalone C99 out.", "tenon");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "print this");
  app.set_version_flag("--version", version);
  app.footer("`tenon COMMAND --help` has the flags and an example of each.");
  add_command(app, "lib", options, add_lib);
  add_command(app, "model", options, add_model);
  add_command(app, "run", options, add_run);
  add_command(app, "train", options, add_train);
  add_command(app, "tune", options, add_tune);
  add_command(app, "quantize", options, add_quantize);
  add_command(app, "try", options, add_try);
  add_command(app, "bench", options, add_bench);
  add_command(app, "dump", options, add_dump);
  add_command(app, "explain", options, add_explain);
  add_command(app, "list", options, add_list);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, app.help(), exit_done};
  } catch (const CLI::CallForVersion&) {
    return {std::nullopt, version + "\n", exit_done};
  } catch (const CLI::ParseError& error) {
    return wrong(app, complaint(app, error));
  }
  if (const std::string what = contradiction(options); !what.empty()) return wrong(app, what);
  return {std::move(options), {}, exit_done};
}

}  // namespace tenon
