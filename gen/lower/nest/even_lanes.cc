// Picks every second element of two vectors.
#include "lower/nest/even_lanes.h"

#include <algorithm>

namespace tenon {

constexpr int kUnitBytes = 16;

bool picks_within_units(const Isa& isa) {
  constexpr int kPicksAny = 512;  // bits of vectors of which one instruction picks any elements
  return isa.vector_bits > 8 * kUnitBytes && isa.vector_bits < kPicksAny;
}

EvenLanes even_lanes(const Isa& isa, DType type, int distance) {
  const int lanes = isa.lanes(type), unit = std::min(lanes, kUnitBytes / bytes_of(type)), half = unit / 2;
  EvenLanes out;
  out.pick = out.in_order = even_elements(lanes, distance);
  if (lanes <= unit || !picks_within_units(isa)) return out;
  out.order.resize(static_cast<size_t>(lanes));
  for (int l = 0; l < lanes; ++l) {
    const bool low = l % unit < half;
    const int from = l / unit * unit + l % half * 2, element = l / unit * half + l % half + (low ? 0 : lanes / 2);
    out.pick[static_cast<size_t>(l)] = low ? from : 2 * lanes + from - distance;
    out.order[static_cast<size_t>(element)] = l;
  }
  return out;
}

}  // namespace tenon
