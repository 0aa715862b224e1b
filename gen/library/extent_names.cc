// Extents by their names.
#include <algorithm>

#include "library/bind_steps.h"

namespace tenon {

bool is_extent(const OpDef& def, const std::string& let) {
  const auto names = [&](const Dim& d) {
    return d.name == let || std::any_of(d.parts.begin(), d.parts.end(), [&](const Dim& p) { return p.name == let; });
  };
  const auto has = [&](const TensorDef& t) { return std::any_of(t.dims.begin(), t.dims.end(), names); };
  return std::any_of(def.inputs.begin(), def.inputs.end(), has) ||
         std::any_of(def.outputs.begin(), def.outputs.end(), has) ||
         std::any_of(def.index.begin(), def.index.end(), [&](const IndexRange& r) { return r.extent.is_name(let); });
}

}  // namespace tenon
