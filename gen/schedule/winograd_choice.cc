// The cost model of Winograd convolutions. Costs are in multiply-adds of one element.
#include "schedule/winograd_choice.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr int kMostTaps = 7;        ///< of the filters
constexpr double kTransform = 9;    ///< of one point of a channel or filter: loads, stores and turning, not arithmetic
constexpr double kNear = 1 << 20;   ///< bytes of weights that stay in the second-level cache
constexpr double kFar = 2;          ///< of a byte of weights that does not
constexpr double kCold = 3.4;       ///< of such a byte where the weights of the program are more than caches hold
constexpr double kColdTiles = 4;    ///< of a byte of V or W then, if it does not stay in the second-level cache either
constexpr int64_t kKept = 1 << 24;  ///< bytes of weights of a program that caches hold from one run to the next
constexpr double kDivided = 1.2;    ///< of taps in parts, whose transforms share less with each other
constexpr double kGain = 1.15;      ///< less is not worth another rounding
constexpr int64_t kShallow = 8;     ///< channels or filters below which transforms are all the time

double weight_cost(const TiledConvolution& conv, double taps, bool cold) {
  const double bytes = taps * static_cast<double>(conv.channels * conv.filters) * bytes_of(DType::F32);
  return bytes > kNear ? bytes * (cold ? kCold : kFar) : 0;
}

/// Of V and W, whose strips have as many elements as the weights (lower/contraction plans them).
double tile_cost(const TiledConvolution& conv, double tiles, double points, bool cold) {
  const double bytes = tiles * points * static_cast<double>(conv.channels + conv.filters) * bytes_of(DType::F32),
               weights = points * static_cast<double>(conv.channels * conv.filters) * bytes_of(DType::F32);
  return cold && std::min(bytes, weights) > kNear ? bytes * kColdTiles : 0;
}

/// Filters, in whole vectors.
double padded_filters(const TiledConvolution& conv, const Isa& isa) {
  const int64_t lanes = isa.lanes(DType::F32);
  return static_cast<double>((conv.filters + lanes - 1) / lanes * lanes);
}

double direct_cost(const TiledConvolution& conv, const Isa& isa, bool cold) {
  const double taps = conv.taps * conv.taps;
  return static_cast<double>(conv.height * conv.width * conv.channels) * taps * padded_filters(conv, isa) +
         weight_cost(conv, taps, cold);
}

double winograd_cost(const TiledConvolution& conv, const Isa& isa, int outputs, bool cold) {
  const auto tiles =
      static_cast<double>(((conv.height + outputs - 1) / outputs) * ((conv.width + outputs - 1) / outputs));
  const WinogradTransform t = winograd_transform(outputs, conv.taps, conv.stride);
  const double points = t.points() * t.points(), divided = t.points() > t.neighbours() ? kDivided : 1;
  const double filters = padded_filters(conv, isa), channels = static_cast<double>(conv.channels);
  return divided * tiles * points * (channels * filters + kTransform * (channels + filters)) +
         weight_cost(conv, points, cold) + tile_cost(conv, tiles, points, cold);
}

}  // namespace

double winograd_error(int outputs, int taps, int stride) {
  switch (std::min(outputs + (taps + stride - 1) / stride - 1, WinogradTransform::kMostPoints)) {
    case 6: return 4e-5;
    case 5: return 1.5e-5;
    default: return 2e-6;
  }
}

std::optional<int> winograd_outputs(const TiledConvolution& conv, const Isa& isa, int64_t all_weights) {
  const bool cold = all_weights > kKept;
  if (conv.taps < 3 || conv.taps > kMostTaps || conv.stride >= conv.taps ||
      std::min(conv.channels, conv.filters) < kShallow)
    return std::nullopt;
  std::optional<int> best;
  double least = direct_cost(conv, isa, cold) / kGain;
  for (const int outputs : {2, 4}) {
    if (const double cost = winograd_cost(conv, isa, outputs, cold); cost < least) best = outputs, least = cost;
  }
  return best;
}

}  // namespace tenon
