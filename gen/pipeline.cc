// Every stage once, in order: the program's table of contents.
#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

#include "frontend/frontends.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "opdef/read/body_definition.h"
#include "opdef/read/einsum.h"
#include "opdef/read/read_math.h"
#include "opdef/read_ops.h"
#include "pipeline/data_files.h"
#include "pipeline/library.h"
#include "pipeline/model.h"
#include "pipeline/session.h"
#include "pipeline/try.h"
#include "support/parallel.h"
#include "support/print_to.h"
#include "support/read_source.h"

namespace tenon {
namespace {

bool read_sources(Session& session, const std::vector<std::string>& paths, std::vector<SourceFileRef>& out,
                  Diagnostics& diagnostics) {
  for (const std::string& p : paths) {
    // `einsum:ij,jk->ik` stands for the file with that op.
    if (constexpr std::string_view scheme = "einsum:"; p.starts_with(scheme)) {
      const EinsumText made = einsum_definition(std::string_view(p).substr(scheme.size()));
      if (!made.error.empty())
        diagnostics.error_at(Code::E0301, p, made.error, {"an einsum is written einsum:ij,jk->ik"});
      else out.push_back(std::make_shared<const SourceFile>(p, made.text));
      continue;
    }
    const auto source = read_source(p);
    diagnostics.append(source.diagnostics());
    if (!source) continue;
    session.depends_on(p);
    out.push_back(*source);
  }
  return !diagnostics.has_errors();
}

/// The file that `--body` stands for: one type for all tensors, of the class that the dtypes chosen need.
SourceFileRef body_source(const TryOptions& o, Diagnostics& diagnostics) {
  const auto is_real = [](const std::string& name) {
    const auto d = dtype_from_name(name);
    return d && is_float(*d);
  };
  const bool real = std::all_of(o.selection.dtypes.begin(), o.selection.dtypes.end(), is_real);
  BodyText made = body_definition(*o.body, real ? "float" : "number");
  if (!made.error.empty())
    diagnostics.error_at(Code::E0301, "--body", made.error,
                         {"a body is written as 'Y[i] = 2*X[i] + alpha': docs/opdef-language.md"});
  return std::make_shared<const SourceFile>("--body", std::move(made.text));
}

/// What a dump shows of the definitions: the ops chosen, and beside ops of the user's only their own scalar rows and
/// functions.
OpLibrary chosen_part(const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files) {
  const bool all = chosen.ops ? *chosen.ops == std::vector<std::string>{"all"} : !has_user_files;
  if (all) return defs;
  OpLibrary out;
  for (const auto& [name, row] : defs.scalars)
    if (!row.shipped) out.scalars[name] = row;
  for (const auto& [name, fn] : defs.fns)
    if (!fn.shipped) out.fns[name] = fn;
  for (const auto& [name, def] : defs.ops)
    if (chosen.ops ? std::find(chosen.ops->begin(), chosen.ops->end(), name) != chosen.ops->end() : !def.shipped)
      out.ops[name] = def;
  return out;
}

/// Stage opdefs: the shipped definitions and those of the user.
std::optional<OpLibrary> read_definitions(Session& session, const std::vector<std::string>& user_files,
                                          const KernelSelection& shown = {}, const SourceFileRef& more = nullptr) {
  const auto shipped_files = files_ending(session.dirs().opdefs, ".yaml"),
             frame_files = files_ending(session.dirs().templates / "c", ".c.in");
  std::vector<SourceFileRef> shipped, user, frames;
  Diagnostics diagnostics;
  if (!read_sources(session, shipped_files, shipped, diagnostics) ||
      !read_sources(session, frame_files, frames, diagnostics) ||
      !read_sources(session, user_files, user, diagnostics)) {
    session.report(diagnostics);
    return std::nullopt;
  }
  if (more) user.push_back(more);
  auto read = read_ops(shipped, user, frames);
  if (session.report(read.diagnostics())) return std::nullopt;
  session.after("opdefs", {}, [&] { return print(chosen_part(*read, shown, !user_files.empty())); });
  return std::move(read).value();
}

/// Stage math: elementary functions, for the level's printer (math_body).
std::optional<MathLibrary> read_math_entries(Session& session) {
  const auto files = read_files(session, files_ending(session.dirs().opdefs / "math", ".yaml"));
  if (!files) return std::nullopt;
  auto read = read_math(*files);
  if (session.report(read.diagnostics())) return std::nullopt;
  session.after("math", {}, [&] { return to_text(*read); });
  return std::move(read).value();
}

/// The ops and dtypes that a command line chooses; a message and nothing when it names what there is not.
std::optional<LibrarySelection> select(const OpLibrary& defs, const KernelSelection& chosen, bool has_user_files) {
  LibrarySelection out;
  const bool all = chosen.ops && chosen.ops->size() == 1 && (*chosen.ops)[0] == "all";
  if (chosen.ops && !all) {
    for (const std::string& name : *chosen.ops) {
      if (!defs.op(name)) {
        std::vector<std::string> known;
        for (const auto& [n, d] : defs.ops) known.push_back(n);
        const std::string near = nearest_name(name, known);
        print_to(stderr, "tenon: error: --ops: there is no op '{}'{}\n", name,
                 near.empty() ? "; `tenon list ops` prints them" : fmt::format("; did you mean '{}'?", near));
        return std::nullopt;
      }
      out.ops.push_back(name);
    }
  } else {
    for (const auto& [name, def] : defs.ops)
      if (all || !has_user_files || !def.shipped) out.ops.push_back(name);
  }
  if (!(chosen.dtypes.size() == 1 && chosen.dtypes[0] == "all"))
    for (const std::string& d : chosen.dtypes) {
      const auto dtype = dtype_from_name(d);
      if (!dtype) {
        print_to(stderr, "tenon: error: --dtypes: there is no dtype '{}'; `tenon list dtypes` prints them\n", d);
        return std::nullopt;
      }
      out.dtypes.push_back(*dtype);
    }
  return out;
}

std::string library_text(const Library& library) {
  std::string out;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels)
      if (k.types == k.call_types) out += to_text(k.kernel);
  return out;
}

/// Each kernel is looked at once, where it stands first: calls of other dtypes may share it.
std::vector<std::string> library_faults(const Library& library) {
  std::vector<std::vector<std::string>> found(library.ops.size());
  for_each_index(library.ops.size(), [&](size_t i) {
    std::set<std::string_view> known;
    for (const LibraryKernel& k : library.ops[i].kernels)
      if (known.insert(k.kernel.name).second)
        for (const std::string& f : verify(k.kernel)) found[i].push_back(k.kernel.name + ": " + f);
  });
  std::vector<std::string> out;
  for (const std::vector<std::string>& of_op : found) out.insert(out.end(), of_op.begin(), of_op.end());
  return out;
}

/// Ops that were named and that the dtypes chosen leave nothing of.
void warn_of_absent(const KernelSelection& chosen, const OpLibrary& defs, const Library& library) {
  if (!chosen.ops || *chosen.ops == std::vector<std::string>{"all"}) return;
  for (const std::string& name : *chosen.ops) {
    const bool there =
        std::any_of(library.ops.begin(), library.ops.end(), [&](const LibraryOp& op) { return op.def->name == name; });
    if (!there)
      print_to(stderr, "tenon: warning: --ops: {}\n",
               needs_graph(*defs.op(name)) ? fmt::format("'{}' is left out: only graphs can use it", name)
                                           : fmt::format("'{}' is left out: it takes none of the dtypes chosen", name));
  }
}

/// The first kernel of an op of that name, or the kernel whose name is nearest.
std::string nearest_kernel(const std::string& name, const Library& library) {
  std::vector<std::string> names;
  for (const LibraryOp& op : library.ops)
    for (const LibraryKernel& k : op.kernels) {
      if (op.def->name == name) return k.name;
      names.push_back(k.name);
    }
  return nearest_name(name, names);
}

/// Stage library: kernels of what was chosen. On failure a message is on stderr and `status` is the exit status.
std::optional<Library> expand(Session& session, const OpLibrary& defs, const KernelSelection& chosen,
                              bool has_user_files, int& status) {
  status = exit_bad_command_line;
  const auto selection = select(defs, chosen, has_user_files);
  if (!selection) return std::nullopt;
  const bool narrowed = chosen.ops || !(chosen.dtypes.size() == 1 && chosen.dtypes[0] == "all");
  auto library = expand_library(defs, *selection);
  if (session.report(library.diagnostics())) {
    const bool nothing = library.diagnostics().sorted().front().code == Code::E0607;
    status = nothing && narrowed ? exit_bad_command_line : exit_bad_input;
    return std::nullopt;
  }
  if (!session.control().quiet) warn_of_absent(chosen, defs, *library);
  session.after("library", library_faults(*library), [&] { return library_text(*library); });
  return std::move(library).value();
}

/// Says which file cannot be read, before any work starts.
bool are_readable(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) {
      print_to(stderr, "tenon: error: {}: {}\n", path, std::strerror(errno));
      return false;
    }
    std::fclose(file);
  }
  return true;
}

