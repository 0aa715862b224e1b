// The explicit list of levels, and the levels that this machine runs.
#include "isa/all_isas.h"

#include <array>
#include <tuple>

#include "isa/levels.h"
#include "support/ranges.h"

namespace tenon {

std::span<const Isa> all_isas() {
  static const std::array<Isa, 8> isas = {portable_isa(),  x86_64_v2_isa(),      x86_64_v3_isa(), x86_64_v3_vnni_isa(),
                                          x86_64_v4_isa(), x86_64_v4_vnni_isa(), neon_isa(),      neon_dotprod_isa()};
  return isas;
}

const Isa* isa_from_name(std::string_view name) {
  for (const Isa& isa : all_isas())
    if (isa.name == name || isa.suffix == name) return &isa;
  return nullptr;
}

std::string_view host_architecture() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "";
#endif
}

bool runs_on_host(const Isa& isa) {
  if (isa.architecture.empty()) return true;
  return isa.architecture == host_architecture() && all_of(isa.needs, host_has);
}

const Isa& native_isa() {
  const Isa* best = &all_isas().front();
  for (const Isa& isa : all_isas())
    if (runs_on_host(isa)) best = &isa;
  return *best;
}

std::vector<IsaRow> extend_rows(std::vector<IsaRow> base, std::vector<IsaRow> own) {
  const auto order = [](const IsaRow& r) { return std::tuple(r.key, r.dtype, r.lanes); };
  const auto before = [&](const IsaRow& a, const IsaRow& b) { return order(a) < order(b); };
  stable_sort(own, before);
  std::vector<IsaRow> all = std::move(own);
  const size_t own_count = all.size();
  for (const IsaRow& r : base)
    if (!std::binary_search(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own_count), r, before))
      all.push_back(r);
  stable_sort(all, before);
  return all;
}

}  // namespace tenon
