// What lowering makes of the shipped kernels computes what the kernels say: after every pass, and as a nest of every
// level.
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "catch.h"
#include "isa/all_isas.h"
#include "library/expand_library.h"
#include "lower/contraction/join_segments.h"
#include "lower/generate/generate.h"
#include "lower/kernel_cases.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "opdef/read_ops.h"
#include "random_call.h"
#include "shipped_library.h"

namespace lowering_test {

using namespace tenon;

namespace {

/// Not drawn: the extent of what `concat` and `stack` make is the sum of those of the operands, which the C around the
/// kernel sees to; a unit in the last place decides about the bins of `mel_weights`.
const std::set<std::string> kNotDrawn = {"concat", "stack", "mel_weights"};

/// The kernels of an op that are statements: of the type, or of the first that the op takes where it does not take it.
std::vector<Kernel> kernels_of(const std::string& op, DType type) {
  auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  if (!library && type == DType::F32) library = expand_library(tenon_test::shipped_ops(), {{op}, {}});
  if (!library || library->ops.empty() || library->ops[0].kernels.empty()) return {};
  const Kernel& k = library->ops[0].kernels[0].kernel;
  return is_opaque(k) ? std::vector<Kernel>{} : std::vector<Kernel>{k};
}

std::vector<Kernel> shipped_kernels(DType type) {
  std::vector<Kernel> out;
  for (const auto& [name, def] : tenon_test::shipped_ops().ops)
    if (kNotDrawn.count(name) == 0)
      for (Kernel& k : kernels_of(name, type)) out.push_back(std::move(k));
  return out;
}

/// What passes on loops look for that no shipped kernel has with the sizes that are drawn: a transpose larger than a
/// tile; a recurrence whose first step reads before its beginning; short rows reduced to neighbours; a long sum; a step
/// that changes single elements.
constexpr const char* kForPasses = R"(ops:
  - op: transposed
    in: {X: "f32[24, 32]"}
    out: {Y: "f32[32, 24]"}
    body: Y[j,i] = X[i,j]
  - op: carried
    in: {X: "f32[7, 40]"}
    out: {Y: "f32[7, 40]"}
    body: Y[i,t] = X[i,t] - 0.5*padded(Y[i,t - 1], 0)
  - op: rows
    in: {X: "f32[20, 40]"}
    out: {Y: "f32[20]"}
    body: Y[i] = max[j](X[i,j])
  - op: long
    in: {X: "f32[16]"}
    out: {Y: "f32[3]"}
    index: {k: 9000}
    body: Y[i] = sum[k](X[(k*(k + i)) % 16])
  - op: placed
    in: {X: "f32[20]", At: "i32[30]"}
    out: {Y: "f32[20]"}
    body: |
      g[t,i] = select(i == At[t], X[i], padded(g[t - 1,i], 0))
      Y[i] = g[29,i]
)";

std::vector<Kernel> kernels_for_passes() {
  auto ops = read_ops({}, {std::make_shared<const SourceFile>("passes.yaml", kForPasses)});
  REQUIRE(ops.ok());
  auto library = expand_library(*ops, {ops->names(), {}});
  REQUIRE(library.ok());
  std::vector<Kernel> out;
  for (const LibraryOp& op : library->ops) out.push_back(op.kernels.at(0).kernel);
  return out;
}

/// How a run of the nest differs from what the call has to give; "" where it does not.
std::string fault_of(const LoopNest& nest, const Kernel& kernel, const tenon_test::DrawnCall& call) {
  OracleCall got = call.given;
  const NestRun run = run_nest(nest, got);
  if (!run.fault.empty()) return run.fault;
  if (run.status != call.status) return fmt::format("status {}", static_cast<int>(run.status));
  return run.status == OracleStatus::Done ? tenon_test::difference(kernel, call.want, got) : "";
}

std::string sizes_text(const tenon_test::DrawnCall& call) {
  std::string out;
  for (const auto& [name, value] : call.given.sizes) out += fmt::format("{} {}, ", name, value);
  for (const auto& [name, values] : call.given.attrs)
    for (const Number& v : values) out += fmt::format("{} {} {}, ", name, v.i, static_cast<double>(v.f));
  return out;
}

std::string fault_of(const Kernel& after, const tenon_test::DrawnCall& call) {
  OracleCall got = call.given;
  const OracleStatus status = run_kernel(after, got);
  if (status != call.status) return fmt::format("status {}", static_cast<int>(status));
  return status == OracleStatus::Done ? tenon_test::difference(after, call.want, got) : "";
}

/// Kernels for which calls were found.
size_t check_passes(DType type, std::mt19937& random) {
  size_t tried = 0;
  for (const Kernel& kernel : shipped_kernels(type)) {
    const auto call = tenon_test::random_call(kernel, random);
    if (!call) continue;
    ++tried;
    Kernel after = kernel;
    for (const KernelPass& pass : kernel_passes()) {
      after = pass.run(after);
      INFO(kernel.name << " after " << pass.name);
      CHECK(fault_of(after, *call) == "");
    }
  }
  return tried;
}

/// The kernel for these sizes alone, as a model has it.
Kernel with_constants(const Kernel& kernel, const OracleCall& call) {
  const std::function<Expr(const Expr&)> constant = [&](const Expr& e) {
    const auto* s = std::get_if<SizeRef>(&e->node);
    return s ? constant_int(call.sizes.at(s->name)) : map_children(e, constant);
  };
  Kernel out = map_exprs(kernel, constant);
  out.sizes.clear();
  out.facts.clear();
  return out;
}

/// The nest of a kernel whose loops are `tree`, over the tensors of `by`.
LoopNest nest_of(const Kernel& kernel, const KernelCase& by, const LoopTree& tree, const Isa& isa) {
  LoopNest nest;
  nest.name = kernel.name;
  nest.isa = isa.name;
  nest.kernel = std::make_shared<const Kernel>(kernel);
  nest.buffers = tensor_buffers(kernel);
  nest.body = Generator(by.kernel, tree, isa, {nest.buffers, nest.functions}).run();
  return nest;
}

/// Runs the nests as built, and after each pass that changes their loops: how many kernels it changes.
std::map<std::string_view, size_t> check_tree_passes(const std::vector<Kernel>& kernels, const Isa& isa,
                                                     std::mt19937& random) {
  std::map<std::string_view, size_t> changes;
  for (const Kernel& kernel : kernels) {
    const auto call = tenon_test::random_call(kernel, random);
    if (!call || call->status != OracleStatus::Done) continue;  // checks are not in the tree
    const Kernel fixed = with_constants(kernel, call->given);
    const KernelCase one = prepare(fixed, isa, Sharing::none);
    if (!one.parts.empty() || one.holds) continue;
    LoopTree tree = one.tree;
    const std::vector<std::string> names = tensor_names(one.kernel);
    std::string text = to_text(tree, names);
    const auto check = [&](std::string_view pass) {
      INFO(fixed.name << " after " << pass << ": " << sizes_text(*call));
      CHECK(fault_of(nest_of(fixed, one, tree, isa), fixed, *call) == "");
      ++changes[pass];
    };
    check("loops");
    for (const TreePass& pass : tree_passes()) {
      pass.run({one.kernel, isa, tenon_test::shipped_blueprints()}, tree);
      if (std::string after = to_text(tree, names); after != text) {
        text = std::move(after);
        check(pass.name);
      }
    }
  }
  return changes;
}

size_t check_nests(DType type, int calls, std::mt19937& random) {
  const std::vector<const Isa*> levels = {isa_from_name("portable"), isa_from_name("x86-64-v2"),
                                          isa_from_name("x86-64-v3"), isa_from_name("x86-64-v4"),
                                          isa_from_name("neon")};
  size_t tried = 0;
  const auto check = [&](const Kernel& kernel, const auto& nests, const tenon_test::DrawnCall& call) {
    for (const auto& nest : nests) {
      if (!nest) continue;
      INFO(nest->name << ": " << sizes_text(call));
      CHECK(fault_of(*nest, kernel, call) == "");
    }
  };
  for (const Kernel& kernel : shipped_kernels(type)) {
    const auto nests = lower_levels(kernel, tenon_test::shipped_blueprints(), levels);
    std::optional<tenon_test::DrawnCall> call;
    for (int k = 0; k < calls && (call = tenon_test::random_call(kernel, random)); ++k) {
      check(kernel, nests, *call);
      const Kernel fixed = with_constants(kernel, call->given);
      check(fixed, lower_levels(fixed, tenon_test::shipped_blueprints(), levels), *call);
    }
    tried += call ? 1 : 0;
  }
  return tried;
}

}  // namespace

