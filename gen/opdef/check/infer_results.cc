// Shapes of a called op's results, from the shapes of its arguments.
#include <set>
#include <span>

#include "opdef/check/body_scope.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// The caller's slots for a name in the callee's shapes.
using Binding = std::map<std::string, std::vector<Slot>>;

using Dims = std::span<const Dim>;
using Slots = std::span<const Slot>;

/// Binds single dims to as many single slots; false where there is a pack or a split.
bool bind_singles(Dims dims, Slots slots, Binding& binding) {
  if (dims.size() != slots.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (slots[i].pack || (dims[i].kind != DimKind::size && dims[i].kind != DimKind::integer)) return false;
    binding.emplace(dims[i].name, std::vector<Slot>{slots[i]});
  }
  return true;
}

/// The slot that the callee's axis is: counted, or the one that an attribute of the caller chooses, which it passes on.
std::optional<std::size_t> place_of_axis(const OpDef& callee, const Syntax& call, const std::string& attr,
                                         Slots slots) {
  const Syntax* given = attr_value(callee, call, attr);
  for (std::size_t i = 0; given != nullptr && given->is(SyntaxKind::name) && i < slots.size(); ++i)
    if (slots[i].at == given->text && !slots[i].pack) return i;
  const auto axis = constant_attr(callee, call, attr);
  const auto rank = static_cast<std::int64_t>(slots.size());
  if (!axis || *axis < -rank || *axis >= rank) return std::nullopt;
  const auto place = static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
  const Slots way = *axis < 0 ? slots.subspan(place) : slots.first(place + 1);
  const bool counted = none_of(way, [](const Slot& s) { return s.pack; });
  return counted ? std::optional(place) : std::nullopt;
}

/// *P, *R@axes, *Q of a list of numbers that names neighbouring dims, where the caller has no packs.
bool bind_axes(const OpDef& callee, const Syntax& call, Dims dims, Slots slots, Binding& binding) {
  const Syntax* axes = attr_value(callee, call, dims[1].at);
  if (axes == nullptr || axes->children.empty() || any_of(slots, [](const Slot& s) { return s.pack; })) return false;
  const auto rank = static_cast<std::int64_t>(slots.size());
  std::set<std::size_t> chosen;
  for (const Syntax& a : axes->children) {
    const Syntax& number = without_sign(a);
    const std::int64_t k = &number == &a ? number.integer : rank - number.integer;
    if (!number.is(SyntaxKind::integer) || k < 0 || k >= rank) return false;
    chosen.insert(static_cast<std::size_t>(k));
  }
  const std::size_t first = *chosen.begin(), after = *chosen.rbegin() + 1;
  if (after - first != chosen.size()) return false;
  const auto bind = [&](const Dim& d, Slots from) {
    binding.emplace(d.name, std::vector<Slot>(from.begin(), from.end()));
  };
  bind(dims[0], slots.first(first));
  bind(dims[1], slots.subspan(first, after - first));
  bind(dims[2], slots.subspan(after));
  return true;
}

/// Binds dims to slots where there is at most one pack, or an axis that is constant.
bool bind_input(const OpDef& callee, const Syntax& call, Dims dims, Slots slots, Binding& binding) {
  const auto is_pack = [](const Dim& d) { return d.kind == DimKind::pack; };
  const auto packs = count_if(dims, is_pack);
  if (packs == 0) return bind_singles(dims, slots, binding);
  const auto first = static_cast<std::size_t>(find_if(dims, is_pack) - dims.begin());
  const auto anchor = find_if(dims, [](const Dim& d) { return !d.at.empty(); });
  if (packs == 3 && dims.size() == 3 && !dims[1].at.empty()) return bind_axes(callee, call, dims, slots, binding);
  std::size_t taken = 0;  // slots of the first pack
  if (packs == 1 && anchor == dims.end()) {
    if (slots.size() + 1 < dims.size()) return false;
    taken = slots.size() + 1 - dims.size();
  } else {
    // *P, D@axis, *Q: no pack of the caller may lie between the side from which the axis is counted and the axis.
    if (anchor == dims.end() || dims.size() != 3 || anchor - dims.begin() != 1 || is_pack(*anchor)) return false;
    const auto place = place_of_axis(callee, call, anchor->at, slots);
    if (!place) return false;
    taken = *place;
  }
  const auto copy = [](Slots from) { return std::vector<Slot>(from.begin(), from.end()); };
  binding.emplace(dims[first].name, copy(slots.subspan(first, taken)));
  const std::size_t rest = first + taken;
  if (!bind_singles(dims.first(first), slots.first(first), binding)) return false;
  if (packs == 1) return bind_singles(dims.subspan(first + 1), slots.subspan(rest), binding);
  binding.emplace(dims[2].name, copy(slots.subspan(rest + 1)));
  return bind_singles(dims.subspan(1, 1), slots.subspan(rest, 1), binding);
}

class ResultShapes {
 public:
  ResultShapes(const OpDef& callee, const Syntax& call, const Binding& binding)
      : callee_(callee), call_(call), binding_(binding) {}

  std::optional<std::vector<Slot>> slots(const TensorDef& output) const {
    std::vector<Slot> slots;
    for (const Dim& d : output.dims) {
      if (const auto bound = binding_.find(d.name); bound != binding_.end() && is_named(d)) {
        append(slots, bound->second);
        continue;
      }
      if (const auto made = made_pack(d)) {
        append(slots, *made);
        continue;
      }
      const std::optional<Syntax> extent = extent_of(d);
      if (d.kind == DimKind::pack) return std::nullopt;
      slots.push_back({false, extent ? std::vector<Syntax>{*extent} : std::vector<Syntax>()});
    }
    return slots;
  }

