// A table that a formula gives, as an op of its own.
#include "ir/op/table_op.h"

#include <algorithm>

namespace tenon {
namespace {

bool names(const Syntax& s, const std::string& name) {
  const bool named =
      s.is(SyntaxKind::name) || s.is(SyntaxKind::pack) || s.is(SyntaxKind::subscript) ? s.text == name : false;
  return named || std::any_of(s.children.begin(), s.children.end(), [&](const Syntax& c) { return names(c, name); });
}

}  // namespace

OpDef table_op(const OpDef& op, const TableDef& table) {
  OpDef out;
  out.name = table.tensor.name;
  out.span = table.tensor.span;
  out.types = op.types;
  out.outputs = {table.tensor};
  out.grad = GradKind::none;
  for (const TableDef& earlier : op.tables) {
    if (&earlier == &table) break;
    if (names(table.values, earlier.tensor.name)) out.tables.push_back(earlier);
  }
  const auto own = [&](const std::string& name) {
    return std::any_of(table.of.begin(), table.of.end(), [&](const Word& w) { return w.text == name; });
  };
  for (const IndexRange& range : op.index)
    if (names(table.values, range.name) && !own(range.name)) out.index.push_back(range);
  Statement s;
  s.targets = {{table.tensor.name, table.tensor.span}};
  for (const Word& w : table.of) {
    s.subs.emplace_back();
    s.subs.back().kind = SyntaxKind::name;
    s.subs.back().text = w.text;
    s.subs.back().span = w.span;
  }
  s.value = table.values;
  s.order = table.order;
  s.span = table.values.span;
  out.body = {std::move(s)};
  return out;
}

}  // namespace tenon
