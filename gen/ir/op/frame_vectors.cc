// Names of the holes for vectors.
#include "ir/op/frame_vectors.h"

#include <algorithm>
#include <utility>

#include "support/text_template.h"

namespace tenon {

std::optional<VectorHole> vector_hole(std::string_view hole) {
  static constexpr std::pair<std::string_view, VectorHoleKind> kinds[] = {
      {"vector", VectorHoleKind::vector},    {"memory", VectorHoleKind::memory}, {"lanes", VectorHoleKind::lanes},
      {"min", VectorHoleKind::min},          {"max", VectorHoleKind::max},       {"zip_low", VectorHoleKind::zip_low},
      {"zip_high", VectorHoleKind::zip_high}};
  const std::size_t bar = hole.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto dtype = dtype_from_name(hole.substr(0, bar));
  const auto* kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return k.first == hole.substr(bar + 1); });
  if (!dtype || kind == std::end(kinds)) return std::nullopt;
  return VectorHole{*dtype, kind->second};
}

bool has_vectors(const Frame& frame) {
  const auto holes = TextTemplate(frame.name, frame.text).hole_names();
  return std::find(holes.begin(), holes.end(), kTargetHole) != holes.end();
}

}  // namespace tenon
