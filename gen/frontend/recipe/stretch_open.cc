// Finds extents that meet in a broadcast and are open, and stretches those that may be 1.
#include <algorithm>

#include "frontend/recipe/recipe_call.h"

namespace tenon {
namespace {

/// The inputs whose leading dims broadcast together, and what their dims become, counted from the last of these dims.
struct Meeting {
  struct Input {
    size_t place = 0;  // among the arguments
    size_t leading = 0;
  };
  std::vector<Input> inputs;
  std::vector<SizeExpr> extents;
};

Meeting meeting_of(const GraphBuilder& builder, const OpSignature& signature, const std::vector<ValueId>& ids) {
  Meeting m;
  std::string pack;
  for (size_t i = 0; i < std::min(ids.size(), signature.inputs.size()); ++i) {
    const InputSignature& in = signature.inputs[i];
    if (in.broadcast.empty() || ids[i] < 0 || (!pack.empty() && in.broadcast != pack)) continue;
    pack = in.broadcast;
    const size_t rank = builder.value(ids[i]).dims.size();
    if (rank >= in.dims_after) m.inputs.push_back({i, rank - in.dims_after});
  }
  return m;
}

/// Extent `k` from the end of the leading dims.
SizeExpr extent_at(const GraphBuilder& builder, ValueId id, const Meeting::Input& in, size_t k) {
  return k < in.leading ? builder.value(id).dims[in.leading - 1 - k] : SizeExpr(1);
}

}  // namespace

void stretch_open_extents(GraphBuilder& builder, const OpSignature& signature, std::vector<ValueId>& inputs) {
  Meeting m = meeting_of(builder, signature, inputs);
  if (m.inputs.size() < 2) return;
  size_t leading = 0;
  for (const Meeting::Input& in : m.inputs) leading = std::max(leading, in.leading);
  bool any = false;
  for (size_t k = 0; k < leading; ++k) {
    std::optional<SizeExpr> joint;
    SizeExpr extent = 1;
    for (const Meeting::Input& in : m.inputs) {
      const SizeExpr e = extent_at(builder, inputs[in.place], in, k);
      if (extent.is(1)) extent = e;
      if (const auto both = builder.joint_extent(extent, e)) joint = extent = *both;
    }
    any = any || joint;
    m.extents.push_back(joint.value_or(1));
  }
  if (!any) return;
  for (const Meeting::Input& in : m.inputs) {
    const std::vector<SizeExpr>& dims = builder.value(inputs[in.place]).dims;
    std::vector<SizeExpr> shape = dims;
    for (size_t k = 0; k < in.leading; ++k)
      if (SizeExpr& d = shape[in.leading - 1 - k]; !m.extents[k].is(1) && !d.is_constant()) d = m.extents[k];
    if (shape != dims)
      inputs[in.place] = builder.add_node("stretch_ones", {inputs[in.place]}, {{"shape", shape}}, 1)[0];
  }
}

}  // namespace tenon
