// The tables of callables.
#include "opdef/notation/call_table.h"

#include <fmt/format.h>

#include "ir/number/scalar_op.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

enum class Kind { Value, Pack, Internal };

struct Row {
  std::string_view name;
  int least, most;
  Kind kind;
  std::string_view form;
};

constexpr Row kRows[] = {
#define BUILTIN(name, least, most, kind, form) {#name, least, most, Kind::kind, form},
#include "ir/op/builtin.def"
#undef BUILTIN
};

/// Rows that are written as signs and have no name in expressions.
constexpr std::string_view kSigns[] = {"add", "sub", "mul", "div", "floordiv", "mod", "neg", "lt",
                                       "le",  "gt",  "ge",  "eq",  "ne",       "and", "or",  "not"};

std::optional<Arity> find(Kind kind, std::string_view name) {
  for (const Row& row : kRows)
    if (row.kind == kind && row.name == name) return Arity{row.least, row.most, std::string(row.form)};
  return std::nullopt;
}

bool is_nameless(const ScalarOpRow& row) { return row.has('P') || contains(kSigns, row.name); }

Arity arity_of(std::string_view name, const std::vector<std::string>& params) {
  const int n = static_cast<int>(params.size());
  return {n, n, fmt::format("{}({})", name, joined(params, ", "))};
}

}  // namespace

std::optional<Arity> notation_function(std::string_view name) { return find(Kind::Value, name); }
std::optional<Arity> pack_function(std::string_view name) { return find(Kind::Pack, name); }

std::optional<Arity> expression_function(std::string_view name, const OpLibrary& library) {
  if (const auto own = notation_function(name)) return own;
  if (const auto f = library.fns.find(name); f != library.fns.end()) return arity_of(name, f->second.params);
  if (name == "min" || name == "max")
    return Arity{2, -1, fmt::format("{0}(a, b, …), or {0}[k](…) over index variables", name)};
  if (const auto r = library.scalars.find(name); r != library.scalars.end()) return arity_of(name, r->second.args);
  const auto op = scalar_op_from_name(name);
  if (!op || is_nameless(scalar_op_row(*op))) return std::nullopt;
  const int n = scalar_op_row(*op).arity;
  return Arity{n, n, fmt::format("{}({})", name, n == 1 ? "x" : n == 2 ? "a, b" : "a, b, c")};
}

std::vector<std::string> callable_names(const OpLibrary& library) {
  std::vector<std::string> names;
  for (const Row& row : kRows)
    if (row.kind == Kind::Value) names.emplace_back(row.name);
  for (const ScalarOpRow& row : all_scalar_ops()) {
    if (!is_nameless(row)) names.emplace_back(row.name);
  }
  for (const auto& [name, row] : library.scalars) names.push_back(name);
  for (const auto& [name, f] : library.fns) names.push_back(name);
  return names;
}

}  // namespace tenon
