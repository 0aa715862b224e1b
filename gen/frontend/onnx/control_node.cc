// What the operators of ONNX that hold graphs have in common.
#include <fmt/format.h>

#include "frontend/onnx/onnx_control.h"
#include "support/ranges.h"

namespace tenon {

using namespace tenon_onnx;

const AttributeProto* ControlNode::attribute(const std::string& name) const {
  return find_pointer(node_.attribute(), [&](const AttributeProto& a) { return a.name() == name; });
}

const GraphProto& ControlNode::graph(const std::string& name) const {
  const AttributeProto* a = attribute(name);
  if (!a || !a->has_g()) throw OnnxError{Code::E0806, fmt::format("the attribute '{}' is missing", name)};
  return a->g();
}

std::vector<int64_t> ControlNode::integers(const std::string& name, size_t count) const {
  std::vector<int64_t> list;
  if (const AttributeProto* a = attribute(name)) list.assign(a->ints().begin(), a->ints().end());
  if (list.size() > count)
    throw OnnxError{Code::E0806, fmt::format("the attribute '{}' has {} elements, not {}", name, list.size(), count)};
  list.resize(count, 0);
  return list;
}

bool ControlNode::sound(const std::vector<ValueId>& ids) {
  if (any_of(ids, is_list)) throw OnnxError{Code::E0805, "its body hands on a sequence, which a program does not have"};
  return complete(ids);
}

bool ControlNode::complete(const std::vector<ValueId>& ids) { return !contains(ids, kNoValue); }

ValueId ControlNode::add_list(RecipeList list) {
  context_.lists.push_back(std::move(list));
  return kFirstList - static_cast<ValueId>(context_.lists.size() - 1);
}

void ControlNode::tensors_only(const std::vector<ValueId>& ids) const {
  for (const ValueId v : ids)
    if (is_list(v)) throw OnnxError{Code::E0805, "one of its inputs is a sequence where a tensor is expected"};
}

std::optional<SizeExpr> ControlNode::number(ValueId id) const {
  const auto elements = builder_.numbers(id);
  return elements && elements->size() == 1 ? std::optional((*elements)[0]) : std::nullopt;
}

}  // namespace tenon
