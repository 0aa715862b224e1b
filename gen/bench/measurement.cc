// Rates and bounds of measured kernels.
#include "bench/measurement.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/joined.h"
#include "support/quoted.h"
#include "support/version.h"

namespace tenon {
namespace {

constexpr double kPerMicrosecond = 1e3;  // of what there are 1e9 a second

/// The ceiling of arithmetic in GFLOP/s; 0 if there is none. Narrow floats are computed in f32.
double arithmetic_ceiling(DType d, const Ceilings& c) {
  const DType computed = real_of(dtype_row(d).compute);
  return computed == DType::F64 ? c.gflops_f64 : is_float(computed) ? c.gflops_f32 : 0;
}

/// The rates of the largest measured size that does not exceed `bytes`: memory at least this fast.
const MemoryRates* rates_at(double bytes, const Ceilings& c) {
  const MemoryRates* found = c.memory.empty() ? nullptr : &c.memory.front();
  for (const MemoryRates& m : c.memory)
    if (m.bytes <= bytes) found = &m;
  return found;
}

/// Equal amounts of reads and writes run at the rate of a copy, the rest at the rate of reads or writes.
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

namespace {

std::string size_text(double bytes) {
  const double kib = bytes / 1024;
  return kib < 1024 ? fmt::format("{:.0f} KiB", kib) : fmt::format("{:.0f} MiB", kib / 1024);
}

std::string number_or_dash(const std::optional<double>& v) { return v ? fmt::format("{:.2f}", *v) : "-"; }

std::string number_or_null(const std::optional<double>& v) { return v ? fmt::format("{:.4g}", *v) : "null"; }

const char* bound_name(const Timing& t) { return !t.bound ? "-" : t.bound->arithmetic ? "arithmetic" : "memory"; }

std::string ceilings_json(const Ceilings& c) {
  const std::string rows = joined(c.memory, ",", [](const MemoryRates& m) {
    return fmt::format("\n      {{\"bytes\": {:.0f}, \"read\": {:.4g}, \"copy\": {:.4g}, \"write\": {:.4g}}}", m.bytes,
                       m.read, m.copy, m.write);
  });
  return fmt::format("{{\n    \"gflops_f32\": {:.4g},\n    \"gflops_f64\": {:.4g},\n    \"memory\": [{}\n    ]\n  }}",
                     c.gflops_f32, c.gflops_f64, rows);
}

std::string timing_json(const Timing& t) {
  const auto of_load = [&](double Load::*part) {
    return number_or_null(t.load ? std::optional(*t.load.*part) : std::nullopt);
  };
  const std::optional<double> bound = t.bound ? std::optional(t.bound->us) : std::nullopt;
  return fmt::format(
      "{{\"name\": {}, \"what\": {}, \"model\": {}, \"us\": {:.4g}, \"median_us\": {:.4g}, \"runs\": {}, "
      "\"calls_at_once\": {}, \"operations\": {}, \"bytes_read\": {}, \"bytes_written\": {}, \"gflops\": {}, "
      "\"gigabytes\": {}, \"ceiling_us\": {}, \"share\": {}, \"bound\": {}}}",
      json_string(t.name), json_string(t.what), t.model, t.us, t.median_us, t.runs, t.calls.at_once,
      of_load(&Load::operations), of_load(&Load::read), of_load(&Load::written), number_or_null(t.gflops()),
      number_or_null(t.gigabytes()), number_or_null(bound), number_or_null(t.share()), json_string(bound_name(t)));
}

}  // namespace

std::string ceilings_text(const BenchMachine& machine, const Ceilings& c) {
  std::string out = fmt::format("{}; {}; {}; {} {}\n", machine.processor, machine.compiler, machine.isa,
                                machine.threads, machine.threads == 1 ? "thread" : "threads");
  out += fmt::format("arithmetic  {:.1f} GFLOP/s in f32, {:.1f} in f64\n", c.gflops_f32, c.gflops_f64);
  for (const MemoryRates& m : c.memory)
    out += fmt::format("{:<11} {:.1f} GB/s read, {:.1f} copied, {:.1f} written\n", size_text(m.bytes), m.read, m.copy,
                       m.write);
  return out;
}

std::string table_head() {
  return fmt::format("{:<22} {:<42} {:>10} {:>10} {:>8} {:>7} {:>6}  {}\n", "kernel", "shapes", "us", "median",
                     "GFLOP/s", "GB/s", "share", "of");
}

std::string table_row(const Timing& t) {
  const auto share = t.share();
  return fmt::format("{:<22} {:<42} {:>10.2f} {:>10.2f} {:>8} {:>7} {:>6}  {}\n", t.name, t.what, t.us, t.median_us,
                     number_or_dash(t.gflops()), number_or_dash(t.gigabytes()),
                     share ? fmt::format("{:.0f}%", *share * 100) : "-", bound_name(t));
}

std::string report_json(const BenchReport& r) {
  std::string rows;
  for (const Timing& t : r.timings) rows += (rows.empty() ? "\n    " : ",\n    ") + timing_json(t);
  return fmt::format(
      "{{\n  \"tenon\": {},\n  \"machine\": {{\"processor\": {}, \"compiler\": {}, \"isa\": {}, \"threads\": {}}},\n"
      "  \"ceilings\": {},\n  \"timings\": [{}\n  ]\n}}\n",
      json_string(kVersion), json_string(r.machine.processor), json_string(r.machine.compiler),
      json_string(r.machine.isa), r.machine.threads, ceilings_json(r.ceilings), rows);
}

}  // namespace tenon
