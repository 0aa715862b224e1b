// Counting of operations and bytes with extents that have names.
#include "ir/kernel/kernel_cost.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Sum of products: the factors' texts, sorted, and how often the product occurs.
using Terms = std::map<std::vector<std::string>, double>;

class CostCounter {
 public:
  CostCounter(const Kernel& kernel, double function) : names_(tensor_names(kernel)), function_(function) {}

  Terms operations_of(const Expr& value) {
    reductions_.clear();
    return operations(value);
  }

  /// A reduction that a formula uses several times is computed once.
  Terms operations(const Expr& e) {
    if (const auto* r = std::get_if<Reduce>(&e->node)) {
      for (const Expr& counted : reductions_)
        if (same(counted, e)) return {};
      reductions_.push_back(e);
      return times(plus({{{}, 1}}, operations(r->value)), extents(r->vars));
    }
    if (std::holds_alternative<Read>(e->node)) return {};
    if (const auto* choice = std::get_if<Select>(&e->node); choice && !has_node<Read>(choice->cond))
      return plus(operations(choice->yes), operations(choice->no));
    Terms out;
    const auto* a = std::get_if<Apply>(&e->node);
    if ((a && a->op != ScalarOp::Cast) || std::holds_alternative<Select>(e->node))
      out[{}] = a && scalar_op_row(a->op).has('M') ? function_ : 1;
    each_child(e, [&](const Expr& c) { out = plus(std::move(out), operations(c)); });
    return out;
  }

  static std::vector<Expr> extents(const std::vector<LoopVar>& loops) { return mapped(loops, &LoopVar::extent); }

  Terms times(Terms terms, const std::vector<Expr>& factors) const {
    for (const Expr& f : factors) {
      Terms out;
      const auto c = constant_value(f);
      for (const auto& [product, count] : terms) {
        std::vector<std::string> with = product;
        if (!c) with.insert(std::upper_bound(with.begin(), with.end(), text_of(f)), text_of(f));
        out[with] += count * static_cast<double>(c.value_or(1));
      }
      terms = std::move(out);
    }
    return terms;
  }

  static Terms plus(Terms a, const Terms& b) {
    for (const auto& [product, count] : b) a[product] += count;
    return a;
  }

 private:
  std::string text_of(const Expr& e) const { return to_text(e, names_); }

  std::vector<std::string> names_;
  double function_;  ///< operations of an elementary function
  std::vector<Expr> reductions_;
};

/// Products with many factors first: they dominate.
std::string text_of(const Terms& terms) {
  std::vector<std::pair<std::vector<std::string>, double>> sorted(terms.begin(), terms.end());
  stable_sort(sorted, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  std::string out;
  for (const auto& [product, count] : sorted) {
    if (count == 0) continue;
    out += out.empty() ? "" : " + ";
    if (count != 1 || product.empty()) out += fmt::format("{:.0f}{}", count, product.empty() ? "" : "*");
    out += joined(product, "*");
  }
  return out.empty() ? "0" : out;
}

struct KernelTerms {
  Terms operations, bytes;
};

KernelTerms terms_of(const Kernel& kernel, double function) {
  KernelTerms out;
  CostCounter counter(kernel, function);
  for_each_statement(kernel, [&](const KernelStatement& s) {
    out.operations = CostCounter::plus(std::move(out.operations),
                                       counter.times(counter.operations_of(s.value), CostCounter::extents(s.loops)));
  });
  for (const Tensor& t : kernel.tensors)
    if (t.role != Role::Temp)
      out.bytes = CostCounter::plus(std::move(out.bytes),
                                    counter.times({{{}, static_cast<double>(bytes_of(t.dtype))}}, t.dims));
  return out;
}

/// The sum, where no extent has a name.
std::optional<double> number_of(const Terms& terms) {
  double sum = 0;
  for (const auto& [product, count] : terms) {
    if (!product.empty()) return std::nullopt;
    sum += count;
  }
  return sum;
}

}  // namespace

CostFormula cost_formula(const Kernel& kernel) {
  const KernelTerms terms = terms_of(kernel, 1);
  return {text_of(terms.operations), text_of(terms.bytes)};
}

std::optional<Cost> cost_of(const Kernel& kernel, double function) {
  const KernelTerms terms = terms_of(kernel, function);
  const auto operations = number_of(terms.operations), bytes = number_of(terms.bytes);
  return operations && bytes ? std::optional(Cost{*operations, *bytes}) : std::nullopt;
}

bool applies(const Kernel& kernel, ScalarOp op) {
  bool found = false;
  for_each_statement(kernel, [&](const KernelStatement& s) {
    found = found || any_node(s.value, [&](const Expr& e) {
              const auto* apply = std::get_if<Apply>(&e->node);
              return apply && apply->op == op;
            });
  });
  return found;
}

}  // namespace tenon
