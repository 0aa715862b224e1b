// Lowering in order: kernel passes, loop tree, statements.
#include "lower/lower_kernel.h"

#include <fmt/format.h>

#include <memory>

#include "algebra/contraction.h"
#include "algebra/nest_survey.h"
#include "algebra/simplify.h"
#include "ir/kernel/kernel_cost.h"
#include "lower/case_body.h"
#include "lower/contraction/lower_contraction.h"
#include "lower/contraction/plain_products.h"
#include "lower/contraction/recurrence_steps.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/kernel_cases.h"
#include "lower/kernel_chains.h"
#include "lower/lower_frame.h"
#include "lower/lower_parts.h"
#include "lower/nest/nest_passes.h"
#include "lower/nest/rename_nest.h"
#include "lower/tree/tree_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::optional<SteppedKernel> steps_of(const Kernel& kernel) {
  if (kernel.call || !has_recurrence(kernel)) return std::nullopt;
  Kernel k = after_kernel_passes(kernel);
  auto steps = find_recurrence_steps(k);
  return steps ? std::optional(SteppedKernel{std::move(k), *std::move(steps)}) : std::nullopt;
}

/// What all levels share.
struct Whole {
  std::shared_ptr<const Kernel> kernel;
  std::optional<ChainedKernel> chained;
  std::optional<SteppedKernel> stepped = {};
};

/// A body over panels, where the kernel has one.
std::optional<PanelledBody> panelled(const Whole& whole, const Isa& isa, const Blueprints& blueprints, LoopNest& nest) {
  const auto part = [&](const Kernel& k, std::vector<Buffer>& buffers, const std::vector<std::string>& taken) {
    const KernelCase c = prepare(k, isa, Sharing::none);
    return body_of(plan(c, isa, blueprints), isa, {buffers, nest.functions}, taken);
  };
  const NestTarget target{nest.buffers, nest.functions};
  if (const auto& c = whole.chained)
    if (auto chain = lower_row_chain(*c, isa, blueprints, part, target)) return chain;
  return whole.stepped ? lower_recurrence(*whole.stepped, isa, blueprints, part, target) : std::nullopt;
}

/// The body over panels if that pays off, otherwise as loops.
Block panels_or_loops(const Whole& whole, const PlannedCase& planned, const Isa& isa, const Blueprints& blueprints,
                      LoopNest& nest) {
  auto panels = panelled(whole, isa, blueprints, nest);
  if (panels && constant_value(panels->pays) != 0) nest.blueprint = panels->blueprint;
  if (panels && constant_value(panels->pays) == 1) return std::move(panels->body);
  Block body = body_of(planned, isa, {nest.buffers, nest.functions}, declared_names(nest.body));
  if (!panels || constant_value(panels->pays)) return body;
  return {s_if(panels->pays, std::move(panels->body), std::move(body))};
}

/// A nest without a body.
LoopNest empty_nest(const Whole& whole, const Isa& isa) {
  LoopNest nest;
  nest.name = fmt::format("{}_{}", whole.kernel->name, isa.suffix);
  nest.isa = isa.name;
  nest.kernel = whole.kernel;
  nest.blueprint = "loops";
  nest.buffers = tensor_buffers(*whole.kernel);
  return nest;
}

LoopNest nest_of(const Whole& whole, const PlannedCase& planned, const Isa& isa, const Blueprints& blueprints) {
  LoopNest nest = empty_nest(whole, isa);
  WrittenChecks checks = checks_of(*whole.kernel, isa);
  nest.body = std::move(checks.body);
  nest.functions = std::move(checks.functions);
  append(nest.body, panels_or_loops(whole, planned, isa, blueprints, nest));
  collect_notes(planned, nest.notes);
  return nest;
}

