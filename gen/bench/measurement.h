// The measurements of `tenon bench`: the ceilings of the machine, and the times of kernels and models with the work
// they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/number/dtype.h"

namespace tenon {

/// Rates of memory, in GB/s of all threads together, where each thread goes through `bytes` again and again. A copy
/// counts the bytes that it reads and those that it writes.
struct MemoryRates {
  double bytes = 0;
  double read = 0, copy = 0, write = 0;
};

/// The upper limits of this machine, all threads together.
struct Ceilings {
  double gflops_f32 = 0, gflops_f64 = 0;  ///< multiplications and additions that wait for nothing
  std::vector<MemoryRates> memory;        ///< in ascending order of `bytes`
};

/// The work of one call.
struct Load {
  DType dtype = DType::F32;  ///< that the operations are in
  double operations = 0;     ///< as the definition writes them: kernel_cost.h
  double read = 0, written = 0;

  double bytes() const { return read + written; }
};

/// How many calls run at once, on how many threads.
struct Calls {
  int at_once = 1;
  int threads = 1;
};

/// The least time that the ceilings allow, and which one decides it.
struct LeastTime {
  double us = 0;
  bool arithmetic = false;
};

/// Of one call, where several run at once. Operations in integers have no ceiling.
LeastTime least_time(const Load& load, const Calls& calls, const Ceilings& ceilings);

/// One row of the report.
struct Timing {
  std::string name;  ///< "gemm_f32", or the file of a model
  std::string what;  ///< shapes and attributes, or sizes
  bool model = false;
  double us = 0, median_us = 0;  ///< of a call: the minimum, as the ceilings are, and the median
  int64_t runs = 0;
  Calls calls;
  std::optional<Load> load;        ///< nothing where it depends on data or on sizes that are open
  std::optional<LeastTime> bound;  ///< of a model: the sum over its kernels

  /// Rates of all calls together, and the share of the ceiling; nothing where the load is not known.
  std::optional<double> gflops() const;
  std::optional<double> gigabytes() const;
  std::optional<double> share() const;
};

/// Where and how it was measured.
struct BenchMachine {
  std::string processor, compiler, isa;
  int threads = 1;
};

struct BenchReport {
  BenchMachine machine;
  Ceilings ceilings;
  std::vector<Timing> timings;
};

/// What the machine reaches, a few lines.
std::string ceilings_text(const BenchMachine& machine, const Ceilings& ceilings);
std::string table_head();
/// One line; its columns are those of `table_head`.
std::string table_row(const Timing& t);

std::string report_json(const BenchReport& report);

/// Rates over operations a byte, both logarithmic, below the roofs that were measured; a legend names the points. What
/// has no operations, or whose ceiling of arithmetic is not known, is not in it.
std::string roofline_svg(const BenchReport& report);

}  // namespace tenon
