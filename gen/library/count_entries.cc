// How many stored dimensions each entry of a signature takes.
#include <fmt/format.h>

#include <numeric>

#include "library/shape_binder.h"
#include "support/ranges.h"

namespace tenon {
namespace {

bool is_fixed(const Dim& d) { return d.kind != DimKind::pack; }

}  // namespace

std::vector<int64_t> ShapeBinder::axes_of(const std::string& attr, size_t rank, std::string& why) const {
  std::vector<int64_t> axes;
  const auto a = binding_.attrs.find(attr);
  if (a == binding_.attrs.end()) return axes;
  const auto r = static_cast<int64_t>(rank);
  if (!a->second.held.attr.empty()) why = fmt::format("{} has to be known at generation", attr);
  for (const Typed& t : a->second.elements) {
    const auto v = constant_value(t.e);
    if (!v) {
      why = fmt::format("{} has to be known at generation", attr);
      return {};
    }
    if (*v < -r || *v >= r) {
      why = fmt::format("{} = {} is outside of a tensor with {}", attr, *v, dimensions(rank));
      return {};
    }
    axes.push_back(*v < 0 ? *v + r : *v);
  }
  sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) why = fmt::format("{} names a dimension twice", attr);
  return axes;
}

ShapeBinder::EntryCounts ShapeBinder::known_counts(const TensorDef& t, size_t rank, std::string& why) const {
  const size_t n = t.dims.size();
  EntryCounts c;
  c.count.assign(n, 1);
  c.listed = c.at = n;
  for (size_t i = 0; i < n && why.empty(); ++i) {
    const Dim& d = t.dims[i];
    const auto a = d.at.empty() ? nullptr : def_.attr(d.at);
    const bool list = a && a->count != AttrCount::one;
    const auto known = binding_.packs.find(d.name);
    // Reduced dims that an output lacks have no position there, and the axes do not refer to its rank.
    const bool gone = list && known != binding_.packs.end() && known->second.empty();
    if (!d.at.empty() && !gone) c.axes = axes_of(d.at, rank, why);
    if (!why.empty()) return c;
    if (list) {
      c.listed = i;
      c.count[i] = c.axes.size();
    } else if (!d.at.empty()) {
      c.at = i;
      c.axis = static_cast<size_t>(c.axes[0]);
    }
    if (d.kind != DimKind::pack || list) continue;
    if (known != binding_.packs.end() && !d.broadcast) c.count[i] = known->second.size();
    else c.open.push_back(i);
  }
  return c;
}

void ShapeBinder::count_beside_axis(const TensorDef& t, size_t rank, EntryCounts& c, std::string& why) const {
  const auto fixed = static_cast<size_t>(count_if(t.dims, is_fixed));
  const auto before =
      static_cast<size_t>(std::count_if(t.dims.begin(), t.dims.begin() + static_cast<std::ptrdiff_t>(c.at), is_fixed));
  const size_t after = fixed - before - (is_fixed(t.dims[c.at]) ? 1 : 0);
  if (c.axis < before || rank - c.axis < after + (is_fixed(t.dims[c.at]) ? 1 : 0)) {
    why = fmt::format("{} has {}; its shape needs {} before dimension {} and {} after it", t.name, dimensions(rank),
                      before, c.axis, after);
    return;
  }
  if (t.dims[c.at].kind == DimKind::pack) c.count[c.at] = rank - c.axis - after;
  for (size_t i : c.open)
    if (i != c.at) c.count[i] = i < c.at ? c.axis - before : rank - c.axis - 1 - after;
}

/// The axis of a dim that only an output has separates two open packs, and has to be where packs that are known put
/// it.
void ShapeBinder::count_beside_added(const TensorDef& t, size_t rank, const AddedDim& added, EntryCounts& c,
                                     std::string& why) const {
  const std::vector<int64_t> axes = axes_of(added.dim->at, rank + 1, why);
  if (!why.empty()) return;
  const auto axis = static_cast<size_t>(axes.at(0));
  const auto count_part = [&](size_t from, size_t to, size_t available) {
    size_t known = 0, open = to;
    for (size_t i = from; i < to; ++i) {
      if (open == to && contains(c.open, i)) open = i;
      else known += c.count[i];
    }
    if (open < to && known <= available) c.count[open] = available - known;
    return open < to ? known <= available : known == available;
  };
  const bool first = count_part(0, added.before, axis), second = count_part(added.before, t.dims.size(), rank - axis);
  if (!first || !second)
    why = fmt::format("{} has {}, and its shape has no place for dimension {} of the result", t.name, dimensions(rank),
                      axis);
}

void ShapeBinder::count_open(const TensorDef& t, size_t rank, EntryCounts& c, std::string& why) const {
  if (c.listed < t.dims.size()) {
    const auto fixed = static_cast<size_t>(count_if(t.dims, is_fixed));
    size_t others = rank - std::min(rank, c.count[c.listed] + fixed);
    const bool after_too = any_of(c.open, [&](size_t k) { return k > c.listed; });
    for (size_t i : c.open) {
      const bool split = i < c.listed && after_too && !c.axes.empty();
      c.count[i] = split ? std::min(others, static_cast<size_t>(c.axes[0])) : others;
      others -= c.count[i];
    }
  } else if (const auto added = added_dim(def_, t);
             added && (!c.open.empty() || std::accumulate(c.count.begin(), c.count.end(), size_t{0}) == rank)) {
    count_beside_added(t, rank, *added, c, why);
  } else if (c.open.size() == 1) {
    const size_t sum = std::accumulate(c.count.begin(), c.count.end(), size_t{0}) - c.count[c.open[0]];
    if (rank < sum) why = fmt::format("{} has {}, at least {} are needed", t.name, dimensions(rank), sum);
    c.count[c.open[0]] = rank - std::min(rank, sum);
  }
}

}  // namespace tenon