 private:
  static bool is_named(const Dim& d) { return d.kind == DimKind::size || d.kind == DimKind::pack; }

  /// `O: permute(S, perm)` or `O: keep(S, flag)` of a pack of single dims.
  std::optional<std::vector<Slot>> made_pack(const Dim& d) const {
    const LetDef* let = d.kind == DimKind::pack ? callee_.let(d.name) : nullptr;
    if (let == nullptr || !let->value.calls(Builtin::permute, Builtin::keep)) return std::nullopt;
    const auto from = binding_.find(let->value.children[0].text);
    if (from == binding_.end()) return std::nullopt;
    return let->value.calls(Builtin::keep) ? kept_pack(let->value, from->second)
                                           : permuted_pack(let->value, from->second);
  }

  /// Ones in place of the dims, or none, if it is known which.
  std::optional<std::vector<Slot>> kept_pack(const Syntax& kept, const std::vector<Slot>& from) const {
    const Syntax& flag = kept.children[1];
    const Syntax* given = flag.is(SyntaxKind::name) ? attr_value(callee_, call_, flag.text) : &flag;
    if (given == nullptr || !given->is(SyntaxKind::boolean)) return std::nullopt;
    if (given->integer == 0) return std::vector<Slot>();
    if (any_of(from, [](const Slot& s) { return s.pack; })) return std::nullopt;
    Syntax one;
    one.integer = 1;
    return std::vector<Slot>(from.size(), Slot{false, {one}});
  }

  /// In the order of a list of numbers.
  std::optional<std::vector<Slot>> permuted_pack(const Syntax& permuted, const std::vector<Slot>& from) const {
    const Syntax* order = attr_value(callee_, call_, permuted.children[1].text);
    if (order == nullptr || order->children.size() != from.size()) return std::nullopt;
    std::vector<Slot> slots;
    for (const Syntax& k : order->children) {
      const bool counts = k.is(SyntaxKind::integer) && k.integer < static_cast<std::int64_t>(from.size());
      if (!counts) return std::nullopt;
      const Slot& slot = from[static_cast<std::size_t>(k.integer)];
      if (slot.pack || slot.split()) return std::nullopt;
      slots.push_back(slot);
    }
    return slots;
  }

  /// An extent that is a number, or an attribute of one value.
  std::optional<Syntax> extent_of(const Dim& d) const {
    const AttrDef* attr = d.kind == DimKind::size ? callee_.attr(d.name) : nullptr;
    const Syntax* value = attr != nullptr ? attr_value(callee_, call_, d.name) : nullptr;
    if (value != nullptr && attr->kind == AttrKind::integer && attr->count == AttrCount::one) return *value;
    if (d.kind != DimKind::integer) return std::nullopt;
    Syntax number;
    number.integer = d.value;
    return number;
  }

  const OpDef& callee_;
  const Syntax& call_;
  const Binding& binding_;
};

}  // namespace

bool same_slots(const std::vector<Slot>& a, const std::vector<Slot>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Slot& x, const Slot& y) {
    return x.pack == y.pack && std::equal(x.extents.begin(), x.extents.end(), y.extents.begin(), y.extents.end(),
                                          [](const Syntax& e, const Syntax& f) { return same(e, f); });
  });
}

/// Arguments of the shape `~*S` that are all alike have the full shape.
void bind_alike(const OpDef& callee, const std::vector<const BodyValue*>& arguments, Binding& binding) {
  const std::vector<Slot>* shape = nullptr;
  for (std::size_t i = 0; i < arguments.size() && i < callee.inputs.size(); ++i) {
    const std::vector<Dim>& dims = callee.inputs[i].dims;
    const bool alike = dims.size() == 1 && dims[0].kind == DimKind::pack && dims[0].broadcast &&
                       arguments[i] != nullptr && arguments[i]->slots;
    if (!alike || dims[0].name != callee.inputs[0].dims[0].name ||
        (shape != nullptr && !same_slots(*shape, *arguments[i]->slots)))
      return;
    shape = &*arguments[i]->slots;
  }
  if (shape != nullptr) binding.emplace(callee.inputs[0].dims[0].name, *shape);
}

std::vector<std::optional<std::vector<Slot>>> infer_results(const OpDef& callee, const Syntax& call,
                                                            const std::vector<const BodyValue*>& arguments) {
  Binding binding;
  for (std::size_t i = 0; i < arguments.size() && i < callee.inputs.size(); ++i) {
    if (arguments[i] == nullptr) continue;
    const auto& shape = arguments[i]->slots ? arguments[i]->slots : arguments[i]->partial;
    if (!shape) continue;
    // A broadcast argument may have less than the full shape.
    const std::vector<Dim>& dims = callee.inputs[i].dims;
    if (any_of(dims, [](const Dim& d) { return d.broadcast; })) continue;
    Binding attempt = binding;
    if (bind_input(callee, call, dims, *shape, attempt)) binding = std::move(attempt);
  }
  bind_alike(callee, arguments, binding);
  std::vector<std::optional<std::vector<Slot>>> results;
  const ResultShapes shapes(callee, call, binding);
  for (const TensorDef& output : callee.outputs) results.push_back(shapes.slots(output));
  return results;
}

}  // namespace tenon
