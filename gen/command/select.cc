// Looks names up and suggests the nearest name for an unknown one.
#include "command/select.h"

#include <fmt/format.h>

#include "harness/library/library_tables.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

const std::vector<std::string> kAll = {"all"};

}  // namespace

bool names_ops(const KernelSelection& chosen) { return chosen.ops && chosen.ops != kAll; }

LibrarySelection selected(const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files) {
  LibrarySelection out;
  const bool all = chosen.ops == kAll;
  if (chosen.ops && !all) {
    for (const std::string& name : *chosen.ops) {
      if (!defs.op(name)) stop_run(exit_bad_command_line, "--ops: " + unknown_op(defs, name));
      out.ops.push_back(name);
    }
  } else {
    for (const std::string& name : defs.names())
      if (all || !has_user_files || !defs.declared(name)->shipped) out.ops.push_back(name);
  }
  if (chosen.dtypes != kAll)
    for (const std::string& d : chosen.dtypes) out.dtypes.push_back(named_dtype(d));
  return out;
}

namespace {

/// Named ops that have no kernel of the chosen dtypes.
void warn_of_absent(const KernelSelection& chosen, const OpLibrary& defs, const Library& library) {
  if (!names_ops(chosen)) return;
  for (const std::string& name : *chosen.ops) {
    const bool there = any_of(library.ops, [&](const LibraryOp& op) { return op.def->name == name; });
    if (!there)
      print_to(stderr, "tenon: warning: --ops: {}\n",
               needs_graph(*defs.op(name)) ? fmt::format("'{}' is left out: only graphs can use it", name)
                                           : fmt::format("'{}' is left out: it takes none of the dtypes chosen", name));
  }
}

/// Files of definitions of which --ops names no op: most likely it was not meant to leave them out.
void warn_of_unnamed_files(const KernelSelection& chosen, const OpLibrary& defs) {
  if (!names_ops(chosen)) return;
  std::string own;
  for (const std::string& name : defs.names()) {
    if (defs.declared(name)->shipped) continue;
    if (contains(*chosen.ops, name)) return;
    if (own.empty()) own = name;
  }
  if (!own.empty())
    print_to(stderr, "tenon: warning: --ops: it names no op of the files given; add '{}' to generate it\n", own);
}

/// --ranks may leave no kernel that tn_find could find.
void refuse_no_ranks(const Run& run, const Library& library, const KernelSelection& chosen) {
  const auto has_some = [&](const LibraryOp& op) { return !ranks_of(op, chosen.ranks).empty(); };
  if (any_of(library.ops, has_some)) return;
  Diagnostics diagnostics;
  diagnostics.error_at(Code::E0607, "--ranks", "none of the ops chosen takes tensors of these ranks",
                       {"the shape of an op's first input says which ranks it takes; without --ranks all are there"});
  run.report(diagnostics);
  throw Stop{exit_bad_command_line};
}

}  // namespace

std::vector<const Isa*> chosen_levels(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& w : words) {
    if (w == "native") names.emplace_back(native_isa().name);
    else if (w == "all")
      for (const Isa& isa : all_isas()) names.emplace_back(isa.name);
    else if (isa_from_name(w)) names.emplace_back(isa_from_name(w)->name);
    else
      stop_run(exit_bad_command_line,
               fmt::format("--isa: there is no instruction set level '{}'; `tenon list isas` prints them", w));
  }
  const std::vector<std::string> asked = names;
  for (const std::string& n : asked)
    if (const Isa* isa = isa_from_name(n); !isa->base.empty())
      names.emplace_back(isa->base);  // the other kernels' level
  std::vector<const Isa*> out;
  for (const Isa& isa : all_isas()) {
    const bool by_default = words.empty() && (isa.architecture.empty() || isa.architecture == host_architecture());
    if (by_default || contains(names, isa.name)) out.push_back(&isa);
  }
  return out;
}

Library chosen_kernels(Run& run, const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files) {
  auto library = expand_library(defs, selected(defs, chosen, has_user_files));
  if (run.report(library.diagnostics())) {
    const bool nothing = library.diagnostics().sorted().front().code == Code::E0607;
    const bool narrowed = chosen.ops || chosen.dtypes != kAll;
    throw Stop{nothing && narrowed ? exit_bad_command_line : exit_bad_input};
  }
  if (!run.control().quiet) {
    warn_of_absent(chosen, defs, *library);
    warn_of_unnamed_files(chosen, defs);
  }
  refuse_no_ranks(run, *library, chosen);
  return run.stage("library", std::move(library).value());
}

OpLibraryText text_of_chosen(const KernelSelection& chosen, bool has_user_files) {
  return [&chosen, has_user_files](const OpLibrary& defs) {
    const bool all = chosen.ops ? chosen.ops == kAll : !has_user_files;
    if (all) return print(defs);
    OpLibrary part;
    for (const auto& [name, row] : defs.scalars)
      if (!row.shipped) part.scalars[name] = row;
    for (const auto& [name, fn] : defs.fns)
      if (!fn.shipped) part.fns[name] = fn;
    for (const std::string& name : defs.names())
      if (chosen.ops ? contains(*chosen.ops, name) : !defs.declared(name)->shipped) part.ops[name] = *defs.op(name);
    return print(part);
  };
}

Definitions all_definitions(Run& run, const std::vector<std::string>& user_files, const SourceFileRef& more,
                            const MathChoice& math) {
  return read_all_definitions(
      run, read_definitions(run, user_files, more), [](const OpLibrary& defs) { return print(defs); }, math);
}

std::string unknown_op(const OpLibrary& defs, const std::string& name) {
  return fmt::format("there is no op '{}'{}", name,
                     or_did_you_mean(name, defs.names(), "; `tenon list ops` prints them"));
}

DType named_dtype(const std::string& name) {
  const auto dtype = dtype_from_name(name);
  if (!dtype)
    stop_run(exit_bad_command_line,
             fmt::format("--dtypes: there is no dtype '{}'; `tenon list dtypes` prints them", name));
  return *dtype;
}

}  // namespace tenon
