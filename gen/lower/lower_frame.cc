// The arguments of a frame: tensors, workspace, extents of packs, numbers.
#include "lower/lower_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/op/frame.h"
#include "lower/nest/rename_nest.h"
#include "support/check.h"

namespace tenon {
namespace {

class FrameLowering {
 public:
  FrameLowering(const std::shared_ptr<const Kernel>& kernel, const Isa& isa)
      : isa_(isa), kernel_(*kernel), call_(*kernel->call) {
    nest_.name = fmt::format("{}_{}", kernel->name, isa.suffix);
    nest_.isa = isa.name;
    nest_.kernel = kernel;
    nest_.blueprint = "C template " + call_.frame->name;
    for (size_t t = 0; t < kernel->tensors.size(); ++t) {
      const Tensor& x = kernel->tensors[t];
      nest_.buffers.push_back({x.name, x.dtype, Storage::Tensor, static_cast<int>(t), nullptr, x.role == Role::Output});
    }
    function_.name = call_.frame->name + "_body";
    function_.common = true;
    function_.frame = call_.frame;
  }

  LoopNest run() {
    for (size_t i = 0; i < call_.tensors.size(); ++i) {
      const FrameParameter& p = call_.frame->parameters[i];
      switch (p.kind) {
        case FrameParameterKind::input:
        case FrameParameterKind::output:
        case FrameParameterKind::extent: pointer(p, call_.tensors[i]); break;
        case FrameParameterKind::size:
        case FrameParameterKind::real: argument(p.name, size_number(call_.values[i][0])); break;
        case FrameParameterKind::pack: pack(p, call_.values[i]); break;
        case FrameParameterKind::work: workspace(p); break;
      }
    }
    nest_.functions.push_back(std::move(function_));
    nest_.body.push_back({std::move(call_statement_)});
    return std::move(nest_);
  }

 private:
  void pass(int buffer, Buffer as) {
    call_statement_.buffers.push_back({buffer, v_int(0)});
    function_.buffers.push_back(std::move(as));
  }

  void pointer(const FrameParameter& p, int tensor) {
    const bool writable = p.kind != FrameParameterKind::input;
    const DType type = tensor >= 0 ? kernel_.tensor(tensor).dtype : type_of(p);
    if (p.is_tensor() && !dtype_from_name(p.type) && !call_.frame->parameter(p.type))
      function_.name += fmt::format("_{}", name_of(type));
    pass(tensor, {p.name, type, Storage::Tensor, tensor, nullptr, writable});
  }

  /// For an absent tensor: the type of an earlier one that shares its type variable, or its own.
  DType type_of(const FrameParameter& p) const {
    for (size_t i = 0; i < call_.tensors.size(); ++i)
      if (call_.frame->parameters[i].name == p.type && call_.tensors[i] >= 0)
        return kernel_.tensor(call_.tensors[i]).dtype;
    return dtype_from_name(p.type).value_or(DType::I64);
  }

  void argument(const std::string& name, Operand value) {
    if (value->type.dtype != DType::F64) values_[name] = value;
    call_statement_.args.push_back(std::move(value));
    function_.params.push_back(name);
  }

  /// The extents of a pack are in a small array; their number is one more argument.
  void pack(const FrameParameter& p, const std::vector<Expr>& extents) {
    const int buffer = static_cast<int>(nest_.buffers.size());
    const auto n = static_cast<int64_t>(extents.size());
    nest_.buffers.push_back(
        {p.name + "_extents", DType::I64, Storage::Stack, -1, v_int(std::max<int64_t>(n, 1)), true});
    if (n == 0) nest_.body.push_back(s_store(buffer, v_int(0), v_int(1)));
    for (int64_t k = 0; k < n; ++k)
      nest_.body.push_back(s_store(buffer, v_int(k), size_number(extents[static_cast<size_t>(k)])));
    pass(buffer, {p.name, DType::I64, Storage::Stack, -1, v_int(std::max<int64_t>(n, 1)), false});
    argument(p.name + "_rank", v_int(n));
  }

  void workspace(const FrameParameter& p) {
    DType type = dtype_from_name(p.type).value_or(DType::U8);
    if (p.keys)
      for (size_t i = 0; i < call_.tensors.size(); ++i)
        if (call_.frame->parameters[i].name == p.type) type = *key_dtype(kernel_.tensor(call_.tensors[i]).dtype);
    const int buffer = static_cast<int>(nest_.buffers.size());
    const Operand count = elements(p.elements);  // an empty buffer has no name to pass
    nest_.buffers.push_back(
        {p.name, type, Storage::Workspace, -1, constant_value(count) == 0 ? v_int(1) : count, true});
    pass(buffer, {p.name, type, Storage::Workspace, -1, v_int(1), true});
  }

  Operand elements(const Syntax& s) const {
    if (s.is(SyntaxKind::integer)) return v_int(s.integer);
    if (const auto hole = vector_hole(s.text); hole && s.is(SyntaxKind::name))
      return v_int(isa_.has_vectors_in_templates() ? isa_.lanes(hole->dtype) : 0);
    if (s.is(SyntaxKind::name)) return values_.at(s.text);
    const Operand a = elements(s.children[0]), b = elements(s.children[1]);
    if (s.is(SyntaxKind::call)) return v_apply(ScalarOp::Min, {a, b});
    return s.text == "*" ? a * b : s.text == "-" ? a - b : a + b;
  }

  const Isa& isa_;
  const Kernel& kernel_;
  const FrameCall& call_;
  LoopNest nest_;
  InnerFunction function_;
  SCall call_statement_;
  std::map<std::string, Operand> values_;
};

}  // namespace

bool differs_at(const FrameCall& call, const Isa& isa) {
  return isa.has_vectors_in_templates() && has_vectors(*call.frame);
}

LoopNest lower_frame(const std::shared_ptr<const Kernel>& kernel, const Isa& isa) {
  return FrameLowering(kernel, isa).run();
}

}  // namespace tenon
