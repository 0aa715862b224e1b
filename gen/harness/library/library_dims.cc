// The extents of a typed call.
#include "harness/library/library_dims.h"

#include <fmt/format.h>

#include "harness/library/library_signature.h"
#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "ir/op/undeclared_name.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

CExpr field(std::string name) { return c_arrow(c_text("dims"), std::move(name)); }

std::string count_field(const LibraryOp& op) { return c_identifier(undeclared_name(*op.def, op.counted + "_count")); }

void add_field(const OpDef& def, const Dim& d, std::vector<DimsField>& fields) {
  if (d.kind == DimKind::integer || def.attr(d.name)) return;
  if (any_of(fields, [&](const DimsField& f) { return f.name == c_identifier(d.name); })) return;
  fields.push_back({c_identifier(d.name), d.kind == DimKind::pack, ""});
}

/// Dims whose positions attributes choose, of each tensor that has them: what is before them, the dim, what is
/// after.
struct PlacedDim {
  std::vector<Dim> before;
  Dim dim;
  std::vector<Dim> after;
};

std::vector<PlacedDim> placed_dims(const OpDef& def) {
  std::vector<PlacedDim> out;
  const auto add = [&](const TensorDef& t, size_t before, size_t after, const Dim& d) {
    const auto at = [&](size_t k) { return t.dims.begin() + static_cast<std::ptrdiff_t>(k); };
    if (none_of(out, [&](const PlacedDim& p) { return p.dim.at == d.at; }))
      out.push_back({{t.dims.begin(), at(before)}, d, {at(after), t.dims.end()}});
  };
  for (const TensorDef& t : def.inputs) {
    if (has_broadcast(t)) continue;  // calls give its shape as it is stored
    for (size_t k = 0; k < t.dims.size(); ++k)
      if (!t.dims[k].at.empty()) add(t, k, k + 1, t.dims[k]);
    if (const auto added = added_dim(def, t)) add(t, added->before, added->before, *added->dim);
  }
  return out;
}

/// How many stored dims these are.
CExpr rank_of(const std::vector<Dim>& dims) {
  CExpr sum;
  for (const Dim& d : dims) {
    const CExpr rank = d.kind == DimKind::pack ? c_member(dims_field(d), "rank") : c_number(1);
    sum = sum ? c_binary(sum, "+", rank) : rank;
  }
  return sum ? sum : c_number(0);
}

}  // namespace

CExpr dims_field(const Dim& d) { return field(c_identifier(d.name)); }
CExpr broadcast_field(const TensorDef& t) { return field(shape_parameter(t)); }

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
      fields.push_back({shape_parameter(t), true, fmt::format("of {}, broadcast to [{}]", t.name, dims_text(t, true))});
  if (!op.counted.empty())
    fields.push_back({count_field(op), false, fmt::format("how many {} there are: 1 to {}", op.counted, kMaxOperands)});
  return fields;
}

bool is_placed_axis(const OpDef& def, const std::string& attr) {
  const std::vector<PlacedDim> placed = placed_dims(def);
  return any_of(placed, [&](const PlacedDim& p) { return p.dim.at == attr; });
}

namespace {

CStmt for_each_k(const char* type, CExpr condition, CStmt body) {
  return {CFor{type, "k", c_number(0), std::move(condition), "++k", {std::move(body)}}};
}

}  // namespace

void add_placed_axes(const OpDef& def, CBlock& out) {
  const CExpr null = c_text("NULL"), attrs = c_text("attrs"), k = c_text("k");
  const CExpr frame = address_of(c_arrow(c_text("c"), "frame")), axes = c_arrow(c_text("c"), "axes");
  for (const PlacedDim& p : placed_dims(def)) {
    const CExpr at = rank_of(p.before);
    const std::string attr = c_identifier(p.dim.at);
    const CExpr given = c_arrow(attrs, attr), own = c_member(c_arrow(c_text("c"), "attrs"), attr);
    std::vector<Dim> from = {p.dim};
    append(from, p.after);
    const auto place = [&](const char* function, std::vector<CExpr> args) {
      out.push_back(c_if(c_binary(attrs, "!=", null), {c_evaluate(runtime_value(function, std::move(args)))}));
    };
    if (def.attr(p.dim.at)->count == AttrCount::one) {
      place("placed_axis", {frame, given, at, rank_of(from)});
      out.push_back(c_assign(own, at));
      continue;
    }
    const CExpr rank = c_member(dims_field(p.dim), "rank");
    place("placed_axes", {frame, address_of(given), at, rank_of({p.dim}), rank_of(from)});
    out.push_back(for_each_k("int32_t", c_binary(c_binary(k, "<", rank), "&&", c_binary(k, "<", c_text("TN_MAX_NDIM"))),
                             c_assign(c_index(axes, k), c_binary(at, "+", k))));
    out.push_back(c_assign(c_member(own, "count"), rank));
    out.push_back(c_assign(c_member(own, "values"), axes));
  }
}

void add_operand_count(const LibraryOp& op, CBlock& out) {
  const CExpr frame = address_of(c_arrow(c_text("c"), "frame")), k = c_text("k"), data = c_text("data");
  const CExpr count = field(count_field(op)), most = c_number(kMaxOperands), null = c_text("NULL");
  const auto require = [&](CExpr condition, const char* error) {
    return c_evaluate(runtime_value("require", {frame, std::move(condition), c_text(error)}));
  };
  const auto for_each_if = [&](std::string_view compared, CStmt body) {
    out.push_back(for_each_k("int", c_binary(c_binary(data, compared, null), "&&", c_binary(k, "<", most)), body));
  };
  out.push_back(require(c_binary(c_binary(count, ">=", c_number(1)), "&&", c_binary(count, "<=", most)), "TN_E_SHAPE"));
  for_each_if("!=",
              require(c_binary(c_binary(c_index(data, k), "!=", null), "==", c_binary(k, "<", count)), "TN_E_NULL"));
  for_each_if("==", c_assign(c_member(c_arrow(c_text("c"), "frame"), "without"),
                             c_binary(c_cast("uint32_t", c_binary(k, ">=", count)), "<<", k), "|="));
}

}  // namespace tenon
