// Arithmetic on extents. Sums of products have one order, so that equal linear extents compare equal.
#include "ir/graph/size_expr.h"

#include <fmt/format.h>

#include "ir/graph/size_sum.h"
#include "ir/number/interval.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

using namespace size_sum;

namespace {

int64_t floor_remainder(int64_t a, int64_t b) { return *compute(ScalarOp::Mod, a, b); }

int precedence(const SizeExpr& e) {
  return e.op == ScalarOp::Add ? 1 : !e.op || e.op == ScalarOp::Min || e.op == ScalarOp::Max ? 3 : 2;
}

std::string operand_text(const SizeExpr& e, int at_least) {
  const bool bare = precedence(e) >= at_least && !(e.is_constant() && e.value < 0);
  return bare ? to_text(e) : "(" + to_text(e) + ")";
}

std::string sum_text(const SizeExpr& e) {
  std::string text = to_text(e.args[0]);
  for (size_t i = 1; i < e.args.size(); ++i) {
    const std::string term = to_text(e.args[i]);
    text += term[0] == '-' ? " - " + term.substr(1) : " + " + term;
  }
  return text;
}

std::string product_text(const SizeExpr& e) {
  std::string text;
  size_t first = 0;
  if (e.args[0].is(-1)) {
    text = "-";
    first = 1;
  } else if (e.args[0].is_constant()) {
    text = to_text(e.args[0]) + "*";
    first = 1;
  }
  for (size_t i = first; i < e.args.size(); ++i) text += (i > first ? "*" : "") + operand_text(e.args[i], 3);
  return text;
}

template <class F>
SizeExpr rebuild(const SizeExpr& e, const F& leaf) {
  if (!e.op) return leaf(e);
  SizeExpr r = rebuild(e.args[0], leaf);
  for (size_t i = 1; i < e.args.size(); ++i) r = *combined(*e.op, r, rebuild(e.args[i], leaf));
  return r;
}

void collect_names(const SizeExpr& e, std::vector<std::string>& names) {
  if (e.is_name() && !contains(names, e.name)) names.push_back(e.name);
  for (const SizeExpr& a : e.args) collect_names(a, names);
}

std::optional<int64_t> apply(ScalarOp op, int64_t a, int64_t b) {
  int64_t r = 0;
  if (op == ScalarOp::Add) return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  if (op == ScalarOp::Mul) return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  return compute(op, a, b);
}

}  // namespace

SizeExpr size_name(std::string name) {
  TENON_CHECK(!name.empty(), "a size without a name");
  SizeExpr e;
  e.name = std::move(name);
  return e;
}

SizeExpr operator+(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return saturating_add(a.value, b.value);
  return from_sum(to_sum(node(ScalarOp::Add, {a, b})));
}

SizeExpr operator-(const SizeExpr& a, const SizeExpr& b) { return a + SizeExpr(-1) * b; }

SizeExpr operator*(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return saturating_mul(a.value, b.value);
  return from_sum(times(to_sum(a), to_sum(b)));
}

SizeExpr floor_div(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant() && b.value != 0) return floor_quotient(a.value, b.value);
  if (b.is(1)) return a;
  if (a == b) return 1;
  Sum dividend = to_sum(a), divisor = to_sum(b);
  if (divisor.size() > 1) {
    const Term content = common_term(divisor, divisor);
    if (const auto quotient = exact_quotient(dividend, divided(divisor, content)))
      return floor_div(from_sum(*quotient), from_term(content));
    const Term common = common_term(dividend, divisor);
    return node(ScalarOp::FloorDiv, {from_sum(divided(dividend, common)), from_sum(divided(divisor, common))});
  }
  if (divisor[0].coefficient <= 0) return node(ScalarOp::FloorDiv, {a, b});
  Division d = split_by(dividend, divisor[0]);
  const SizeExpr quotient = from_sum(std::move(d.quotient));
  if (all_of(d.rest, [](const Term& t) { return t.coefficient == 0; })) return quotient;
  cancel(d.rest, divisor[0]);
  const SizeExpr by = from_term(divisor[0]);
  if (by.is_constant() && by.value > 1)
    if (const auto flat = flattened(ScalarOp::FloorDiv, d.rest, by.value))
      return quotient + floor_div(flat->dividend, flat->divisor);
  const SizeExpr rest = from_sum(std::move(d.rest));
  if (by.is(1)) return quotient + rest;
  if (rest.is_constant() && by.is_constant()) return quotient + floor_quotient(rest.value, by.value);
  return quotient + node(ScalarOp::FloorDiv, {rest, by});
}

