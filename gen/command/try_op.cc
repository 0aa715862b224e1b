// `tenon try`: one op generated, compiled, run, compared with the oracle, and timed.

#include <fmt/format.h>

#include "command/commands.h"
#include "command/select.h"
#include "command/try_case.h"
#include "command/try_driver.h"
#include "command/written_files.h"
#include "differentiate/gradient_ops.h"
#include "ir/op/type_function.h"
#include "library/expand_library.h"
#include "opdef/read/definition_text.h"
#include "opdef/read_tests.h"
#include "pipeline/make.h"
#include "support/diagnostics.h"
#include "support/joined.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Starts the compiler, whose messages may not be about the definition; false after an error.
bool compiles(const std::string& folder, const std::string& line) {
  const int status = run_in(folder, line);
  if (status != 0) print_to(stderr, "tenon: error: `{}` ended with status {}\n", line, status);
  return status == 0;
}

std::string compiler_line(const TryOptions& options) {
  // gcc's note on vectors as arguments does not concern functions called from outside
  return with_optimization(options.compiler) + " -std=c99 -Wno-psabi -D_POSIX_C_SOURCE=200112L -Iinclude";
}

bool run_case(const std::string& folder, const std::string& text, const TryOptions& options) {
  OutputTree tree;
  tree.add("try_main.c", text);
  if (const auto wrong = tree.write(folder).error) {
    print_to(stderr, "tenon: error: {}\n", *wrong);
    return false;
  }
  if (!compiles(folder, compiler_line(options) + " -o try try_main.c $(ls *.o)")) return false;
  const int status = run_in(folder, options.runner + " ./try");
  if (status > 1)
    print_to(stderr, "tenon: error: the program that tries the kernels ended with status {}\n",
             status);  // 1: the errors are in its rows
  return status == 0;
}

/// The op of `--op`, otherwise all user definitions. Stops if there are none, or several with `--test`.
std::vector<const OpDef*> chosen_ops(const OpLibrary& defs, const TryOptions& options) {
  std::vector<const OpDef*> chosen;
  std::vector<std::string> names;
  for (const std::string& name : defs.names())
    if (options.op ? name == *options.op : !defs.declared(name)->shipped)
      chosen.push_back(defs.op(name)), names.push_back(name);
  std::string wrong;
  if (chosen.empty()) wrong = options.op ? "--op: " + unknown_op(defs, *options.op) : "name an op with --op";
  for (const OpDef* def : chosen)
    if (needs_graph(*def)) wrong = fmt::format("'{}' can be tried in a graph only", def->name);
  if (chosen.size() > 1 && !options.tests.empty())
    wrong = fmt::format("--test is about one op; choose it with --op: {}", joined(names, ", "));
  if (!wrong.empty()) stop_run(exit_bad_command_line, wrong);
  return chosen;
}

/// One op that is tried.
struct Trial {
  Run& run;
  const OpLibrary& defs;
  const OpDef& def;
  const TryOptions& options;
};

