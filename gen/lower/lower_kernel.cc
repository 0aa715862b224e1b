// Lowering in order: kernel passes, loop tree, statements.
#include "lower/lower_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/build_loops.h"
#include "algebra/contraction.h"
#include "lower/generate.h"
#include "lower/kernel_passes.h"
#include "lower/kernel_ranges.h"
#include "lower/lower_contraction.h"
#include "lower/lower_frame.h"
#include "lower/tree_passes.h"
#include "lower/variants.h"

namespace tenon {
namespace {

constexpr std::string_view kBuildLoops = "build-loops";

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

/// A kernel after its passes, with its loops.
struct Planned {
  Kernel kernel;
  LoopTree tree;
};

/// What stays the same in all cases of a kernel.
struct Lowering {
  const Blueprints& blueprints;
  const LowerObserver& observe;

  Planned plan(const Kernel& simplified, const Isa& isa) const {
    Planned p{simplified, {}};
    for (const KernelPass& pass : kernel_passes()) {
      p.kernel = pass.run(p.kernel);
      if (observe) observe(pass.name, [&] { return to_text(p.kernel); });
    }
    p.tree = build_loops(p.kernel);
    const auto text = [&] { return to_text(p.tree, tensor_names(p.kernel)); };
    if (observe) observe(kBuildLoops, text);
    for (const TreePass& pass : tree_passes()) {
      pass.run({p.kernel, isa, blueprints}, p.tree);
      if (observe) observe(pass.name, text);
    }
    return p;
  }

  /// The body with its forks: each case is lowered as a kernel of its own.
  Block body(const Kernel& kernel, const Isa& isa, std::vector<Buffer>& buffers) const {
    const Kernel k = simplify_kernel(kernel);
    const auto fork = next_fork(k, isa);
    if (!fork) {
      const Planned p = plan(k, isa);
      return Generator(p.kernel, p.tree, isa, buffers).run();
    }
    Isa scalars = isa;
    scalars.vector_bits = 0;
    Block then = body(fork->then, isa, buffers);
    Block otherwise = body(fork->otherwise, fork->otherwise_scalar ? scalars : isa, buffers);
    return {s_if(condition(fork->holds), std::move(then), std::move(otherwise))};
  }
};

bool has_vectors(const Tree& tree) {
  return std::any_of(tree.begin(), tree.end(), [](const TreeNode& n) {
    if (std::holds_alternative<TreeTranspose>(n.node)) return true;
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return l && (l->shape.lanes > 1 || has_vectors(l->body));
  });
}

}  // namespace

std::vector<std::string_view> lowering_passes() {
  std::vector<std::string_view> names;
  for (const KernelPass& pass : kernel_passes()) names.push_back(pass.name);
  names.push_back(kBuildLoops);
  for (const TreePass& pass : tree_passes()) names.push_back(pass.name);
  return names;
}

LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa, const LowerObserver& observe) {
  const auto shared = std::make_shared<const Kernel>(kernel);
  if (kernel.call) return lower_frame(shared, isa);
  if (auto nest = lower_contraction(shared, isa, blueprints)) return *std::move(nest);
  LoopNest nest;
  nest.name = fmt::format("{}_{}", kernel.name, isa.suffix);
  nest.isa = isa.name;
  nest.kernel = shared;
  nest.blueprint = "loops";
  nest.buffers = tensor_buffers(kernel);
  if (!kernel.checks.empty()) {
    const Kernel checked = checks_without_temps(kernel);
    nest.body = Generator(checked, {}, isa, nest.buffers).run_checks();
  }
  for (Stmt& s : Lowering{blueprints, observe}.body(kernel, isa, nest.buffers)) nest.body.push_back(std::move(s));
  return nest;
}

bool gains(const Kernel& kernel, const Isa& isa) {
  if (isa.vector_bits == 0 || kernel.call) return false;
  if (find_contraction(kernel)) return true;
  const Kernel k = simplify_kernel(kernel);
  if (const auto fork = next_fork(k, isa)) return gains(fork->then, isa) || (!fork->otherwise_scalar && gains(fork->otherwise, isa));
  return has_vectors(Lowering{Blueprints{}, {}}.plan(k, isa).tree.body);
}

}  // namespace tenon
