// A report of `tenon bench` as a table, as JSON and as a diagram.
#pragma once

#include <string>

#include "bench/measurement.h"

namespace tenon {

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
