// Rewrites the sides of a contraction of bytes from numbers to words of four.

#include "algebra/pair_depth.h"
#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

DType type_of(const Kernel& kernel, const Read& read) { return kernel.tensor(read.tensor).dtype; }

/// Whether a constant right side stores groups of four after its pairs.
bool has_quads(const Kernel& kernel, const Read& read, const Contraction& c, int64_t quad_rows) {
  const Tensor& t = kernel.tensor(read.tensor);
  const Read* pairs = nullptr;
  BytePanel panel{1, quad_rows};
  for (const LoopVar& v : c.depth) {
    const auto n = constant_value(v.extent);
    const bool paired = paired_panels(c.right, v.name) != nullptr;
    if (paired) pairs = &read;
    panel.pair_rows *= !n ? 0 : paired ? (*n + 1) / 2 : *n;
  }
  return pairs && constant_value(t.dims[2]) == panel.rows() && constant_value(t.dims[3]) == BytePanel::kColumns;
}

/// Element 4v + k of the right side, or 0 past the last, at its position in a word.
Expr quarter(const Expr& side, const LoopVar& v, const Expr& last, int k) {
  const Expr at = var_ref(v.name) * constant_int(4) + constant_int(k);
  Expr number = cast_to(substitute(side, {{v.name, last ? apply(ScalarOp::Min, {at, last}) : at}}), DType::I32);
  if (last && k > 0) number = select(apply(ScalarOp::Le, {at, last}), number, constant_int(0, DType::I32));
  if (k < 3) number = apply(ScalarOp::BitAnd, {number, constant_int(0xff, DType::I32)});
  return k == 0 ? number : apply(ScalarOp::Shl, {number, constant_int(8 * k, DType::I32)});
}

Expr word_of_quarters(const Expr& side, const LoopVar& v, const Expr& last) {
  Expr word = quarter(side, v, last, 0);
  for (int k = 1; k < 4; ++k) word = apply(ScalarOp::BitOr, {word, quarter(side, v, last, k)});
  return word;
}

}  // namespace

void take_left_bytes(Contraction& c, DType left, LeftBytes bytes) {
  c.unsigned_left = bytes == LeftBytes::Unsigned;
  const bool is_unsigned = left == DType::U8;
  if (is_unsigned != c.unsigned_left) c.left_offset = is_unsigned ? -128 : 128;
}

std::optional<size_t> quad_variable(const Kernel& kernel, const Contraction& c, const Read& left) {
  const auto walked =
      variable_of_words(c.depth, 4, [&](const LoopVar& v) { return walks_one_dimension(left, v.name); });
  if (walked) return walked;
  return variable_of_words(c.depth, 4, [&](const LoopVar& v) { return slides_by_one(kernel, c, left, v); });
}

const Read* byte_read(const Expr& side) {
  const Read* read = plain_read(side);
  Expr e = side;
  bool signed_all = true, wide = true;
  for (const auto* a = std::get_if<Apply>(&e->node); a && a->op == ScalarOp::Cast; a = std::get_if<Apply>(&e->node)) {
    signed_all = signed_all && is_signed_int(e->type);
    wide = wide && is_int(e->type) && bytes_of(e->type) > 1;
    e = a->args[0];
  }
  if (!read || !wide) return nullptr;
  return e->type == DType::U8 || (e->type == DType::I8 && signed_all) ? read : nullptr;
}

std::optional<Contraction> quad_depth(const Kernel& kernel, const Contraction& c, LeftBytes bytes) {
  if (c.accumulator != DType::I32 || c.is_stencil()) return std::nullopt;
  const Read *left = byte_read(c.left), *right = byte_read(c.right);
  if (!left || !right || right->fill || type_of(kernel, *right) != DType::I8) return std::nullopt;
  const auto chosen = quad_variable(kernel, c, *left);
  if (!chosen) return std::nullopt;
  const bool packed = any_of(c.depth, [&](const LoopVar& d) { return paired_panels(c.right, d.name) != nullptr; });
  Contraction out = c;
  LoopVar& v = out.depth[*chosen];
  const auto n = constant_value(v.extent);
  out.pair_last = n && *n % 4 == 0 ? nullptr : simplify(v.extent - constant_int(1));
  out.left = substitute(c.left, {{v.name, var_ref(v.name) * constant_int(4)}});
  out.low_halves = walks_one_dimension(*left, v.name);
  out.windows = !out.low_halves;
  if (!packed) out.right_numbers = c.right, out.right = word_of_quarters(c.right, v, out.pair_last);
  v.extent = n ? constant_int((*n + 3) / 4) : apply(ScalarOp::FloorDiv, {v.extent + constant_int(3), constant_int(4)});
  if (packed) {
    int64_t rows = 1;
    for (const LoopVar& d : out.depth) rows *= constant_value(d.extent).value_or(0);
    if (!has_quads(kernel, *right, c, rows)) return std::nullopt;
  }
  out.paired = v.name;
  out.word_numbers = 4;
  take_left_bytes(out, type_of(kernel, *left), bytes);
  return out;
}

}  // namespace tenon
