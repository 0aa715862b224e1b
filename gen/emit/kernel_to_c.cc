// LoopNest to C: the function's head, what it unpacks from its arguments, the banner, and the text around the functions
// of a level.
#include "emit/kernel_to_c.h"

#include "emit/emitter.h"
#include "emit/function_builder.h"
#include "ir/kernel/kernel_cost.h"
#include "support/c_names.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using emit::Emitter;
using emit::FunctionBuilder;
using emit::has_workspace;
using emit::in_workspace;

/// Collects names of sizes and attributes below an operand or block.
struct NamesUsed {
  std::set<std::string> sizes;
  std::set<std::pair<std::string, int>> attrs;

  void add(const Operand& v) {
    if (!v) return;
    if (const auto* s = std::get_if<VSize>(&v->node)) sizes.insert(s->name);
    if (const auto* a = std::get_if<VAttr>(&v->node)) attrs.emplace(a->name, a->element);
    each_child(v, [&](const Operand& c) { add(c); });
  }
  void add(const Block& b) {
    for (const Stmt& s : b) {
      each_operand(s, [&](const Operand& v) { add(v); });
      each_block(s, [&](const Block& inside) { add(inside); });
    }
  }
};

}  // namespace

std::string function_name(const LoopNest& nest, const EmitOptions& options) {
  if (options.style != FunctionStyle::Model || !nest.kernel) return options.prefix + "_" + nest.name;
  // A model's own function of a level is PREFIX_run_LEVEL.
  const std::string& kernel = nest.kernel->name;
  const bool begins = nest.name.starts_with(kernel + "_");
  return options.prefix + "_" +
         (begins ? unreserved(kernel, NamesOf::step) + nest.name.substr(kernel.size()) : nest.name);
}

CFunction emit_kernel(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  // Random numbers are the same on every level.
  if (isa.fma && nest.kernel && applies(*nest.kernel, ScalarOp::Philox)) {
    EmitOptions own = options;
    own.common_functions = false;  // other kernels use fused multiply-add
    return FunctionBuilder(nest, isa.without_fma(), own, needs).kernel_function();
  }
  return FunctionBuilder(nest, isa, options, needs).kernel_function();
}

CFunction emit_iterations_function(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  return FunctionBuilder(nest, isa, options, needs).iterations_function();
}

CFunction emit_workspace_function(const LoopNest& nest, const Isa& isa, const EmitOptions& options, EmitNeeds& needs) {
  return FunctionBuilder(nest, isa, options, needs).workspace_function();
}

std::optional<int64_t> constant_workspace_bytes(const LoopNest& nest, FunctionStyle style) {
  if (style == FunctionStyle::Library && has_workspace(nest, true))
    return std::nullopt;  // depends on the number of workers
  if (!has_workspace(nest)) return 0;
  const Isa none{};
  const EmitOptions options;
  EmitNeeds needs;
  Emitter e(none, options, needs, &nest);
  int64_t total = style == FunctionStyle::Library ? 63 : 0;
  for (const Buffer& b : nest.buffers) {
    if (!in_workspace(b)) continue;
    const auto n = e.known(b.elements);
    if (!n) return std::nullopt;
    total += (*n * bytes_of(b.dtype) + 63) / 64 * 64;
  }
  return total;
}

Operand parallel_iterations(const LoopNest& nest) {
  if (nest.body.empty()) return nullptr;
  const auto is_parallel = [](const Stmt& s) {
    const auto* loop = std::get_if<SFor>(&s.node);
    return loop && loop->kind == LoopKind::Parallel && loop->step > 0;
  };
  const auto* loop = std::get_if<SFor>(&nest.body.back().node);
  if (!is_parallel(nest.body.back()) || count_if(nest.body, is_parallel) > 1) return nullptr;
  const Operand span = loop->end - loop->begin;
  return loop->step == 1 ? span : v_apply(ScalarOp::FloorDiv, {span + v_int(loop->step - 1), v_int(loop->step)});
}

ModelParameters model_parameters(const LoopNest& nest, const EmitOptions& options) {
  const Kernel& k = *nest.kernel;
  ModelParameters p;
  for (const bool output : {false, true})
    for (size_t t = 0; t < k.tensors.size(); ++t)
      if (k.tensors[t].role != Role::Temp && (k.tensors[t].role == Role::Output) == output)
        p.tensors.push_back(static_cast<int>(t));
  NamesUsed names;
  names.add(nest.body);
  for (const Buffer& b : nest.buffers)
    if (in_workspace(b)) names.add(b.elements);
  for (const Size& s : k.sizes)
    if (s.lo != s.hi && names.sizes.count(s.name)) p.sizes.push_back(s.name);
  for (const Attr& a : k.attrs)
    for (int i = 0; i < a.count; ++i)
      if (names.attrs.count({a.name, i})) p.attrs.emplace_back(a.name, i);
  p.workspace = has_workspace(nest);
  p.worker_memory = has_workspace(nest, true);
  p.split = options.split_parallel && parallel_iterations(nest);
  return p;
}

}  // namespace tenon
