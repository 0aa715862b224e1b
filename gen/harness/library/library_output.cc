// Library × C texts of its kernels → the files of a generated library.
#include "harness/library/library_output.h"

#include <fmt/format.h>

#include <array>
#include <future>
#include <iterator>
#include <map>
#include <set>

#include "harness/common_text.h"
#include "harness/library/equal_names.h"
#include "harness/library/library_attributes.h"
#include "harness/library/library_bind.h"
#include "harness/library/library_header.h"
#include "harness/library/library_tables.h"
#include "harness/library/typed_prototypes.h"
#include "harness/library_names.h"
#include "ir/text/print_c99.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/long_lines.h"
#include "support/parallel.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr std::array kRuntime = {"operands", "orders", "attributes", "sizes", "run"};

/// A source file before the prefix is put in.
struct Source {
  std::string name;  ///< below src/, without the prefix
  std::string text;
};

using Families = std::map<std::string, std::vector<const LibraryOp*>>;

Families families_of(const Library& library) {
  Families out;
  for (const LibraryOp& op : library.ops) out[family_of(*op.def)].push_back(&op);
  return out;
}

/// What a source begins with; the one source of an amalgamation has the shared header at its top.
std::string include_line(const LibraryOptions& options) {
  return options.amalgamate ? "" : "#include \"tn_internal.h\"\n";
}
std::string source_head(const std::string& title, const LibraryOptions& options) {
  return fmt::format("/* {} */\n{}\n", title, include_line(options));
}

/// A function of numbers that a definition file gives.
struct GivenFunction {
  std::string name;
  const std::vector<std::string>* params;
  const Syntax* value;
};

std::optional<GivenFunction> given_function(const std::string& name, const OpLibrary& defs) {
  if (const auto f = defs.fns.find(name); f != defs.fns.end())
    return GivenFunction{name, &f->second.params, &f->second.value};
  if (const auto r = defs.scalars.find(name); r != defs.scalars.end() && r->second.as)
    return GivenFunction{name, &r->second.args, &*r->second.as};
  return std::nullopt;
}

/// Appends the functions of numbers that an expression calls, and those that they call.
void add_functions(const Syntax& s, const OpLibrary& defs, std::vector<GivenFunction>& out) {
  each_within(s, [&](const Syntax& n) {
    const auto is_known = [&](const GivenFunction& f) { return f.name == n.text; };
    const auto f = n.is(SyntaxKind::call) && none_of(out, is_known) ? given_function(n.text, defs) : std::nullopt;
    if (!f) return;
    out.push_back(*f);
    add_functions(*f->value, defs, out);
  });
}

/// The statements of a body, and the definitions of the functions that it and the sizes call.
CLines formulas(const OpDef& def, const OpLibrary& defs) {
  const auto quoted = [](std::string text) { return verbatim(comment_inside(std::move(text))); };
  std::string out = "/* ---- " + verbatim(def.name) + quoted(def.doc.empty() ? "" : ": " + def.doc) + "\n";
  for (const Statement& s : def.body) out += "   " + quoted(print(s)) + "\n";
  std::vector<GivenFunction> called;
  for (const Statement& s : def.body) each_expression(s, [&](const Syntax& e) { add_functions(e, defs, called); });
  for (const LetDef& let : def.lets) add_functions(let.value, defs, called);
  for (const GivenFunction& f : called)
    out += "   with " + quoted(fmt::format("{}({}) = {}", f.name, fmt::join(*f.params, ", "), print(*f.value))) + "\n";
  return {out + "*/\n"};
}

Source wrappers(const std::string& family, const std::vector<const LibraryOp*>& ops, const OpLibrary& defs,
                const LibraryTexts& texts, const LibraryOptions& options) {
  CFile file;
  std::vector<CItem>& out = file.items;
  for (const LibraryOp* op : ops) {
    const BindSignature signature = signature_of(*op);
    out.push_back(formulas(*op->def, defs));
    add_attribute_functions(*op->def, defs, out);
    out.push_back(bind_function(*op, defs, signature));
    out.push_back(CObject{"extern const tn_op tn_rt_op_" + op->def->name, nullptr});
    out.push_back(frame_arrays_function(*op, signature));
    if (!op->def->inputs.empty()) out.push_back(typed_shapes(*op));
    add_op_tables(*op, signature, texts, out);
    add_typed_functions(*op, options.threads, out);
  }
  return {family + ".c", source_head(family + ": checks of calls, tables, typed functions.", options) +
                             with_broken_lines(print_c99(file))};
}

