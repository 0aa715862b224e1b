// Gradient: of a tensor of the graph, with respect to others.
#include <fmt/format.h>

#include <numeric>

#include "frontend/onnx/onnx_control.h"

namespace tenon {

using namespace tenon_onnx;

namespace {

class GradientNode : public ControlNode {
 public:
  using ControlNode::ControlNode;

  /// One result for each of xs.
  std::vector<ValueId> run() {
    const std::vector<std::string> xs = names("xs"), zs = names("zs");
    const AttributeProto* y = attribute("y");
    if (!y || xs.empty()) throw OnnxError{Code::E0806, "it needs the attributes xs and y"};
    std::vector<std::string> all = xs;
    all.insert(all.end(), zs.begin(), zs.end());
    if (inputs_.size() != all.size())
      throw OnnxError{Code::E0806,
                      fmt::format("xs and zs name {} tensors, and it has {} inputs", all.size(), inputs_.size())};
    for (size_t i = 0; i < all.size(); ++i)
      if (known(all[i]) != inputs_[i])
        throw OnnxError{
            Code::E0802,
            fmt::format("input {} is another tensor than '{}': gradients are those at the graph's own values", i,
                        all[i])};
    return builder_.add_gradients(sum_of(known(y->s())),
                                  {inputs_.begin(), inputs_.begin() + static_cast<std::ptrdiff_t>(xs.size())});
  }

 private:
  std::vector<std::string> names(const std::string& name) const {
    const AttributeProto* a = attribute(name);
    return a ? std::vector<std::string>(a->strings().begin(), a->strings().end()) : std::vector<std::string>();
  }

  ValueId known(const std::string& name) const {
    const ValueId id = reader_.find(name);
    if (id < 0) throw OnnxError{Code::E0806, fmt::format("there is no tensor '{}' at this node", name)};
    return id;
  }

  ValueId sum_of(ValueId y) {
    std::vector<int64_t> axes(builder_.value(y).dims.size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes.empty() ? y : builder_.add_node("sum", {y}, {{"axes", axes}}, 1)[0];
  }
};

}  // namespace

std::vector<ValueId> map_onnx_gradient(OnnxNodeContext& context, const NodeProto& node,
                                       const std::vector<ValueId>& inputs, const OnnxBodyReader& reader) {
  return GradientNode(context, node, inputs, reader).run();
}

}  // namespace tenon
