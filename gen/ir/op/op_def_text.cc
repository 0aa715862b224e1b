// The text form of definitions: YAML that reads back to an equal definition, and the comparison.
#include <fmt/format.h>

#include <functional>

#include "ir/op/op_def.h"
#include "support/joined.h"
#include "support/quoted.h"

namespace tenon {

namespace {

template <typename T>
std::string list_text(const std::vector<T>& items, const std::function<std::string(const T&)>& text,
                      std::string_view separator = ", ") {
  std::string out;
  for (const T& item : items) {
    if (!out.empty()) out += separator;
    out += text(item);
  }
  return out;
}

std::string word_text(const Word& word) { return word.text; }
std::string word_list(const std::vector<Word>& items) { return "[" + list_text<Word>(items, word_text) + "]"; }
std::string syntax_text(const Syntax& s) { return print(s); }

std::string attr_text(const AttrDef& a) {
  std::string out = a.type;
  if (a.kind == AttrKind::enumeration) out += fmt::format("({})", joined(a.words, ", "));
  if (a.count == AttrCount::fixed) out += fmt::format("[{}]", a.length);
  if (a.count == AttrCount::any) out += "[]";
  if (a.count == AttrCount::per_dim) out += fmt::format("[*{}]", a.pack);
  if (a.value) out += " = " + print(*a.value);
  return out;
}

std::string tensor_line(const TensorDef& t, std::string_view indent) {
  const std::string_view suffix = t.optional ? "?" : t.variadic ? "..." : "";
  const std::string dims = list_text<Dim>(t.dims, [](const Dim& d) { return print(d); });
  return fmt::format("{}{}: {}\n", indent, t.name + std::string(suffix),
                     json_string(fmt::format("{}[{}]", t.dtype, dims)));
}

std::string storage_text(const OpDef& op) {
  std::string out;
  for (const auto* list : {&op.inputs, &op.outputs}) {
    for (const TensorDef& t : *list) {
      if (t.storage.empty()) continue;
      out += fmt::format("      {}:\n", t.name);
      for (const StorageRule& rule : t.storage) {
        const std::string dims = list_text<Dim>(rule.dims, [](const Dim& d) { return json_string(print(d)); });
        out += rule.condition
                   ? fmt::format("        - {{if: {}, as: [{}]}}\n", json_string(print(*rule.condition)), dims)
                   : fmt::format("        - {{as: [{}]}}\n", dims);
      }
    }
  }
  return out.empty() ? out : "    storage:\n" + out;
}

std::string grad_text(const OpDef& op) {
  if (op.grad == GradKind::none) return "    grad: none\n";
  std::string out;
  for (const ClosedGrad& g : op.closed_grads) {
    const std::string target =
        g.implied ? "" : fmt::format("d{}[{}] = ", g.input, list_text<Syntax>(g.subs, syntax_text));
    out += fmt::format("      {}: {}\n", g.input, json_string(target + print(g.value)));
  }
  return out.empty() ? out : "    grad:\n" + out;
}

std::string numerics_text(const Numerics& n) {
  std::string out;
  const auto pair_text = [](const std::pair<Word, Word>& p) {
    return fmt::format("{}: {}", p.first.text, p.second.text);
  };
  const auto ulp_text = [](const std::pair<Word, double>& p) { return fmt::format("{}: {}", p.first.text, p.second); };
  if (!n.accumulate.empty())
    out += fmt::format("      accumulate: {{{}}}\n", list_text<std::pair<Word, Word>>(n.accumulate, pair_text));
  if (n.reassociate_all) out += fmt::format("      reassociate: {}\n", *n.reassociate_all);
  if (!n.reassociate.empty()) out += fmt::format("      reassociate: {}\n", word_list(n.reassociate));
  if (!n.tolerance_ulp.empty())
    out += fmt::format("      tolerance: {{{}}}\n", list_text<std::pair<Word, double>>(n.tolerance_ulp, ulp_text));
  return out.empty() ? out : "    numerics:\n" + out;
}

std::string expand_text(const Expand& e) {
  std::string out;
  if (e.dtypes.size() == 1 && e.dtypes[0].first.text.empty()) {
    out += fmt::format("      dtypes: {}\n", word_list(e.dtypes[0].second));
  } else if (!e.dtypes.empty()) {
    out += "      dtypes:\n";
    for (const auto& [name, list] : e.dtypes) out += fmt::format("        {}: {}\n", name.text, word_list(list));
  }
  if (!e.ranks.empty()) out += fmt::format("      ranks: [{}]\n", fmt::join(e.ranks, ", "));
  if (!e.attrs.empty()) out += "      attrs:\n";
  for (const auto& [name, values] : e.attrs)
    out += fmt::format("        {}: [{}]\n", name.text, list_text<Syntax>(values, syntax_text));
  return out.empty() ? out : "    expand:\n" + out;
}

std::string test_text(const TestCase& t) {
  std::string out;
  const auto section = [&](std::string_view key, const std::string& inner) {
    if (!inner.empty()) out += fmt::format("{}{}: {{{}}}", out.empty() ? "" : ", ", key, inner);
  };
  using Binding = std::pair<Word, Syntax>;
  const auto binding = [](const Binding& b) { return fmt::format("{}: {}", b.first.text, print(b.second)); };
  section("sizes", list_text<Binding>(t.sizes, binding));
  section("attrs", list_text<Binding>(t.attrs, binding));
  section("shapes", list_text<Binding>(t.shapes, binding));
  section("in", list_text<Binding>(t.inputs, binding));
  section("out", list_text<Binding>(t.outputs, binding));
  section("dtypes", list_text<std::pair<Word, Word>>(t.dtypes, [](const std::pair<Word, Word>& p) {
            return fmt::format("{}: {}", p.first.text, p.second.text);
          }));
  if (!t.absent.empty()) out += fmt::format("{}absent: {}", out.empty() ? "" : ", ", word_list(t.absent));
  return "      - {" + out + "}\n";
}

std::string shape_text(const OpDef& op) {
  std::string out;
  if (!op.types.empty()) out += "    types:\n";
  for (const TypeVar& t : op.types)
    if (!t.derived)
      out += fmt::format("      {}: {}\n", t.name, t.classes.size() == 1 ? t.classes[0].text : word_list(t.classes));
  if (!op.attrs.empty()) out += "    attrs:\n";
  for (const AttrDef& a : op.attrs) out += fmt::format("      {}: {}\n", a.name, json_string(attr_text(a)));
  if (!op.inputs.empty()) out += "    in:\n";
  for (const TensorDef& t : op.inputs) out += tensor_line(t, "      ");
  out += "    out:\n";
  for (const TensorDef& t : op.outputs) out += tensor_line(t, "      ");
  return out + storage_text(op);
}

/// Numbers in quotes: some have commas or brackets.
std::string nested_text(const Syntax& s) {
  if (!s.is(SyntaxKind::list)) return json_string(print(s));
  return "[" + list_text<Syntax>(s.children, nested_text) + "]";
}

std::string table_text(const TableDef& t) {
  const std::string dims = list_text<Dim>(t.tensor.dims, [](const Dim& d) { return print(d); });
  return fmt::format("      {}: {{type: {}{}, values: {}}}\n", t.tensor.name,
                     json_string(fmt::format("{}[{}]", t.tensor.dtype, dims)),
                     t.formula ? fmt::format(", of: {}", word_list(t.of)) : "", nested_text(t.values));
}

std::string body_text(const OpDef& op) {
  std::string out;
  if (!op.lets.empty()) out += "    let:\n";
  for (const LetDef& l : op.lets) out += fmt::format("      {}: {}\n", l.name, json_string(print(l.value)));
  if (!op.requires_.empty())
    out += fmt::format("    require: [{}]\n",
                       list_text<Syntax>(op.requires_, [](const Syntax& s) { return json_string(print(s)); }));
  if (!op.index.empty()) out += "    index:\n";
  for (const IndexRange& r : op.index)
    out += fmt::format("      {}: {}\n", json_string((r.pack ? "*" : "") + r.name), json_string(print(r.extent)));
  if (!op.tables.empty()) out += "    tables:\n";
  for (const TableDef& t : op.tables) out += table_text(t);
  if (!op.impl.empty()) return out;  // the statements are those of its C template
  if (!op.body.empty()) out += "    body: |\n";
  for (const Statement& s : op.body) out += "      " + print(s) + "\n";
  return out;
}

}  // namespace

std::string print(const Dim& d) {
  std::string out = d.broadcast ? "~" : "";
  if (d.kind == DimKind::integer) out += fmt::format("{}", d.value);
  if (d.kind == DimKind::pack) out += "*";
  if (d.kind == DimKind::split)
    out += "(" +
           list_text<Dim>(
               d.parts, [](const Dim& p) { return print(p); }, " ") +
           ")";
  out += d.name;
  if (!d.at.empty()) out += "@" + d.at;
  return d.per_operand ? out + "..." : out;
}

std::string print(const Statement& s) {
  if (s.is_call) return fmt::format("{} = {}", list_text<Word>(s.targets, word_text), print(s.value));
  if (s.is_extent) return fmt::format("{} = {}", s.targets[0].text, print(s.value));
  std::string where;
  for (const Syntax& r : s.ranges)
    where += fmt::format("{}{} in {} .. {}", where.empty() ? " where " : ", ", r.text, print(r.children[0]),
                         print(r.children[1]));
  if (s.where) where += (where.empty() ? " where " : " : ") + print(*s.where);
  return fmt::format("{}[{}] {} {}{}", s.targets[0].text, list_text<Syntax>(s.subs, syntax_text), symbol_of(s.update),
                     print(s.value), where);
}

std::string print(const OpDef& op) {
  std::string out = fmt::format("  - op: {}\n", op.name);
  if (!op.doc.empty()) out += fmt::format("    doc: {}\n", json_string(op.doc));
  if (!op.kind.empty()) out += fmt::format("    kind: {}\n", op.kind);
  if (!op.impl.empty()) out += fmt::format("    impl: {}\n", op.impl);
  out += shape_text(op) + body_text(op) + grad_text(op);
  if (!op.save.empty()) out += fmt::format("    save: {}\n", word_list(op.save));
  out += numerics_text(op.numerics) + expand_text(op.expand);
  if (!op.tests.empty()) out += "    tests:\n";
  for (const TestCase& t : op.tests) out += test_text(t);
  return out;
}

std::string print(const OpLibrary& library) {
  std::string out;
  if (!library.scalars.empty()) out += "scalar:\n";
  for (const auto& [name, row] : library.scalars) {
    out += fmt::format("  {}: {{args: [{}]", name, joined(row.args, ", "));
    if (row.as) out += fmt::format(", as: {}", json_string(print(*row.as)));
    if (!row.derivatives.empty())
      out += fmt::format(", d: [{}]",
                         list_text<Syntax>(row.derivatives, [](const Syntax& s) { return json_string(print(s)); }));
    out += "}\n";
  }
  if (!library.fns.empty()) out += "fn:\n";
  for (const auto& [name, f] : library.fns)
    out += fmt::format("  {}({}): {}\n", name, joined(f.params, ", "), json_string(print(f.value)));
  const std::vector<std::string> ops = library.names();
  if (!ops.empty()) out += "ops:\n";
  for (const std::string& name : ops) out += print(*library.op(name));
  return out;
}

bool same(const OpDef& a, const OpDef& b) { return print(a) == print(b); }

}  // namespace tenon