using Known = std::map<std::string,
                       std::string_view>;  ///< texts of pieces by their guard and name

/// Helpers that were not present before.
void write_new(const std::vector<NamedText>& pieces, const Isa& isa, Known& known, std::string& out) {
  for (const NamedText& p : pieces) {
    const auto [at, fresh] = known.try_emplace(fmt::format("{}\n{}", isa.guard, p.name), p.text);
    TENON_CHECK(fresh || at->second == p.text, "two functions are called {}", p.name);
    if (fresh) out += p.text + "\n";
  }
}

/// `renamed`: the prefix is not `tn`, which users may write too; kernels have theirs already.
void write_kernels(const std::vector<const LibraryOp*>& ops, const LevelTexts& level, bool renamed, Known& known,
                   std::string& out) {
  std::vector<const KernelText*> kernels;
  std::set<std::string> names;
  for (const LibraryOp* op : ops)
    for (const LibraryKernel& k : op->kernels)
      if (const auto t = level.kernels.find(k.kernel.name);
          t != level.kernels.end() && names.insert(k.kernel.name).second)
        kernels.push_back(&t->second);
  for (const KernelText* k : kernels) write_new(k->types, *level.isa, known, out);
  for (const KernelText* k : kernels)
    if (!k->shared) write_new(k->functions, *level.isa, known, out);
  for (const KernelText* k : kernels)
    if (!k->shared) out += (renamed ? verbatim(to_text(*k)) : to_text(*k)) + "\n";
  for (const LibraryOp* op : ops) out += core_table_text(*op, level);
}

/// The kernels of a family at one level; empty without any.
Source kernels(const std::string& family, const std::vector<const LibraryOp*>& ops, const LevelTexts& level,
               const LibraryOptions& options, Known& known) {
  if (none_of(ops, [&](const LibraryOp* op) { return has_kernels(*op, level); })) return {};
  std::string out =
      source_head(fmt::format("{}: kernels for {}.", family, level.isa->name), options) + level.begin + "\n";
  write_kernels(ops, level, options.prefix != "tn", known, out);
  return {fmt::format("{}_{}.c", family, level.isa->suffix), out + level.end};
}

Source level_source(const LibraryTexts& texts, const LibraryOptions& options) {
  const std::vector<const Isa*> isas = mapped(texts.levels, &LevelTexts::isa);
  std::vector<HoleValue> holes = level_choice_holes(isas);
  holes.push_back({"include", include_line(options)});
  return {"level.c", fill_template(options, "runtime/library_level.c.in", holes)};
}

Source registry(const Library& library, const LibraryOptions& options) {
  CFile externs;
  std::string ops, rows, first;
  size_t row = 0;
  for (size_t i = 0; i < library.ops.size(); ++i) {
    const LibraryOp& op = library.ops[i];
    const CExpr descriptor = c_text("tn_rt_op_" + op.def->name);
    externs.items.push_back(CObject{"extern const tn_op " + print_c99(descriptor), nullptr});
    ops += print_c99(c_unary("&", descriptor)) + ",\n";
    first += fmt::format("{},\n", row);
    for (const DType d : keys_of(op)) {
      std::vector<std::string> kernels;
      for (const int r : ranks_of(op, options.ranks))
        kernels.push_back(
            print_c99(c_list({c_number(static_cast<int64_t>(i)), c_text(dtype_constant(d)), c_number(r)})) + ",");
      row += kernels.size();
      if (!kernels.empty()) rows += joined(kernels, " ") + "\n";
    }
  }
  first += fmt::format("{}\n", row);
  const std::vector<HoleValue> holes = {{"include", include_line(options)},
                                        {"externs", print_c99(externs)},
                                        {"ops", ops},
                                        {"kernels", rows},
                                        {"first", first}};
  return {"registry.c", fill_template(options, "runtime/library_registry.c.in", holes)};
}

