// Finds the neighbourhood that a contraction reads around its rows: the dimensions of the copy that is made of it.

#include "algebra/simplify.h"
#include "lower/contraction/contraction_staging.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether an index is a loop that ends within the tensor: padding after the last element makes a loop longer than its
/// dimension.
bool ends_inside(const ContractionBuilder& b, const Expr& index, const Expr& dim) {
  const auto* var = std::get_if<VarRef>(&index->node);
  if (!var) return false;
  for (const auto* vars : {&b.c.outer_left, &b.c.outer_right, &b.c.rows, &b.c.columns, &b.c.depth})
    for (const LoopVar& v : *vars) {
      if (v.name != var->name) continue;
      const auto extent = constant_value(v.extent), most = constant_value(dim);
      return extent && most ? *extent <= *most : same(v.extent, dim);
    }
  return false;
}

/// Smallest index and number of indices that a form takes over its variables.
void bound(Staging& s, StagedDim& d) {
  ContractionBuilder& b = s.b;
  d.lo = d.form.rest;
  d.extent = v_int(1);
  for (const LoopVar& v : staged_vars(b)) {
    const Operand by = d.form.coefficient(v.name);
    if (constant_value(by) == 0) continue;
    const bool band = b.band_first && v.name == b.c.rows[0].name;
    const Operand last = band ? v_int(b.band_rows - 1) : b.extent(v) - v_int(1);
    if (band) d.lo = d.lo + by * b.band_first;
    const auto known = constant_value(by);
    const Operand up = known ? v_int(*known > 0 ? *known : 0) : larger(by, v_int(0));
    const Operand down = known ? v_int(*known < 0 ? -*known : 0) : larger(v_int(0) - by, v_int(0));
    d.extent = d.extent + (up + down) * last;
    if (constant_value(down) != 0) d.lo = d.lo - down * last;
  }
  const bool one_step =
      !b.band_first && d.form.coefficients.size() == 1 && constant_value(d.form.coefficients.begin()->second) == 1;
  if (one_step)
    d.extent = b.extent([&] {
      for (const LoopVar& v : staged_vars(b))
        if (constant_value(d.form.coefficient(v.name)) != 0) return v;
      TENON_UNREACHABLE("a staged dimension without variables");
    }());
  else d.extent = larger(d.extent, v_int(0));
  d.guarded = (!one_step && !walks_planes(b, d)) || constant_value(d.form.rest) != 0 ||
              (s.read.fill && !ends_inside(b, s.read.index[d.dim], s.tensor().dims[d.dim]));
}

/// Whether all numbers that words are made of are within dimension `d`; a read without padding has no others.
bool pairs_inside(const Staging& s, size_t d) {
  if (!s.read.fill) return true;
  const Contraction& c = s.b.c;
  const auto dim = constant_value(s.tensor().dims[d]);
  const auto paired = find_if(c.depth, [&](const LoopVar& v) { return v.name == c.paired; });
  const auto words = constant_value(paired->extent), last = c.pair_last ? constant_value(c.pair_last) : std::nullopt;
  if (c.pair_last)
    return dim && last ? *last < *dim : same(c.pair_last, simplify(s.tensor().dims[d] - constant_int(1)));
  return dim && words && *words * c.word_numbers <= *dim;
}

/// A dimension that one variable traverses with a step: the copy has only the elements at these steps.
void skip_steps(StagedDim& d) {
  if (d.form.coefficients.size() != 1 || constant_value(d.form.rest) != 0) return;
  Operand& by = d.form.coefficients.begin()->second;
  d.scale = std::max<int64_t>(1, constant_value(by).value_or(1));
  if (d.scale > 1) by = v_int(1);
}

