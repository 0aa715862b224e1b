// Binds the parameters of a frame.
#include "algebra/simplify.h"
#include "library/expand_body.h"
#include "library/table_data.h"
#include "library/type_rules.h"
#include "support/check.h"

namespace tenon {
namespace {

Expr size_named(const FrameParameter& p, const Binding& binding) {
  if (const auto s = binding.sizes.find(p.name); s != binding.sizes.end()) return cast_to(s->second.e, DType::I64);
  if (const auto a = binding.attrs.find(p.name); a != binding.attrs.end()) {
    const Expr& e = a->second.elements[0].e;
    if (const auto v = constant_value(e)) return constant_int(*v);
    return cast_to(e, DType::I64);
  }
  if (const auto k = binding.packs.find(p.name); k != binding.packs.end()) {
    Expr product = constant_int(1);
    for (const Expr& e : k->second) product = product * e;
    return simplify(product);
  }
  TENON_CHECK(p.value, "nothing is called {}", p.name);
  return constant_int(static_cast<int64_t>(*p.value));
}

Expr real_named(const FrameParameter& p, const Binding& binding) {
  const auto a = binding.attrs.find(p.name);
  if (a == binding.attrs.end()) return constant_float(p.value.value_or(0), DType::F64);
  return convert(a->second.elements[0], DType::F64);
}

int tensor_named(const FrameParameter& p, const Scope& scope) {
  const auto t = scope.tensors.find(p.name);
  return t == scope.tensors.end() ? -1 : t->second.tensor;
}

/// The i64 that receives an extent.
int extent_tensor(const FrameParameter& p, const Scope& scope, Role role, Kernel& kernel) {
  const auto known = scope.binding.sizes.find(p.name);
  if (!scope.def->let(p.name) || known == scope.binding.sizes.end()) return -1;
  const auto* size = std::get_if<SizeRef>(&known->second.e->node);
  Tensor t{p.name, role, DType::I64, {}, {}};
  t.extent = size ? size->name : p.name;
  t.name = unused_tensor_name(kernel, (role == Role::Temp ? t.extent : p.name) + "_extent");
  return kernel.add(std::move(t));
}

}  // namespace

FrameCall bind_frame(const std::shared_ptr<const Frame>& frame, const Scope& scope, Role extents, Kernel& kernel) {
  FrameCall call{frame, {}, {}};
  for (const FrameParameter& p : frame->parameters) {
    call.tensors.push_back(-1);
    call.values.emplace_back();
    switch (p.kind) {
      case FrameParameterKind::input:
      case FrameParameterKind::output: call.tensors.back() = tensor_named(p, scope); break;
      case FrameParameterKind::extent: call.tensors.back() = extent_tensor(p, scope, extents, kernel); break;
      case FrameParameterKind::size: call.values.back() = {size_named(p, scope.binding)}; break;
      case FrameParameterKind::real: call.values.back() = {real_named(p, scope.binding)}; break;
      case FrameParameterKind::pack: call.values.back() = scope.binding.packs.at(p.name); break;
      case FrameParameterKind::work: break;
    }
  }
  return call;
}

}  // namespace tenon
