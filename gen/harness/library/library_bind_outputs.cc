// Shapes of a definition's outputs as lines of the bind function.
#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_bind.h"
#include "harness/library_names.h"
#include "support/joined.h"

namespace tenon {
namespace {

/// An extent that a tensor of a variadic output has for itself.
bool is_element(const LetDef& l) { return l.value.is(SyntaxKind::call) && l.value.text == "element"; }

}  // namespace

void write_output(BindState& s, const TensorDef& t, int k) {
  if (!t.like.empty()) return write_gradient_output(s, t, k);
  TextWriter& out = *s.out;
  const std::string name = operand_name(t, true);
  const int variable = type_variable(s.def(), t.dtype);
  const auto d0 = variable < 0 ? dtype_from_name(t.dtype) : std::nullopt;
  out.line().print_line("/* {} */", shape_comment(t));
  out.print_line("tn_operand *const {} = tn_rt_output(f, {}, {});", name, k,
                 variable >= 0 ? fmt::format("TN_TYPE_VARIABLE + {}", variable) : dtype_constant(*d0));
  if (t.optional) {
    out.print_line("if ({}->is_given || f->want == TN_WANT_WORKSPACE) {{", name);
    out.indent();
  }
  StoredPlace before;
  const Dim* listed = nullptr;
  for (const Dim& d : t.dims) {
    if (d.kind == DimKind::pack) {
      out.print_line("tn_rt_put_pack(f, {}, {});", name, position(s.signature->packs, d.name));
    } else if (d.kind == DimKind::split) {
      std::vector<std::string> parts;
      for (const Dim& p : d.parts) parts.push_back(s.extent(p));
      out.print_line("tn_rt_put_split(f, {}, (const int64_t[]){{{}}}, {});", name, joined(parts, ", "), parts.size());
    } else if (const auto written = written_extents(s.def()); std::count(written.begin(), written.end(), d.name) != 0) {
      out.print_line("tn_rt_put_upto(f, {}, {}, {});", name, s.extent(d), position(written, d.name));
    } else {
      out.print_line("tn_rt_put(f, {}, {});", name, s.extent(d));
    }
    if (!d.at.empty() && s.def().attr(d.at)->count != AttrCount::one) listed = &d;
    else if (listed == nullptr && d.kind == DimKind::pack) before.ranks.push_back(c_identifier(d.name) + "->rank");
    else if (listed == nullptr) ++before.fixed;
  }
  if (listed != nullptr) {
    if (s.def().let(listed->name)) out.print_line("if ({}->rank > 0)", c_identifier(listed->name)).write("    ");
    out.print_line("tn_rt_put_listed_axes(f, {}, &a->{}, {});", name, c_identifier(listed->at), before.text());
  }
  write_storage_order(s, t, true);
  out.print_line("tn_rt_close(f, {}, {});", name, k);
  if (!t.optional) return;
  out.dedent();
  out.line("} else {");
  write_absent_extents(s, t, "nothing is written");
  out.line("}");
}

void write_absent_extents(const BindState& s, const TensorDef& t, std::string_view why) {
  for (const Dim& d : t.dims)
    if (const LetDef* l = s.def().let(d.name); l && is_element(*l))
      s.out->print_line("    {} = 0; /* {} */", s.extent(d), why);
}

void write_element_checks(const BindState& s, const LetDef& l) {
  if (!is_element(l)) return;
  const std::string list = c_identifier(l.value.children[0].text);
  if (l.value.children[1].integer == 0)
    s.out->print_line("tn_rt_require(f, a->{0}.count >= 1 && a->{0}.count <= {1}, TN_E_ATTR);", list,
                      std::count_if(s.def().lets.begin(), s.def().lets.end(), is_element));
  s.out->print_line("tn_rt_require(f, {} >= 0, TN_E_SHAPE);", c_identifier(l.name));
}

}  // namespace tenon