/// Makes each line of pixels along a stencil's vectors start with whole vectors of padding, so that the middle tap
/// reads aligned vectors: unaligned ones cross cache lines, all of them with 512 bits.
void align_lines(Staging& s) {
  ContractionBuilder& b = s.b;
  const int64_t lanes = b.lanes();
  const bool plain = b.pixels_along_columns && b.planes == 1 && !b.c.rows.empty() && !b.staged_as && !b.c.windows;
  if (!plain || lanes == 1 || s.dims.empty() || s.pair_step) return;
  StagedDim& d = s.dims.back();
  const auto lo = constant_value(d.lo), extent = constant_value(d.extent),
             columns = constant_value(b.extent_of(b.c.columns));
  const bool dense = constant_value(d.form.coefficient(b.c.columns.back().name)) == 1;
  if (!d.guarded || !dense || !lo || !extent || !columns || *columns < 2 * lanes) return;
  const int64_t lead = (*lo % lanes + lanes) % lanes, room = (*extent + lead + lanes - 1) / lanes * lanes;
  const bool meets = room * bytes_of(b.staged_type()) % kPage == 0;
  d.lo = v_int(*lo - lead);
  d.extent = v_int(room + (meets ? lanes : 0));
}

}  // namespace

bool stays_inside(const ContractionBuilder& b, const Expr& index, const Expr& dim) {
  if (ends_inside(b, index, dim)) return true;
  const auto at = constant_value(index), extent = constant_value(dim);
  return at && extent && *at >= 0 && *at < *extent;
}

bool walks_planes(const ContractionBuilder& b, const StagedDim& d) {
  return b.planes > 1 && d.form.coefficients.size() == 1 && constant_value(d.form.coefficient(b.c.rows[0].name)) == 1;
}

std::vector<LoopVar> pixel_vars(const ContractionBuilder& b) {
  return b.pixels_along_columns ? concat(b.c.rows, b.c.columns) : b.c.rows;
}

std::vector<LoopVar> staged_vars(const ContractionBuilder& b) { return concat(pixel_vars(b), b.c.depth); }

bool plan_staging(Staging& s) {
  const auto channels = channel_dim(s.b, s.read);
  for (size_t d = 0; d < s.read.index.size(); ++d) {
    const auto form = affine_form(s.read.index[d], staged_vars(s.b), s.b.scope);
    if (!form) return false;
    StagedDim dim{d, *form, nullptr, nullptr, nullptr, false};
    if (dim.form.coefficients.empty()) {
      if (s.read.fill && !stays_inside(s.b, s.read.index[d], s.tensor().dims[d])) return false;
      s.fixed.push_back(dim.form.rest);
      continue;
    }
    if (s.b.c.low_halves && mentions(s.read.index[d], s.b.c.paired)) {
      if (!pairs_inside(s, d)) return false;
      dim.scale = s.b.c.word_numbers;
      dim.form.coefficients = {{s.b.c.paired, v_int(1)}};
      s.pair_step = s.stride_of(d);
    }
    if (channels && !s.read.fill) skip_steps(dim);
    bound(s, dim);
    dim.guarded = dim.guarded && dim.scale == 1;
    if (s.b.c.windows && mentions(s.read.index[d], s.b.c.paired)) {  // the other numbers of the last word
      dim.extent = dim.extent + v_int(s.b.c.word_numbers - 1);
      dim.guarded = true;
    }
    s.fixed.push_back(nullptr);
    s.dims.push_back(std::move(dim));
  }
  align_lines(s);
  s.channels_last = channels.has_value();
  if (channels)
    std::stable_partition(s.dims.begin(), s.dims.end(), [&](const StagedDim& d) { return d.dim != *channels; });
  Operand stride = v_int(1);
  for (size_t i = s.dims.size(); i-- > 0;) {
    s.dims[i].stride = stride;
    stride = stride * room_of(s, i);
  }
  // a stencil's vectors run past the last pixel of a line, in the end past the copy; the last strip along a line of any
  // length by nearly all its vectors
  const int vectors = !s.b.pixels_along_columns ? 0 : s.b.c.rows.empty() ? s.b.blueprint.tile_rows : 1;
  s.slack = 2 * s.b.lanes() * vectors;
  s.buffer = s.b.add_buffer("staged", s.b.staged_type(), Storage::Workspace, stride + v_int(s.slack));
  s.elements = stride;
  return !s.dims.empty();
}

}  // namespace tenon
