// Finds the contraction of a kernel, the schedule that it follows, and the nest that they give.
#include "lower/contraction/lower_contraction.h"

#include <fmt/format.h>

#include "algebra/pair_depth.h"
#include "lower/contraction/contraction_builder.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rows that a column of a transposed tile has in one vector: the tile's, or the largest power of two that they are a
/// multiple of.
int transposed_rows(const Blueprint& blueprint, int height) {
  const int rows = height > blueprint.tile_rows ? blueprint.known_rows : blueprint.tile_rows;
  return rows & -rows;
}

/// The filters of a stencil with filters that all read the same pixels become columns where there are no vectors along
/// the pixels: tiles of them use what they load more often.
Contraction with_filters(const Kernel& kernel, Contraction c, const Isa& isa) {
  const auto apart = [&](const LoopVar& v) {
    return mentions(c.left, v.name) || constant_value(v.extent).value_or(1) == 1;
  };
  const auto filter = std::find_if_not(c.outer_right.begin(), c.outer_right.end(), apart);
  if (!c.is_stencil() || isa.lanes(c.accumulator) > 1 || filter == c.outer_right.end() ||
      !flat_outside(kernel, c, c.rows))
    return c;
  c.columns = {*filter};
  c.outer_right.erase(filter);
  return c;
}

/// A stencil's pixels split into rows and, along the vectors, columns.
Contraction with_columns(Contraction c) {
  if (!c.is_stencil()) return c;
  c.columns = {c.rows.back()};
  c.rows.pop_back();
  c.transposed = false;
  return c;
}

/// The contraction over words of the narrowest numbers that the level multiplies several of at once; or nothing.
std::optional<Contraction> by_words(const Kernel& kernel, const Contraction& c, const Isa& isa) {
  const int lanes = isa.lanes(c.accumulator);
  for (const auto& [row, bytes] :
       {std::pair{"dot4_unsigned", LeftBytes::Unsigned}, std::pair{"dot4", LeftBytes::Signed}})
    if (isa.row(row, c.accumulator, lanes))
      if (auto quads = quad_depth(kernel, c, bytes)) return quads;
  return isa.row("dot2", c.accumulator, lanes) ? pair_depth(kernel, c) : std::nullopt;
}

LoopNest finished_nest(LoopNest nest, ContractionBuilder& b, Block body) {
  nest.blueprint = b.blueprint.name;
  nest.buffers = std::move(b.buffers);
  nest.functions = std::move(b.functions);
  nest.body = std::move(body);
  return nest;
}

}  // namespace

ContractionBuilder start_contraction(const Kernel& kernel, const Isa& isa, const Blueprint& blueprint,
                                     const Contraction& c) {
  ContractionBuilder b{kernel, isa, blueprint, c};
  b.scope.kernel = &kernel;
  b.right_type = c.accumulator;
  for (size_t t = 0; t < kernel.tensors.size(); ++t) {
    const Tensor& x = kernel.tensors[t];
    b.buffers.push_back({x.name, x.dtype, Storage::Tensor, static_cast<int>(t), nullptr, x.role == Role::Output});
    b.taken.insert(x.name);
  }
  for (const Size& s : kernel.sizes) b.taken.insert(s.name);
  for (const Attr& a : kernel.attrs) b.taken.insert(a.name);
  for (const auto* vars : {&c.statement->loops, &c.depth})
    for (const LoopVar& v : *vars) b.taken.insert(v.name);
  for (const auto* vars : {&c.outer_right, &c.outer_left})
    for (const LoopVar& v : *vars) b.scope.vars[v.name] = v_var(v.name);
  return b;
}

bool multiplies_bytes(const Kernel& kernel, const Isa& isa) {
  const bool bytes = any_of(kernel.tensors, [](const Tensor& t) { return t.dtype == DType::I8; });
  const auto c = bytes ? find_contraction(kernel) : std::nullopt;
  const auto words = c ? by_words(kernel, *c, isa) : std::nullopt;
  return words && words->word_numbers == 4;
}

std::optional<LoopNest> lower_contraction(const std::shared_ptr<const Kernel>& kernel, const Isa& isa,
                                          const Blueprints& blueprints) {
  const Kernel k = bounded_exponents(*kernel);
  auto found = find_contraction(k);
  if (!found) return std::nullopt;
  found = with_filters(k, std::move(*found), isa);
  const Blueprint* blueprint = find_blueprint(k, *found, isa, blueprints);
  if (!blueprint) return std::nullopt;
  const auto words = by_words(k, *found, isa);
  const Contraction c = words ? *words : with_columns(*found);
  LoopNest nest;
  nest.name = fmt::format("{}_{}", kernel->name, isa.suffix);
  nest.isa = isa.name;
  nest.kernel = kernel;
  if (const Blueprint* lines = blueprints.find("filter_lines", isa, c.accumulator)) {
    ContractionBuilder b = start_contraction(k, isa, *lines, c);
    Block body = filter_lines_body(b);
    if (b.possible) return finished_nest(std::move(nest), b, std::move(body));
  }
  const Blueprint even = fit_tiles(*blueprint, k, c, isa);
  ContractionBuilder b = start_contraction(k, isa, even, c);
  b.transposed_rows = transposed_rows(*blueprint, even.tile_rows);
  b.pixels_along_columns = found->is_stencil();
  if (c.windows && c.word_numbers == 4) b.staged_as = k.tensor(byte_read(c.left)->tensor).dtype;
  Block body = found->is_stencil() ? stencil_body(b) : contraction_body(b);
  return b.possible ? std::optional(finished_nest(std::move(nest), b, std::move(body))) : std::nullopt;
}

}  // namespace tenon
