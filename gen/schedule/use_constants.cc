// Ranges of constants, and kernels simplified by them.
#include <algorithm>
#include <set>

#include "algebra/simplify.h"
#include "ir/number/tensor_data.h"
#include "schedule/fused_kernel.h"

namespace tenon {
namespace {

/// Longer constants are weights, not indices.
constexpr int64_t kMostPlaces = int64_t{1} << 20;

std::optional<Interval> range_of(const Value& value) {
  if (!value.constant || value.trainable || !is_int(value.dtype) || value.dtype == DType::U64 || is_small(value.dtype))
    return std::nullopt;
  const int64_t n = element_count(value.constant->dims);
  if (n < 1 || n > kMostPlaces) return std::nullopt;
  const int64_t first = int_element(*value.constant, 0);
  Interval out{first, first};
  for (int64_t i = 1; i < n; ++i) {
    const int64_t x = int_element(*value.constant, i);
    out = hull(out, {x, x});
  }
  return out;
}

/// Tensors that an index or a check reads: all other reads are data.
std::set<int> places(const Kernel& k) {
  std::set<int> out;
  const auto add_reads = [&](const Expr& e) { each_node<Read>(e, [&](const Read& r) { out.insert(r.tensor); }); };
  for (const Check& c : k.checks) add_reads(c.holds);
  for (const KernelStatement& s : k.body)
    each_node<Read>(s.value, [&](const Read& r) {
      for (const Expr& i : r.index) add_reads(i);
    });
  return out;
}

}  // namespace

void use_constants(const Graph& graph, FusedKernel& kernel) {
  Kernel& k = kernel.kernel;
  Ranges known;
  for (const int t : places(k)) {
    const ValueId v = kernel.values[static_cast<size_t>(t)];
    const auto range = v == kNoValue ? std::nullopt : range_of(graph.value(v));
    if (range) known.elements[t] = *range;
  }
  if (known.elements.empty()) return;
  for (KernelStatement& s : k.body) {
    s.value = simplify(s.value, ranges_of(s.loops, known));
    if (s.where) s.where = simplify(s.where, ranges_of(s.loops, known));
  }
  for (Check& c : k.checks) c.holds = simplify(c.holds, ranges_of(c.loops, known));
  const auto always = [](const Check& c) { return constant_value(c.holds).value_or(0) != 0; };
  k.checks.erase(std::remove_if(k.checks.begin(), k.checks.end(), always), k.checks.end());
}

}  // namespace tenon
