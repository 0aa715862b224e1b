// Rates and bounds of measured kernels.
#include "bench/measurement.h"

#include <algorithm>

namespace tenon {
namespace {

constexpr double kPerMicrosecond = 1e3;  // of what there are 1e9 a second

/// The ceiling of arithmetic in GFLOP/s; 0 if there is none. Narrow floats are computed in f32.
double arithmetic_ceiling(DType d, const Ceilings& c) {
  const DType computed = real_of(dtype_row(d).compute);
  return computed == DType::F64 ? c.gflops_f64 : is_float(computed) ? c.gflops_f32 : 0;
}

/// The rates of the largest measured size that is not above `bytes`: memory that is at least as fast.
const MemoryRates* rates_at(double bytes, const Ceilings& c) {
  const MemoryRates* found = c.memory.empty() ? nullptr : &c.memory.front();
  for (const MemoryRates& m : c.memory)
    if (m.bytes <= bytes) found = &m;
  return found;
}

/// Equal parts of reads and writes go at the rate of a copy, the rest at that of reads or of writes.
double memory_us(double read, double written, const MemoryRates& m) {
  const double copied = std::min(read, written);
  return (2 * copied / m.copy + (read - copied) / m.read + (written - copied) / m.write) / kPerMicrosecond;
}

}  // namespace

LeastTime least_time(const Load& load, const Calls& calls, const Ceilings& ceilings) {
  LeastTime out;
  const double at_once = calls.at_once;
  if (const MemoryRates* m = rates_at(load.bytes() * at_once / calls.threads, ceilings))
    out.us = memory_us(load.read * at_once, load.written * at_once, *m);
  const double most = arithmetic_ceiling(load.dtype, ceilings);
  const double arithmetic_us = most > 0 ? load.operations * at_once / most / kPerMicrosecond : 0;
  if (arithmetic_us > out.us) out = {arithmetic_us, true};
  return out;
}

std::optional<double> Timing::gflops() const {
  if (!load || load->operations <= 0 || us <= 0) return std::nullopt;
  return load->operations * calls.at_once / us / kPerMicrosecond;
}

std::optional<double> Timing::gigabytes() const {
  if (!load || us <= 0) return std::nullopt;
  return load->bytes() * calls.at_once / us / kPerMicrosecond;
}

std::optional<double> Timing::share() const {
  if (!bound || bound->us <= 0 || us <= 0) return std::nullopt;
  return bound->us / us;
}

}  // namespace tenon
