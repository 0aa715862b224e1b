// Forks by how long a reduction is: short rows and short windows.
#include <algorithm>
#include <set>

#include "lower/kernel/fork_parts.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {
namespace {

/// Windows up to which one accumulator adds accurately; longer ones are added in blocks.
constexpr int64_t kShortWindow = 64;

/// That the windows of all floating-point sums are short, as far as attributes tell their extents; null without any.
Expr short_windows(const Kernel& k) {
  std::set<std::pair<std::string, int>> widths;
  each_reduction(k, [&](const Reduce& r) {
    if (r.op != Reducer::Sum || !is_float(r.value->type)) return;
    for (const LoopVar& v : r.vars)
      if (const auto* a = std::get_if<AttrRef>(&v.extent->node)) widths.insert({a->name, a->element});
  });
  Expr all;
  for (const auto& [name, element] : widths) {
    const Expr is_short = apply(ScalarOp::Le, {attr_ref(name, DType::I64, element), constant_int(kShortWindow)});
    all = all ? apply(ScalarOp::And, {all, is_short}) : is_short;
  }
  return all;
}

/// Rows that are all dense and reduced to a number each, by sums, products and extremes of floats: their extent, ""
/// where it is something else.
std::string reduced_rows(const Kernel& k) {
  std::string rows;
  bool plain = true;
  for (const KernelStatement& s : k.body)
    plain = plain && s.update == Update::Assign && s.loops.size() == 1 && !is_in_recurrence(s);
  each_reduction(k, [&](const Reduce& r) {
    const bool known = r.op == Reducer::Sum || r.op == Reducer::Prod || r.op == Reducer::Max || r.op == Reducer::Min;
    const std::string size = r.vars.size() == 1 ? size_name(r.vars[0].extent) : "";
    plain = plain && known && is_float(r.value->type) && !r.where && !size.empty() && (rows.empty() || rows == size);
    rows = size;
    each_read(r.value, [&](const Read& read) {
      const Tensor& t = k.tensors[static_cast<size_t>(read.tensor)];
      for (size_t d = 0; d < read.index.size(); ++d)
        plain = plain && (!mentions(read.index[d], r.vars[0].name) || is_one(t.strides[d]));
    });
  });
  return plain && !rows.empty() && is_open(k, rows) ? rows : "";
}

}  // namespace

bool has_long_windows(const Kernel& k) {
  const Expr all = short_windows(k);
  return all && ruled_out(k, all);
}

std::optional<Fork> fork_windows(const Kernel& k) {
  const Expr all = short_windows(k);
  const auto known = [&](const Expr& f) { return same(f, all); };
  if (!all || ruled_out(k, all) || std::any_of(k.facts.begin(), k.facts.end(), known)) return std::nullopt;
  Fork f = fork_on(all, k, k);
  f.then.facts.push_back(all);
  return f;
}

std::optional<Fork> fork_rows(const Kernel& k) {
  const std::string rows = reduced_rows(k);
  if (rows.empty()) return std::nullopt;
  const Expr holds = apply(ScalarOp::Lt, {size_ref(rows), constant_int(kLongRow)});
  if (ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, k, k);
  for (Size& s : f.then.sizes) {
    if (s.name != rows) continue;
    if (s.hi < kLongRow) return std::nullopt;
    s.hi = kLongRow - 1;
  }
  f.joins_rows = true;
  return f;
}

}  // namespace tenon