struct Commands {
  Session& session;

  int operator()(const LibOptions& o) {
    const auto defs = read_definitions(session, o.definitions, o.selection);
    if (!defs) return exit_bad_input;
    const auto math = read_math_entries(session);
    if (!math) return exit_bad_input;
    int status = exit_done;
    const auto library = expand(session, *defs, o.selection, !o.definitions.empty(), status);
    if (!library) return status;
    return produce_library(session, {*defs, *math}, *library, o);
  }
  int operator()(const ModelOptions& o) {
    auto defs = read_definitions(session, o.definitions);
    if (!defs) return exit_bad_input;
    const auto math = read_math_entries(session);
    if (!math) return exit_bad_input;
    return produce_model(session, *defs, *math, o);
  }
  int operator()(const RunOptions& o) {
    if (!session.only_looks() && !are_readable(o.inputs)) return exit_bad_input;
    auto defs = read_definitions(session, o.definitions);
    if (!defs) return exit_bad_input;
    const auto math = read_math_entries(session);
    if (!math) return exit_bad_input;
    return run_model(session, *defs, *math, o);
  }
  int operator()(const TryOptions& o) {
    Diagnostics diagnostics;
    const SourceFileRef body = o.body ? body_source(o, diagnostics) : nullptr;
    if (session.report(diagnostics)) return exit_bad_command_line;
    const auto defs = read_definitions(session, o.definitions, {}, body);
    if (!defs) return exit_bad_input;
    const auto math = read_math_entries(session);
    if (!math) return exit_bad_input;
    return try_op(session, *defs, *math, o);
  }
  int operator()(const DumpOptions& o) {
    const StageOf made_of = stage_of(o.stage);
    const bool model =
        o.inputs.size() == 1 && (made_of == StageOf::models ? has_frontend(o.inputs[0]) : holds_model(o.inputs[0]));
    if (model ? made_of == StageOf::definitions : made_of == StageOf::models) {
      print_to(stderr, "tenon: error: the stage '{}' is made of {}\n", o.stage,
               model ? "definitions, not of a model" : "a model: name one file, ONNX or YAML with the key 'graph'");
      return exit_bad_command_line;
    }
    session.dump_only(o.stage);
    if (model) {
      ModelOptions m;
      m.graph = o.inputs[0];
      m.sizes = o.sizes;
      m.isas = o.selection.isas;
      return (*this)(m);
    }
    LibOptions l;
    l.definitions = o.inputs;
    l.selection = o.selection;
    return (*this)(l);
  }
  int operator()(const ExplainOptions& o) {
    if (const CodeInfo* code = find_code(o.subject)) {
      print_to(stdout, "{} {}: {}\n{}\n", code->id, code->slug, code->meaning, code->explanation);
      return exit_done;
    }
    if (has_frontend(o.subject)) return explain_graph(o, o.subject, "");
    if (o.inputs.size() == 1 && holds_model(o.inputs[0])) return explain_graph(o, o.inputs[0], o.subject);
    const auto levels = chosen_levels(o.selection.isas);
    if (!levels) return exit_bad_command_line;
    const auto defs = read_definitions(session, o.inputs);
    int status = exit_bad_input;
    const auto library = defs ? expand(session, *defs, o.selection, false, status) : std::nullopt;
    const auto rows = library ? read_schedules(session) : std::nullopt;
    if (!rows) return status;
    for (const LibraryOp& op : library->ops)
      for (const LibraryKernel& k : op.kernels)
        if (k.name == o.subject) return explain_kernel(k.kernel, *levels, *rows);
    const std::string near = nearest_kernel(o.subject, *library);
    print_to(stderr,
             "tenon: error: '{}' is neither a diagnostic code nor a graph nor a kernel of the library, such as "
             "softmax_f32{}\n",
             o.subject, near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    return exit_bad_command_line;
  }
  int operator()(const ListOptions& o) {
    switch (o.subject) {
      case ListSubject::isas: return list_isas();
      case ListSubject::dtypes: return list_dtypes();
      case ListSubject::stages: return list_stages();
      case ListSubject::ops: return list_ops();
    }
    return exit_bad_command_line;
  }

 private:
  /// All kernels of the graph, or that of one name.
  int explain_graph(const ExplainOptions& o, const std::string& graph, const std::string& kernel) {
    auto defs = read_definitions(session, kernel.empty() ? o.inputs : std::vector<std::string>{});
    const auto math = defs ? read_math_entries(session) : std::nullopt;
    if (!math) return exit_bad_input;
    ModelOptions model;
    model.graph = graph;
    model.sizes = o.sizes;
    model.isas = o.selection.isas;
    return explain_model(session, *defs, *math, model, {o.memory, o.svg, kernel});
  }
  static int explain_kernel(const Kernel& kernel, const std::vector<const Isa*>& levels, const Blueprints& rows) {
    print_to(stdout, "{}", to_text(kernel));
    for (const Isa* isa : levels) {
      const bool own = isa == levels[0] || gains(kernel, *isa);
      print_to(stdout, "  at {}: {}\n", isa->name,
               own ? "blueprint " + lower_kernel(kernel, rows, *isa).blueprint : "the body of the level below");
    }
    return exit_done;
  }
  static int list_isas() {
    for (const Isa& isa : all_isas())
      print_to(stdout, "{:<12} {:<8} {:>4} bits{}\n", isa.name, isa.architecture.empty() ? "any" : isa.architecture,
               isa.vector_bits, runs_on_host(isa) ? "  host" : "");
    return exit_done;
  }
  static int list_dtypes() {
    for (const DTypeRow& d : all_dtypes())
      print_to(stdout, "{:<5} {:>3} bits, computes in {}, sums in {}\n", d.name, d.bits, name_of(d.compute),
               name_of(d.accumulator));
    return exit_done;
  }
  static int list_stages() {
    for (const StageName& s : all_stages()) print_to(stdout, "{:<9} {}\n", s.name, s.noun);
    return exit_done;
  }
  int list_ops() {
    const auto defs = read_definitions(session, {});
    if (!defs) return exit_bad_input;
    for (const auto& [name, def] : defs->ops) {
      std::string types;
      for (const TypeVar& t : def.types) {
        types += fmt::format("{}{}:", types.empty() ? "" : " ", t.name);
        for (size_t i = 0; i < t.classes.size(); ++i) types += fmt::format("{}{}", i ? "|" : "", t.classes[i].text);
      }
      print_to(stdout, "{:<20} {:<16} {}\n", name, types, def.doc);
    }
    return exit_done;
  }
};

/// Says the first word that is no stage; true if all are.
bool are_stages(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (is_stage(word)) continue;
    std::vector<std::string> known;
    for (const StageName& s : all_stages()) known.emplace_back(s.name);
    const std::string near = nearest_name(word, known);
    print_to(stderr, "tenon: error: there is no stage '{}'{}; `tenon list stages` prints them\n", word,
             near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
    return false;
  }
  return true;
}

}  // namespace

int run_pipeline(const Options& options) {
  const auto* dump = std::get_if<DumpOptions>(&options.command);
  const bool every = options.control.dump_after == std::vector<std::string>{"all"};
  if ((dump && !are_stages({dump->stage})) || (!every && !are_stages(options.control.dump_after)))
    return exit_bad_command_line;
  Session session(options.control);
  if (!session.find_data()) return exit_bad_command_line;
  Commands commands{session};
  return std::visit(commands, options.command);
}

}  // namespace tenon
