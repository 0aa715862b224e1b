// Looking up rows of an instruction-set level, and the condition for running it.
#include "ir/nest/isa.h"

#include <algorithm>
#include <tuple>

namespace tenon {

const IsaRow* Isa::row(std::string_view key, DType d, int lanes) const {
  const auto order = [](const IsaRow& r) { return std::tuple(r.key, r.dtype, r.lanes); };
  const auto wanted = std::tuple(key, d, lanes);
  const auto at =
      std::lower_bound(rows.begin(), rows.end(), wanted, [&](const IsaRow& r, const auto& w) { return order(r) < w; });
  return at != rows.end() && order(*at) == wanted ? &*at : nullptr;
}

Isa Isa::without_fma() const {
  Isa isa = *this;
  isa.fma = false;
  isa.unfused = fma;
  std::erase_if(isa.rows, [](const IsaRow& r) { return r.key == "fma" || r.key == "lookup"; });
  return isa;
}

}  // namespace tenon
