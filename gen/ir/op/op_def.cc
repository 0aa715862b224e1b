// Looking things up in definitions.
#include "ir/op/op_def.h"

#include <iterator>

#include "ir/op/deferred_op.h"
#include "support/ranges.h"

namespace tenon {

namespace {

template <typename T>
const T* by_name(const std::vector<T>& list, std::string_view name) {
  return find_pointer(list, [&](const T& item) { return item.name == name; });
}

}  // namespace

void each_expression(const Statement& s, FunctionRef<void(const Syntax&)> visit) {
  for (const Syntax& sub : s.subs) visit(sub);
  visit(s.value);
  for (const Syntax& range : s.ranges) visit(range);
  if (s.where) visit(*s.where);
}

bool any_within(const Statement& s, FunctionRef<bool(const Syntax&)> holds) {
  bool found = false;
  each_expression(s, [&](const Syntax& e) { found = found || any_within(e, holds); });
  return found;
}

bool reads(const Statement& s, const std::string& name) {
  return any_within(s, [&](const Syntax& n) { return n.is(SyntaxKind::subscript) && n.text == name; });
}

const AttrDef* OpDef::attr(std::string_view n) const { return by_name(attrs, n); }
const TensorDef* OpDef::input(std::string_view n) const { return by_name(inputs, n); }
const TensorDef* OpDef::output(std::string_view n) const { return by_name(outputs, n); }
const TypeVar* OpDef::type(std::string_view n) const { return by_name(types, n); }
const LetDef* OpDef::let(std::string_view n) const { return by_name(lets, n); }
const TableDef* OpDef::table(std::string_view n) const {
  return find_pointer(tables, [&](const TableDef& t) { return t.tensor.name == n; });
}

namespace {

bool same_entry(const Dim& a, const Dim& b) {
  return a.kind == b.kind && a.name == b.name && a.value == b.value && a.kind != DimKind::split && !a.broadcast &&
         a.at.empty();
}

}  // namespace

std::optional<AddedDim> added_dim(const OpDef& op, const TensorDef& input) {
  std::vector<const TensorDef*> outputs = mapped(op.outputs, [&](const TensorDef& t) { return &t; });
  for (const TensorDef& t : op.inputs)
    if (t.follows) outputs.push_back(&t);
  for (const TensorDef* t : outputs) {
    const TensorDef& output = *t;
    const auto anchor = find_if(output.dims, [](const Dim& d) { return !d.at.empty(); });
    if (anchor == output.dims.end() || anchor->kind != DimKind::size || output.dims.size() != input.dims.size() + 1)
      continue;
    const auto after = std::next(input.dims.begin(), anchor - output.dims.begin());
    if (!std::equal(input.dims.begin(), after, output.dims.begin(), same_entry)) continue;
    if (!std::equal(after, input.dims.end(), std::next(anchor), same_entry)) continue;
    return AddedDim{&*anchor, static_cast<std::size_t>(after - input.dims.begin())};
  }
  return std::nullopt;
}

const OpDef* OpLibrary::op(std::string_view n) const {
  if (const auto* found = find_value(ops, n)) return found;
  const auto waiting = deferred.find(n);
  return waiting == deferred.end() ? nullptr : &waiting->second->checked(*this);
}

const OpDef* OpLibrary::declared(std::string_view n) const {
  if (const auto* found = find_value(ops, n)) return found;
  const auto waiting = deferred.find(n);
  return waiting == deferred.end() ? nullptr : &waiting->second->declared();
}

std::vector<std::string> OpLibrary::names() const {
  std::vector<std::string> out;
  for (const auto& [name, def] : ops) out.push_back(name);
  for (const auto& [name, def] : deferred) out.push_back(name);
  sort(out);
  return out;
}

const Syntax* attr_value(const OpDef& callee, const Syntax& call, const std::string& name) {
  const AttrDef* attr = callee.attr(name);
  const Syntax* value = attr != nullptr && attr->value ? &*attr->value : nullptr;
  for (const Syntax& argument : call.children) {
    if (argument.is(SyntaxKind::keyword) && argument.text == name) value = &argument.children[0];
  }
  return value;
}

std::optional<std::int64_t> constant_attr(const OpDef& callee, const Syntax& call, const std::string& name) {
  const Syntax* value = attr_value(callee, call, name);
  if (value == nullptr || !without_sign(*value).is(SyntaxKind::integer)) return std::nullopt;
  return &without_sign(*value) == value ? value->integer : -without_sign(*value).integer;
}

namespace {

bool is_pack(const Dim& d) { return d.kind == DimKind::pack; }

/// The dim of a shape without packs that is in the place of the N of [*P, N, *Q], which the axis of the call decides.
const Dim* dim_at_axis(const std::vector<Dim>& own, const CallResult& result, std::string_view name) {
  const std::vector<Dim>& dims = result.callee.outputs[result.number].dims;
  if (dims.size() != 3 || !is_pack(dims[0]) || dims[1].name != name || !is_pack(dims[2]) || any_of(own, is_pack))
    return nullptr;
  for (const TensorDef& input : result.callee.inputs)
    for (const Dim& d : input.dims)
      if (const auto axis = constant_attr(result.callee, result.call, d.at)) {
        const std::int64_t place = *axis < 0 ? *axis + static_cast<std::int64_t>(own.size()) : *axis;
        return 0 <= place && static_cast<std::size_t>(place) < own.size() ? &own[static_cast<std::size_t>(place)]
                                                                          : nullptr;
      }
  return nullptr;
}

}  // namespace

std::optional<Syntax> collected_extent(const Syntax& sub, const Syntax** variable) {
  *variable = nullptr;
  if (sub.calls(Builtin::operand)) return call_node("count", sub.children, sub.span);
  if (!sub.is(SyntaxKind::binary) || sub.text != "+") return std::nullopt;
  const bool first = sub.children[0].calls(Builtin::offset);
  const Syntax &offset = sub.children[first ? 0 : 1], &other = sub.children[first ? 1 : 0];
  if (!offset.calls(Builtin::offset) || !other.is(SyntaxKind::name)) return std::nullopt;
  *variable = &other;
  return call_node("sum_of", offset.children, sub.span);
}

std::string extent_told(const OpDef& caller, const TensorDef& output, const CallResult& result, std::string_view name) {
  const auto told = [&](const Dim& own) {
    const LetDef* let = own.kind == DimKind::size ? caller.let(own.name) : nullptr;
    return let && let->written ? own.name : "";
  };
  const auto from = [&](auto own, auto own_end, auto at, auto at_end) -> std::string {
    for (; own != own_end && at != at_end && !is_pack(*own) && !is_pack(*at); ++own, ++at)
      if (at->name == name && !told(*own).empty()) return own->name;
    return "";
  };
  const std::vector<Dim>&a = output.dims, &b = result.callee.outputs[result.number].dims;
  if (const Dim* own = dim_at_axis(a, result, name)) return told(*own);
  const std::string found = from(a.begin(), a.end(), b.begin(), b.end());
  return found.empty() ? from(a.rbegin(), a.rend(), b.rbegin(), b.rend()) : found;
}

std::shared_ptr<const Frame> OpLibrary::frame_of(const OpDef& op) const {
  const std::string_view path = op.impl;
  if (path.size() < 17) return nullptr;
  const auto found = frames.find(path.substr(12, path.size() - 17));  // templates/c/NAME.c.in
  return found == frames.end() ? nullptr : found->second;
}

}  // namespace tenon
