// Forks by how long the rows are in which the position of an extreme is sought.
#include "algebra/fresh_names.h"
#include "lower/kernel/fork_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Elements of which an extreme is found before any position, in long rows of at least some of these blocks and in
/// longer ones: the search in one block takes as long as the extremes of several, whose folds are fewer in larger
/// blocks.
constexpr int64_t kSearched = 256, kLeastSearched = 3;
constexpr int64_t kSearchedInLonger = 1024, kLonger = 16384;

/// Whether vectors run along rows of integers, with adjacent elements. Floats are tested for NaN one by one.
bool is_dense_row(const Kernel& k, const Reduce& r) {
  bool dense = is_int(r.value->type);
  each_read(r.value, [&](const Read& read) {
    const Tensor& t = k.tensor(read.tensor);
    for (size_t d = 0; d < read.index.size(); ++d)
      dense = dense && (!mentions(read.index[d], r.vars.back().name) || is_one(t.strides[d]));
  });
  return dense;
}

/// Positions next to values of up to four bytes have 32 bits, which suffice in practice.
bool has_short_positions(const Reduce& r) { return bytes_of(r.value->type) <= 4; }

/// A search for positions along rows of bytes, and the statement that it is in. Positions have 32 bits, so that vectors
/// of pairs have a quarter of the lanes that extremes have.
struct NarrowSearch {
  const Reduce* reduction = nullptr;
  size_t at = 0;
};

/// The only reduction of the kernel, if it is such a search.
std::optional<NarrowSearch> narrow_search(const Kernel& k) {
  NarrowSearch found;
  int reductions = 0;
  for (size_t i = 0; i < k.body.size(); ++i)
    walk(k.body[i].value, [&](const Expr& e) {
      if (const auto* r = std::get_if<Reduce>(&e->node)) found = {r, i}, ++reductions;
      return true;
    });
  if (reductions != 1) return std::nullopt;
  const Reduce& r = *found.reduction;
  const KernelStatement& s = k.body[found.at];
  const bool plain = is_positional(r.op) && !r.where && r.vars.size() == 1 && bytes_of(r.value->type) == 1 &&
                     std::holds_alternative<Read>(r.value->node) && s.update == Update::Assign && !is_in_recurrence(s);
  return plain && is_dense_row(k, r) ? std::optional(found) : std::nullopt;
}

/// Finds the extreme of each block, then the first block that has the best one, then the place in that. The last block
/// ends with the row: what it shares with the one before is found there.
Kernel by_blocks(const Kernel& k, const NarrowSearch& search, int64_t searched) {
  Kernel out = k;
  const Reduce& r = *search.reduction;
  KernelStatement& s = out.body[search.at];
  std::vector<KernelStatement> before;
  const LoopVar within{r.vars[0].name, constant_int(searched)};
  const Expr length = r.vars[0].extent, size = within.extent;
  const LoopVar block{FreshNames(k)(within.name + "_block"),
                      apply(ScalarOp::FloorDiv, {length + size - constant_int(1), size})};
  const auto start = [&](const Expr& b) { return apply(ScalarOp::Min, {b * size, length - size}); };
  const auto value = [&](const Expr& from) {
    return substitute(r.value, {{within.name, from + var_ref(within.name)}});
  };
  const auto temp = [&](const std::string& name, const std::vector<LoopVar>& loops, Expr made) {
    KernelStatement t;
    t.target = add_temp(out, name, made->type, mapped(loops, &LoopVar::extent));
    t.index = var_refs(loops);
    t.loops = loops;
    t.value = std::move(made);
    t.formula = s.formula;
    before.push_back(t);
    return read_of(t.target, t.value->type, t.index);
  };
  std::vector<LoopVar> blocks = s.loops;
  blocks.push_back(block);
  const DType element = r.value->type;
  const Reducer extreme = r.op == Reducer::ArgMax ? Reducer::Max : Reducer::Min;
  const Expr best =
      temp("best", blocks, reduce(extreme, {within}, nullptr, value(start(var_ref(block.name))), element));
  const Expr from = start(temp("block", s.loops, reduce(r.op, {block}, nullptr, best, DType::I64)));
  const Expr place = reduce(r.op, {within}, nullptr, value(from), DType::I64);
  const auto replaced = [&](const auto& self, const Expr& e) -> Expr {
    if (std::get_if<Reduce>(&e->node) == &r) return from + place;
    return map_children(e, [&](const Expr& c) { return self(self, c); });
  };
  s.value = replaced(replaced, s.value);
  out.body.insert(out.body.begin() + static_cast<std::ptrdiff_t>(search.at), before.begin(), before.end());
  return out;
}

}  // namespace

std::optional<Fork> fork_long_positions(const Kernel& k) {
  const auto search = narrow_search(k);
  const std::string length = search ? size_name(search->reduction->vars[0].extent) : "";
  const Size* row = find_pointer(k.sizes, [&](const Size& s) { return s.name == length; });
  if (!row) return std::nullopt;
  constexpr int64_t kLeast = kLeastSearched * kSearched;
  const bool is_long = row->lo >= kLeast && row->hi <= INT32_MAX;
  Expr holds;
  if (!demand(k, length, is_long ? kLonger : kLeast, INT32_MAX, holds) || !holds || ruled_out(k, holds))
    return std::nullopt;
  Fork f = is_long ? fork_on(holds, by_blocks(k, *search, kSearchedInLonger), by_blocks(k, *search, kSearched))
                   : fork_on(holds, k, k);
  for (Size& s : f.then.sizes)
    if (s.name == length) s.lo = std::max(s.lo, is_long ? kLonger : kLeast), s.hi = std::min<int64_t>(s.hi, INT32_MAX);
  for (Size& s : f.otherwise.sizes)
    if (s.name == length && is_long) s.hi = kLonger - 1;
  f.what = is_long ? "longer rows: the same by larger blocks"
                   : "long rows: the extremes of blocks, then a position in one of them";
  return f;
}

std::optional<Fork> fork_positions(const Kernel& k) {
  constexpr int64_t kFewElements = 12;
  std::string extent;
  bool few = false, wide = false;
  each_reduction(k, [&](const Reduce& r) {
    if (!is_positional(r.op)) return;
    for (const LoopVar& v : r.vars)
      for (const Size& s : k.sizes) {
        if (s.name != size_name(v.extent) || s.hi <= INT32_MAX) continue;
        const bool along = is_dense_row(k, r) && s.lo < kFewElements;
        if (along || has_short_positions(r)) extent = s.name, few = along, wide = has_short_positions(r);
      }
  });
  if (extent.empty()) return std::nullopt;
  const Expr fits = apply(ScalarOp::Le, {size_ref(extent), constant_int(INT32_MAX)});
  const Expr many = apply(ScalarOp::Ge, {size_ref(extent), constant_int(kFewElements)});
  Fork f{{.otherwise_scalar = true}, !few ? fits : !wide ? many : apply(ScalarOp::And, {many, fits}), k, k};
  for (Size& s : f.then.sizes)
    if (s.name == extent && wide) s.hi = INT32_MAX;
    else if (s.name == extent) s.lo = kFewElements;
  for (Size& s : f.otherwise.sizes)
    if (s.name == extent && !few) s.lo = int64_t{INT32_MAX} + 1;
  return f;
}

}  // namespace tenon
