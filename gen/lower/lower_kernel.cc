// Lowering in order: kernel passes, loop tree, statements.
#include "lower/lower_kernel.h"

#include <fmt/format.h>

#include "lower/build_loops.h"
#include "lower/generate.h"
#include "lower/kernel_passes.h"

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

}  // namespace

LoopNest lower_kernel(const Kernel& kernel, const Blueprints&, const Isa& isa) {
  LoopNest nest;
  nest.name = fmt::format("{}_{}", kernel.name, isa.suffix);
  nest.isa = isa.name;
  nest.kernel = std::make_shared<const Kernel>(kernel);
  nest.blueprint = "loops";
  nest.buffers = tensor_buffers(kernel);
  Kernel k = kernel;
  for (const KernelPass& pass : kernel_passes()) k = pass.run(k);
  const LoopTree tree = build_loops(k);
  Generator generator(k, tree, isa, nest.buffers);
  nest.body = generator.run_checks();
  for (Stmt& s : generator.run()) nest.body.push_back(std::move(s));
  return nest;
}

bool gains(const Kernel&, const Isa& isa) { return isa.vector_bits > 0; }

}  // namespace tenon
