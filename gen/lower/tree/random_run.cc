// Finds what adjacent iterations share: a counter that divides their number, a word that is a function of the
// remainder.
#include "lower/tree/random_run.h"

#include "algebra/linear.h"
#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Varies = FunctionRef<bool(const Expr&)>;

/// Larger ones would not fit in the narrowest lanes.
constexpr int64_t kLargestModulus = 32;

bool counts_up(const Expr& number, const std::string& var, Varies varies) {
  if (number->type != DType::I64) return false;
  const auto a = affine_in(number, var);
  return a && is_one(simplify(a->coefficient)) && !varies(a->rest);
}

/// The only term of a sum that differs between iterations.
std::optional<Expr> varying_term(const Expr& sum, Varies varies) {
  const auto* a = std::get_if<Apply>(&sum->node);
  if (a && a->op == ScalarOp::Cast && is_int(a->args[0]->type) && bytes_of(a->args[0]->type) == 8)
    return varying_term(a->args[0], varies);
  if (!a || a->op != ScalarOp::Add) return sum;
  if (varies(a->args[0]) == varies(a->args[1])) return std::nullopt;
  return varying_term(varies(a->args[0]) ? a->args[0] : a->args[1], varies);
}

/// x of x op constant.
std::optional<std::pair<Expr, int64_t>> with_constant(const Expr& e, ScalarOp op) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->op != op || a->args.size() != 2) return std::nullopt;
  const auto constant = constant_value(a->args[1]);
  if (!constant) return std::nullopt;
  return std::pair(a->args[0], *constant);
}

/// The word where number % period is k: every remainder in it that is known then becomes a constant.
std::optional<int64_t> word_of(const Expr& word, const RandomRun& run, int k) {
  const auto known = [&](const Expr& e, const auto& self) -> Expr {
    const auto mod = with_constant(e, ScalarOp::Mod);
    if (!mod || mod->second <= 0 || run.period % mod->second != 0)
      return map_children(e, [&](const Expr& c) { return self(c, self); });
    const LinearForm apart = linear_form(mod->first) - linear_form(run.number);
    const int64_t m = mod->second;
    const bool same = all_of(apart.terms, [&](const auto& t) { return t.second % m == 0; });
    return same ? constant_int(((apart.constant + k) % m + m) % m) : e;
  };
  return constant_value(simplify(known(word, known)));
}

}  // namespace

std::optional<RandomRun> find_random_run(const Apply& philox, const std::string& var, Varies varies) {
  const Expr &seed = philox.args[0], &counter = philox.args[1], &word = philox.args[2];
  if (varies(seed) || !varies(counter)) return std::nullopt;
  const auto term = varying_term(counter, varies);
  const auto quotient = term ? with_constant(*term, ScalarOp::FloorDiv) : std::nullopt;
  if (!quotient || (quotient->second != 2 && quotient->second != 4) || !counts_up(quotient->first, var, varies))
    return std::nullopt;
  RandomRun run{quotient->first, static_cast<int>(quotient->second)};
  for (int k = 0; k < run.period; ++k) {
    const auto at = word_of(word, run, k);
    if (!at || *at < 0 || *at > 3) return std::nullopt;
    run.words[static_cast<size_t>(k)] = static_cast<int>(*at);
  }
  return run;
}

std::optional<ComparedNumber> find_compared_number(const Apply& comparison, const std::string& var, Varies varies) {
  constexpr ScalarOp kComparisons[] = {ScalarOp::Eq, ScalarOp::Ne, ScalarOp::Lt,
                                       ScalarOp::Le, ScalarOp::Gt, ScalarOp::Ge};
  if (!contains(kComparisons, comparison.op)) return std::nullopt;
  for (const size_t at : {size_t{0}, size_t{1}}) {
    const Expr &number = comparison.args[at], &bound = comparison.args[1 - at];
    if (!varies(bound) && counts_up(number, var, varies)) return ComparedNumber{number, bound, 0, at == 1};
    const auto mod = with_constant(number, ScalarOp::Mod);
    const auto constant = constant_value(bound);
    if (!mod || !constant || *constant < 0 || *constant > kLargestModulus) continue;
    const int64_t m = mod->second;
    if (m < 2 || m > kLargestModulus || (m & (m - 1)) != 0 || !counts_up(mod->first, var, varies)) continue;
    return ComparedNumber{mod->first, bound, m, at == 1};
  }
  return std::nullopt;
}

}  // namespace tenon
