// Matches stored extents against the shapes of a signature.
#include "library/shape_binder.h"

#include <fmt/format.h>

#include <numeric>

#include "support/ranges.h"

namespace tenon {
namespace {

Expr times(const Expr& a, const Expr& b) {
  const auto x = constant_value(a), y = constant_value(b);
  return x && y ? constant_int(*x * *y) : a * b;
}

/// If every dim may be missing, a tensor of lower rank is treated as having leading dims of 1.
std::vector<Expr> with_leading_ones(const TensorDef& t, std::vector<Expr> extents) {
  const bool all_sizes = all_of(t.dims, [](const Dim& d) { return d.broadcast && d.kind == DimKind::size; });
  if (all_sizes && extents.size() < t.dims.size())
    extents.insert(extents.begin(), t.dims.size() - extents.size(), constant_int(1));
  return extents;
}

/// The tensor with its shape in the order in which it is stored.
TensorDef in_stored_order(const TensorDef& t, const std::vector<int>& order) {
  TensorDef stored = t;
  for (size_t i = 0; i < order.size(); ++i) stored.dims[i] = t.dims[static_cast<size_t>(order[i])];
  return stored;
}

}  // namespace

std::string dimensions(size_t count) { return fmt::format("{} dimension{}", count, count == 1 ? "" : "s"); }

/// Extents that cannot be distinguished at generation count as equal: the same expression, or one of them open.
bool ShapeBinder::agree(const Expr& a, const Expr& b) const {
  const auto x = constant_value(a), y = constant_value(b);
  if (x && y) return *x == *y;
  if (!same(a, b)) taken_as_equal_.emplace_back(a, b);
  return true;
}

std::optional<Expr> ShapeBinder::known_extent(const Dim& d) const {
  if (d.kind == DimKind::integer) return constant_int(d.value);
  if (const auto s = binding_.sizes.find(d.name); s != binding_.sizes.end()) return s->second.e;
  if (const auto a = binding_.attrs.find(d.name); a != binding_.attrs.end() && !a->second.list)
    return a->second.elements[0].e;
  return std::nullopt;
}

std::vector<Expr> ShapeBinder::entry_extents(const Dim& d) const {
  if (d.kind == DimKind::pack) {
    return value_or(binding_.packs, d.name, std::vector<Expr>{});
  }
  if (d.kind != DimKind::split) return {known_extent(d).value_or(constant_int(1))};
  std::vector<Expr> out;
  for (const Dim& part : d.parts) append(out, entry_extents(part));
  return out;
}

std::optional<std::vector<ShapeBinder::Slot>> ShapeBinder::slots(const TensorDef& t, size_t rank,
                                                                 std::string& why) const {
  EntryCounts c = known_counts(t, rank, why);
  if (!why.empty()) return std::nullopt;
  if (c.at < t.dims.size()) count_beside_axis(t, rank, c, why);
  else count_open(t, rank, c, why);
  const size_t sum = std::accumulate(c.count.begin(), c.count.end(), size_t{0});
  if (why.empty() && sum != rank) why = fmt::format("{} has {}, {} are needed", t.name, dimensions(rank), sum);
  if (!why.empty()) return std::nullopt;
  std::vector<Slot> out(rank, Slot{-1, 0});
  if (c.listed < t.dims.size() && c.count[c.listed] > 0)
    for (size_t k = 0; k < c.axes.size(); ++k)
      out[static_cast<size_t>(c.axes[k])] = {static_cast<int>(c.listed), static_cast<int>(k)};
  size_t pos = 0;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    if (i == c.listed) continue;
    for (size_t k = 0; k < c.count[i]; ++k) {
      while (out[pos].entry >= 0) ++pos;
      out[pos] = {static_cast<int>(i), static_cast<int>(k)};
    }
  }
  return out;
}

