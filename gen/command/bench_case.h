// A call that `tenon bench` times, as the file that the program bench_case reads.
#pragma once

#include <string>

#include "bench/measurement.h"
#include "command/try_case.h"

namespace tenon {

/// Which kernel, its operands and attributes, then the data: templates/c/bench_case.c.in reads it.
std::string case_file(const std::string& op, DType key, const TryCase& c);

/// "1024x1024 1024x1024 axis=1": inputs that are given, then attributes.
std::string case_label(const TryCase& c);

/// What a call of such a kernel does: `key` says what it computes in.
std::optional<Load> load_of(DType key, const std::optional<TimedWork>& work);

}  // namespace tenon
