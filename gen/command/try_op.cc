// `tenon try`: one op generated, compiled, run, compared with the oracle, and timed.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "command/commands.h"
#include "command/program_folder.h"
#include "command/select.h"
#include "command/test_types.h"
#include "command/try_case.h"
#include "ir/op/type_function.h"
#include "library/expand_library.h"
#include "opdef/read/body_definition.h"
#include "opdef/read_one_test.h"
#include "pipeline/make.h"
#include "support/diagnostics.h"
#include "support/joined.h"
#include "support/print_to.h"
#include "support/quoted.h"
#include "support/read_source.h"
#include "support/temporary_folder.h"
#include "support/text_template.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

std::string bytes_text(const TensorData& t) {
  std::string out;
  for (size_t i = 0; i < t.bytes.size(); ++i) out += fmt::format("{},{}", t.bytes[i], i % 24 == 23 ? "\n" : "");
  return out.empty() ? "0" : out;
}

/// A tensor of the driver that an absent input has no memory for.
const TensorData* present(const std::optional<TensorData>& t) { return t ? &*t : nullptr; }
const TensorData* present(const TensorData& t) { return &t; }

/// The driver's arrays and tensors.
template <class T>
std::string tensors_text(const std::vector<T>& list, const char* kind) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorData* t = present(list[i]);
    if (!t) continue;
    std::string shape;
    for (const int64_t d : t->dims) shape += fmt::format("{}, ", d);
    out += fmt::format("static union {{ unsigned char bytes[{}]; double align; int64_t word; }} {}{} = {{{{{}}}}};\n",
                       std::max<size_t>(t->bytes.size(), 1), kind, i, bytes_text(*t));
    out += fmt::format("static int64_t {}{}_shape[] = {{{}0}};\n", kind, i, shape);
  }
  return out;
}

template <class T>
std::string tensor_rows(const std::vector<T>& list, const char* kind) {
  const std::string none = "{NULL, {1, 0}, 0, {2, 32, 1}, NULL, NULL, 0},\n";
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorData* t = present(list[i]);
    const int key = t ? dtype_row(t->dtype).key : 0;
    out += t ? fmt::format("{{{0}{1}.bytes, {{1, 0}}, {2}, {{{3}, {4}, 1}}, {0}{1}_shape, NULL, 0}},\n", kind, i,
                           t->dims.size(), key >> 8, key & 255)
             : none;
  }
  return out.empty() ? none : out;
}

/// The driver's attributes: their lists, and the rows that point to them.
std::string attr_lists(const std::vector<TryAttr>& attrs) {
  std::string out;
  for (size_t k = 0; k < attrs.size(); ++k) {
    std::string values;
    for (const int64_t v : attrs[k].i) values += v == INT64_MIN ? "INT64_MIN, " : fmt::format("{}, ", v);
    for (const double v : attrs[k].f)
      values += std::isnan(v)   ? "0.0 / 0.0, "
                : std::isinf(v) ? (v > 0 ? "1e999, " : "-1e999, ")
                                : fmt::format("{:.17g}, ", v);
    out += fmt::format("static const {} attr{}[] = {{{}0}};\n", attrs[k].real ? "double" : "int64_t", k, values);
  }
  return out;
}

std::string attr_rows(const std::vector<TryAttr>& attrs) {
  std::string out;
  for (size_t k = 0; k < attrs.size(); ++k)
    out += attrs[k].real ? fmt::format("{{\"{}\", {}, NULL, attr{}}},\n", attrs[k].name, attrs[k].f.size(), k)
                         : fmt::format("{{\"{}\", {}, attr{}, NULL}},\n", attrs[k].name, attrs[k].i.size(), k);
  return out.empty() ? "{NULL, 0, NULL, NULL},\n" : out;
}

/// Relative error that the arithmetic explains: a rounding for each term, and a few for functions.
double tolerance(DType d, double terms) {
  const DType r = real_of(d);
  if (is_int(r) || r == DType::Bool) return 0;
  const double store = r == DType::F16    ? 0x1p-10
                       : r == DType::BF16 ? 0x1p-7
                                          : 0,
               unit = r == DType::F64 ? 0x1p-52 : 0x1p-23;
  return store + unit * (16 + terms);
}

/// The names of the levels that the library has, as C.
std::string level_names(const TryOptions& options) {
  std::string names;
  for (const Isa* isa : chosen_levels(options.selection.isas))
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", isa->name);
  return names;
}

/// The names of the outputs as C; a variadic one is several.
std::string output_names(const OpDef& def, size_t outputs) {
  std::string names;
  for (size_t k = 0; k < outputs; ++k) {
    const bool several = def.outputs.back().variadic;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ",
                         several ? fmt::format("{}{}", def.outputs.back().name, k) : def.outputs[k].name);
  }
  return names;
}