std::vector<Source> sources_of(const Library& library, const OpLibrary& defs, const LibraryTexts& texts,
                               const LibraryOptions& options) {
  std::vector<Source> out;
  for (const char* part : kRuntime)
    out.push_back({fmt::format("{}.c", part), fill_template(options, fmt::format("runtime/library_{}.c.in", part),
                                                            {{"include", include_line(options)}})});
  out.push_back(level_source(texts, options));
  if (options.registry) out.push_back(registry(library, options));
  const Families by_name = families_of(library);
  const std::vector<std::pair<std::string, std::vector<const LibraryOp*>>> families(by_name.begin(), by_name.end());
  std::vector<std::vector<Source>> made(families.size());
  Known shared;  // by all sources of one file
  const auto make = [&](size_t i) {
    const auto& [family, ops] = families[i];
    made[i].push_back(wrappers("op_" + family, ops, defs, texts, options));
    for (const LevelTexts& l : texts.levels) {
      Known own;
      if (Source s = kernels("op_" + family, ops, l, options, options.amalgamate ? shared : own); !s.name.empty())
        made[i].push_back(std::move(s));
    }
  };
  if (options.amalgamate)
    for (size_t i = 0; i < families.size(); ++i) make(i);
  else for_each_index(families.size(), make);
  for (std::vector<Source>& sources : made) std::move(sources.begin(), sources.end(), std::back_inserter(out));
  return out;
}

/// All sources as one: the shared header is at its top.
std::string amalgam(const std::vector<Source>& sources, const std::string& internal) {
  std::string out = internal;
  for (const Source& s : sources) out += "\n" + s.text;
  return out;
}

}  // namespace

std::vector<std::string> library_template_names() {
  std::vector<std::string> out = {"runtime/library.h.in",          "runtime/library_uniform.h.in",
                                  "runtime/library_calls.h.in",    "runtime/library_internal.h.in",
                                  "runtime/library_level.c.in",    "runtime/library_registry.c.in",
                                  "runtime/memory_functions.h.in", "c/library_CMakeLists.txt.in",
                                  "c/library_Makefile.in",         "c/package.pc.in",
                                  "c/package_CMakeLists.txt.in",   "c/package_Makefile.in"};
  for (const char* part : kRuntime) out.push_back(fmt::format("runtime/library_{}.c.in", part));
  append(out, pool_template_names());
  return out;
}

Result<OutputTree> library_files(const Library& library, const OpLibrary& defs, const LibraryTexts& texts,
                                 LibraryOptions options) {
  TENON_CHECK(!library.ops.empty() && !texts.levels.empty(), "a library without operators or levels");
  if (Diagnostics d = equal_names(library, texts, options.threads); d.has_errors()) return d;
  OutputTree out;
  LibraryLimits limits;
  for (const LibraryOp& op : library.ops) widen(limits, op, signature_of(op));
  options.gradients = limits.gradients;
  options.joins = limits.joins;
  options.merges = limits.merges;
  options.steps = limits.steps;
  // It takes as long as half of the sources although it only measures their text.
  auto manifest = std::async(std::launch::async, [&] { return library_manifest(library, texts, options); });
  std::vector<Source> sources = sources_of(library, defs, texts, options);
  const std::string internal = library_internal_header(limits, texts, options),
                    provenance = provenance_line("op definitions");
  out.add("include/" + options.prefix + ".h",
          provenance + with_prefix(library_header(library, texts, options), options.prefix));
  std::vector<std::string> files;
  const auto add = [&](const std::string& name, std::string text, bool compiled) {
    out.add(name, provenance + with_prefix(std::move(text), options.prefix));
    if (compiled) files.push_back(name);
  };
  if (options.amalgamate) {
    add("src/" + options.prefix + ".c", amalgam(sources, internal), true);
  } else {
    add(fmt::format("src/{}_internal.h", options.prefix), internal, false);
    for (Source& s : sources) add(fmt::format("src/{}_{}", options.prefix, s.name), std::move(s.text), true);
  }
  add_pools(out, provenance, options);
  std::string list;
  for (const std::string& f : files) list += f + "\n";
  out.add("sources.txt", list);
  out.add("MANIFEST.json", manifest.get());
  out.add("CMakeLists.txt", library_cmake(files, options));
  out.add("Makefile", library_makefile(texts, options));
  for (std::vector<HoleValue>& holes : package_holes({options.prefix, "kernels", options.libm, has_pool(options)})) {
    holes.push_back({"version", options.version});
    out.add(holes[0].text + ".pc.in", fill_template(options, "c/package.pc.in", holes));
  }
  out.seal("MANIFEST.json", "library " + options.prefix);
  return out;
}

}  // namespace tenon
