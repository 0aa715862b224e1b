// Looking blueprints up.
#include "ir/nest/blueprint.h"

namespace tenon {

const Blueprint* Blueprints::find(std::string_view kind, std::string_view isa, DType dtype) const {
  const auto fits = [](const std::string& pattern, std::string_view value) {
    return pattern == "*" || pattern == value;
  };
  for (const Blueprint& b : rows)
    if (b.kind == kind && fits(b.isa, isa) && fits(b.dtype, name_of(dtype))) return &b;
  return nullptr;
}

const Blueprint* Blueprints::find(std::string_view kind, const Isa& isa, DType dtype) const {
  const Blueprint* own = find(kind, isa.name, dtype);
  return isa.base.empty() || (own && own->isa == isa.name) ? own : find(kind, isa.base, dtype);
}

Blueprints Blueprints::of_kernel(std::string_view name) const {
  Blueprints out;
  for (const Blueprint& b : rows)
    if (fits_kernel(b.kernel, name)) out.rows.push_back(b);
  return out;
}

bool fits_kernel(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

}  // namespace tenon
