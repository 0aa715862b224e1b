// The flags of each command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "pipeline.h"

namespace tenon {

void add_lib(CLI::App& app, LibOptions& lib);
void add_model(CLI::App& app, ModelOptions& model);
void add_run(CLI::App& app, RunOptions& run);
void add_train(CLI::App& app, TrainOptions& train);
void add_tune(CLI::App& app, TuneOptions& tune);
void add_quantize(CLI::App& app, QuantizeOptions& quantize);
void add_try(CLI::App& app, TryOptions& attempt);
void add_bench(CLI::App& app, BenchOptions& bench);
void add_dump(CLI::App& app, DumpOptions& dump);
void add_explain(CLI::App& app, ExplainOptions& explain);
void add_list(CLI::App& app, ListOptions& list);

/// Empty, or a contradiction between flags, each of which is valid by itself.
std::string contradiction(const Options& options);

}  // namespace tenon
