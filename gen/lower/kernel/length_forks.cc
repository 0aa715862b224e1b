// Forks by how long a reduction is: short rows and short windows.
#include <set>

#include "lower/kernel/fork_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Windows up to which one accumulator adds accurately; longer ones are added in blocks.
constexpr int64_t kShortWindow = 64;

/// The condition that the windows of all floating-point sums are short, as far as attributes determine their extents;
/// null without any.
Expr short_windows(const Kernel& k) {
  std::set<std::pair<std::string, int>> widths;
  each_reduction(k, [&](const Reduce& r) {
    if (r.op != Reducer::Sum || !is_float(r.value->type)) return;
    for (const LoopVar& v : r.vars)
      if (const auto* a = std::get_if<AttrRef>(&v.extent->node)) widths.insert({a->name, a->element});
  });
  Expr all;
  for (const auto& [name, element] : widths) {
    all = both(all, apply(ScalarOp::Le, {attr_ref(name, DType::I64, element), constant_int(kShortWindow)}));
  }
  return all;
}

/// Rows that are all dense and reduced to a number each, by sums, products and extremes: their extent, "" where it is
/// something else.
std::string reduced_rows(const Kernel& k) {
  std::string rows;
  bool plain = true;
  for (const KernelStatement& s : k.body)
    plain = plain && s.update == Update::Assign && s.loops.size() == 1 && !is_in_recurrence(s);
  each_reduction(k, [&](const Reduce& r) {
    const bool known = r.op == Reducer::Sum || r.op == Reducer::Prod || r.op == Reducer::Max || r.op == Reducer::Min;
    const std::string size = r.vars.size() == 1 ? size_name(r.vars[0].extent) : "";
    plain =
        plain && known && has_joined_rows(r.value->type) && !r.where && !size.empty() && (rows.empty() || rows == size);
    rows = size;
    each_read(r.value, [&](const Read& read) {
      const Tensor& t = k.tensor(read.tensor);
      for (size_t d = 0; d < read.index.size(); ++d)
        plain = plain && (!mentions(read.index[d], r.vars[0].name) || is_one(t.strides[d]));
    });
  });
  return plain && !rows.empty() && is_open(k, rows) ? rows : "";
}

/// The extent along which the only statement of the kernel asks for any or all elements; "" where it is something else.
std::string asked_rows(const Kernel& k) {
  std::string rows;
  bool alike = true;
  each_reduction(k, [&](const Reduce& r) {
    const std::string size = r.vars.size() == 1 && is_question(r.op) ? size_name(r.vars[0].extent) : "";
    alike = alike && !size.empty() && (rows.empty() || rows == size);
    rows = size;
  });
  return alike && k.body.size() == 1 && !rows.empty() && is_open(k, rows) ? rows : "";
}

/// A reduction along one dimension of a tensor, next to one of adjacent elements that each have a result of their own:
/// the extents of both.
struct ReducedColumns {
  Expr rows, columns;
};

/// Does not pay off for small elements: a page holds more of them, and 16-bit floats take longer to widen than to load.
std::optional<ReducedColumns> reduced_columns(const Kernel& k, const LoopVar& column, const Reduce& r) {
  std::optional<ReducedColumns> found;
  if (r.vars.size() != 1) return found;
  each_read(r.value, [&](const Read& read) {
    const Tensor& t = k.tensor(read.tensor);
    const size_t rank = read.index.size();
    if (bytes_of(t.dtype) < 4) return;
    const bool walked = any_of(read.index, [&](const Expr& e) { return is_variable(e, r.vars[0].name); });
    for (size_t d = rank == 2 ? 0 : rank - 1; d < rank && walked; ++d)  // matrices are stored either way
      if (is_variable(read.index[d], column.name) && is_one(t.strides[d]))
        found = ReducedColumns{r.vars[0].extent, column.extent};
  });
  return found;
}

