// Finds cases, writes their files and their labels.
#include "command/bench_case.h"

#include <fmt/format.h>

#include "command/drawn_inputs.h"
#include "command/select.h"
#include "ir/op/type_function.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::string operand_line(const std::optional<TensorData>& t) {
  if (!t) return "0\n";
  const int type = dtype_row(t->dtype).key;
  std::string out = fmt::format("1 {} {} {}", type >> 8, type & 255, t->dims.size());
  for (const int64_t extent : t->dims) out += fmt::format(" {}", extent);
  return out + "\n";
}

std::string attribute_line(const TryAttr& a) {
  std::string out = fmt::format("{} {} {}", a.name, a.real ? 1 : 0, a.real ? a.f.size() : a.i.size());
  for (const int64_t v : a.i) out += fmt::format(" {}", v);
  for (const double v : a.f) out += fmt::format(" {:.17g}", v);
  return out + "\n";
}

/// One value stands for a list of equal ones.
template <class T>
std::string values_text(const std::vector<T>& values) {
  std::vector<std::string> texts = mapped(values, [&](const T v) { return fmt::format("{}", v); });
  for (const std::string& t : texts)
    if (t != texts[0]) return "[" + joined(texts, ",") + "]";
  return texts.empty() ? "[]" : texts[0];
}

/// `named`: by --ops, so that it is an error where it takes none of the dtypes.
void add_cases(const OpDef& def, const CaseChoice& choice, const std::vector<TestCase>& tests, bool named,
               std::vector<BenchCase>& out) {
  const std::vector<std::string>& names = choice.dtypes;
  const std::vector<DType> taken = def.types.empty() ? std::vector<DType>{} : dtypes_of(def.types[0]);
  const auto takes = [&](const std::string& n) { return n == "all" || contains(taken, named_dtype(n)); };
  if (!named && !names.empty() && none_of(names, takes)) return;
  for (const TestCase& test : tests) {
    const std::vector<DType> keys = chosen_keys(def, names, {test});
    for (size_t k = 0; k < std::max<size_t>(keys.size(), 1); ++k) {
      const std::optional<DType> key = keys.empty() ? std::nullopt : std::optional(keys[k]);
      if (auto types = types_of(def, test, key)) out.push_back({&def, &test, key.value_or(DType::F32), *types});
    }
  }
}

}  // namespace

BenchCases find_cases(Run& run, const OpLibrary& defs, const CaseChoice& choice) {
  BenchCases out{read_bench_tests(run, choice.file, defs), {}};
  const auto& wanted = choice.ops;
  const bool all = !wanted || *wanted == std::vector<std::string>{"all"};
  if (!all)
    for (const std::string& name : *wanted) {
      const OpDef* def = defs.op(name);
      if (!def) stop_run(exit_bad_command_line, choice.flag + unknown_op(defs, name));
      if (needs_graph(*def))
        stop_run(exit_bad_command_line, fmt::format("{}only graphs can use '{}'", choice.flag, name));
      if (none_of(out.tests, [&](const auto& t) { return t.first == name; }))
        out.tests.emplace_back(name, def->tests.empty() ? std::vector<TestCase>(1) : def->tests);
    }
  for (const auto& [name, tests] : out.tests)
    if (all || contains(*wanted, name)) add_cases(*defs.op(name), choice, tests, !all, out.cases);
  if (out.cases.empty()) stop_run(exit_bad_command_line, "--dtypes: none of the kernels timed takes these");
  return out;
}

Library library_of(Run& run, const OpLibrary& defs, const std::vector<BenchCase>& cases) {
  LibrarySelection wanted;
  for (const BenchCase& c : cases) {
    if (!contains(wanted.ops, c.def->name)) wanted.ops.push_back(c.def->name);
    for (const auto& [variable, dtype] : c.types) wanted.dtypes.push_back(dtype);
  }
  return run.open(expand_library(defs, wanted));
}

TryCase data_of(Run& run, const OpLibrary& defs, const BenchCase& c) {
  Diagnostics diagnostics;
  auto data = make_timed_case({defs, *c.def, c.types, *c.test}, diagnostics);
  if (run.report(diagnostics) || !data) throw Stop{exit_bad_input};
  return *std::move(data);
}

void write_frame(Run& run, const std::string& folder, const std::string& name, const std::vector<HoleValue>& values) {
  const std::string path = "c/" + name + ".in";
  write_for_program(folder + "/" + name, TextTemplate(path, read_frames(run, {path}).at(path)).fill(values));
}

void write_case_program(Run& run, const std::string& folder) {
  write_frame(run, folder, "bench_threads.h", {});
  write_frame(run, folder, "bench_case.c", {});
}

std::string case_file(const std::string& op, DType key, const TryCase& c) {
  const size_t rank = first_tensor(c).dims.size();
  std::string out = fmt::format("{} {} {} {} {} {}\n", op, dtype_row(key).key, rank, c.inputs.size(), c.outputs.size(),
                                c.attrs.size());
  for (const auto& t : c.inputs) out += operand_line(t);
  for (const TensorData& t : c.outputs) {
    const int type = dtype_row(t.dtype).key;
    out += fmt::format("{} {}\n", type >> 8, type & 255);
  }
  for (const TryAttr& a : c.attrs) out += attribute_line(a);
  for (const auto& t : c.inputs)
    if (t) out.append(reinterpret_cast<const char*>(t->bytes.data()), t->bytes.size());
  return out;
}

std::string case_label(const TryCase& c) {
  std::vector<std::string> words;
  for (const auto& t : c.inputs) {
    if (!t) continue;
    const auto extents = mapped(t->dims, [](int64_t extent) { return fmt::format("{}", extent); });
    words.push_back(extents.empty() ? "scalar" : joined(extents, "x"));
  }
  for (const TryAttr& a : c.attrs)
    words.push_back(fmt::format("{}={}", a.name, a.real ? values_text(a.f) : values_text(a.i)));
  return joined(words, " ");
}

std::optional<Load> load_of(DType key, const std::optional<TimedWork>& work) {
  if (!work) return std::nullopt;
  return Load{key, work->operations, work->read, work->written};
}

}  // namespace tenon