/// The tests of `--test`, otherwise those of the definition, otherwise one with defaults only.
std::vector<TestCase> chosen_tests(const Trial& trial) {
  const auto& [run, defs, def, options] = trial;
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

/// Names what caused the error: the test, or the defaults for sizes and attributes if the definition has no test.
Diagnostics with_advice(const Diagnostics& diagnostics, const SourceSpan& test) {
  Diagnostics out;
  for (Diagnostic d : diagnostics.sorted()) {
    const bool told = any_of(d.notes, [](const std::string& n) { return n.find("--test") != std::string::npos; });
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
std::vector<MadeTest> make_tests(const Trial& trial, const std::vector<TestCase>& tests,
                                 const std::vector<DType>& keys) {
  const auto& [run, defs, def, options] = trial;
  std::vector<MadeTest> made;
  for (size_t k = 0; k < std::max<size_t>(keys.size(), 1); ++k)
    for (const TestCase& test : tests) {
      const std::optional<DType> key = keys.empty() ? std::nullopt : std::optional(keys[k]);
      const auto types = types_of(def, test, key);
      if (!types) continue;
      if (key && has_other_numbers(def, test, *types)) {
        print_to(stdout, "{}:{}: SKIP for {}: it gives numbers that are no integers\n", test.span.file->name(),
                 test.span.line(), name_of(*key));
        continue;
      }
      Diagnostics diagnostics;
      auto c = make_try_case({defs, def, *types, test}, diagnostics);
      if (run.report(with_advice(diagnostics, test.span)) || !c)
        throw Stop{options.tests.empty() ? exit_bad_input : exit_bad_command_line};
      made.push_back({test, key.value_or(first_tensor(*c).dtype), std::move(*c)});
    }
  if (made.empty()) stop_run(exit_bad_command_line, fmt::format("--dtypes: no test of {} is about these", def.name));
  return made;
}

/// One test, compiled and run.
int try_test(const Trial& trial, const MadeTest& made, const std::string& folder, const OpDef* gradient) {
  const auto& [run, defs, def, options] = trial;
  const std::string text = gradient ? try_gradient_driver(run, {def, *gradient, made.key}, made.data, options)
                                    : try_driver(run, def, made.key, made.data, options);
  if (options.tests.empty() && def.tests.size() > 1)
    print_to(stdout, "{}:{}:\n", made.test.span.file->name(), made.test.span.line());
  return run_case(folder, text, options) ? exit_done : exit_run_failed;
}

/// The dtype of a type variable when gradients are tried: f64, in which alone differences say something, or the first
/// that it takes.
DType dtype_for_differences(const TypeVar& v) {
  const std::vector<DType> taken = dtypes_of(v);
  return contains(taken, DType::F64) ? DType::F64 : taken.front();
}

/// Whether one of the tensors is in f64 then.
bool has_f64(const OpDef& def, const std::vector<TensorDef>& tensors) {
  return any_of(tensors, [&](const TensorDef& t) {
    const TypeVar* v = def.type(t.dtype);
    return v ? v->derived || dtype_for_differences(*v) == DType::F64 : dtype_from_name(t.dtype) == DType::F64;
  });
}

/// The key at which the gradient is compared; none for an op without type variables.
std::vector<DType> keys_of_gradient(const OpDef& def) {
  if (const std::string why = no_gradient(def); !why.empty())
    stop_run(exit_bad_command_line, fmt::format("--grad: '{}' has no gradient: {}", def.name, why));
  if (!has_f64(def, def.inputs) || !has_f64(def, def.outputs))
    stop_run(exit_bad_command_line, fmt::format("--grad: '{}' does not take f64, in which gradients are compared with "
                                                "differences",
                                                def.name));
  return def.types.empty() ? std::vector<DType>{} : std::vector{dtype_for_differences(def.types[0])};
}

/// The tests, with the types that gradients are compared in where they do not say others.
std::vector<TestCase> in_f64(const OpDef& def, std::vector<TestCase> tests) {
  for (TestCase& test : tests)
    for (const TypeVar& v : def.types) {
      const bool said = any_of(test.dtypes, [&](const auto& stated) { return stated.first.text == v.name; });
      if (&v == &def.types[0] || v.derived || said) continue;
      test.dtypes.push_back({Word{v.name, {}}, Word{std::string(name_of(dtype_for_differences(v))), {}}});
    }
  return tests;
}

/// The op and its gradient at the key, or of fixed types.
Library library_with_gradient(Run& run, const OpLibrary& defs, LibOptions lib, const std::vector<DType>& keys) {
  lib.selection.dtypes = {keys.empty() ? "all" : std::string(name_of(keys[0]))};
  lib.selection.ops->push_back(gradient_name(lib.selection.ops->front()));
  return kernels_and_gradients(run, defs, lib);
}

const LibraryOp* find_op(const Library& library, const std::string& name) {
  return find_pointer(library.ops, [&](const LibraryOp& o) { return o.def->name == name; });
}

/// Compiles the library of one op in a folder, then runs its tests; a wrong answer does not stop the remaining ones.
int try_in(const Trial& trial, const Definitions& definitions, const std::string& folder) {
  const auto& [run, defs, def, options] = trial;
  std::vector<TestCase> tests = chosen_tests(trial);
  const std::vector<DType> keys =
      options.gradients ? keys_of_gradient(def) : chosen_keys(def, options.selection.dtypes, tests);
  if (options.gradients) tests = in_f64(def, std::move(tests));
  LibOptions lib;
  lib.selection = options.selection;
  lib.selection.ops = {{def.name}};
  lib.amalgamate = true;  // starting a compiler takes longer than compiling a small file
  const Library library = options.gradients
                              ? library_with_gradient(run, defs, lib, keys)
                              : run.open(expand_library(defs, {{def.name}, dtypes_to_make(def, keys, tests)}));
  const std::vector<MadeTest> made = make_tests(trial, tests, keys);
  const LibraryOp* gradient = find_op(library, gradient_name(def.name));
  int status = run.deliver(make_library(run, definitions, library, lib), folder, true);
  if (status != exit_done || run.only_looks()) return status;
  if (!compiles(folder, compiler_line(options) + " -c $(cat sources.txt)")) return exit_run_failed;
  for (const MadeTest& test : made)
    if (try_test(trial, test, folder, options.gradients ? gradient->def : nullptr) != exit_done)
      status = exit_run_failed;
  return status;
}

/// The definition file for `--body`: one type for all tensors, of the class that the chosen dtypes need.
SourceFileRef body_source(const Run& run, const TryOptions& o) {
  const auto is_real = [](const std::string& name) {
    const auto d = dtype_from_name(name);
    return d && is_float(*d);
  };
  const bool real = all_of(o.selection.dtypes, is_real);
  auto made = body_definition(*o.body, real ? "float" : "number");
  if (run.report(made.diagnostics())) throw Stop{exit_bad_command_line};
  return std::make_shared<const SourceFile>("--body", std::move(made).value());
}

}  // namespace

int run_command(Run& run, const TryOptions& options) {
  const SourceFileRef body = options.body ? body_source(run, options) : nullptr;
  const Definitions defs = all_definitions(run, options.definitions, body);
  int status = exit_done;
  for (const OpDef* def : chosen_ops(defs.ops, options)) {
    const TemporaryFolder folder("tenon_try");
    const int one = try_in({run, defs.ops, *def, options}, defs, folder.path());
    if (one == exit_bad_input) return one;
    if (one != exit_done) status = one;
  }
  return status;
}

}  // namespace tenon
