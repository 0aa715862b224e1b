// Planes of short rows in a stencil: vectors run over whole planes, and several planes make a strip.
#include <algorithm>

#include "lower/contraction/contraction_staging.h"
#include "lower/contraction/stencil_strip.h"

namespace tenon {
namespace {

/// Elements from one plane to the next, where several make a strip.
bool place_planes(ContractionBuilder& b, const LeftAccess& left, ShortRows& p) {
  if (b.planes == 1) return true;
  const LoopVar& plane = b.c.rows[0];
  const Read& weights = *plain_read(b.c.right);
  std::vector<LoopVar> vars = b.c.depth;
  vars.push_back(plane);
  const auto form = offset_form(weights.tensor, weights.index, vars, b.scope);
  const auto weight_step = form ? constant_value(form->coefficient(plane.name)) : std::nullopt,
             step = constant_value(left.row_coefficients.at(plane.name));
  p.planes = b.planes;
  p.plane_step = step.value_or(0);
  p.weight_step = weight_step.value_or(0);
  return step && weight_step;
}

/// Vectors of a plane for which there are registers, next to its taps where these have theirs.
int64_t most_vectors(const ContractionBuilder& b, const LeftAccess& left) {
  const auto taps = static_cast<int64_t>(left.taps.size());
  return taps == 0 ? b.blueprint.tile_rows : b.isa.vector_registers - taps - kForPixels;
}

/// The line as a plane of one row; equal parts of it where it has more vectors than there are registers for.
std::optional<ShortRows> line_as_plane(ContractionBuilder& b, const LeftAccess& left) {
  const auto columns = constant_value(b.extent_of(b.c.columns));
  const int64_t lanes = b.lanes(), most = std::min<int64_t>(most_vectors(b, left), b.blueprint.tile_rows),
                all = columns ? (*columns + lanes - 1) / lanes : most;
  if (most < 1 || all < 1) return std::nullopt;
  const int64_t vectors = even_height(all, most), pixels = columns && all == vectors ? *columns : vectors * lanes;
  ShortRows out{1, pixels, pixels, static_cast<int>(vectors)};
  const bool fits = b.planes == 1 || all == vectors;
  return fits && place_planes(b, left, out) ? std::optional(out) : std::nullopt;
}

/// The innermost loop that steps from plane to plane, in its list; the list's end if there is none.
struct PlaneLoop {
  std::vector<LoopVar>& loops;
  std::vector<LoopVar>::iterator at;
};
PlaneLoop plane_loop(ContractionBuilder& b) {
  const auto steps = [&](const LoopVar& v) { return constant_value(b.extent(v)) != 1; };
  const auto last = [&](std::vector<LoopVar>& loops) {
    const auto found = std::find_if(loops.rbegin(), loops.rend(), steps);
    return found == loops.rend() ? loops.end() : std::prev(found.base());
  };
  if (const auto left = last(b.c.outer_left); left != b.c.outer_left.end()) return {b.c.outer_left, left};
  return {b.c.outer_right, last(b.c.outer_right)};
}

}  // namespace

std::optional<int64_t> pixel_stride(const ContractionBuilder& b, const LeftAccess& left) {
  const auto stride = left.buffer < 0 ? std::nullopt : constant_value(left.row_coefficients.at(b.c.columns[0].name));
  return stride && (*stride == 1 || *stride == 2) ? stride : std::nullopt;
}

std::optional<ShortRows> short_rows(ContractionBuilder& b, const LeftAccess& left) {
  const auto stride = pixel_stride(b, left);
  if (!stride || b.lanes() == 1 || (b.band_first && b.planes == 1)) return std::nullopt;
  if (is_line(b)) return line_as_plane(b, left);
  if (b.c.rows.size() != (b.planes > 1 ? 2u : 1u)) return std::nullopt;
  const LoopVar& along = b.c.rows.back();
  const auto rows = constant_value(b.extent(along)), columns = constant_value(b.extent_of(b.c.columns));
  const auto row_step = constant_value(left.row_coefficients.at(along.name));
  if (!rows || !columns || !row_step || *rows < 1 || *row_step % *stride != 0 || *row_step / *stride < *columns)
    return std::nullopt;
  const int64_t lanes = b.lanes(), pitch = *row_step / *stride,
                vectors = ((*rows - 1) * pitch + *columns + lanes - 1) / lanes;
  const int64_t along_rows = *rows * ((*columns + lanes - 1) / lanes);
  if (vectors * 4 > along_rows * 3 || vectors > most_vectors(b, left) ||
      !flat_outside(b.kernel, b.c, {along, b.c.columns[0]}))
    return std::nullopt;
  ShortRows out{*rows, *columns, pitch, static_cast<int>(vectors)};
  return place_planes(b, left, out) ? std::optional(out) : std::nullopt;
}

void take_planes(ContractionBuilder& b, int planes) {
  const PlaneLoop loop = plane_loop(b);
  b.planes = b.band_rows = planes;
  b.band_first = v_var(b.local("first_plane"));
  b.scope.vars.erase(loop.at->name);
  b.c.rows.insert(b.c.rows.begin(), *loop.at);
  loop.loops.erase(loop.at);
}

std::optional<ShortRows> try_planes(ContractionBuilder b, int planes) {
  if (planes > 1) take_planes(b, planes);
  Block before, staging;
  const LeftAccess left = stage_pixels(b, before, staging);
  return b.possible ? short_rows(b, left) : std::nullopt;
}

int planes_a_strip(ContractionBuilder& b) {
  const auto plane = try_planes(b, 1);
  const PlaneLoop loop = plane_loop(b);
  const auto all = plane && loop.at != loop.loops.end() ? constant_value(b.extent(*loop.at)) : std::nullopt;
  if (!all || *all < 1) return 1;
  // of planes, at least as many sums as a strip has rows, where those and a weight each have registers
  const int rows = b.blueprint.tile_rows + (is_line(b) ? 0 : plane->vectors - 1);
  int planes = std::max(1, rows / plane->vectors);
  while (planes > 1 && (*all % planes != 0 || planes * (plane->vectors + 1) > b.isa.vector_registers)) --planes;
  return planes > 1 && try_planes(b, planes) ? planes : 1;
}

}  // namespace tenon
