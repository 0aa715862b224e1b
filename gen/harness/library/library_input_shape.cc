// The shape of one tensor in the bind function.
#include "harness/library/library_input_shape.h"

#include <fmt/format.h>

#include "harness/library/library_dims.h"
#include "harness/library_names.h"
#include "support/ranges.h"

namespace tenon {

InputShape::InputShape(BindState& state, const TensorDef& t)
    : s(state), t_(t), name_(c_text(operand_name(t, !t.like.empty()))) {
  added_ = added_dim(s.def(), t);
  tells_ = added_ && count_if(t.dims, [&](const Dim& d) { return unknown_pack(d); }) > 1;
}

void InputShape::write() {
  write_storage_order(s, t_, false);
  listed_axes();
  axis();
  if (none_of(t_.dims, [&](const Dim& d) { return unknown_pack(d) || (d.kind == DimKind::pack && d.broadcast); }))
    check_rank();
  for (size_t i = 0; i < t_.dims.size(); ++i) {
    if (checks_ && !tells_ && i == added_->before) require_axis();
    dim(i);
  }
  if (checks_ && !tells_ && t_.dims.size() == added_->before) require_axis();
}

CExpr InputShape::rank_at(size_t i, const StoredPlace& before) const {
  size_t end = i + 1;
  while (end < t_.dims.size() && !(tells_ && added_->before == end) &&
         (t_.dims[end].at.empty() || listed(t_.dims[end])))
    ++end;
  StoredPlace after;
  for (size_t k = i + 1; k < std::min(end, t_.dims.size()); ++k) advance(after, t_.dims[k]);
  const CExpr upto = end == t_.dims.size() ? stored_rank() : c_text(axis_name(tells_ ? *added_->dim : t_.dims[end]));
  return after.subtracted_from(before.subtracted_from(upto));
}

void InputShape::declare_axis(const Dim& d, CExpr rank, CExpr last) {
  s.add(c_declare("const int32_t", axis_name(d),
                  runtime_call("axis", {attribute_field(d.at), std::move(rank), std::move(last)})));
}

void InputShape::declare_axes() {
  if (!t_.optional && !s.axes.insert(t_.name).second) return;
  for (const Dim& d : t_.dims)
    if (!d.at.empty() && !listed(d))
      declare_axis(d, stored_rank(),
                   d.kind == DimKind::pack ? stored_rank() : c_binary(stored_rank(), "-", c_number(1)));
}

void InputShape::advance(StoredPlace& place, const Dim& d) {
  if (d.kind == DimKind::pack) place.ranks.push_back(pack_rank(d.name));
  else ++place.fixed;
}

std::string InputShape::axis_name(const Dim& d) const {
  return fmt::format("{}_of_{}", c_identifier(d.at), c_identifier(t_.name));
}

/// Sets the rank of the pack from here on.
void InputShape::find_rank(const Dim& pack, CExpr rank) {
  s.assign(pack_rank(pack.name), std::move(rank));
  s.bound_packs.insert(pack.name);
  ranked_.insert(pack.name);
}

/// *R@axes: the listed axes are moved together, to where the definition writes them.
void InputShape::listed_axes() {
  const auto at = find_if(t_.dims, [&](const Dim& d) { return listed(d); });
  if (at == t_.dims.end()) return;
  StoredPlace before, after;
  bool open_before = false, open_after = false;
  for (auto d = t_.dims.begin(); d != t_.dims.end(); ++d) {
    if (d == at) continue;
    const bool open = unknown_pack(*d);
    (d < at ? open_before : open_after) |= open;
    if (!open) advance(d < at ? before : after, *d);
  }
  const CExpr axes = address_of(attribute_field(at->at));
  CExpr lead = before.value();
  if (open_before && open_after) {
    const auto open = std::find_if(t_.dims.begin(), at, [&](const Dim& d) { return unknown_pack(d); });
    const CExpr lowest = runtime_call("lowest_axis", {axes, stored_rank()});
    find_rank(*open, runtime_call("pack_rank", {before.subtracted_from(lowest)}));
    advance(before, *open);
    lead = before.value();
  } else if (open_before) {
    lead = after.subtracted_from(c_number(-1));
  }
  const CExpr moved = runtime_call("listed_axes", {name_, axes, lead});
  if (!s.bound_packs.count(at->name)) return find_rank(*at, moved);
  // Dims removed by a reduction have no position: the axes do not refer to this tensor.
  const CExpr rank = pack_rank(at->name);
  const CStmt check = require(c_binary(moved, "==", rank), "SHAPE");
  s.add(s.def().let(at->name) ? c_if(c_binary(rank, ">", c_number(0)), {check}) : check);
}

/// Other inputs determine the packs: the dim that only the output has must be between them.
void InputShape::require_axis() {
  s.add(require(c_binary(c_text(axis_name(*added_->dim)), "==", at_.value()), "SHAPE"));
}

/// D@axis, *Q@axis: where the axis is. A dim that only the output has counts in its rank.
void InputShape::axis() {
  checks_ = added_ && s.placed.insert(added_->dim->at + dims_text(t_, false)).second;
  if (checks_) declare_axis(*added_->dim, c_binary(stored_rank(), "+", c_number(1)), stored_rank());
  declare_axes();
}

void InputShape::check_rank() {
  StoredPlace all;
  for (const Dim& d : t_.dims) advance(all, d);
  s.call("rank", {name_, all.value()});
}

void InputShape::dim(size_t i) {
  const Dim& d = t_.dims[i];
  const CExpr at = at_.value();
  const bool at_axis = at_.is(axis_name(d));  // the pack in front goes up to the axis
  if (!d.at.empty() && !listed(d) && !at_axis &&
      std::none_of(t_.dims.begin(), t_.dims.begin() + static_cast<long>(i),
                   [&](const Dim& p) { return ranked_.count(p.name) != 0; }))
    s.add(require(c_binary(c_text(axis_name(d)), "==", at), "SHAPE"));
  switch (d.kind) {
    case DimKind::size: size(d, at); break;
    case DimKind::integer: s.call(d.broadcast ? "stretch" : "same", {name_, at, c_number(d.value)}); break;
    case DimKind::split: split(d, at); break;
    case DimKind::pack: return pack(i, at);
  }
  advance(at_, d);
}

void InputShape::size(const Dim& d, const CExpr& at) {
  if (d.broadcast) return s.call("stretch", {name_, at, s.extent(d)});
  if (s.knows(d)) return s.call("same", {name_, at, s.extent(d)});
  s.assign(c_name(d.name), runtime_call("size", {name_, at}));
  s.bound_sizes.insert(d.name);
}

void InputShape::split(const Dim& d, const CExpr& at) {
  CExpr product;
  const Dim* open = nullptr;
  for (const Dim& p : d.parts)
    if (!s.knows(p)) open = &p;
    else product = product ? runtime_call("mul", {product, s.extent(p)}) : s.extent(p);
  if (open != nullptr) {
    s.assign(c_name(open->name),
             runtime_call("part", {runtime_call("stored_extent", {name_, at}), product ? product : c_number(1)}));
    s.bound_sizes.insert(open->name);
  }
  s.call("split", {name_, at, s.extents(d.parts), c_count(d.parts.size())});
  for (const Dim& p : d.parts) {
    if (!is_let_part(s.def(), t_, p)) continue;
    const CExpr dims = c_cast(fmt::format("const tn_{}_dims *", s.def().name), frame_field("dims"));
    s.add(require(c_binary(c_binary(frame_field("dims"), "==", c_text("NULL")), "||",
                           c_binary(c_arrow(dims, c_identifier(p.name)), "==", s.extent(p))),
                  "SHAPE"));
  }
}

void InputShape::pack(size_t i, const CExpr& at) {
  const Dim& d = t_.dims[i];
  const CExpr k = c_number(position(s.signature->packs, d.name));
  if (d.broadcast) {
    const CExpr count = rank_at(i, at_);
    s.call("stretch_pack", {name_, at, count, k});
    const bool whole = at_.ranks.empty() && at_.fixed == 0 && i + 1 == t_.dims.size();
    return at_.ranks.push_back(whole ? stored_rank() : count);
  }
  const bool ranked = ranked_.count(d.name) != 0, unknown = unknown_pack(d);
  if (unknown) find_rank(d, runtime_call("pack_rank", {rank_at(i, at_)}));
  s.call(ranked || unknown ? "pack" : "same_pack", {name_, at, k});
  advance(at_, d);
}

}  // namespace tenon
