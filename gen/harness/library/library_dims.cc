// The extents of a typed call.
#include "harness/library/library_dims.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_signature.h"
#include "harness/library_names.h"
#include "support/joined.h"

namespace tenon {

std::string dims_field(const Dim& d) { return "dims->" + c_identifier(d.name); }

namespace {

std::string count_field(const LibraryOp& op) { return c_identifier(op.counted + "_count"); }

void add_field(const OpDef& def, const Dim& d, std::vector<DimsField>& fields) {
  if (d.kind == DimKind::integer || def.attr(d.name)) return;
  if (std::any_of(fields.begin(), fields.end(), [&](const DimsField& f) { return f.name == c_identifier(d.name); }))
    return;
  fields.push_back({c_identifier(d.name), d.kind == DimKind::pack, ""});
}

/// Dims whose places attributes choose, of each tensor that has them: what is before them, the dim, what stands
/// after.
struct PlacedDim {
  std::vector<Dim> before;
  Dim dim;
  std::vector<Dim> behind;
};

std::vector<PlacedDim> placed_dims(const OpDef& def) {
  std::vector<PlacedDim> out;
  const auto add = [&](const TensorDef& t, size_t before, size_t behind, const Dim& d) {
    const auto at = [&](size_t k) { return t.dims.begin() + static_cast<std::ptrdiff_t>(k); };
    if (std::none_of(out.begin(), out.end(), [&](const PlacedDim& p) { return p.dim.at == d.at; }))
      out.push_back({{t.dims.begin(), at(before)}, d, {at(behind), t.dims.end()}});
  };
  for (const TensorDef& t : def.inputs) {
    if (has_broadcast(t)) continue;  // calls give its shape as it is stored
    for (size_t k = 0; k < t.dims.size(); ++k)
      if (!t.dims[k].at.empty()) add(t, k, k + 1, t.dims[k]);
    if (const auto added = added_dim(def, t)) add(t, added->before, added->before, *added->dim);
  }
  return out;
}

/// How many stored dims these are, as C.
std::string rank_text(const std::vector<Dim>& dims) {
  std::vector<std::string> ranks;
  for (const Dim& d : dims) ranks.push_back(d.kind == DimKind::pack ? dims_field(d) + ".rank" : "1");
  return ranks.empty() ? "0" : joined(ranks, " + ");
}

}  // namespace

std::string dims_text(const TensorDef& t, bool full) {
  std::vector<std::string> dims;
  for (Dim d : t.dims) {
    d.broadcast = d.broadcast && !full;
    dims.push_back(print(d));
  }
  return joined(dims, ", ");
}

std::vector<DimsField> dims_fields(const LibraryOp& op) {
  const OpDef& def = *op.def;
  std::vector<DimsField> fields;
  for (const TensorDef& t : def.inputs) {
    if (has_broadcast(t)) continue;
    for (const Dim& d : t.dims)
      if (d.kind == DimKind::split)
        for (const Dim& p : d.parts) add_field(def, p, fields);
      else add_field(def, d, fields);
  }
  for (const TensorDef& t : def.inputs)
    if (has_broadcast(t))
      fields.push_back(
          {c_identifier(t.name) + "_shape", true, fmt::format("of {}, broadcast to [{}]", t.name, dims_text(t, true))});
  if (!op.counted.empty())
    fields.push_back({count_field(op), false, fmt::format("how many {} there are: 1 to {}", op.counted, kMaxOperands)});
  return fields;
}

bool is_placed_axis(const OpDef& def, const std::string& attr) {
  const std::vector<PlacedDim> placed = placed_dims(def);
  return std::any_of(placed.begin(), placed.end(), [&](const PlacedDim& p) { return p.dim.at == attr; });
}

void write_placed_axes(const OpDef& def, TextWriter& out) {
  for (const PlacedDim& p : placed_dims(def)) {
    const std::string at = rank_text(p.before), attr = c_identifier(p.dim.at);
    std::vector<Dim> from = {p.dim};
    from.insert(from.end(), p.behind.begin(), p.behind.end());
    if (def.attr(p.dim.at)->count == AttrCount::one) {
      out.line("if (attrs != NULL)")
          .print_line("    tn_rt_placed_axis(&c->frame, attrs->{}, {}, {});", attr, at, rank_text(from));
      out.print_line("c->attrs.{} = {};", attr, at);
    } else {
      out.line("if (attrs != NULL)")
          .print_line("    tn_rt_placed_axes(&c->frame, &attrs->{}, {}, {}, {});", attr, at, rank_text({p.dim}),
                      rank_text(from));
      out.print_line("for (int32_t k = 0; k < {}.rank && k < TN_MAX_NDIM; ++k)", dims_field(p.dim));
      out.print_line("    c->axes[k] = {} + k;", at);
      out.print_line("c->attrs.{}.count = {}.rank;", attr, dims_field(p.dim));
      out.print_line("c->attrs.{}.values = c->axes;", attr);
    }
  }
}

void write_operand_count(const LibraryOp& op, TextWriter& out) {
  const std::string count = "dims->" + count_field(op);
  out.print_line("tn_rt_require(&c->frame, {0} >= 1 && {0} <= {1}, TN_E_SHAPE);", count, kMaxOperands);
  out.print_line("for (int k = 0; data != NULL && k < {}; ++k)", kMaxOperands)
      .print_line("    tn_rt_require(&c->frame, (data[k] != NULL) == (k < {}), TN_E_NULL);", count);
  out.print_line("for (int k = 0; data == NULL && k < {}; ++k)", kMaxOperands)
      .print_line("    c->frame.without |= (uint32_t)(k >= {}) << k;", count);
}

}  // namespace tenon