std::string driver(Run& run, const OpDef& def, DType key, const TryCase& c, const TryOptions& options) {
  const std::string path = (run.dirs().templates / "c/try_main.c.in").string();
  const SourceFileRef file = run.open(read_source(path));
  std::string limits;
  for (const TensorData& t : c.outputs) limits += fmt::format("{},\n", tolerance(t.dtype, c.terms));
  const size_t rank = c.inputs.empty() || !c.inputs[0] ? c.outputs[0].dims.size() : c.inputs[0]->dims.size();
  return TextTemplate(path, file->text())
      .fill({{"op", def.name},
             {"key", fmt::format("{}", dtype_row(key).key)},
             {"rank", fmt::format("{}", rank)},
             {"dtype", std::string(name_of(key))},
             {"data", tensors_text(c.inputs, "in") + tensors_text(c.outputs, "want") + attr_lists(c.attrs)},
             {"inputs", tensor_rows(c.inputs, "in")},
             {"wanted", tensor_rows(c.outputs, "want")},
             {"attrs", attr_rows(c.attrs)},
             {"n_attrs", fmt::format("{}", c.attrs.size())},
             {"limits", limits},
             {"names", output_names(def, c.outputs.size())},
             {"levels", level_names(options)},
             {"asked", options.selection.isas.empty() ? "0" : "1"},
             {"n_inputs", fmt::format("{}", c.inputs.size())},
             {"n_outputs", fmt::format("{}", c.outputs.size())}});
}

/// Runs a line of the shell in the folder: how it ended.
int shell(const fs::path& folder, const std::string& line) {
  std::fflush(stdout);
  const int ended = std::system(fmt::format("cd {} && {}", shell_word(folder.string()), line).c_str());
  return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
}

/// The same for the compiler, which not always says what is wrong; false after an error.
bool compiles(const fs::path& folder, const std::string& line) {
  const int status = shell(folder, line);
  if (status != 0) print_to(stderr, "tenon: error: `{}` ended with status {}\n", line, status);
  return status == 0;
}

std::string compiler_line(const TryOptions& options) {
  // gcc's remark on vectors as arguments does not concern functions called from outside
  return with_optimization(options.compiler) + " -std=c99 -Wno-psabi -D_POSIX_C_SOURCE=200112L -Iinclude";
}

bool run_case(const fs::path& folder, const std::string& text, const TryOptions& options) {
  OutputTree tree;
  tree.add("try_main.c", text);
  if (const auto wrong = tree.write(folder).error) {
    print_to(stderr, "tenon: error: {}\n", *wrong);
    return false;
  }
  if (!compiles(folder, compiler_line(options) + " -o try try_main.c $(ls *.o)")) return false;
  const int status = shell(folder, options.runner + " ./try");
  if (status > 1)
    print_to(stderr, "tenon: error: the program that tries the kernels ended with status {}\n",
             status);  // 1: what is wrong is in its rows
  return status == 0;
}

/// The op of `--op`, else all definitions of one's own. Stops where there is none or `--test` fits one alone.
std::vector<const OpDef*> chosen_ops(const OpLibrary& defs, const TryOptions& options) {
  std::vector<const OpDef*> chosen;
  std::vector<std::string> names;
  for (const auto& [name, def] : defs.ops)
    if (options.op ? name == *options.op : !def.shipped) chosen.push_back(&def), names.push_back(name);
  std::string wrong;
  if (chosen.empty()) wrong = options.op ? "--op: " + unknown_op(defs, *options.op) : "name an op with --op";
  for (const OpDef* def : chosen)
    if (needs_graph(*def)) wrong = fmt::format("'{}' can be tried in a graph only", def->name);
  if (chosen.size() > 1 && !options.tests.empty())
    wrong = fmt::format("--test is about one op; choose it with --op: {}", joined(names, ", "));
  if (!wrong.empty()) stop_run(exit_bad_command_line, wrong);
  return chosen;
}

/// The tests of `--test`, else those of the definition, else one of nothing but defaults.
std::vector<TestCase> chosen_tests(Run& run, const OpDef& def, const TryOptions& options) {
  std::vector<TestCase> tests;
  Diagnostics diagnostics;
  for (const std::string& text : options.tests)
    if (auto test = read_one_test(std::make_shared<const SourceFile>("--test", text), def, diagnostics))
      tests.push_back(std::move(*test));
  if (run.report(diagnostics)) throw Stop{exit_bad_command_line};
  if (options.tests.empty()) tests = def.tests;
  if (tests.empty()) tests.emplace_back();
  return tests;
}

