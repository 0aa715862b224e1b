// Between two stages: verify, dump, time; at the end deliver the files.
#include "pipeline/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "lower/pass_text.h"
#include "support/check.h"
#include "support/depfile.h"
#include "support/file_form.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int failed(const std::string& why) {
  print_to(stderr, "tenon: error: {}\n", why);
  return exit_bad_input;
}

}  // namespace

const std::vector<StageName>& all_stages() {
  static const std::vector<StageName> stages = {
      {"opdefs", "definitions, read and checked", StageOf::definitions},
      {"math", "elementary functions as steps over floats and their bits", StageOf::both},
      {"library", "kernels of the chosen definitions", StageOf::definitions},
      {"gradients", "kernels of the gradients, with lib --grad", StageOf::definitions},
      {"graph", "a model as operators over tensors", StageOf::models},
      {"backward", "the graph with the operators that compute its gradients", StageOf::models},
      {"rewrite", "the graph after the rules of opdefs/rewrites", StageOf::models},
      {"recompute", "the graph with what --recompute computes twice", StageOf::models},
      {"schedule", "fused kernels, buffers and layouts", StageOf::models},
      {"lower", "loop nests, one a kernel and ISA", StageOf::both},
      {"emit", "C functions", StageOf::both},
      {"memory", "the plan with the place of every buffer", StageOf::models},
      {"files", "names and sizes of the output", StageOf::both},
  };
  return stages;
}

bool is_stage(std::string_view name) {
  const auto is_pass = [&](std::string_view pass) { return name == fmt::format("lower/{}", pass); };
  return any_of(all_stages(), [&](const StageName& s) { return s.name == name; }) || any_of(lowering_passes(), is_pass);
}

StageOf stage_of(std::string_view name) {
  for (const StageName& s : all_stages())
    if (s.name == name) return s.of;
  return StageOf::both;
}

Run::Run(const RunControl& control) : control_(control), last_ns_(now_ns()) {
  const auto dirs = find_data_dirs(control_.opdefs);
  std::error_code ignored;
  if (!dirs && control_.opdefs && !std::filesystem::is_directory(*control_.opdefs, ignored))
    stop_run(exit_bad_command_line, control_.opdefs->empty()
                                        ? "--opdefs: the name of a folder is expected, not ''"
                                        : fmt::format("--opdefs: there is no folder '{}'", *control_.opdefs));
  if (!dirs)
    stop_run(exit_bad_command_line, "no op definitions next to the program; name their folder with --opdefs DIR");
  dirs_ = *dirs;
}

bool Run::wants_dump(std::string_view stage) const {
  const auto& d = control_.dump_after;
  return stage == only_ || contains(d, stage);
}

void Run::print_dump(std::string_view stage, const std::function<std::string()>& text) const {
  if (stage == only_) print_to(stdout, "{}", text());
  else print_to(stdout, "# after {}\n{}", stage, text());
}

void Run::pass(std::string_view name, const std::function<std::string()>& text) const {
  if (wants_dump(name)) print_dump(name, text);
}

void Run::finish_stage(std::string_view stage, const std::vector<std::string>& faults,
                       const std::function<std::string()>& text) {
  if (control_.verbose) {
    const int64_t now = now_ns();
    print_to(stderr, "{:>10}: {:.3f} ms\n", stage, static_cast<double>(now - last_ns_) * 1e-6);
    last_ns_ = now;
  }
  if (wants_dump(stage) || control_.dump_after == std::vector<std::string>{"all"}) print_dump(stage, text);
  if (faults.empty()) return;
  std::string all;
  for (const std::string& f : faults) all += "  " + f + "\n";
  TENON_CHECK(false, "stage {} made a faulty value:\n{}{}", stage, all, text());
}

bool Run::report(const Diagnostics& diagnostics) const {
  if (!diagnostics.empty() && !(control_.quiet && !diagnostics.has_errors()))
    print_to(stderr, "{}", diagnostics.text());
  return diagnostics.has_errors();
}