std::optional<std::string> ShapeBinder::bind_size(const std::string& name, const Expr& extent, const TensorDef& t) {
  if (is_let(name)) return std::nullopt;
  if (const auto a = binding_.attrs.find(name); a != binding_.attrs.end()) {
    if (!agree(a->second.elements[0].e, extent))
      return fmt::format("{} has an extent of {} where {} is {}", t.name, to_text(extent), name,
                         to_text(a->second.elements[0].e));
    return std::nullopt;
  }
  const auto [it, fresh] = binding_.sizes.emplace(name, Typed{extent, true});
  if (!fresh && broadcast_.count(name) && is_one(it->second.e)) it->second.e = extent;
  if (!agree(it->second.e, extent))
    return fmt::format("{} has an extent of {} where {} is {}", t.name, to_text(extent), name, to_text(it->second.e));
  if (!fresh && !constant_value(it->second.e) && constant_value(extent)) it->second.e = extent;
  broadcast_.erase(name);
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::bind_pack(const std::string& name, std::vector<Expr> extents,
                                                  const TensorDef& t) {
  if (is_let(name)) return std::nullopt;
  const auto [it, fresh] = binding_.packs.emplace(name, extents);
  if (fresh) return std::nullopt;
  if (it->second.size() != extents.size())
    return fmt::format("{} has {} where *{} has {}", t.name, dimensions(extents.size()), name, it->second.size());
  for (size_t k = 0; k < extents.size(); ++k)
    if (!agree(it->second[k], extents[k]))
      return fmt::format("{} has an extent of {} where dimension {} of *{} is {}", t.name, to_text(extents[k]), k, name,
                         to_text(it->second[k]));
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::bind_split(const Dim& d, const Expr& extent, const TensorDef& t) {
  Expr known = constant_int(1);
  const Dim* open = nullptr;
  int open_parts = 0;
  for (const Dim& part : d.parts) {
    const auto e = is_let(part.name) ? let_(part.name) : known_extent(part);
    if (e && !broadcast_.count(part.name)) {
      known = times(known, *e);
    } else {
      open = &part;
      ++open_parts;
    }
  }
  if (open_parts > 1) {
    waited_ = true;
    return splits_wait_ ? std::nullopt
                        : std::optional(fmt::format("nothing determines '{}' of {} in {}: give an input that has it",
                                                    open->name, print(d), t.name));
  }
  if (!open)
    return agree(known, extent)
               ? std::nullopt
               : std::optional(fmt::format("{} has an extent of {}, not {}", t.name, to_text(extent), to_text(known)));
  const auto a = constant_value(extent), b = constant_value(known);
  if (a && b) {
    if (*b <= 0 || *a % *b != 0) return fmt::format("{} has an extent of {}, no multiple of {}", t.name, *a, *b);
    return bind_size(open->name, constant_int(*a / *b), t);
  }
  return bind_size(open->name, b && *b == 1 ? extent : apply(ScalarOp::FloorDiv, {extent, known}), t);
}

std::optional<std::string> ShapeBinder::broadcast_size(const std::string& name, const Expr& extent,
                                                       const TensorDef& t) {
  const auto known = known_extent(Dim{DimKind::size, name, 0, false, {}, false, {}, {}});
  if (!known) {
    binding_.sizes[name] = {extent, true};
    broadcast_.insert(name);
    return std::nullopt;
  }
  if (is_one(extent)) return std::nullopt;
  if (broadcast_.count(name) && is_one(*known)) {
    binding_.sizes[name] = {extent, true};
    return std::nullopt;
  }
  if (!agree(*known, extent))
    return fmt::format("{} has an extent of {} that does not broadcast to {} = {}", t.name, to_text(extent), name,
                       to_text(*known));
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::broadcast_pack(const std::string& name, const std::vector<Expr>& extents,
                                                       const TensorDef& t) {
  std::vector<Expr>& all = binding_.packs[name];
  if (all.size() < extents.size()) all.insert(all.begin(), extents.size() - all.size(), constant_int(1));
  for (size_t k = 0; k < extents.size(); ++k) {
    Expr& mine = all[all.size() - extents.size() + k];
    if (is_one(extents[k])) continue;
    if (is_one(mine)) mine = extents[k];
    else if (!agree(mine, extents[k]))
      return fmt::format("{} has an extent of {} that does not broadcast to {}", t.name, to_text(extents[k]),
                         to_text(mine));
  }
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::match(const TensorDef& t, const std::vector<Expr>& dims, bool broadcasts) {
  const bool has_broadcast = any_of(t.dims, [](const Dim& d) { return d.broadcast; });
  if (has_broadcast != broadcasts) return std::nullopt;
  const std::vector<Expr> extents = with_leading_ones(t, dims);
  std::string why;
  const auto where = slots(t, extents.size(), why);
  if (!where) return why;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    const Dim& d = t.dims[i];
    std::vector<Expr> mine;
    for (size_t k = 0; k < extents.size(); ++k)
      if ((*where)[k].entry == static_cast<int>(i)) mine.push_back(extents[k]);
    std::optional<std::string> wrong;
    if (d.kind == DimKind::pack) wrong = d.broadcast ? broadcast_pack(d.name, mine, t) : bind_pack(d.name, mine, t);
    else if (d.kind == DimKind::split) wrong = bind_split(d, mine[0], t);
    else if (d.kind == DimKind::integer)
      wrong = agree(constant_int(d.value), mine[0]) || (d.broadcast && is_one(mine[0]))
                  ? std::nullopt
                  : std::optional(fmt::format("{} has an extent of {}, not {}", t.name, to_text(mine[0]), d.value));
    else wrong = d.broadcast ? broadcast_size(d.name, mine[0], t) : bind_size(d.name, mine[0], t);
    if (wrong) return wrong;
  }
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::bind_inputs(const std::vector<std::optional<std::vector<Expr>>>& dims,
                                                    const std::vector<std::vector<int>>& orders) {
  const auto round = [&](bool broadcasts) -> std::optional<std::string> {
    for (size_t i = 0; i < def_.inputs.size() && i < dims.size(); ++i)
      if (dims[i])
        if (auto why = match(in_stored_order(def_.inputs[i], orders[i]), *dims[i], broadcasts)) return why;
    return std::nullopt;
  };
  // A split dim with several open parts is bound after the other inputs, which may determine one of the parts.
  splits_wait_ = waited_ = true;
  for (size_t k = 0; k <= def_.inputs.size() && waited_; ++k) {
    waited_ = false;
    if (auto why = round(false)) return why;
  }
  splits_wait_ = false;
  if (auto why = round(false)) return why;
  return round(true);
}

std::vector<Expr> ShapeBinder::stored_dims(const TensorDef& t, const std::vector<int>& stored_order) const {
  size_t rank = 0;
  for (const Dim& d : t.dims) rank += d.kind == DimKind::pack ? entry_extents(d).size() : 1;
  std::string why;
  const TensorDef stored = in_stored_order(t, stored_order);
  const auto where = slots(stored, rank, why);
  std::vector<Expr> out;
  if (!where) return out;
  for (const Slot& s : *where) {
    const Dim& d = stored.dims[static_cast<size_t>(s.entry)];
    const std::vector<Expr> e = entry_extents(d);
    if (d.kind == DimKind::pack) {
      out.push_back(e[static_cast<size_t>(s.part)]);
      continue;
    }
    Expr product = constant_int(1);
    for (const Expr& x : e) product = times(product, x);
    out.push_back(product);
  }
  return out;
}

TensorLayout ShapeBinder::layout(const TensorDef& t, const std::vector<Expr>& dims,
                                 const std::vector<int>& stored_order) const {
  TensorLayout out;
  const std::vector<Expr> extents = with_leading_ones(t, dims);
  const int added = static_cast<int>(extents.size() - dims.size());  // which the tensor itself does not have
  std::string why;
  const std::vector<Expr> stored = contiguous_strides(extents);
  const auto where = slots(in_stored_order(t, stored_order), extents.size(), why);
  for (size_t i = 0; i < t.dims.size(); ++i) {
    const Dim& d = t.dims[i];
    const std::vector<Expr> entry = entry_extents(d);
    const size_t slot_entry =
        stored_order.empty()
            ? i
            : static_cast<size_t>(std::find(stored_order.begin(), stored_order.end(), static_cast<int>(i)) -
                                  stored_order.begin());
    std::vector<int> at;
    for (size_t k = 0; where && k < extents.size(); ++k)
      if ((*where)[k].entry == static_cast<int>(slot_entry)) at.push_back(static_cast<int>(k));
    out.entries.push_back(entry);
    if (d.kind == DimKind::split) {
      for (size_t k = 0; k < entry.size(); ++k) {
        Expr stride = stored[static_cast<size_t>(at[0])];
        for (size_t j = k + 1; j < entry.size(); ++j) stride = times(stride, entry[j]);
        out.strides.push_back(stride);
        out.from.push_back(at[0]);
      }
      continue;
    }
    for (size_t k = 0; k < entry.size(); ++k) {
      const size_t lacking = entry.size() - at.size();  // leading dims that a broadcast pack does not have
      const int p = k < lacking ? -1 : at[k - lacking];
      const bool spread = p < 0 || (d.broadcast && is_one(extents[static_cast<size_t>(p)]) && !is_one(entry[k]));
      out.strides.push_back(spread ? constant_int(0) : stored[static_cast<size_t>(p)]);
      out.from.push_back(spread ? -1 : std::max(p - added, -1));
    }
  }
  return out;
}

std::optional<std::string> ShapeBinder::check_broadcast(const TensorDef& t, const std::vector<Expr>& dims,
                                                        const std::vector<int>& order) const {
  const TensorDef stored = in_stored_order(t, order);
  const std::vector<Expr> extents = with_leading_ones(t, dims);
  std::string why;
  const auto where = slots(stored, extents.size(), why);
  if (!where) return why;
  for (size_t p = 0; p < extents.size(); ++p) {
    const Slot slot = (*where)[p];
    const Dim& d = stored.dims[static_cast<size_t>(slot.entry)];
    if (!d.broadcast) continue;
    const std::vector<Expr> wide = entry_extents(d);
    const auto places = static_cast<size_t>(count_if(*where, [&](const Slot& s) { return s.entry == slot.entry; }));
    if (places > wide.size())
      return fmt::format("{} has {}, {} at most", t.name, dimensions(extents.size()),
                         extents.size() - places + wide.size());
    const Expr& wanted = wide[wide.size() - places + static_cast<size_t>(slot.part)];
    if (!is_one(extents[p]) && !agree(wanted, extents[p]))
      return fmt::format("{} has an extent of {} that does not broadcast to {}", t.name, to_text(extents[p]),
                         to_text(wanted));
  }
  return std::nullopt;
}

std::optional<std::string> ShapeBinder::check_inputs(const std::vector<std::optional<std::vector<Expr>>>& dims,
                                                     const std::vector<std::vector<int>>& orders) const {
  for (size_t i = 0; i < def_.inputs.size() && i < dims.size(); ++i) {
    const TensorDef& t = def_.inputs[i];
    if (!dims[i]) continue;
    if (any_of(t.dims, [](const Dim& d) { return d.broadcast; })) {
      if (auto why = check_broadcast(t, *dims[i], orders[i])) return why;
      continue;
    }
    const std::vector<Expr> want = stored_dims(t, orders[i]);
    if (want.size() != dims[i]->size())
      return fmt::format("{} has {}, {} are needed", t.name, dimensions(dims[i]->size()), want.size());
    for (size_t k = 0; k < want.size(); ++k)
      if (!agree(want[k], (*dims[i])[k]))
        return fmt::format("dimension {} of {} is {}, {} is needed", k, t.name, to_text((*dims[i])[k]),
                           to_text(want[k]));
  }
  return std::nullopt;
}

}  // namespace tenon
