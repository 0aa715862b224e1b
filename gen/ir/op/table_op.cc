// A table that a formula gives, as an op of its own.
#include "ir/op/op_def.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool names(const Syntax& s, const std::string& name) {
  return any_within(s, [&](const Syntax& n) {
    return n.text == name && (n.is(SyntaxKind::name) || n.is(SyntaxKind::pack) || n.is(SyntaxKind::subscript));
  });
}

/// The tables before `table` that its values need, those that others of them need included.
std::vector<const TableDef*> needed_tables(const OpDef& op, const TableDef& table) {
  std::vector<const TableDef*> out, open = {&table};
  while (!open.empty()) {
    const TableDef* reader = open.back();
    open.pop_back();
    for (const TableDef& earlier : op.tables) {
      if (&earlier == reader) break;
      if (!names(reader->values, earlier.tensor.name)) continue;
      if (contains(out, &earlier)) continue;
      out.push_back(&earlier);
      open.push_back(&earlier);
    }
  }
  sort(out);  // in the order of the definition
  return out;
}

}  // namespace

OpDef table_op(const OpDef& op, const TableDef& table) {
  OpDef out;
  out.name = table.tensor.name;
  out.span = table.tensor.span;
  out.types = op.types;
  out.outputs = {table.tensor};
  out.grad = GradKind::none;
  std::vector<const TableDef*> tables = needed_tables(op, table);
  for (const TableDef* earlier : tables) out.tables.push_back(*earlier);
  tables.push_back(&table);
  const auto own = [&](const std::string& name) {
    return any_of(table.of, [&](const Word& w) { return w.text == name; });
  };
  for (const IndexRange& range : op.index) {
    const bool named = any_of(tables, [&](const TableDef* t) { return names(t->values, range.name); });
    if (named && !own(range.name)) out.index.push_back(range);
  }
  Statement s;
  s.targets = {{table.tensor.name, table.tensor.span}};
  for (const Word& w : table.of) s.subs.push_back(name_node(w.text, w.span));
  s.value = table.values;
  s.order = table.order;
  s.span = table.values.span;
  out.body = {std::move(s)};
  return out;
}

}  // namespace tenon
