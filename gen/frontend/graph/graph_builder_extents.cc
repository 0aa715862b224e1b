// Extents of a graph's values: those of results, those that have to be equal, and where they are known.
#include <fmt/format.h>

#include "frontend/graph/graph_builder.h"
#include "ir/graph/size_bounds.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMaxExtent = int64_t{1} << 40;

/// The alias of a graph size whose name the current definition uses for one of its own extents.
std::string aside(const std::string& name) { return name + "'"; }

void rename_in(std::vector<SizeExpr>& dims, const std::string& name, const std::string& to) {
  for (SizeExpr& d : dims) d = with_size(d, name, size_name(to));
}

}  // namespace

InferredTypes GraphBuilder::infer(const std::string& op, const std::vector<ValueId>& inputs, const Attributes& attrs,
                                  size_t outputs) const {
  std::vector<std::optional<TensorType>> types;
  for (ValueId id : inputs) types.push_back(id == kNoValue ? std::nullopt : std::optional(type(id)));
  InferredTypes inferred = semantics_->infer(op, types, attrs, outputs);
  Attributes renamed = attrs;
  for (const BoundedExtent& e : std::vector(inferred.extents)) {
    for (std::optional<TensorType>& t : types)
      if (t) rename_in(t->dims, e.name, aside(e.name));
    for (auto& [name, value] : renamed) {
      if (auto* list = std::get_if<std::vector<SizeExpr>>(&value)) rename_in(*list, e.name, aside(e.name));
      if (auto* one = std::get_if<SizeExpr>(&value)) *one = with_size(*one, e.name, size_name(aside(e.name)));
    }
  }
  if (inferred.extents.empty()) return inferred;
  inferred = semantics_->infer(op, types, renamed, outputs);
  for (const BoundedExtent& e : std::vector(inferred.extents)) {
    const auto back = [&](SizeExpr& x) { x = with_size(x, aside(e.name), size_name(e.name)); };
    for (BoundedExtent& bounded : inferred.extents) back(bounded.bound);
    for (auto& [a, b] : inferred.equal) back(a), back(b);
  }
  return inferred;
}

void GraphBuilder::check_extents(const std::string& op, const std::vector<TensorType>& types) const {
  for (const TensorType& t : types) {
    int64_t count = 1;
    for (const SizeExpr& d : t.dims) {
      if (!d.is_constant() && bounds_of(d, sizes()).hi < 0)
        throw GraphError(
            fmt::format("the result of {} would have the extent {}, which is below 0 for all sizes in their ranges", op,
                        to_text(d)));
      if (!d.is_constant()) continue;
      if (d.value < 0) throw GraphError(fmt::format("the result of {} would have the extent {}", op, d.value));
      if (__builtin_mul_overflow(count, d.value, &count) || count > kMaxExtent)
        throw GraphError(fmt::format("the result of {} would have more than 2^40 elements", op));
    }
  }
}

std::string GraphBuilder::never_equal(const SizeExpr& x, const SizeExpr& y) const {
  const auto text = [&](const SizeExpr& e) { return to_text(decided(e, graph_.sizes)); };
  if (const auto least = at_least(x, y))
    return fmt::format("{} has to be at least {}, and within the ranges of the sizes it never is", text(y),
                       text(*least));
  return fmt::format("an extent of {} meets one of {}, and within the ranges of the sizes they are never equal",
                     text(x), text(y));
}

/// Requires two extents to be equal. True if nodes that rely on it have to stay in the innermost open region.
bool GraphBuilder::fix_sizes(const std::string& op, const InferredTypes& inferred) {
  bool inside = false;
  for (const auto& [x, y] : inferred.equal) {
    const Equality e = require_equal(x, y);
    if (e == Equality::never) throw GraphError(op + ": " + never_equal(x, y));
    inside = inside || e == Equality::in_the_region;
  }
  return inside;
}

