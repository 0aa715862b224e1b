// Binding of type variables.
#include <fmt/format.h>

#include "ir/op/type_function.h"
#include "library/bind_steps.h"

namespace tenon {
namespace {

/// The one dtype of `variable` for which the derived type is `made`; nothing if there is none, or several.
std::optional<DType> only_origin(const TypeVar& variable, const TypeVar& derived, DType made) {
  std::optional<DType> found;
  for (const DType d : dtypes_of(variable)) {
    if (derived_dtype(derived.name, d) != made) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

/// wide(T) from T, or T from wide(T) where only one type leads there.
std::optional<std::string> bind_derived(const OpDef& def, Binding& binding) {
  for (const TypeVar& v : def.types) {
    const auto made = binding.types.find(v.name);
    const std::string inside(variable_of_type(v.name));
    if (!v.derived || made == binding.types.end() || binding.types.contains(inside)) continue;
    if (const auto origin = only_origin(*def.type(inside), v, made->second)) binding.types[inside] = *origin;
  }
  for (const TypeVar& v : def.types) {
    const auto inside = binding.types.find(std::string(variable_of_type(v.name)));
    const auto made = v.derived && inside != binding.types.end() ? derived_dtype(v.name, inside->second) : std::nullopt;
    if (!made) continue;
    const auto [at, fresh] = binding.types.emplace(v.name, *made);
    if (at->second != *made)
      return fmt::format("{} is {} where {} is {}", v.name, name_of(at->second), inside->first,
                         name_of(inside->second));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> bind_types(const OpDef& def, const std::vector<std::optional<DType>>& given,
                                      Binding& binding) {
  for (size_t i = 0; i < def.inputs.size() && i < given.size(); ++i) {
    if (!given[i]) continue;
    const TensorDef& t = def.inputs[i];
    if (const auto fixed = def.type(t.dtype) ? std::nullopt : dtype_from_name(t.dtype)) {
      if (*fixed != *given[i]) return fmt::format("{} is {}, {} is needed", t.name, name_of(*given[i]), t.dtype);
      continue;
    }
    const auto [it, fresh] = binding.types.emplace(t.dtype, *given[i]);
    if (it->second != *given[i])
      return fmt::format("{} is {} where {} is {}", t.name, name_of(*given[i]), t.dtype, name_of(it->second));
  }
  if (const auto why = bind_derived(def, binding)) return why;
  for (const TypeVar& v : def.types) {
    const auto t = binding.types.find(v.name);
    if (t == binding.types.end()) continue;
    bool fits = false;
    for (const Word& c : v.classes) fits = fits || in_type_class(t->second, c.text) || c.text == name_of(t->second);
    if (!fits) return fmt::format("{} is {}, which the op does not take", v.name, name_of(t->second));
  }
  return std::nullopt;
}

}  // namespace tenon
