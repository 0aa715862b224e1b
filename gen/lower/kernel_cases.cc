// Lowering up to statement generation: parts, forks, kernel passes, loop trees, tree passes.
#include "lower/kernel_cases.h"

#include <utility>

#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/build_loops.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The target that a case is prepared for.
struct Preparing {
  const Isa& isa;
  Sharing sharing;
  const LoweringPasses& passes;

  Preparing on(const Isa& other) const { return {other, sharing, passes}; }
};

KernelCase prepare_case(const Kernel& kernel, const Preparing& by);

/// Updates in place have separate loops. They are lowered separately, so that forks of preceding statements do not
/// duplicate them.
std::vector<Kernel> parts_of(const Kernel& k) {
  std::vector<Kernel> out;
  const bool temps = any_of(k.tensors, [](const Tensor& t) { return t.role == Role::Temp; });
  for (const KernelStatement& s : k.body) {
    if (out.empty() || (!temps && s.update != Update::Assign)) {
      out.push_back(k);
      out.back().body.clear();
    }
    out.back().body.push_back(s);
  }
  return out;
}

KernelCase after_passes(Kernel kernel, const LoweringPasses& passes, bool vectors) {
  KernelCase out;
  out.kernel = std::move(kernel);
  for (const KernelPass& pass : passes.kernel) out.kernel = pass.run(out.kernel);
  if (!passes.loops) return out;
  out.tree = build_loops(out.kernel);
  join_scatters(out.kernel, out.tree);
  block_recurrences(out.kernel, out.tree);
  out.by_vectors = block_lines(out.kernel, out.tree, vectors);
  out.streams_rows = stream_rows(out.kernel, out.tree);
  return out;
}

KernelCase prepare_part(Kernel part, const Preparing& by);

/// `simple`: after simplify_kernel.
KernelCase prepare_simple(Kernel simple, const Preparing& by) {
  if (std::vector<Kernel> parts = parts_of(simple); parts.size() > 1) {
    KernelCase out;
    for (Kernel& part : parts) out.parts.push_back(prepare_part(std::move(part), by));
    return out;
  }
  const auto fork = next_fork(simple, by.isa);
  if (!fork) simple = place_maxima(simple);
  if (!fork && by.isa.vector_bits != 0 && divides_integers(simple)) simple = quotients_by_floats(simple);
  if (!fork) return after_passes(std::move(simple), by.passes, by.isa.vector_bits != 0);
  KernelCase out;
  out.kernel = std::move(simple);
  out.holds = fork->holds;
  out.fork = *fork;
  const Isa scalars = without_vectors(by.isa);
  out.then = std::make_unique<KernelCase>(prepare_case(fork->then, by));
  if (fork->streams_rows && by.passes.loops && !out.then->streams_rows) return prepare_case(fork->otherwise, by);
  out.otherwise =
      std::make_unique<KernelCase>(prepare_case(fork->otherwise, by.on(fork->otherwise_scalar ? scalars : by.isa)));
  out.streams_rows = out.then->streams_rows || out.otherwise->streams_rows;
  return out;
}

KernelCase prepare_part(Kernel part, const Preparing& by) {
  std::optional<WholeCopy> copy = by.sharing == Sharing::functions ? whole_copy(part) : std::nullopt;
  if (!copy) return prepare_simple(std::move(part), by);
  KernelCase out = prepare_case(copy->kernel, by);
  out.copy = std::move(copy);
  return out;
}

KernelCase prepare_case(const Kernel& kernel, const Preparing& by) {
  return prepare_simple(simplify_kernel(kernel), by);
}

/// Whether some loop is one of vectors, or in a shape that `counts`.
bool has_vectors(const Tree& tree, bool (*counts)(const LoopShape&) = nullptr) {
  return any_of(tree, [&](const TreeNode& n) {
    if (std::holds_alternative<TreeTranspose>(n.node)) return true;
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return l && (l->shape.lanes > 1 || (counts && counts(l->shape)) || has_vectors(l->body, counts));
  });
}

/// Rows side by side, each along a line.
bool is_side_by_side(const LoopShape& s) { return s.lanes == 1 && s.parts > 1; }

/// By vectors for which a few excess lanes cost nothing: long ones with masks for the end of a line.
bool finds_every_window(const KernelCase& c, const Isa& isa) {
  const auto type = c.holds ? std::nullopt : every_window(c.kernel);
  return type && isa.lanes(*type) >= 8 && isa.row("load_masked", *type, isa.lanes(*type));
}

}  // namespace

Isa without_vectors(Isa isa) {
  isa.vector_bits = 0;
  return isa;
}

KernelCase prepare(const Kernel& kernel, const Isa& isa, Sharing sharing, const LoweringPasses& passes) {
  return prepare_case(kernel, {isa, sharing, passes});
}

KernelCase prepare_unforked(const Kernel& kernel) { return after_passes(simplify_kernel(kernel), {}, false); }

const KernelCase& Prepared::of(const Isa& isa) {
  std::shared_ptr<const KernelCase>& mine = isa.vector_bits == 0 ? scalars_ : vectors_;
  const std::shared_ptr<const KernelCase>& other = isa.vector_bits == 0 ? vectors_ : scalars_;
  if (mine) return *mine;
  if (!simple_) {
    Kernel body = kernel_;
    body.checks.clear();  // what a kernel asks first comes before its cases
    simple_ = simplify_kernel(body);
  }
  const bool same = other && other->parts.empty() && !other->holds && !other->by_vectors && !next_fork(*simple_, isa) &&
                    !divides_integers(*simple_);
  mine = same ? other : std::make_shared<const KernelCase>(prepare_simple(*simple_, {isa, sharing_, {}}));
  return *mine;
}

bool PlannedCase::vectors() const {
  if (!parts.empty()) return any_of(parts, [](const PlannedCase& p) { return p.vectors(); });
  if (!of->holds) return has_vectors(tree.body);
  return then->vectors() || (!of->fork.otherwise_scalar && otherwise->vectors());
}

PlannedCase plan(const KernelCase& c, const Isa& isa, const Blueprints& blueprints, std::span<const TreePass> passes) {
  PlannedCase out{&c, c.copy ? &*c.copy : nullptr, c.tree, nullptr, nullptr, {}};
  for (const KernelCase& part : c.parts) out.parts.push_back(plan(part, isa, blueprints, passes));
  if (!out.parts.empty()) return out;
  if (!c.holds) {
    for (const TreePass& pass : passes) pass.run({c.kernel, isa, blueprints}, out.tree);
    return out;
  }
  const Isa scalars = without_vectors(isa);
  out.then = std::make_unique<PlannedCase>(plan(*c.then, isa, blueprints, passes));
  out.otherwise =
      std::make_unique<PlannedCase>(plan(*c.otherwise, c.fork.otherwise_scalar ? scalars : isa, blueprints, passes));
  const auto joins = [](const TreeNode& n) {
    const auto* l = std::get_if<TreeLoop>(&n.node);
    return l && l->rows > 1;
  };
  const Tree& then = out.then->tree.body;
  const bool of_use = c.fork.joins_rows     ? any_of(then, joins)
                      : c.fork.near_windows ? finds_every_window(*c.then, isa)
                                            : out.then->vectors() || has_vectors(then, is_side_by_side);
  if (!c.fork.for_speed || of_use) return out;
  PlannedCase rest = std::move(*out.otherwise);
  rest.copy = out.copy;
  return rest;
}

}  // namespace tenon
