// `tenon try`: one op generated, compiled, run, compared with the oracle, and timed.
#include "pipeline/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "library/bind_shapes.h"
#include "library/expand_body.h"
#include "library/expand_library.h"
#include "oracle/run_kernel.h"
#include "pipeline/library.h"
#include "support/read_source.h"
#include "support/text_template.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDefaultExtent = 37;   ///< of sizes that no --test names: no multiple of a vector's length

/// Inputs and answers of one test.
struct TryCase {
  std::vector<TensorData> inputs, outputs;
  double terms = 1;   ///< how many products the longest reduction adds up
};

int64_t extent_of(const Dim& d, const std::vector<SizeValue>& test) {
  if (d.kind == DimKind::integer) return d.value;
  if (d.kind == DimKind::split) {
    int64_t n = 1;
    for (const Dim& part : d.parts) n *= extent_of(part, test);
    return n;
  }
  for (const SizeValue& v : test)
    if (v.name == d.name) return v.value;
  return kDefaultExtent;
}

TensorData random_tensor(DType d, std::vector<int64_t> dims, bool index, int64_t least, std::mt19937_64& rng) {
  TensorData t{d, std::move(dims), {}};
  const int64_t n = element_count(t.dims);
  t.bytes.resize(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(d)));
  const auto unit = [&] { return static_cast<long double>(rng() >> 11) * 0x1p-53L; };
  for (int64_t i = 0; i < n; ++i) {
    Number v;
    v.f = unit() * 4 - 2;
    v.im = unit() * 4 - 2;
    v.i = index ? static_cast<int64_t>(rng() % static_cast<uint64_t>(std::max<int64_t>(least, 1))) : static_cast<int64_t>(rng() % 7) - (is_signed_int(d) ? 3 : 0);
    if (d == DType::Bool) v.i &= 1;
    store_number(t, i, v);
  }
  return t;
}

double reduction_terms(const Kernel& k) {
  double most = 1;
  for (const KernelStatement& s : k.body)
    walk(s.value, [&](const Expr& e) {
      if (const auto* r = std::get_if<Reduce>(&e->node)) {
        double n = 1;
        for (const LoopVar& v : r->vars) n *= static_cast<double>(constant_value(v.extent).value_or(1));
        most = std::max(most, n);
      }
      return true;
    });
  return most;
}

/// Makes inputs from the signature and computes the answers with the oracle.
std::optional<TryCase> make_case(const OpLibrary& defs, const OpDef& def, const std::map<std::string, DType>& types, const std::vector<SizeValue>& test, Diagnostics& diagnostics) {
  TryCase out;
  std::mt19937_64 rng(1);
  std::vector<GivenTensor> given;
  int64_t least = INT64_MAX;
  for (const TensorDef& t : def.inputs)
    for (const Dim& d : t.dims) least = std::min(least, extent_of(d, test));
  for (const TensorDef& t : def.inputs) {
    const auto v = types.find(t.dtype);
    GivenTensor g;
    g.present = true;
    g.dtype = v != types.end() ? v->second : *dtype_from_name(t.dtype);
    std::vector<int64_t> dims;
    for (const Dim& d : t.dims) dims.push_back(extent_of(d, test));
    for (const int64_t n : dims) g.dims.push_back(constant_int(n));
    const TypeVar* var = def.type(t.dtype);
    const bool index = var && std::any_of(var->classes.begin(), var->classes.end(), [](const Word& w) { return w.text == "index"; });
    out.inputs.push_back(random_tensor(g.dtype, std::move(dims), index, least, rng));
    given.push_back(std::move(g));
  }
  auto call = bind_call(defs, def, given, {}, types, diagnostics, def.span);
  if (!call) return std::nullopt;
  expand_body(defs, def, call->scope, call->kernel, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  OracleCall oracle;
  oracle.tensors = out.inputs;
  for (const WrittenExtent& e : call->extents) oracle.sizes[e.size] = constant_value(e.bound).value_or(0);
  if (run_kernel(call->kernel, oracle) != OracleStatus::Done) {
    diagnostics.error(Code::E0604, def.span, "the data of this test is out of the op's range");
    return std::nullopt;
  }
  for (size_t i = 0; i < call->kernel.tensors.size(); ++i)
    if (call->kernel.tensors[i].role == Role::Output && call->kernel.tensors[i].extent.empty()) {
      out.outputs.push_back(oracle.tensors[i]);
      out.outputs.back().dims.clear();
      for (const Expr& e : call->output_dims[out.outputs.size() - 1]) out.outputs.back().dims.push_back(evaluate_size(e, oracle));
      out.outputs.back().bytes.resize(static_cast<size_t>(element_count(out.outputs.back().dims)) * static_cast<size_t>(bytes_of(out.outputs.back().dtype)));
    }
  out.terms = reduction_terms(call->kernel);
  return out;
}

std::string bytes_text(const TensorData& t) {
  std::string out;
  for (size_t i = 0; i < t.bytes.size(); ++i) out += fmt::format("{},{}", t.bytes[i], i % 24 == 23 ? "\n" : "");
  return out.empty() ? "0" : out;
}

/// The driver's arrays and tensors.
std::string tensors_text(const std::vector<TensorData>& list, const char* kind) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorData& t = list[i];
    std::string shape;
    for (const int64_t d : t.dims) shape += fmt::format("{}, ", d);
    out += fmt::format("static union {{ unsigned char bytes[{}]; double align; int64_t word; }} {}{} = {{{{{}}}}};\n", std::max<size_t>(t.bytes.size(), 1), kind, i, bytes_text(t));
    out += fmt::format("static int64_t {}{}_shape[] = {{{}0}};\n", kind, i, shape);
  }
  return out;
}

