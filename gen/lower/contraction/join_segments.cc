// Finds or adds the buffers of segments in the surrounding nest.
#include "lower/contraction/join_segments.h"

#include "lower/contraction/contraction_builder.h"
#include "support/ranges.h"

namespace tenon {

int keep_temp(const Tensor& temp, const Operand& elements, NestTarget target) {
  const auto at = find_if(target.buffers, [&](const Buffer& b) { return b.name == temp.name; });
  const auto number = static_cast<int>(at - target.buffers.begin());
  if (at == target.buffers.end())
    target.buffers.push_back({temp.name, temp.dtype, Storage::Workspace, -1, elements, true});
  else if (constant_value(elements) != 0)
    at->elements = constant_value(at->elements) == 0 ? elements : larger(at->elements, elements);
  return number;
}

NestRenaming adopt_segment(const Kernel& segment, const std::vector<Buffer>& buffers,
                           const std::vector<InnerFunction>& functions, const std::map<std::string, Operand>& sizes,
                           NestTarget target) {
  NestRenaming by;
  const NestRenaming at_most{{}, {}, sizes};
  for (size_t i = 0; i < buffers.size(); ++i) {
    Buffer b = buffers[i];
    if (b.elements) b.elements = renamed(b.elements, at_most);
    const auto known = find_if(target.buffers, [&](const Buffer& x) { return x.name == b.name; });
    if (i >= segment.tensors.size()) {
      by.buffers.push_back(static_cast<int>(target.buffers.size()));
      target.buffers.push_back(std::move(b));
    } else if (b.storage == Storage::Workspace || known == target.buffers.end()) {
      by.buffers.push_back(keep_temp(segment.tensors[i], b.elements ? b.elements : v_int(0), target));
    } else {
      by.buffers.push_back(static_cast<int>(known - target.buffers.begin()));
    }
  }
  by.functions = merge_functions(functions, target.functions);
  return by;
}

std::vector<Buffer> tensor_buffers(const Kernel& kernel) {
  std::vector<Buffer> buffers;
  for (size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& x = kernel.tensors[t];
    if (x.role == Role::Temp) buffers.push_back({x.name, x.dtype, Storage::Workspace, -1, v_int(0), true});
    else buffers.push_back({x.name, x.dtype, Storage::Tensor, static_cast<int>(t), nullptr, x.role == Role::Output});
  }
  return buffers;
}

std::string take_fresh(std::set<std::string>& taken, std::string name) {
  while (!taken.insert(name).second) name += "_2";
  return name;
}

Block with_variables(const Block& body, const std::map<std::string, Operand>& sizes, NestTarget target) {
  NestRenaming by{{}, {}, sizes};
  for (size_t i = 0; i < target.buffers.size(); ++i) by.buffers.push_back(static_cast<int>(i));
  for (size_t i = 0; i < target.functions.size(); ++i) by.functions.push_back(static_cast<int>(i));
  return renamed(body, by);
}

Operand SegmentValues::value(const Expr& e) {
  const auto v = lower_value(e, scope);
  possible = possible && v;
  return v ? *v : v_int(0);
}

Operand SegmentValues::elements(const Tensor& t) {
  Operand n = v_int(1);
  for (const Expr& d : t.dims) n = n * value(d);
  return n;
}

std::optional<PanelledBody> or_as_before(NestTarget target, FunctionRef<std::optional<PanelledBody>()> build) {
  const std::vector<Buffer> buffers = target.buffers;
  const std::vector<InnerFunction> functions = target.functions;
  auto out = build();
  if (!out) target.buffers = buffers, target.functions = functions;
  return out;
}

}  // namespace tenon