/// Says what brought the definition into error: the test, or that nobody wrote one and the sizes and attributes are
/// those that the definition leaves open.
Diagnostics with_advice(const Diagnostics& diagnostics, const SourceSpan& test) {
  Diagnostics out;
  for (Diagnostic d : diagnostics.sorted()) {
    const bool told = std::any_of(d.notes.begin(), d.notes.end(),
                                  [](const std::string& n) { return n.find("--test") != std::string::npos; });
    if (test.known() && !(d.span.file == test.file && d.span.begin >= test.begin))
      d.notes.push_back(
          fmt::format("with the sizes and attributes of the test at {}:{}:{}: give others, or state under `require` "
                      "what they have to be",
                      test.file->name(), test.line(), test.column()));
    else if (!test.known() && !told)
      d.notes.emplace_back(
          "nothing says what to try it with: give sizes and attributes by --test \"M=4,N=3\", or by `tests:` of the "
          "definition");
    out.add(std::move(d));
  }
  return out;
}

/// One test at one key, with its data and answers.
struct MadeTest {
  const TestCase& test;
  DType key;
  TryCase data;
};

/// The tests at all keys that they are about. Stops where one cannot be made.
std::vector<MadeTest> make_tests(Run& run, const OpLibrary& defs, const OpDef& def, const std::vector<TestCase>& tests,
                                 const std::vector<DType>& keys, bool from_command_line) {
  std::vector<MadeTest> made;
  for (size_t k = 0; k < std::max<size_t>(keys.size(), 1); ++k)
    for (const TestCase& test : tests) {
      const std::optional<DType> key = keys.empty() ? std::nullopt : std::optional(keys[k]);
      const auto types = types_of(def, test, key);
      if (!types) continue;
      Diagnostics diagnostics;
      auto c = make_try_case(defs, def, *types, test, diagnostics);
      if (run.report(with_advice(diagnostics, test.span)) || !c)
        throw Stop{from_command_line ? exit_bad_command_line : exit_bad_input};
      made.push_back({test, key.value_or(fixed_key(*c)), std::move(*c)});
    }
  if (made.empty()) stop_run(exit_bad_command_line, fmt::format("--dtypes: no test of {} is about these", def.name));
  return made;
}

/// One test, compiled and run.
int try_test(Run& run, const OpDef& def, const MadeTest& made, const TryOptions& options, const fs::path& folder) {
  const std::string text = driver(run, def, made.key, made.data, options);
  if (options.tests.empty() && def.tests.size() > 1)
    print_to(stdout, "{}:{}:\n", made.test.span.file->name(), made.test.span.line());
  return run_case(folder, text, options) ? exit_done : exit_run_failed;
}

/// The library of one op, compiled, in a folder; then its tests, of which a wrong answer does not hide the others.
int try_in(Run& run, const Definitions& defs, const OpDef& def, const TryOptions& options, const fs::path& folder) {
  const std::vector<TestCase> tests = chosen_tests(run, def, options);
  const std::vector<DType> keys = chosen_keys(def, options.selection.dtypes, tests);
  const Library library = run.open(expand_library(defs.ops, {{def.name}, dtypes_to_make(def, keys, tests)}));
  const std::vector<MadeTest> made = make_tests(run, defs.ops, def, tests, keys, !options.tests.empty());
  LibOptions lib;
  lib.selection = options.selection;
  lib.selection.ops = {{def.name}};
  int status = run.deliver(make_library(run, defs, library, lib), folder.string(), true);
  if (status != exit_done || run.only_looks()) return status;
  if (!compiles(folder, compiler_line(options) + " -c $(cat sources.txt)")) return exit_run_failed;
  for (const MadeTest& test : made)
    if (try_test(run, def, test, options, folder) != exit_done) status = exit_run_failed;
  return status;
}

/// The file that `--body` stands for: one type for all tensors, of the class that the dtypes chosen need.
SourceFileRef body_source(const Run& run, const TryOptions& o) {
  const auto is_real = [](const std::string& name) {
    const auto d = dtype_from_name(name);
    return d && is_float(*d);
  };
  const bool real = std::all_of(o.selection.dtypes.begin(), o.selection.dtypes.end(), is_real);
  BodyText made = body_definition(*o.body, real ? "float" : "number");
  if (!made.error.empty()) {
    Diagnostics diagnostics;
    diagnostics.error_at(Code::E0301, "--body", made.error,
                         {"a body is written as 'Y[i] = 2*X[i] + alpha': docs/opdef-language.md"});
    run.report(diagnostics);
    throw Stop{exit_bad_command_line};
  }
  return std::make_shared<const SourceFile>("--body", std::move(made.text));
}

}  // namespace

int run_command(Run& run, const TryOptions& options) {
  const SourceFileRef body = options.body ? body_source(run, options) : nullptr;
  const Definitions defs = all_definitions(run, options.definitions, body);
  int status = exit_done;
  for (const OpDef* def : chosen_ops(defs.ops, options)) {
    const TemporaryFolder folder("tenon_try");
    if (folder.path().empty()) stop_run(exit_bad_input, folder.why());
    const int one = try_in(run, defs, *def, options, folder.path());
    if (one == exit_bad_input) return one;
    if (one != exit_done) status = one;
  }
  return status;
}

}  // namespace tenon