/// Plain loops over a thin product, without forks; nothing where they have no vectors.
std::optional<Block> loops_of(const ThinProduct& thin, const Isa& isa, const Blueprints& blueprints, LoopNest& nest) {
  const KernelCase one = prepare_unforked(thin.kernel);
  if (thin.streams_rows && !one.streams_rows) return std::nullopt;
  const PlannedCase planned = plan(one, isa, blueprints);
  if (!planned.vectors() || (thin.joins_rows && !joins_rows(planned.tree.body))) return std::nullopt;
  return body_of(planned, isa, {nest.buffers, nest.functions});
}

std::optional<LoopNest> contraction_nest(const Whole& whole, const Contraction& c, const Isa& isa,
                                         const Blueprints& blueprints, Sharing sharing);

/// Products without repeated operands have a separate body.
std::optional<LoopNest> with_nothing_repeated(const Whole& whole, const Fork& once, const Isa& isa,
                                              const Blueprints& blueprints) {
  const auto nest_of = [&](const Kernel& k) {
    const auto kernel = std::make_shared<const Kernel>(simplify_kernel(k));
    const auto c = find_contraction(*kernel);
    return c ? contraction_nest({kernel, {}}, *c, isa, blueprints, Sharing::functions) : std::nullopt;
  };
  std::optional<LoopNest> nest = nest_of(once.otherwise), plain = nest_of(once.then);
  if (!nest) return std::nullopt;
  nest->kernel = whole.kernel;
  if (!plain) return nest;
  plain->body = described(once.what, std::move(plain->body));
  add_case(once.holds, *plain, CaseWorkspace::common, *nest);
  return nest;
}

/// The nest of a contraction in a library: its tiles, preceded by bodies for products with few rows or columns and for
/// special windows.
std::optional<LoopNest> contraction_nest(const Whole& whole, const Contraction& c, const Isa& isa,
                                         const Blueprints& blueprints, Sharing sharing) {
  if (has_separate_sums(*whole.kernel)) return std::nullopt;
  if (const auto once = sharing == Sharing::functions ? fork_repeated(*whole.kernel) : std::nullopt)
    return with_nothing_repeated(whole, *once, isa, blueprints);
  std::vector<ThinProduct> thin;
  if (sharing == Sharing::functions && isa.vector_bits > 0) thin = thin_products(*whole.kernel, c);
  const auto first = find_if(thin, [](const ThinProduct& t) { return !t.holds; });
  const bool always = first != thin.end();
  if (always) thin.erase(first + 1, thin.end());        // never reached
  if (always && thin.size() == 1) return std::nullopt;  // plain loops are all there is
  std::optional<LoopNest> nest;
  if (always) {
    LoopNest loops = empty_nest(whole, isa);
    if (auto body = loops_of(thin.back(), isa, blueprints, loops)) {
      loops.body = described(thin.back().what, *std::move(body));
      nest = std::move(loops);
    }
    thin.pop_back();
  }
  if (!nest) {
    nest = lower_contraction(whole.kernel, isa, blueprints);
    if (nest && adds_along_depth(*nest)) std::erase_if(thin, [](const ThinProduct& t) { return t.along_depth; });
    if (nest && !thin.empty())
      nest->body = described("other shapes: packed panels, tiles in registers", std::move(nest->body));
  }
  for (size_t i = nest ? thin.size() : 0; i-- > 0;)
    if (auto body = loops_of(thin[i], isa, blueprints, *nest))
      nest->body = {s_if(size_number(thin[i].holds), described(thin[i].what, *std::move(body)), std::move(nest->body))};
  std::vector<WindowCase> windows;
  if (nest && sharing == Sharing::functions && isa.vector_bits > 0) windows = window_cases(*whole.kernel, c);
  for (size_t i = windows.size(); i-- > 0;) {
    const auto kernel = std::make_shared<const Kernel>(windows[i].kernel);
    const auto one = is_int(c.result)
                         ? contraction_nest({kernel, {}}, *find_contraction(*kernel), isa, blueprints, sharing)
                         : lower_contraction(kernel, isa, blueprints);
    if (!one) continue;
    LoopNest window = *one;
    window.body = described(windows[i].what, std::move(window.body));
    add_case(windows[i].holds, window, CaseWorkspace::common, *nest);
  }
  return nest;
}

