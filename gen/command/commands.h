// The commands of the program, one function each. All return the exit status, or throw Stop.
#pragma once

#include "pipeline/run.h"

namespace tenon {

int run_command(Run& run, const LibOptions& options);
int run_command(Run& run, const ModelOptions& options);
int run_command(Run& run, const RunOptions& options);
int run_command(Run& run, const TrainOptions& options);
int run_command(Run& run, const TuneOptions& options);
int run_command(Run& run, const QuantizeOptions& options);
int run_command(Run& run, const TryOptions& options);
int run_command(Run& run, const BenchOptions& options);
int run_command(Run& run, const DumpOptions& options);
int run_command(Run& run, const ExplainOptions& options);
int run_command(Run& run, const ListOptions& options);

}  // namespace tenon