bool Run::dependencies_text(const std::string& target, std::string& text) const {
  DepfileText made = depfile_text(target, read_);
  std::string why;
  if (!made.unspeakable.empty())
    why = fmt::format("--depfile: Make and Ninja cannot both read the name '{}': rename it", made.unspeakable);
  for (const std::string& name : read_)
    if (same_file(*control_.depfile, name))
      why = fmt::format("--depfile: '{}' is an input of this command", *control_.depfile);
  if (why.empty() && !control_.force && !may_replace(*control_.depfile, FileForm::depfile))
    why = fmt::format(
        "--depfile: '{}' would be overwritten, but it is not {}\n  note: name another file, or overwrite "
        "it with --force",
        *control_.depfile, name_of(FileForm::depfile));
  text = std::move(made.text);
  if (!why.empty()) print_to(stderr, "tenon: error: {}\n", why);
  return why.empty();
}

int Run::compare(const OutputTree& tree, const std::string& directory) const {
  const OutputDifference d = tree.check(directory);
  for (const std::string& f : d.missing) print_to(stderr, "{}/{}: error: missing\n", directory, f);
  for (const std::string& f : d.stale)
    print_to(stderr, "{}/{}: error: differs from what would be generated\n", directory, f);
  for (const std::string& f : d.left_over)
    print_to(stderr, "{}/{}: error: an earlier run wrote it, and this one would not\n", directory, f);
  return d.up_to_date() ? exit_done : exit_bad_input;
}

void Run::writes_nothing(std::string_view what) const {
  const std::pair<bool, const char*> flags[] = {{control_.list_outputs, "--list-outputs"},
                                                {control_.depfile.has_value(), "--depfile"},
                                                {control_.check, "--check"},
                                                {control_.force, "--force"}};
  for (const auto& [given, flag] : flags)
    if (given && !control_.quiet)
      print_to(stderr, "tenon: warning: {} has no effect: `{}` writes no files\n", flag, what);
}

int Run::deliver_file(const std::string& bytes, const std::string& path) const {
  const std::filesystem::path place(path);
  const std::string folder = place.has_parent_path() ? place.parent_path().string() : ".";
  if (only_looks()) {
    OutputTree tree;
    tree.add(place.filename().string(), bytes);
    return deliver(tree, folder);
  }
  std::string dependencies;
  if (control_.depfile && !dependencies_text(path, dependencies)) return exit_bad_input;
  std::string why = write_named_file(place, bytes);
  if (why.empty() && control_.depfile) why = write_named_file(*control_.depfile, dependencies);
  if (!why.empty()) return failed(why);
  if (!control_.quiet) print_to(stdout, "{} written\n", path);
  return exit_done;
}

int Run::deliver_depfile(const std::string& target) const {
  std::string dependencies;
  if (!control_.depfile) return exit_done;
  if (!dependencies_text(target, dependencies)) return exit_bad_input;
  const std::string why = write_named_file(*control_.depfile, dependencies);
  return why.empty() ? exit_done : failed(why);
}

int Run::deliver(const OutputTree& tree, const std::string& directory, bool temporary) const {
  if (!only_.empty() || (temporary && only_looks())) return exit_done;
  if (control_.list_outputs) {
    for (const std::string& f : tree.list()) print_to(stdout, "{}/{}\n", directory, f);
    return exit_done;
  }
  if (control_.check) return compare(tree, directory);
  std::string dependencies;
  const bool depfile = control_.depfile && !temporary;
  if (depfile && !dependencies_text(directory + "/sources.txt", dependencies)) return exit_bad_input;
  if (control_.dry_run) {
    if (const auto why = tree.obstacle(directory, control_.force)) return failed(*why);
    if (!control_.quiet) print_to(stdout, "{} files would be written to {}\n", tree.files().size(), directory);
    return exit_done;
  }
  const WriteOutcome out = tree.write(directory, control_.force);
  if (out.error) return failed(*out.error);
  if (depfile)
    if (const std::string why = write_named_file(*control_.depfile, dependencies); !why.empty()) return failed(why);
  for (const std::string& f : out.left_over)
    print_to(stderr, "{}/{}: warning: an earlier run wrote it, and this one does not; edited since, so it is kept\n",
             directory, f);
  if (!control_.quiet && !temporary)
    print_to(stdout, "{}: {} files written, {} unchanged{}\n", directory, out.written.size(), out.unchanged,
             out.removed.empty() ? "" : fmt::format(", {} removed", out.removed.size()));
  return exit_done;
}

void stop_run(int status, const std::string& message) {
  print_to(stderr, "tenon: error: {}\n", message);
  throw Stop{status};
}

}  // namespace tenon
