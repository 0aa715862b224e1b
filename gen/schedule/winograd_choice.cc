// The cost model of Winograd convolutions. Costs are in multiply-adds of one element.
#include "schedule/winograd_choice.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr int kTaps = 3;           ///< of the filters; longer ones need points whose powers lose digits
constexpr double kTransform = 9;   ///< of one point of a channel or filter: loads, stores and turning, not arithmetic
constexpr double kNear = 1 << 20;  ///< bytes of weights that stay in the second-level cache
constexpr double kFar = 2;         ///< of a byte of weights that does not
constexpr double kGain = 1.15;     ///< less is not worth another rounding
constexpr int64_t kShallow = 8;    ///< channels or filters below which transforms are all the time

double weight_bytes(const TiledConvolution& conv, double taps) {
  const double bytes = taps * static_cast<double>(conv.channels * conv.filters) * bytes_of(DType::F32);
  return bytes > kNear ? bytes * kFar : 0;
}

/// Filters, in whole vectors.
double padded_filters(const TiledConvolution& conv, const Isa& isa) {
  const int64_t lanes = isa.lanes(DType::F32);
  return static_cast<double>((conv.filters + lanes - 1) / lanes * lanes);
}

double direct_cost(const TiledConvolution& conv, const Isa& isa) {
  const double taps = conv.taps * conv.taps;
  return static_cast<double>(conv.height * conv.width * conv.channels) * taps * padded_filters(conv, isa) +
         weight_bytes(conv, taps);
}

double winograd_cost(const TiledConvolution& conv, const Isa& isa, int outputs) {
  const int64_t tiles = ((conv.height + outputs - 1) / outputs) * ((conv.width + outputs - 1) / outputs);
  const int along = conv.stride * (outputs - 1) + conv.taps;
  const double points = along * along;
  const double filters = padded_filters(conv, isa), channels = static_cast<double>(conv.channels);
  return static_cast<double>(tiles) * points * (channels * filters + kTransform * (channels + filters)) +
         weight_bytes(conv, points);
}

}  // namespace

double winograd_error(int outputs, int stride) {
  if (outputs == 2) return 2e-6;
  return stride == 1 ? 1e-5 : 5e-6;
}

std::optional<int> winograd_outputs(const TiledConvolution& conv, const Isa& isa) {
  if (conv.taps != kTaps || conv.stride > kTaps - 1 || std::min(conv.channels, conv.filters) < kShallow)
    return std::nullopt;
  std::optional<int> best;
  double least = direct_cost(conv, isa) / kGain;
  for (const int outputs : {2, 4})
    if (const double cost = winograd_cost(conv, isa, outputs); cost < least) best = outputs, least = cost;
  return best;
}

}  // namespace tenon
