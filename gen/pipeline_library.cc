// The last stages of `tenon lib`.
#include "pipeline_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "emit/kernel_to_c.h"
#include "emit/math_body.h"
#include "emit/print_c99.h"
#include "harness/library_output.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"
#include "schedule/read_blueprints.h"
#include "support/read_source.h"

namespace tenon {
namespace {

std::optional<Blueprints> blueprints(Session& session) {
  auto rows = read_blueprint_folder(session.dirs().templates / "blueprints");
  if (session.report(rows.diagnostics())) return std::nullopt;
  return std::move(rows).value();
}

std::optional<std::map<std::string, std::string>> templates(Session& session) {
  std::map<std::string, std::string> out;
  for (const std::string& name : library_template_names()) {
    const std::string path = (session.dirs().templates / name).string();
    const auto file = read_source(path);
    if (session.report(file.diagnostics())) return std::nullopt;
    session.depends_on(path);
    out[name] = file.value()->text();
  }
  return out;
}

/// One kernel's functions at one level, and what they need above them.
KernelText kernel_text(const LoopNest& nest, const Isa& isa, const EmitOptions& options) {
  EmitNeeds needs;
  const CFunction run = emit_kernel(nest, isa, options, needs), workspace = emit_workspace_function(nest, isa, options, needs);
  KernelText out;
  out.run = run.name;
  out.workspace = workspace.name;
  out.text = print_c99(run) + "\n" + print_c99(workspace);
  out.blueprint = nest.blueprint;
  for (const auto& [name, line] : needs.types()) out.types.push_back({name, line + "\n"});
  for (const CFunction& f : needs.functions()) out.functions.push_back({f.name, print_c99(f)});
  return out;
}

struct Bodies {
  LibraryTexts texts;
  std::string loops;                  ///< text of the loop nests, when it is wanted
  std::vector<std::string> faults;
};

Bodies bodies_of(const Library& library, const std::vector<const Isa*>& levels, const Blueprints& rows, const EmitOptions& options, bool wants_loops) {
  Bodies out;
  for (const Isa* isa : levels) {
    LevelTexts level{isa, level_begin(*isa, options), level_end(*isa, options), {}};
    for (const LibraryOp& op : library.ops)
      for (const LibraryKernel& k : op.kernels) {
        if (level.kernels.count(k.kernel.name) || (levels.size() > 1 && isa != levels[0] && !gains(k.kernel, *isa))) continue;
        const LoopNest nest = lower_kernel(k.kernel, rows, *isa);
        for (const std::string& f : verify(nest)) out.faults.push_back(nest.name + ": " + f);
        if (wants_loops) out.loops += to_text(nest);
        if (out.faults.empty()) level.kernels[k.kernel.name] = kernel_text(nest, *isa, options);
      }
    out.texts.levels.push_back(std::move(level));
  }
  return out;
}

std::string c_text(const LibraryTexts& texts) {
  std::string out;
  for (const LevelTexts& l : texts.levels)
    for (const auto& [name, k] : l.kernels) out += k.text + "\n";
  return out;
}

}  // namespace

std::optional<std::vector<const Isa*>> chosen_levels(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& w : words) {
    if (w == "native") {
      names.push_back(std::string(native_isa().name));
    } else if (w == "all") {
      for (const Isa& isa : all_isas()) names.push_back(std::string(isa.name));
    } else if (isa_from_name(w) == nullptr) {
      fmt::print(stderr, "tenon: error: there is no instruction set level '{}'; `tenon list isas` prints them\n", w);
      return std::nullopt;
    } else {
      names.push_back(std::string(isa_from_name(w)->name));
    }
  }
  std::vector<const Isa*> out;
  for (const Isa& isa : all_isas()) {
    const bool by_default = words.empty() && (isa.architecture.empty() || isa.architecture == host_architecture());
    if (by_default || std::find(names.begin(), names.end(), isa.name) != names.end()) out.push_back(&isa);
  }
  return out;
}

int produce_library(Session& session, const LibraryInputs& in, const Library& library, const LibOptions& options) {
  const auto levels = chosen_levels(options.selection.isas);
  if (!levels) return exit_bad_input;
  const auto rows = blueprints(session);
  auto texts = templates(session);
  if (!rows || !texts) return exit_bad_input;
  EmitOptions emit;
  emit.prefix = options.prefix;
  emit.math = [&](ScalarOp op, OperandType type, const Isa& isa) { return math_body(in.math, op, type, isa); };
  Bodies bodies = bodies_of(library, *levels, *rows, emit, session.wants_dump("lower"));
  session.after("lower", bodies.faults, [&] { return bodies.loops; });
  session.after("emit", {}, [&] { return c_text(bodies.texts); });
  LibraryOptions out;
  out.prefix = options.prefix;
  out.registry = options.registry;
  out.amalgamate = options.amalgamate;
  out.ranks = options.selection.ranks;
  out.templates = std::move(*texts);
  out.version = "0.1.0";
  OutputTree tree;
  write_library(library, in.defs, bodies.texts, out, tree);
  session.after("files", {}, [&] { return sizes_of(tree); });
  return session.deliver(tree, options.output_dir);
}

}  // namespace tenon
