// Finds chains, and splits kernels into a chain and the rest.
#include "lower/kernel_chains.h"

#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/statement_parts.h"
#include "lower/contraction/plain_products.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/lower_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_sum_of_products(const Expr& e) {
  const auto* r = std::get_if<Reduce>(&e->node);
  const auto* a = r && r->op == Reducer::Sum ? std::get_if<Apply>(&r->value->node) : nullptr;
  return a && a->op == ScalarOp::Mul;
}

/// Whether the kernel may be a chain, so that running the passes pays off: two sums of products.
bool may_be_chain(const Kernel& kernel) {
  int products = 0;
  for (const KernelStatement& s : kernel.body)
    walk(s.value, [&](const Expr& e) {
      products += is_sum_of_products(e);
      return products < 2;
    });
  return products >= 2;
}

/// Whether each statement multiplies, or makes what one after it needs that does.
std::vector<bool> needed_by_products(const Kernel& k) {
  std::vector<bool> needed(k.body.size());
  for (size_t i = k.body.size(); i-- > 0;) {
    const KernelStatement& s = k.body[i];
    needed[i] = s.update != Update::Assign || any_node(s.value, [](const Expr& e) { return is_sum_of_products(e); });
    for (size_t o = 0; o < k.body.size(); ++o)
      needed[i] =
          needed[i] || (needed[o] && o != i && (reads_tensor(k.body[o], s.target) || k.body[o].target == s.target));
  }
  return needed;
}

/// Whether the statements or the tensors that they touch have the size.
bool has_size(const Kernel& k, const std::string& size) {
  const auto mentions = [&](const Expr& e) { return mentions_size(e, size); };
  return any_of(k.body, [&](const KernelStatement& s) {
    const Tensor& to = k.tensor(s.target);
    bool found = mentions(s.value) || any_of(to.dims, mentions) || any_of(to.strides, mentions);
    for (const LoopVar& v : s.loops) found = found || mentions(v.extent);
    each_node<Reduce>(s.value, [&](const Reduce& r) {
      for (const LoopVar& v : r.vars) found = found || mentions(v.extent);
    });
    each_read(s.value, [&](const Read& r) {
      const Tensor& from = k.tensor(r.tensor);
      found = found || any_of(from.dims, mentions) || any_of(from.strides, mentions);
    });
    return found;
  });
}

/// Facts that are about other statements would ask for bodies that are all the same.
void drop_foreign_facts(Kernel& k) {
  std::erase_if(k.facts, [&](const Expr& fact) {
    return any_node(fact, [&](const Expr& e) {
      const auto* s = std::get_if<SizeRef>(&e->node);
      return s && !has_size(k, s->name);
    });
  });
}

/// The kernel as its first statements and the others; nothing where these read more of the first than temps.
std::optional<Kernel> split_after(const Kernel& k, size_t first) {
  Kernel before = k, after = k;
  const auto cut = static_cast<std::ptrdiff_t>(first);
  before.name += "_first";
  before.body.erase(before.body.begin() + cut, before.body.end());
  after.body.erase(after.body.begin(), after.body.begin() + cut);
  after.checks.clear();
  for (const KernelStatement& made : before.body) {
    if (none_of(after.body, [&](const KernelStatement& s) { return reads_tensor(s, made.target); })) continue;
    if (k.tensor(made.target).role != Role::Temp) return std::nullopt;
    before.tensor(made.target).role = Role::Output;
    after.tensor(made.target).role = Role::Input;
  }
  drop_foreign_facts(before);
  drop_foreign_facts(after);
  Kernel out = k;
  out.body.clear();
  out.parts = {std::move(before), std::move(after)};
  return out;
}

/// The loops that all statements of a chain share; 0 if there is none.
size_t loops_around(const std::optional<ChainedKernel>& c) {
  return c ? c->chain.shared.size() + c->chain.outer.size() + 1 : 0;
}

}  // namespace

Kernel after_kernel_passes(const Kernel& kernel) {
  Kernel k = simplify_kernel(kernel);
  for (const KernelPass& pass : kernel_passes()) k = pass.run(k);
  return k;
}

std::optional<ChainedKernel> chain_of(const Kernel& kernel) {
  if (kernel.call || has_recurrence(kernel) || !may_be_chain(kernel)) return std::nullopt;
  Kernel k = after_kernel_passes(kernel);
  auto chain = find_row_chain(k);
  if (!chain && k.reassociate) {
    k = with_plain_products(k);
    chain = find_row_chain(k);
  }
  return chain ? std::optional(ChainedKernel{std::move(k), *std::move(chain)}) : std::nullopt;
}

std::optional<Kernel> chain_and_rest(const Kernel& kernel) {
  if (kernel.call || !kernel.found.empty() || has_recurrence(kernel) || !may_be_chain(kernel) || checks_data(kernel))
    return std::nullopt;
  const std::vector<bool> needed = needed_by_products(kernel);
  if (all_of(needed, [](bool n) { return n; })) return std::nullopt;
  const size_t whole = loops_around(chain_of(kernel));
  Kernel k = kernel;
  k.body.clear();
  for (const bool now : {true, false})
    for (size_t i = 0; i < needed.size(); ++i)
      if (needed[i] == now) k.body.push_back(kernel.body[i]);
  const auto least = static_cast<size_t>(count_if(needed, [](bool n) { return n; }));
  for (size_t first = k.body.size() - 1; first >= least; --first)
    if (auto parts = split_after(k, first); parts && loops_around(chain_of(parts->parts[0])) > whole) return parts;
  return std::nullopt;
}

}  // namespace tenon