TEST_CASE("every pass on kernels keeps what the shipped kernels compute") {
  std::mt19937 random(5);
  CHECK(check_passes(DType::F32, random) >= 270);
}

TEST_CASE("every pass on loops keeps what the shipped kernels compute") {
  std::mt19937 random(7);
  std::vector<Kernel> kernels = shipped_kernels(DType::F32);
  for (Kernel& k : kernels_for_passes()) kernels.push_back(std::move(k));
  auto changes = check_tree_passes(kernels, *isa_from_name("x86-64-v3"), random);
  CHECK(changes["loops"] >= 205);
  for (const TreePass& pass : tree_passes()) {
    INFO(pass.name);
    CHECK(changes[pass.name] > 0);
  }
}

TEST_CASE("the nests of shipped kernels compute what the kernels say, with sizes of the call and constant ones") {
  std::mt19937 random(11);
  CHECK(check_nests(DType::F32, 1, random) >= 270);
}

TEST_CASE("the nests of shipped kernels of all types, called often", "[.long]") {
  const char* seed = std::getenv("TENON_TEST_SEED");
  std::mt19937 random(seed ? static_cast<unsigned>(std::atoi(seed)) : 1);
  for (const DType type :
       {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::U8, DType::I16, DType::U16, DType::I32,
        DType::U32, DType::I64, DType::U64, DType::Bool, DType::C64, DType::C128})
    WARN(name_of(type) << ": " << check_nests(type, 5, random) << " kernels");
}

}  // namespace lowering_test
