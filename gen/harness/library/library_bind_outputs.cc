// Shapes of a definition's outputs in the bind function.

#include "harness/library/library_bind.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An extent that a tensor of a variadic output has for itself.
bool is_element(const LetDef& l) { return l.value.calls(Builtin::element); }

void put_dim(BindState& s, const CExpr& name, const Dim& d) {
  const auto written = written_extents(s.def());
  if (d.kind == DimKind::pack) s.call("put_pack", {name, c_number(position(s.signature->packs, d.name))});
  else if (d.kind == DimKind::split) s.call("put_split", {name, s.extents(d.parts), c_count(d.parts.size())});
  else if (contains(written, d.name)) s.call("put_upto", {name, s.extent(d), c_number(position(written, d.name))});
  else s.call("put", {name, s.extent(d)});
}

/// The dims in order, then where the listed ones and the stored ones are.
void put_shape(BindState& s, const TensorDef& t, const CExpr& name) {
  StoredPlace before;
  const Dim* listed = nullptr;
  for (const Dim& d : t.dims) {
    put_dim(s, name, d);
    if (!d.at.empty() && s.def().attr(d.at)->count != AttrCount::one) listed = &d;
    else if (listed == nullptr && d.kind == DimKind::pack) before.ranks.push_back(pack_rank(d.name));
    else if (listed == nullptr) ++before.fixed;
  }
  if (listed != nullptr) {
    const CStmt put = runtime_step("put_listed_axes", {name, address_of(attribute_field(listed->at)), before.value()});
    const bool may_lack = s.def().let(listed->name) != nullptr;
    s.add(may_lack ? c_if(c_binary(pack_rank(listed->name), ">", c_number(0)), {put}) : put);
  }
  write_storage_order(s, t, true);
}

}  // namespace

void write_output(BindState& s, const TensorDef& t, int k) {
  if (!t.like.empty()) return write_gradient_output(s, t, k);
  const CExpr name = c_text(operand_name(t, true));
  s.add(c_paragraph(shape_comment(t)));
  s.add(c_declare("tn_operand *const", operand_name(t, true),
                  runtime_call("output", {c_number(k), type_argument(s.def(), t.dtype)})));
  const auto put = [&] {
    put_shape(s, t, name);
    s.call("close", {name, c_number(k)});
  };
  if (!t.optional) return put();
  const CExpr wanted =
      c_binary(c_arrow(name, "is_given"), "||", c_binary(frame_field("want"), "==", c_text("TN_WANT_WORKSPACE")));
  CBlock given = s.block(put);
  s.add(c_if(wanted, std::move(given), s.block([&] { write_absent_extents(s, t, "nothing is written"); })));
}

void write_absent_extents(BindState& s, const TensorDef& t, std::string_view why) {
  bool first = true;
  for (const Dim& d : t.dims) {
    const LetDef* l = s.def().let(d.name);
    if (l == nullptr || !is_element(*l)) continue;
    if (std::exchange(first, false)) s.add(c_comment(std::string(why)));
    s.assign(s.extent(d), c_number(0));
  }
}

void write_element_checks(BindState& s, const LetDef& l) {
  if (!is_element(l)) return;
  const CExpr count = c_member(attribute_field(l.value.children[0].text), "count");
  const auto most = count_if(s.def().lets, is_element);
  if (l.value.children[1].integer == 0)
    s.add(require(c_binary(c_binary(count, ">=", c_number(1)), "&&", c_binary(count, "<=", c_number(most))), "ATTR"));
  s.add(require(c_binary(c_name(l.name), ">=", c_number(0)), "SHAPE"));
}

}  // namespace tenon