/// Whether the product, or a case of it, is of words of four bytes at the level.
bool multiplies_words(const Kernel& kernel, const Isa& isa) {
  const auto c = multiplies_bytes(kernel, isa) ? std::nullopt : find_contraction(kernel);
  if (!c) return multiplies_bytes(kernel, isa);
  const std::vector<WindowCase> cases = is_int(c->result) ? window_cases(kernel, *c) : std::vector<WindowCase>();
  return any_of(cases, [&](const WindowCase& one) { return multiplies_bytes(one.kernel, isa); });
}

std::vector<std::optional<LoopNest>> lower_to(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                              const Blueprints& blueprints, Sharing sharing);

/// A level has a separate body if any part has one.
std::vector<std::optional<LoopNest>> lower_parts(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                                 const Blueprints& blueprints,
                                                 const std::vector<std::string>& repeated = {},
                                                 Sharing sharing = Sharing::none) {
  std::vector<std::vector<std::optional<LoopNest>>> parts;  // the kernels' names distinguish the functions of copies
  for (const Kernel& part : kernel.parts) parts.push_back(lower_to(levels, part, blueprints, sharing));
  const auto whole = std::make_shared<const Kernel>(kernel);
  std::vector<std::optional<LoopNest>> out(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    std::vector<LoopNest> nests;
    bool own = i == 0;
    const auto base = find_if(levels, [&](const Isa* l) { return l->name == levels[i]->base; });
    const size_t below = base == levels.end() ? 0 : static_cast<size_t>(base - levels.begin());
    for (const auto& part : parts) {
      own = own || part[i];
      nests.push_back(part[i] ? *part[i] : part[below] ? *part[below] : *part[0]);
    }
    if (own) out[i] = join_parts(whole, nests, *levels[i], repeated);
  }
  return out;
}

/// Whether the definition asks for fused multiplications, which round once at this level, also without vectors.
bool fuses(const Kernel& kernel, const Isa& isa) { return isa.fma && applies(kernel, ScalarOp::Fma); }

bool checks_with_vectors(const Kernel& kernel, const Isa& isa) { return !checks_of(kernel, isa).functions.empty(); }

/// A kernel as one, by tiles or loops.
std::vector<std::optional<LoopNest>> lower_whole(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                                 const Blueprints& blueprints, Sharing sharing) {
  const auto contraction = kernel.call ? std::nullopt : find_contraction(kernel);
  const bool contracts = contraction.has_value();
  const Whole whole{std::make_shared<const Kernel>(kernel), contracts ? std::nullopt : chain_of(kernel),
                    steps_of(kernel)};
  Prepared prepared(kernel, sharing);
  std::vector<std::optional<LoopNest>> out(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    const Isa& isa = *levels[i];
    if (i > 0 && (isa.vector_bits == 0 || (kernel.call && !differs_at(*kernel.call, isa)))) continue;
    if (i > 0 && !isa.base.empty() && !(contracts && multiplies_words(kernel, isa))) continue;
    if (kernel.call) out[i] = lower_frame(whole.kernel, isa);
    else if (contracts) out[i] = contraction_nest(whole, *contraction, isa, blueprints, sharing);
    else out[i] = lower_winograd(whole.kernel, isa, blueprints);
    if (out[i]) continue;
    const PlannedCase planned = plan(prepared.of(isa), isa, blueprints);
    if (i == 0 || contracts || planned.vectors() || fuses(kernel, isa) || checks_with_vectors(kernel, isa))
      out[i] = nest_of(whole, planned, isa, blueprints);
  }
  return out;
}