GraphBuilder::Equality GraphBuilder::require_equal(const SizeExpr& x, const SizeExpr& y) {
  const SizeExpr a = decided(x, graph_.sizes), b = decided(y, graph_.sizes);
  const Interval apart = bounds_of(a - b, graph_.sizes);
  if (apart.lo > 0 || apart.hi < 0) return Equality::never;
  if (apart.lo == apart.hi) return Equality::at_every_call;
  const bool at_each_iteration = names_a_counter(a) || names_a_counter(b);
  if (runs_at_every_call() && !at_each_iteration) {
    fix_for_every_call({a, b});
  } else if (known_here(a) && known_here(b)) {
    const RegionId here = open_.back().region;
    // Sizes that the region itself writes are compared when they are written, all others before the region.
    add_equal(is_written_in(here, a) || is_written_in(here, b) ? graph_.equal : region(here).equal, {a, b});
    return Equality::in_the_region;
  }
  return Equality::at_every_call;
}

/// An open size that meets a constant equals it: the program's check of its sizes refuses other values. Other extents
/// are compared.
void GraphBuilder::fix_for_every_call(const EqualExtents& e) {
  const SizeExpr &open = e.a.is_constant() ? e.b : e.a, &number = e.a.is_constant() ? e.a : e.b;
  const auto size = find_if(graph_.sizes, [&](const GraphSize& s) { return open.is_name() && s.name == open.name; });
  if (number.is_constant() && size != graph_.sizes.end() && !size->written) size->lo = size->hi = number.value;
  else if (known_at_run(e.a) && known_at_run(e.b)) add_equal(graph_.equal, e);
}

bool GraphBuilder::known_at_run(const SizeExpr& extent) const {
  const std::vector<std::string> names = names_in(extent);
  return all_of(names, [&](const std::string& name) {
    return any_of(graph_.sizes, [&](const GraphSize& s) { return s.name == name; });
  });
}

bool GraphBuilder::names_a_counter(const SizeExpr& extent) const {
  const std::vector<std::string> names = names_in(extent);
  return std::any_of(open_.begin() + 1, open_.end(), [&](const Open& o) {
    return region(o.region).kind == Region::Kind::loop && contains(names, region(o.region).counter);
  });
}

/// Whether every name in the extent is a size, or the counter of a loop that is open.
bool GraphBuilder::known_here(const SizeExpr& extent) const {
  const std::vector<std::string> names = names_in(extent);
  return all_of(names, [&](const std::string& name) {
    return known_at_run(size_name(name)) || names_a_counter(size_name(name));
  });
}

/// Extents that the node writes become sizes of the graph, known in `place` only.
void GraphBuilder::name_extents(Node& node, InferredTypes& inferred, RegionId place) {
  std::vector<GraphSize> known = sizes();
  for (const BoundedExtent& e : inferred.extents) {
    const auto taken = [&](const std::string& name) {
      return any_of(known, [&](const GraphSize& s) { return s.name == name; });
    };
    std::string name = node.op + "_" + e.name;
    for (int n = 2; taken(name); ++n) name = fmt::format("{}_{}_{}", node.op, e.name, n);
    const std::optional<int64_t> most = maximum_value(e.bound, known);
    if (!most) throw GraphError(fmt::format("{}: nothing bounds the extent {}", node.op, to_text(e.bound)));
    graph_.sizes.push_back({name, 0, *most, true});
    known.push_back(graph_.sizes.back());
    if (place != kTopLevel) written_[name] = {place, known_at_run(e.bound) ? e.bound : SizeExpr(*most)};
    node.attrs[e.name] = size_name(name);
    for (TensorType& t : inferred.outputs) rename_in(t.dims, e.name, name);
  }
  for (const BoundedExtent& e : inferred.extents) {
    for (TensorType& t : inferred.outputs) rename_in(t.dims, aside(e.name), e.name);
  }
}

}  // namespace tenon
