// Calls that count or address single dims of a pack whose rank is known only in a call of the library.
#include <fmt/format.h>

#include "library/bind_steps.h"
#include "library/pack_plan.h"

namespace tenon {
namespace {

using Extents = std::vector<Expr>;

class PackCheck {
 public:
  PackCheck(const OpLibrary& library, const Scope& scope) : library_(library), def_(*scope.def), scope_(scope) {}

  std::optional<PackMisfit> sizes() const {
    for (const auto& [name, size] : scope_.binding.sizes)
      if (const std::string* pack = def_.let(name) ? nullptr : mentioned(size.e))
        return PackMisfit{fmt::format("'{}' is one dimension, *{} is any number of them", name, *pack)};
    return std::nullopt;
  }

  std::optional<PackMisfit> dims_apart() const {
    const auto frame = library_.frame_of(def_);
    for (const auto& [name, extents] : scope_.binding.packs) {
      if (!takes_dims_apart(def_, frame.get(), name) || scope_.binding.pack_ranks.contains(name)) continue;
      for (const Expr& e : extents)
        if (const std::string* pack = pack_of(e))
          return PackMisfit{
              fmt::format("the dimensions of *{} are taken one by one, *{} is any number of them", name, *pack)};
    }
    return std::nullopt;
  }

  std::optional<PackMisfit> meetings(const std::vector<std::pair<Expr, Expr>>& met) const {
    for (const auto& [a, b] : met) {
      const std::string *x = pack_of(a), *y = pack_of(b);
      if (x && y) return PackMisfit{fmt::format("*{} and *{} may have different dimensions", *x, *y)};
      if (x || y)
        return PackMisfit{
            fmt::format("*{} is any number of dimensions where '{}' is one", x ? *x : *y, to_text(x ? b : a))};
    }
    return std::nullopt;
  }

  /// D@axis, *Q@axis, *R@axes, and the axis of a dim that only an output has.
  std::optional<PackMisfit> axes(const TensorDef& t, const Extents& dims) const {
    const auto rank = static_cast<int64_t>(dims.size());
    for (const Dim& d : t.dims) {
      const bool from_here = d.kind == DimKind::pack && !is_list(d.at);
      if (auto why = counted(d.at, dims, {rank, !from_here})) return why;
    }
    const auto added = added_dim(def_, t);
    return added ? counted(added->dim->at, dims, {rank + 1, false}) : std::nullopt;
  }

 private:
  struct Count {
    int64_t rank;
    bool lands;  ///< whether counting from the front reaches the intended dim
  };

  std::optional<PackMisfit> counted(const std::string& attr, const Extents& dims, const Count& how) const {
    const auto a = attr.empty() ? scope_.binding.attrs.end() : scope_.binding.attrs.find(attr);
    if (a == scope_.binding.attrs.end() || a->second.placed) return std::nullopt;
    for (const Typed& element : a->second.elements) {
      const auto axis = constant_value(element.e);
      if (!axis || *axis < -how.rank || *axis >= how.rank) continue;
      const int64_t at = *axis < 0 ? *axis + how.rank : *axis;
      const int64_t from = *axis < 0 ? at : 0;
      const int64_t to = *axis < 0 ? static_cast<int64_t>(dims.size()) : at + (how.lands ? 1 : 0);
      for (int64_t k = from; k < to; ++k)
        if (const std::string* pack = pack_of(dims[static_cast<size_t>(k)]))
          return PackMisfit{
              fmt::format("{} = {} counts over *{}, which is any number of dimensions", attr, *axis, *pack),
              fmt::format("write that dimension by itself: `T[*P, D]` and {0}=-1, or `T[*P, D@axis, *Q]` and {0}=axis",
                          attr)};
    }
    return std::nullopt;
  }

  bool is_list(const std::string& attr) const {
    const AttrDef* a = def_.attr(attr);
    return a && a->count != AttrCount::one;
  }

  const std::string* pack_of(const Expr& e) const {
    const auto* size = std::get_if<SizeRef>(&e->node);
    const auto pack = size ? scope_.any_rank.find(size->name) : scope_.any_rank.end();
    return pack == scope_.any_rank.end() ? nullptr : &pack->second.pack;
  }

  const std::string* mentioned(const Expr& e) const {
    const std::string* found = nullptr;
    walk(e, [&](const Expr& part) {
      if (!found) found = pack_of(part);
      return !found;
    });
    return found;
  }

  const OpLibrary& library_;
  const OpDef& def_;
  const Scope& scope_;
};

}  // namespace

std::optional<PackMisfit> misfit_of_packs(const OpLibrary& library, const Scope& scope,
                                          const std::vector<std::optional<Extents>>& inputs,
                                          const std::vector<std::pair<Expr, Expr>>& met) {
  if (scope.any_rank.empty()) return std::nullopt;
  const PackCheck check(library, scope);
  for (size_t i = 0; i < scope.def->inputs.size() && i < inputs.size(); ++i)
    if (inputs[i])
      if (auto why = check.axes(scope.def->inputs[i], *inputs[i])) return why;
  if (auto why = check.sizes()) return why;
  if (auto why = check.dims_apart()) return why;
  return check.meetings(met);
}

}  // namespace tenon