/// Drops the bodies of levels without vectors.
std::vector<std::optional<LoopNest>> with_vectors(std::vector<std::optional<LoopNest>> nests,
                                                  const std::vector<const Isa*>& levels) {
  for (size_t i = 0; i < levels.size(); ++i)
    if (levels[i]->vector_bits == 0) nests[i].reset();
  return nests;
}

/// Bodies for a case, at levels that have such.
void add_bodies(const Expr& holds, std::string_view what, std::vector<std::optional<LoopNest>> bodies,
                std::vector<std::optional<LoopNest>>& nests) {
  for (size_t i = 0; i < nests.size(); ++i) {
    if (!nests[i] || !bodies[i]) continue;
    bodies[i]->body = described(what, std::move(bodies[i]->body));
    add_case(holds, *bodies[i], CaseWorkspace::by_call, *nests[i]);
  }
}

/// Products of complex numbers, with plain loops for the shapes where they are faster. `loops`: one per level; a level
/// without its own body uses that of the first.
void add_loops_if_thin(std::vector<std::optional<LoopNest>>& products, std::vector<std::optional<LoopNest>> loops,
                       const ComplexProduct& of) {
  for (size_t i = 0; i < products.size(); ++i) {
    if (!loops[i]) loops[i] = loops[0];
    if (!products[i]) continue;
    products[i]->body =
        described("more columns: one product of the real and imaginary halves", std::move(products[i]->body));
  }
  add_bodies(of.thin, "one column: complex numbers as they are", std::move(loops), products);
}

/// The same with loops whose vectors run along neighbours.
void add_neighbours(std::vector<std::optional<LoopNest>>& products, const std::vector<const Isa*>& levels,
                    const ComplexProduct& of, const Blueprints& blueprints) {
  for (const ComplexProduct::Neighbours& n : of.neighbours)
    add_bodies(n.holds, n.what, with_vectors(lower_whole(levels, n.kernel, blueprints, Sharing::none), levels),
               products);
}

/// Convolutions whose windows have one element each, with steps between them, at levels with vectors.
void add_copied_elements(std::vector<std::optional<LoopNest>>& nests, const std::vector<const Isa*>& levels,
                         const Kernel& kernel, const Blueprints& blueprints) {
  const auto copied = copied_elements(kernel);
  const auto apart = copied ? products_of_temps(copied->kernel) : std::nullopt;
  if (!apart) return;
  auto products = lower_parts(levels, apart->kernel, blueprints, apart->repeated);
  add_bodies(copied->holds, copied->what, with_vectors(std::move(products), levels), nests);
}

/// Gradients of taps of windows, one filter a group, at levels with vectors.
void add_tap_sums(std::vector<std::optional<LoopNest>>& nests, const std::vector<const Isa*>& levels,
                  const Kernel& kernel, const Blueprints& blueprints) {
  for (const WindowCase& one : tap_sums(kernel))
    add_bodies(one.holds, one.what, with_vectors(lower_parts(levels, one.kernel, blueprints), levels), nests);
}

/// Nests that were lowered from another form of the kernel.
std::vector<std::optional<LoopNest>> bodies_of(const Kernel& kernel, std::vector<std::optional<LoopNest>> nests) {
  const auto whole = std::make_shared<const Kernel>(kernel);
  for (std::optional<LoopNest>& nest : nests)
    if (nest) nest->kernel = whole;
  return nests;
}

/// Bodies of a kernel in a model: of the case of sums over taps that its extents are, at levels with vectors.
std::vector<std::optional<LoopNest>> known_case(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                                const Blueprints& blueprints, Sharing sharing) {
  for (const WindowCase& one : tap_sums(kernel)) {
    if (constant_value(simplify(one.holds)) != 1) continue;
    auto out = bodies_of(kernel, with_vectors(lower_parts(levels, one.kernel, blueprints), levels));
    if (any_of(out, [](const auto& nest) { return !nest; })) {
      auto whole = lower_whole(levels, kernel, blueprints, sharing);
      for (size_t i = 0; i < out.size(); ++i)
        if (levels[i]->vector_bits == 0) out[i] = std::move(whole[i]);
    }
    return out;
  }
  return lower_whole(levels, kernel, blueprints, sharing);
}

