// Recognises copies in another order of dimensions.

#include "library/expand_symbolic.h"

namespace tenon {
namespace {

bool is_pack(const TensorDef& t, const std::string& name) {
  return t.dims.size() == 1 && t.dims[0].kind == DimKind::pack && t.dims[0].name == name && !t.dims[0].broadcast &&
         t.storage.empty() && !t.optional;
}

}  // namespace

std::optional<PermutedView> permuted_view(const OpDef& def) {
  if (def.inputs.size() != 1 || def.outputs.size() != 1 || def.lets.size() != 1 || def.body.size() != 1 ||
      !def.requires_.empty())
    return std::nullopt;
  const LetDef& let = def.lets[0];
  if (!let.value.calls(Builtin::permute)) return std::nullopt;
  const std::string from = let.value.children[0].text, perm = let.value.children[1].text;
  const AttrDef* attr = def.attr(perm);
  if (!attr || attr->count != AttrCount::per_dim || attr->pack != from || !is_pack(def.inputs[0], from) ||
      !is_pack(def.outputs[0], let.name))
    return std::nullopt;
  const Statement& s = def.body[0];
  if (s.is_call || s.update != Update::Assign || s.subs.size() != 1 || !s.subs[0].is(SyntaxKind::each))
    return std::nullopt;
  const Syntax& order = s.subs[0].children[0];
  if (!order.calls(Builtin::permute) || order.children[1].text != perm || !s.value.is(SyntaxKind::subscript) ||
      s.value.text != def.inputs[0].name)
    return std::nullopt;
  if (s.value.children.size() != 1 || !s.value.children[0].is(SyntaxKind::pack) ||
      s.value.children[0].text != order.children[0].text)
    return std::nullopt;
  PermutedView out{def, def.inputs[0].name, from, let.name, perm};
  out.def.inputs[0].dims[0].name = let.name;
  out.def.lets.clear();
  out.def.body[0].subs[0] = s.value.children[0];
  return out;
}

}  // namespace tenon