std::string tensor_rows(const std::vector<TensorData>& list, const char* kind) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const int key = dtype_row(list[i].dtype).key;
    out += fmt::format("{{{0}{1}.bytes, {{1, 0}}, {2}, {{{3}, {4}, 1}}, {0}{1}_shape, NULL, 0}},\n", kind, i, list[i].dims.size(), key >> 8, key & 255);
  }
  return out.empty() ? "{NULL, {1, 0}, 0, {2, 32, 1}, NULL, NULL, 0},\n" : out;
}

/// Relative error that the arithmetic explains: a rounding for each term, and a few for functions.
double tolerance(DType d, double terms) {
  const DType r = real_of(d);
  if (is_int(r) || r == DType::Bool) return 0;
  const double store = r == DType::F16 ? 0x1p-10 : r == DType::BF16 ? 0x1p-7 : 0, unit = r == DType::F64 ? 0x1p-52 : 0x1p-23;
  return store + unit * (16 + terms);
}

std::optional<std::string> driver(Session& session, const OpDef& def, DType key, const TryCase& c) {
  const std::string path = (session.dirs().templates / "c/try_main.c.in").string();
  const auto file = read_source(path);
  if (session.report(file.diagnostics())) return std::nullopt;
  std::string limits;
  for (const TensorData& t : c.outputs) limits += fmt::format("{},\n", tolerance(t.dtype, c.terms));
  const size_t rank = c.inputs.empty() ? c.outputs[0].dims.size() : c.inputs[0].dims.size();
  return TextTemplate(path, file.value()->text())
      .fill({{"op", def.name}, {"key", fmt::format("{}", dtype_row(key).key)}, {"rank", fmt::format("{}", rank)}, {"dtype", std::string(name_of(key))},
             {"data", tensors_text(c.inputs, "in") + tensors_text(c.outputs, "want")}, {"inputs", tensor_rows(c.inputs, "in")}, {"wanted", tensor_rows(c.outputs, "want")},
             {"limits", limits}, {"n_inputs", fmt::format("{}", c.inputs.size())}, {"n_outputs", fmt::format("{}", c.outputs.size())}});
}

int run_case(Session& session, const fs::path& folder, const std::string& text, const std::string& compiler) {
  OutputTree tree;
  tree.add("try_main.c", text);
  if (const auto wrong = tree.write(folder).error) {
    fmt::print(stderr, "tenon: error: {}\n", *wrong);
    return exit_bad_input;
  }
  (void)session;
  std::fflush(stdout);
  const std::string command = fmt::format("cd '{}' && {} -O2 -std=c99 -D_POSIX_C_SOURCE=200112L -Iinclude -o try $(cat sources.txt) try_main.c && ./try", folder.string(), compiler);
  return std::system(command.c_str()) == 0 ? exit_done : exit_run_failed;
}

}  // namespace

int try_op(Session& session, const OpLibrary& defs, const MathLibrary& math, const TryOptions& options) {
  if (options.body) {
    std::fputs("tenon: error: a body alone has no types and shapes; write the whole definition and give it as `-` on standard input\n", stderr);
    return exit_bad_command_line;
  }
  std::string name = options.op.value_or("");
  for (const auto& [n, d] : defs.ops)
    if (name.empty() && !d.shipped) name = n;
  const OpDef* def = defs.op(name);
  if (!def || needs_graph(*def)) {
    fmt::print(stderr, "tenon: error: {}\n", def ? fmt::format("'{}' can be tried in a graph only", name) : name.empty() ? "name an op with --op" : fmt::format("there is no op '{}'", name));
    return exit_bad_input;
  }
  LibOptions lib;
  lib.selection = options.selection;
  lib.selection.ops = {{name}};
  if (lib.selection.dtypes.size() == 1 && lib.selection.dtypes[0] == "all") lib.selection.dtypes = {"f32"};
  std::vector<DType> keys;
  for (const std::string& d : lib.selection.dtypes)
    if (const auto k = dtype_from_name(d)) keys.push_back(*k);
  auto library = expand_library(defs, {{name}, keys});
  if (session.report(library.diagnostics())) return exit_bad_input;
  std::string folder = (fs::temp_directory_path() / "tenon_try_XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    std::fputs("tenon: error: no temporary folder can be made\n", stderr);
    return exit_bad_input;
  }
  lib.output_dir = folder;
  int status = produce_library(session, {defs, math}, *library, lib);
  std::vector<std::vector<SizeValue>> tests = options.tests;
  if (tests.empty()) tests.push_back({});
  for (const DType key : keys)
    for (const auto& test : tests) {
      if (status != exit_done) break;
      std::map<std::string, DType> types;
      for (const TypeVar& v : def->types) types[v.name] = &v == &def->types[0] ? key : dtypes_of(v).front();
      Diagnostics diagnostics;
      const auto c = make_case(defs, *def, types, test, diagnostics);
      if (session.report(diagnostics) || !c) {
        status = exit_bad_input;
        break;
      }
      const auto text = driver(session, *def, key, *c);
      status = text ? run_case(session, folder, *text, options.compiler) : exit_bad_input;
    }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return status;
}

}  // namespace tenon
