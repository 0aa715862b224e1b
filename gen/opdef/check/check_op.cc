// The checks of one op, in order.
#include "opdef/check/check_op.h"

#include "opdef/notation/call_table.h"
#include "opdef/read/read_frame.h"
#include "support/ranges.h"

namespace tenon {

namespace {

bool is_pack_of(const OpDef& op, const std::string& name) {
  for (const TensorDef& t : op.inputs) {
    if (any_of(t.dims, [&](const Dim& d) { return d.kind == DimKind::pack && d.name == name; })) return true;
  }
  const AttrDef* attr = op.attr(name);
  const LetDef* let = op.let(name);
  return (attr != nullptr && attr->count != AttrCount::one) || (let != nullptr && let->pack);
}

/// Sizes over packs and lists are taken dimension by dimension, so that one pack makes the whole a pack; size(P) and
/// a[0] are single.
bool is_pack_value(const OpDef& op, const Syntax& s) {
  if (s.is(SyntaxKind::name)) return is_pack_of(op, s.text);
  if (s.is(SyntaxKind::subscript)) return false;
  if (s.is(SyntaxKind::list)) return true;
  if (s.is(SyntaxKind::call)) {
    if (s.calls(Builtin::size, Builtin::rank, Builtin::count, Builtin::dim, Builtin::sum_of)) return false;
    if (pack_function(s.text)) return true;
  }
  return any_of(s.children, [&](const Syntax& child) { return is_pack_value(op, child); });
}

}  // namespace

void check_op(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics) {
  for (LetDef& let : op.lets) let.pack = is_pack_value(op, let.value);
  const bool distinct = check_declarations(op, diagnostics);
  check_tests(op, diagnostics);
  if (!distinct) return;
  if (!op.impl.empty()) check_frame_use(op, library, diagnostics);
  const std::size_t before = diagnostics.size();
  check_tables(op, library, diagnostics);
  check_shapes(op, diagnostics);
  if (diagnostics.size() == before)
    check_body(op, library, diagnostics);  // otherwise errors in shapes would be repeated for the body
}

}  // namespace tenon