SizeExpr floor_mod(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant() && b.value != 0) return floor_remainder(a.value, b.value);
  if (b.is(1) || a == b) return 0;
  const Sum divisor = to_sum(b);
  if (divisor.size() > 1) {
    const Term content = common_term(divisor, divisor);
    const Sum primitive = divided(divisor, content);
    if (const auto quotient = exact_quotient(to_sum(a), primitive))
      return from_sum(primitive) * floor_mod(from_sum(*quotient), from_term(content));
  }
  if (divisor.size() != 1 || divisor[0].coefficient <= 0) return node(ScalarOp::Mod, {a, b});
  Sum left = split_by(to_sum(a), divisor[0]).rest;
  if (b.is_constant())
    if (const auto flat = flattened(ScalarOp::Mod, left, b.value)) return floor_mod(flat->dividend, b);
  const SizeExpr rest = from_sum(std::move(left));
  if (rest.is_constant() && b.is_constant()) return floor_remainder(rest.value, b.value);
  return rest.is(0) ? rest : node(ScalarOp::Mod, {rest, b});
}

SizeExpr size_min(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return std::min(a.value, b.value);
  return a == b ? a : node(ScalarOp::Min, {a, b});
}

SizeExpr size_max(const SizeExpr& a, const SizeExpr& b) {
  if (a.is_constant() && b.is_constant()) return std::max(a.value, b.value);
  return a == b ? a : node(ScalarOp::Max, {a, b});
}

std::optional<SizeExpr> combined(ScalarOp op, const SizeExpr& a, const SizeExpr& b) {
  switch (op) {
    case ScalarOp::Add: return a + b;
    case ScalarOp::Sub: return a - b;
    case ScalarOp::Mul: return a * b;
    case ScalarOp::FloorDiv: return floor_div(a, b);
    case ScalarOp::Mod: return floor_mod(a, b);
    case ScalarOp::Min: return size_min(a, b);
    case ScalarOp::Max: return size_max(a, b);
    default: return std::nullopt;
  }
}

std::optional<SizeExpr> at_least(const SizeExpr& most, const SizeExpr& size) {
  if (most.op != ScalarOp::Max) return std::nullopt;
  return most.args[0] == size   ? std::optional(most.args[1])
         : most.args[1] == size ? std::optional(most.args[0])
                                : std::nullopt;
}

std::optional<int64_t> evaluate(const SizeExpr& e, const SizeValues& sizes) {
  if (e.is_constant()) return e.value;
  if (e.is_name()) {
    return lookup(sizes, e.name);
  }
  std::optional<int64_t> r = evaluate(e.args[0], sizes);
  for (size_t i = 1; r && i < e.args.size(); ++i) {
    const std::optional<int64_t> b = evaluate(e.args[i], sizes);
    r = b ? apply(*e.op, *r, *b) : std::nullopt;
  }
  return r;
}

SizeExpr substitute(const SizeExpr& e, const SizeValues& sizes) {
  return rebuild(e, [&](const SizeExpr& leaf) {
    if (!leaf.is_name()) return leaf;
    const auto it = sizes.find(leaf.name);
    return it == sizes.end() ? leaf : SizeExpr(it->second);
  });
}

SizeExpr with_size(const SizeExpr& e, const std::string& name, const SizeExpr& by) {
  return rebuild(e, [&](const SizeExpr& leaf) { return leaf.is_name() && leaf.name == name ? by : leaf; });
}

SizeExpr product(const std::vector<SizeExpr>& dims) {
  SizeExpr r = 1;
  for (const SizeExpr& d : dims) r = r * d;
  return r;
}

std::string to_text(const std::vector<SizeExpr>& dims) {
  return joined(dims, ", ", [](const SizeExpr& d) { return to_text(d); });
}

std::string to_text(const SizeExpr& e) {
  if (!e.op) return e.is_name() ? e.name : fmt::format("{}", e.value);
  if (e.op == ScalarOp::Add) return sum_text(e);
  if (e.op == ScalarOp::Mul) return product_text(e);
  const ScalarOpRow& row = scalar_op_row(*e.op);
  if (row.sign.empty()) return fmt::format("{}({}, {})", row.name, to_text(e.args[0]), to_text(e.args[1]));
  return operand_text(e.args[0], 2) + std::string(row.sign) + operand_text(e.args[1], 3);
}

std::vector<std::string> names_in(const SizeExpr& e) {
  std::vector<std::string> names;
  collect_names(e, names);
  return names;
}

}  // namespace tenon
