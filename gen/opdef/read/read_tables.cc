// The key `tables` of an op.
#include <fmt/format.h>

#include "ir/op/integer_value.h"
#include "opdef/notation/parse_body.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr const char* kExample = "W: {type: \"f32[3]\", values: [1, 2, 1]}, or with of: [k] a formula as values";
constexpr std::int64_t kMostElements = std::int64_t{1} << 20;

/// The lets that are numbers, whatever the sizes are: each knows those before it.
KnownIntegers numbers_among_lets(const OpDef& op) {
  KnownIntegers known;
  for (const LetDef& let : op.lets)
    if (const auto value = integer_value(let.value, known); value && *value >= 0 && *value <= INT64_MAX)
      known.emplace(let.name, static_cast<std::int64_t>(*value));
  return known;
}

/// The extent named by a let is its value.
void resolve(Dim& d, const KnownIntegers& lets) {
  const auto found = d.kind == DimKind::size && !d.broadcast ? lets.find(d.name) : lets.end();
  if (found == lets.end()) return;
  d.kind = DimKind::integer;
  d.name.clear();
  d.value = found->second;
}

/// `T[3, 3]` with extents that are numbers.
bool read_type(const YamlNode& node, TableDef& table, OpDef& op, Diagnostics& diagnostics) {
  if (!want_text(node, "the type of a table", "type: \"f32[3, 3]\"", diagnostics)) return false;
  if (!parse_tensor_type(placed_text(node), table.tensor, diagnostics)) return false;
  if (!declare_derived_type(table.tensor.dtype, table.tensor.dtype_span, op, diagnostics)) return false;
  std::int64_t elements = 1;
  const KnownIntegers lets = numbers_among_lets(op);
  for (Dim& d : table.tensor.dims) {
    resolve(d, lets);
    if (d.kind == DimKind::integer && !d.broadcast) {
      elements = elements > kMostElements ? elements : elements * std::min(d.value, kMostElements + 1);
      continue;
    }
    diagnostics.error(
        Code::E0236, d.span, fmt::format("the extent '{}' of the table is not a number", print(d)),
        {"what a table holds is known when the code is generated: write \"f32[3, 3]\", or lets of numbers"});
    return false;
  }
  if (elements <= kMostElements) return true;
  diagnostics.error(Code::E0236, node.span, fmt::format("the table has more than {} elements", kMostElements),
                    {"give large constants as an input"});
  return false;
}

/// Nested lists of as many numbers as the dims from `depth` on say.
bool read_numbers(const YamlNode& node, const TensorDef& tensor, std::size_t depth, Syntax& out,
                  Diagnostics& diagnostics) {
  const auto wrong = [&](const std::string& is) {
    const std::string wanted =
        depth == tensor.dims.size() ? "a single number" : fmt::format("a list of {}", tensor.dims[depth].value);
    diagnostics.error(Code::E0236, node.span, fmt::format("{} where the table '{}' has {}", is, tensor.name, wanted),
                      {"the lists are nested as the extents of the type say, the outermost first"});
    return false;
  };
  if (depth == tensor.dims.size()) {
    if (!node.is_scalar()) return wrong("a list");
    return parse_expression(placed_text(node), out, diagnostics);
  }
  if (!node.is_sequence()) return wrong("a single value");
  if (static_cast<std::int64_t>(node.items.size()) != tensor.dims[depth].value)
    return wrong(fmt::format("a list of {}", node.items.size()));
  out.kind = SyntaxKind::list;
  out.span = node.span;
  for (const YamlNode& item : node.items) {
    out.children.emplace_back();
    if (!read_numbers(item, tensor, depth + 1, out.children.back(), diagnostics)) return false;
  }
  return true;
}

bool read_formula(const YamlNode& of, const YamlNode& values, TableDef& table, Diagnostics& diagnostics) {
  table.formula = true;
  table.of = words(of, "of", diagnostics);
  if (!want_text(values, "the formula of a table", "values: \"k*k\"", diagnostics)) return false;
  if (table.of.size() != table.tensor.dims.size()) {
    diagnostics.error(Code::E0236, of.span,
                      fmt::format("the table '{}' has {} dims, `of` names {}", table.tensor.name,
                                  table.tensor.dims.size(), table.of.size()),
                      {"`of` names an index variable for each dim, the outermost first"});
    return false;
  }
  return parse_expression(placed_text(values), table.values, diagnostics);
}

std::optional<TableDef> read_table(const YamlEntry& entry, OpDef& op, Diagnostics& diagnostics) {
  TableDef table;
  table.tensor.name = entry.key.text;
  table.tensor.span = entry.key.span;
  if (!want_name(entry.key, table.tensor.name, "a table", diagnostics)) return std::nullopt;
  if (!need_map(entry.value, "a table", kExample, diagnostics)) return std::nullopt;
  refuse_unknown_keys(entry.value, {"type", "of", "values"}, "a table", diagnostics);
  const YamlNode *type = entry.value.find("type"), *values = entry.value.find("values"), *of = entry.value.find("of");
  if (type == nullptr || values == nullptr) {
    diagnostics.error(Code::E0203, entry.key.span,
                      fmt::format("the table '{}' lacks the key `{}`", table.tensor.name, type ? "values" : "type"),
                      {fmt::format("write {}", kExample)});
    return std::nullopt;
  }
  if (!read_type(*type, table, op, diagnostics)) return std::nullopt;
  const bool read = of != nullptr ? read_formula(*of, *values, table, diagnostics)
                                  : read_numbers(*values, table.tensor, 0, table.values, diagnostics);
  return read ? std::optional(std::move(table)) : std::nullopt;
}

}  // namespace

void read_tables(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "tables", kExample, diagnostics)) return;
  for (const YamlEntry& entry : node.entries)
    if (auto table = read_table(entry, out, diagnostics)) out.tables.push_back(std::move(*table));
}

}  // namespace tenon