/// Bodies of a kernel in a library for cases of it, each of which is tested before those that it follows.
std::vector<std::optional<LoopNest>> with_cases(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                                const SteppedSums& by, const Blueprints& blueprints) {
  auto out = lower_to(levels, *by.otherwise, blueprints, Sharing::functions);
  for (const WindowCase& one : by.cases)
    add_bodies(one.holds, one.what, lower_to(levels, one.kernel, blueprints, Sharing::functions), out);
  return bodies_of(kernel, std::move(out));
}

std::vector<std::optional<LoopNest>> lower_to(const std::vector<const Isa*>& levels, const Kernel& kernel,
                                              const Blueprints& blueprints, Sharing sharing) {
  if (!kernel.parts.empty()) return lower_parts(levels, kernel, blueprints);
  if (const auto apart = chain_and_rest(kernel))
    return bodies_of(kernel, lower_parts(levels, *apart, blueprints, {}, sharing));
  if (sharing != Sharing::functions) return known_case(levels, kernel, blueprints, sharing);
  if (fork_repeated(kernel)) return bodies_of(kernel, lower_whole(levels, split_repeats(kernel), blueprints, sharing));
  if (const auto stored = fork_stored(kernel))
    return with_cases(levels, kernel, {stored->otherwise, {{stored->holds, stored->then}}}, blueprints);
  if (const SteppedSums sums = stepped_sums(kernel); sums.otherwise)
    return with_cases(levels, kernel, sums, blueprints);
  auto apart = scattered_products(kernel);
  if (!apart) apart = gathered_products(kernel);
  if (apart) return bodies_of(kernel, lower_parts(levels, apart->kernel, blueprints, apart->repeated));
  auto out = lower_whole(levels, kernel, blueprints, sharing);
  add_copied_elements(out, levels, kernel, blueprints);
  add_tap_sums(out, levels, kernel, blueprints);
  const auto product = complex_products(kernel);
  if (!product) return out;
  auto halves = lower_parts(levels, product->kernel, blueprints);
  add_loops_if_thin(halves, std::move(out), *product);
  add_neighbours(halves, levels, *product, blueprints);
  return bodies_of(kernel, std::move(halves));
}

}  // namespace

bool gains(const Kernel& kernel, const Isa& isa) {
  if (isa.vector_bits == 0 || kernel.call) return false;
  if (!kernel.parts.empty()) return any_of(kernel.parts, [&](const Kernel& p) { return gains(p, isa); });
  return find_contraction(kernel) || fuses(kernel, isa) || checks_with_vectors(kernel, isa) ||
         plan(prepare(kernel, isa, Sharing::none), isa, Blueprints{}).vectors();
}

bool has_level_of_its_own(const Kernel& kernel, const Isa& isa) {
  if (isa.base.empty()) return true;
  if (!kernel.parts.empty()) return any_of(kernel.parts, [&](const Kernel& p) { return has_level_of_its_own(p, isa); });
  return !kernel.call && multiplies_words(kernel, isa);
}

LoopNest lower_kernel(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa) {
  return order_late(*std::move(lower_to({&isa}, kernel, blueprints, Sharing::none)[0]), isa);
}

LoopNest library_nest(const Kernel& kernel, const Blueprints& blueprints, const Isa& isa) {
  return *std::move(lower_levels(kernel, blueprints, {&isa})[0]);
}

std::vector<std::optional<LoopNest>> lower_levels(const Kernel& kernel, const Blueprints& blueprints,
                                                  const std::vector<const Isa*>& levels) {
  auto out = lower_to(levels, kernel, blueprints, Sharing::functions);
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i]) out[i] = order_late(*std::move(out[i]), *levels[i]);
  return out;
}

}  // namespace tenon
