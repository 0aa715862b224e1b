// Rewrites the sides of a contraction from numbers to words of two.
#include "algebra/pair_depth.h"

#include <algorithm>

#include "algebra/normal_fills.h"
#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Bits of a signed number that holds every value of `e`; 64 where it is not known.
int bits_needed(const Expr& e) {
  const auto* a = std::get_if<Apply>(&e->node);
  if (a && a->op == ScalarOp::Cast && is_int(a->args[0]->type) && is_int(e->type)) {
    const int inner = bits_needed(a->args[0]), own = dtype_row(e->type).bits;
    return is_signed_int(e->type) || inner <= own ? std::min(inner, own) : own + 1;
  }
  if (a && (a->op == ScalarOp::Add || a->op == ScalarOp::Sub))
    return std::max(bits_needed(a->args[0]), bits_needed(a->args[1])) + 1;
  if (!is_int(e->type) || bytes_of(e->type) > 2) return 64;
  return dtype_row(e->type).bits + (is_unsigned_int(e->type) ? 1 : 0);
}

Expr with_index(const Expr& e, const std::string& var, const Expr& index) { return substitute(e, {{var, index}}); }

/// The low half from index 2v, the high half from 2v + 1; `last`: the maximum index, if 2v + 1 may be past it.
Expr word_of(const Expr& side, const LoopVar& v, const Expr& last, bool zero_past) {
  const Expr even = var_ref(v.name) * constant_int(2), odd = even + constant_int(1);
  const auto number = [](const Expr& e) { return cast_to(e, DType::I32); };
  Expr high = number(with_index(side, v.name, last ? apply(ScalarOp::Min, {odd, last}) : odd));
  if (last && zero_past) high = select(apply(ScalarOp::Le, {odd, last}), high, constant_int(0, DType::I32));
  const Expr low = apply(ScalarOp::BitAnd, {number(with_index(side, v.name, even)), constant_int(0xffff, DType::I32)});
  return apply(ScalarOp::BitOr, {low, apply(ScalarOp::Shl, {high, constant_int(16, DType::I32)})});
}

/// Numbers and zeros of the words that the variable's neighbours make, by number.
double waste_of(const LoopVar& v) {
  const auto n = constant_value(v.extent);
  return n ? static_cast<double>((*n + 1) / 2 * 2) / static_cast<double>(*n) : 1;
}

/// The variable whose neighbours make words: one that a copy of the left side can hold words of, if there is one.
size_t pair_variable(const Kernel& kernel, const Contraction& c) {
  const Read *read = plain_read(c.left), *bytes = byte_read(c.left);
  const auto walked =
      variable_of_words(c.depth, 2, [&](const LoopVar& v) { return read && walks_one_dimension(*read, v.name); });
  const auto slid =
      variable_of_words(c.depth, 2, [&](const LoopVar& v) { return bytes && slides_by_one(kernel, c, *bytes, v); });
  if (walked && slid) return waste_of(c.depth[*slid]) < waste_of(c.depth[*walked]) ? *slid : *walked;
  if (walked || slid) return walked ? *walked : *slid;
  return *variable_of_words(c.depth, 2, [](const LoopVar&) { return true; });
}

}  // namespace

std::optional<size_t> variable_of_words(const std::vector<LoopVar>& depth, int numbers,
                                        const std::function<bool(const LoopVar&)>& fits) {
  std::optional<size_t> best;
  int64_t maximum = -1;
  for (size_t i = 0; i < depth.size(); ++i) {
    if (!fits(depth[i])) continue;
    const auto n = constant_value(depth[i].extent);
    if (!n || *n % numbers == 0) return i;
    if (*n > maximum) best = i, maximum = *n;
  }
  return best;
}

bool walks_one_dimension(const Read& r, const std::string& var) {
  int bare = 0, mentioned = 0;
  for (const Expr& i : r.index) {
    const auto* v = std::get_if<VarRef>(&i->node);
    bare += v && v->name == var;
    mentioned += mentions(i, var);
  }
  return bare == 1 && mentioned == 1;
}

const Read* paired_panels(const Expr& side, const std::string& var) {
  const Read* r = plain_read(side);
  const auto* half = r && r->index.size() == 5 ? std::get_if<Apply>(&r->index[4]->node) : nullptr;
  const auto* v = half && half->op == ScalarOp::Mod && constant_value(half->args[1]) == 2
                      ? std::get_if<VarRef>(&half->args[0]->node)
                      : nullptr;
  return v && v->name == var ? r : nullptr;
}

bool slides_by_one(const Kernel& kernel, const Contraction& c, const Read& read, const LoopVar& v) {
  ValueScope scope;
  scope.kernel = &kernel;
  for (const LoopVar& each : concat(c.statement->loops, c.depth)) scope.vars[each.name] = v_var(each.name);
  for (size_t i = 0; i < read.index.size(); ++i)
    if (mentions(read.index[i], v.name) != (i + 1 == read.index.size())) return false;
  const auto form = affine_form(read.index.back(), {v}, scope);
  return form && constant_value(form->coefficient(v.name)) == 1 && constant_value(v.extent).value_or(0) > 1;
}

std::optional<Contraction> pair_depth(const Kernel& kernel, const Contraction& c) {
  if (c.accumulator != DType::I32 || c.is_stencil() || c.depth.empty()) return std::nullopt;
  if (bits_needed(c.left) > 16 || bits_needed(c.right) > 16) return std::nullopt;
  Contraction out = c;
  LoopVar& v = out.depth[pair_variable(kernel, c)];
  const auto n = constant_value(v.extent);
  const Expr last = n && *n % 2 == 0 ? nullptr : simplify(v.extent - constant_int(1));
  const Read *read = plain_read(c.left), *bytes = byte_read(c.left);
  out.low_halves = read && walks_one_dimension(*read, v.name);
  out.windows = !out.low_halves && bytes && slides_by_one(kernel, c, *bytes, v);
  const bool copied = out.low_halves || out.windows;
  if (!copied && has_fill(c.left)) return std::nullopt;
  out.left = copied ? with_index(c.left, v.name, var_ref(v.name) * constant_int(2)) : word_of(c.left, v, last, true);
  out.pair_last = last;
  // the other number of a window's last word is the next pixel
  if (!paired_panels(c.right, v.name)) out.right_numbers = c.right, out.right = word_of(c.right, v, last, out.windows);
  v.extent = n ? constant_int((*n + 1) / 2) : apply(ScalarOp::FloorDiv, {v.extent + constant_int(1), constant_int(2)});
  out.paired = v.name;
  return out;
}

std::optional<size_t> channel_variable(const Kernel& kernel, const Contraction& c) {
  const Read* left = std::get_if<Read>(&c.left->node);
  if (!left || !c.transposed || c.is_stencil() || !is_float(c.accumulator) || !c.paired.empty()) return std::nullopt;
  if (kernel.tensor(left->tensor).dtype != c.accumulator) return std::nullopt;
  std::optional<size_t> found;
  for (size_t i = 0; i < c.depth.size(); ++i) {
    if (!walks_one_dimension(*left, c.depth[i].name)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  if (!found || constant_value(c.depth[*found].extent).value_or(0) < kFewChannels) return std::nullopt;
  return found;
}

}  // namespace tenon
