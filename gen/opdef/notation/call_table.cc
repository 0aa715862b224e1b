// The tables of callables.
#include "opdef/notation/call_table.h"

#include <fmt/format.h>

#include "ir/number/scalar_op.h"
#include "support/joined.h"

namespace tenon {

namespace {

struct Row {
  std::string_view name;
  int least, most;
  std::string_view form;
};

constexpr Row kNotation[] = {
    {"select", 3, 3, "select(condition, a, b)"},
    {"padded", 2, 2, "padded(X[i], v)"},
    {"clamp", 3, 3, "clamp(i, lo, hi)"},
    {"wrap", 2, 2, "wrap(i, D)"},
    {"reflect", 2, 2, "reflect(i, D)"},
    {"mirror", 2, 2, "mirror(i, D)"},
    {"opt", 2, 2, "opt(B[i], v)"},
    {"stop", 1, 1, "stop(x)"},
    {"cast", 2, 2, "cast(x, T)"},
    {"lowest", 1, 1, "lowest(T)"},
    {"highest", 1, 1, "highest(T)"},
    {"epsilon", 1, 1, "epsilon(T)"},
    {"bits", 2, 2, "bits(x, u32)"},
    {"lin", 1, -1, "lin(*s)"},
    {"size", 1, 1, "size(P)"},
    {"rank", 1, 1, "rank(P)"},
    {"dim", 1, 1, "dim(P)"},
    {"ceildiv", 2, 2, "ceildiv(a, b)"},
    {"upto", 1, 1, "upto(D)"},
    {"sum_of", 1, 1, "sum_of(D)"},
    {"offset", 1, 1, "offset(D)"},
    {"operand", 1, 1, "operand(X)"},
    {"count", 1, 1, "count(X)"},
};

constexpr Row kPacks[] = {
    {"permute", 2, 2, "permute(S, perm)"}, {"keep", 2, 2, "keep(R, keepdims)"}, {"concat", 2, 2, "concat(P, Q)"},
    {"drop", 2, 2, "drop(S, k)"},          {"unravel", 2, 2, "unravel(n, S)"},
};

/// Rows that are written as signs and have no name in expressions.
constexpr std::string_view kSigns[] = {"add", "sub", "mul", "div", "floordiv", "mod", "neg", "lt",
                                       "le",  "gt",  "ge",  "eq",  "ne",       "and", "or",  "not"};

template <std::size_t n>
std::optional<Arity> find(const Row (&rows)[n], std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return Arity{row.least, row.most, std::string(row.form)};
  }
  return std::nullopt;
}

bool is_sign(std::string_view name) {
  for (const std::string_view sign : kSigns) {
    if (sign == name) return true;
  }
  return false;
}

bool is_nameless(const ScalarOpRow& row) { return is_sign(row.name) || row.has('P'); }

Arity arity_of(std::string_view name, const std::vector<std::string>& params) {
  const int n = static_cast<int>(params.size());
  return {n, n, fmt::format("{}({})", name, joined(params, ", "))};
}

}  // namespace

std::optional<Arity> notation_function(std::string_view name) { return find(kNotation, name); }
std::optional<Arity> pack_function(std::string_view name) { return find(kPacks, name); }

std::optional<Arity> expression_function(std::string_view name, const OpLibrary& library) {
  if (const auto own = notation_function(name)) return own;
  if (const auto f = library.fns.find(name); f != library.fns.end()) return arity_of(name, f->second.params);
  if (name == "min" || name == "max") return Arity{2, -1, fmt::format("{}(a, b, …)", name)};
  if (const auto r = library.scalars.find(name); r != library.scalars.end()) return arity_of(name, r->second.args);
  const auto op = scalar_op_from_name(name);
  if (!op || is_nameless(scalar_op_row(*op))) return std::nullopt;
  const int n = scalar_op_row(*op).arity;
  return Arity{n, n, fmt::format("{}({})", name, n == 1 ? "x" : n == 2 ? "a, b" : "a, b, c")};
}

std::vector<std::string> callable_names(const OpLibrary& library) {
  std::vector<std::string> names;
  for (const Row& row : kNotation) names.emplace_back(row.name);
  for (const ScalarOpRow& row : all_scalar_ops()) {
    if (!is_nameless(row)) names.emplace_back(row.name);
  }
  for (const auto& [name, row] : library.scalars) names.push_back(name);
  for (const auto& [name, f] : library.fns) names.push_back(name);
  return names;
}

}  // namespace tenon
