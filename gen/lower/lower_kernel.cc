// Lowering in order: kernel passes, loop tree, statements.
#include "lower/lower_kernel.h"

#include <fmt/format.h>

#include "lower/build_loops.h"
#include "lower/generate.h"
#include "lower/kernel_passes.h"
#include "lower/kernel_ranges.h"
#include "lower/lower_contraction.h"
#include "lower/plan_vectors.h"
#include "lower/reuse_outputs.h"
#include "lower/variants.h"

namespace tenon {
namespace {

std::vector<Buffer> tensor_buffers(const Kernel& k) {
  std::vector<Buffer> buffers;
  for (size_t t = 0; t < k.tensors.size(); ++t) {
    const Tensor& x = k.tensors[t];
    if (x.role == Role::Temp) buffers.push_back({x.name, x.dtype, Storage::Workspace, -1, v_int(0), true});
    else buffers.push_back({x.name, x.dtype, Storage::Tensor, static_cast<int>(t), nullptr, x.role == Role::Output});
  }
  return buffers;
}


/// Conditions of forks: comparisons and conjunctions over sizes and attributes.
Operand condition(const Expr& e) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return v_constant(*c, {e->type, 1, 0});
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return v_size(s->name);
  if (const auto* a = std::get_if<AttrRef>(&e->node)) return v_attr(a->name, e->type, a->element);
  const auto& a = std::get<Apply>(e->node);
  return v_apply(a.op, {condition(a.args[0]), condition(a.args[1])});
}

Block straight_body(const Kernel& simplified, const Blueprints& blueprints, const Isa& isa, std::vector<Buffer>& buffers) {
  Kernel k = simplified;
  for (const KernelPass& pass : kernel_passes()) k = pass.run(k);
  LoopTree tree = build_loops(k);
  reuse_outputs(k, tree);
  plan_vectors(k, isa, blueprints, tree);
  return Generator(k, tree, isa, buffers).run();
}

/// The body with its forks: each case is lowered as a kernel of its own.
Block forked_body(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa, std::vector<Buffer>& buffers) {
  const Kernel k = simplify_kernel(kernel);
  const auto fork = next_fork(k, isa);
  if (!fork) return straight_body(k, blueprints, isa, buffers);
  Isa scalars = isa;
  scalars.vector_bits = 0;
  Block then = forked_body(fork->then, blueprints, isa, buffers);
  Block otherwise = forked_body(fork->otherwise, blueprints, fork->otherwise_scalar ? scalars : isa, buffers);
  return {s_if(condition(fork->holds), std::move(then), std::move(otherwise))};
}

}  // namespace

LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa) {
  const auto shared = std::make_shared<const Kernel>(kernel);
  if (auto nest = lower_contraction(shared, isa, blueprints)) return *std::move(nest);
  LoopNest nest;
  nest.name = fmt::format("{}_{}", kernel.name, isa.suffix);
  nest.isa = isa.name;
  nest.kernel = shared;
  nest.blueprint = "loops";
  nest.buffers = tensor_buffers(kernel);
  if (!kernel.checks.empty()) nest.body = Generator(kernel, {}, isa, nest.buffers).run_checks();
  for (Stmt& s : forked_body(kernel, blueprints, isa, nest.buffers)) nest.body.push_back(std::move(s));
  return nest;
}

bool gains(const Kernel&, const Isa& isa) { return isa.vector_bits > 0; }

}  // namespace tenon