/// What all reductions of the kernel are along; nothing where one of them is something else.
std::optional<ReducedColumns> reduced_columns(const Kernel& k) {
  std::optional<ReducedColumns> found;
  bool alike = true;
  for (const KernelStatement& s : k.body) {
    walk(s.value, [&](const Expr& e) {
      const auto* r = std::get_if<Reduce>(&e->node);
      if (!r || !alike) return alike;
      const bool plain = s.update == Update::Assign && !is_in_recurrence(s) && !s.loops.empty();
      const auto here = plain ? reduced_columns(k, s.loops.back(), *r) : std::nullopt;
      alike = here && (!found || (same(here->rows, found->rows) && same(here->columns, found->columns)));
      found = here;
      return alike;
    });
  }
  return alike ? found : std::nullopt;
}

/// Demands that the extent is at least so much: false where it never is.
bool demand_least(const Kernel& k, const Expr& extent, int64_t least, Expr& holds) {
  if (const auto known = constant_value(extent)) return *known >= least;
  return demand(k, size_name(extent), least, INT64_MAX, holds);
}

/// That there are many rows and columns; null where that is known, and where it cannot be.
Expr many(const Kernel& k, const ReducedColumns& reduced) {
  Expr holds;
  const bool can =
      demand_least(k, reduced.rows, kManyRows, holds) && demand_least(k, reduced.columns, kManyColumns, holds);
  return can ? holds : nullptr;
}

}  // namespace

bool demand(const Kernel& k, const std::string& size, int64_t least, int64_t most, Expr& holds) {
  const Size* s = find_pointer(k.sizes, [&](const Size& x) { return x.name == size && x.lo < x.hi; });
  if (!s || s->hi < least || s->lo > most) return false;
  if (s->hi > most) holds = both(holds, apply(ScalarOp::Lt, {size_ref(size), constant_int(most + 1)}));
  if (s->lo < least) holds = both(holds, apply(ScalarOp::Ge, {size_ref(size), constant_int(least)}));
  return true;
}

bool has_few_columns(const Kernel& k) {
  const auto reduced = reduced_columns(k);
  const Expr holds = reduced ? many(k, *reduced) : nullptr;
  return holds && ruled_out(k, holds);
}

bool has_long_windows(const Kernel& k) {
  const Expr all = short_windows(k);
  return all && ruled_out(k, all);
}

std::optional<Fork> fork_columns(const Kernel& k) {
  const auto reduced = reduced_columns(k);
  const Expr holds = reduced ? many(k, *reduced) : nullptr;
  if (!holds || ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, k, k);
  for (Size& s : f.then.sizes) {
    if (s.name == size_name(reduced->rows)) s.lo = std::max(s.lo, kManyRows);
    if (s.name == size_name(reduced->columns)) s.lo = std::max(s.lo, kManyColumns);
  }
  f.streams_rows = true;
  f.what = "many rows and columns: a block of rows at a time";
  return f;
}

std::optional<Fork> fork_windows(const Kernel& k) {
  const Expr all = short_windows(k);
  const auto known = [&](const Expr& f) { return same(f, all); };
  if (!all || ruled_out(k, all) || any_of(k.facts, known)) return std::nullopt;
  Fork f = fork_on(all, k, k);
  f.what = "short windows: one running sum is accurate";
  f.then.facts.push_back(all);
  return f;
}

std::optional<Fork> fork_questions(const Kernel& k) {
  const std::string rows = asked_rows(k);
  if (rows.empty()) return std::nullopt;
  Expr holds;
  if (!demand(k, rows, kLongQuestion, INT64_MAX, holds) || !holds || ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, k, k);
  for (Size& s : f.then.sizes)
    if (s.name == rows) s.lo = kLongQuestion;
  f.what = "long rows: in blocks, up to the one that decides";
  return f;
}

std::optional<Fork> fork_rows(const Kernel& k) {
  const std::string rows = reduced_rows(k);
  if (rows.empty()) return std::nullopt;
  Expr holds;
  if (!demand(k, rows, INT64_MIN, kLongRow - 1, holds) || !holds || ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, k, k);
  for (Size& s : f.then.sizes)
    if (s.name == rows) s.hi = kLongRow - 1;
  f.joins_rows = true;
  f.what = "short rows: several at a time";
  return f;
}

}  // namespace tenon
