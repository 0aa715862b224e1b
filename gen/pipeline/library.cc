// The last stages of `tenon lib`.
#include "pipeline/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "emit/kernel_to_c.h"
#include "emit/math_body.h"
#include "emit/print_c99.h"
#include "harness/library/library_output.h"
#include "harness/library/library_tables.h"
#include "isa/all_isas.h"
#include "lower/lower_kernel.h"
#include "lower/nest/name_repeated.h"
#include "pipeline/data_files.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "support/version.h"

namespace tenon {
namespace {

/// One kernel's functions at one level, and what they need above them.
KernelText kernel_text(const LoopNest& nest, const Isa& isa, const EmitOptions& options) {
  EmitNeeds needs;
  KernelText out;
  const CFunction run = emit_kernel(nest, isa, options, needs);
  out.run = run.name;
  out.text = print_c99(run);
  if (constant_workspace_bytes(nest, options.style) != 0) {
    const CFunction workspace = emit_workspace_function(nest, isa, options, needs);
    out.workspace = workspace.name;
    out.text += "\n" + print_c99(workspace);
  }
  out.blueprint = nest.blueprint;
  for (const auto& [name, line] : needs.types()) out.types.push_back({name, line + "\n"});
  for (const CFunction& f : needs.functions()) out.functions.push_back({f.name, print_c99(f)});
  return out;
}

struct Bodies {
  LibraryTexts texts;
  std::string loops;  ///< text of the loop nests, when it is wanted
  std::vector<std::string> faults;
};

/// What a kernel becomes at one level, or nothing where the level below does as well.
struct Body {
  bool own = false;
  KernelText text;
  std::string loops;
  std::vector<std::string> faults;
};

/// Each kernel once, in order.
std::vector<const Kernel*> kernels_of(const Library& library) {
  std::vector<const Kernel*> kernels;
  std::set<std::string_view> known;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (known.insert(k.kernel.name).second) kernels.push_back(&k.kernel);
  return kernels;
}

/// One entry a level.
std::vector<Body> bodies_of(const Kernel& kernel, const std::vector<const Isa*>& levels, const Blueprints& rows,
                            EmitOptions options, bool wants_loops) {
  std::vector<Body> out(levels.size());
  const KernelBanner banner = banner_of(kernel);
  options.banner = &banner;
  auto nests = lower_levels(kernel, rows, levels);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!nests[i]) continue;
    Body& body = out[i];
    body.own = true;
    nests[i] = name_repeated(*nests[i]);
    for (const std::string& f : verify(*nests[i])) body.faults.push_back(nests[i]->name + ": " + f);
    if (wants_loops) body.loops = to_text(*nests[i]);
    if (body.faults.empty()) body.text = kernel_text(*nests[i], *levels[i], options);
  }
  return out;
}

/// Kernels do not know each other, so they are lowered side by side; what comes out is put together level by level, in
/// their order.
Bodies bodies_of(const Library& library, const std::vector<const Isa*>& levels, const Blueprints& rows,
                 const EmitOptions& options, bool wants_loops) {
  const std::vector<const Kernel*> kernels = kernels_of(library);
  std::vector<std::vector<Body>> bodies(kernels.size());
  for_each_index(kernels.size(),
                 [&](size_t i) { bodies[i] = bodies_of(*kernels[i], levels, rows, options, wants_loops); });
  Bodies out;
  for (size_t level = 0; level < levels.size(); ++level) {
    out.texts.levels.push_back(
        {levels[level], level_begin(*levels[level], options), level_end(*levels[level], options), {}});
    for (size_t i = 0; i < kernels.size(); ++i) {
      Body& body = bodies[i][level];
      out.loops += body.loops;
      out.faults.insert(out.faults.end(), body.faults.begin(), body.faults.end());
      if (body.own) out.texts.levels[level].kernels[kernels[i]->name] = std::move(body.text);
    }
  }
  return out;
}

std::string c_text(const LibraryTexts& texts) {
  std::string out;
  for (const LevelTexts& l : texts.levels)
    for (const auto& [name, k] : l.kernels) out += k.text + "\n";
  return out;
}

/// False, with a message, where --ranks leaves no kernel that tn_find could find.
bool has_ranks(const Session& session, const Library& library, const LibOptions& options) {
  const auto has_some = [&](const LibraryOp& op) { return !ranks_of(op, options.selection.ranks).empty(); };
  if (std::any_of(library.ops.begin(), library.ops.end(), has_some)) return true;
  Diagnostics diagnostics;
  diagnostics.error_at(Code::E0607, "--ranks", "none of the ops chosen takes tensors of these ranks",
                       {"the shape of an op's first input says which ranks it takes; without --ranks all are there"});
  return !session.report(diagnostics);
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
      print_to(stderr, "tenon: error: --isa: there is no instruction set level '{}'; `tenon list isas` prints them\n",
               w);
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
  if (!levels || !has_ranks(session, library, options)) return exit_bad_command_line;
  const auto rows = read_schedules(session);
  auto texts = read_frames(session, library_template_names());
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
  out.version = kVersion;
  OutputTree tree;
  write_library(library, in.defs, bodies.texts, out, tree);
  session.after("files", {}, [&] { return sizes_of(tree); });
  return session.deliver(tree, options.output_dir, options.temporary);
}

}  // namespace tenon
