// Reads the input files of a run: shipped files and those that the user names. Each file becomes a dependency of
// the output; an error in one is reported and stops the run.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emit/scalar_functions.h"
#include "frontend/recipe/training_forms.h"
#include "frontend/tensors/tensor_files.h"
#include "ir/graph/graph.h"
#include "ir/nest/blueprint.h"
#include "ir/op/math_function.h"
#include "ir/op/op_def.h"
#include "opdef/read_tests.h"
#include "pipeline/run.h"
#include "rewrite/rule.h"

namespace tenon {

/// Files of a folder, but not of folders in it, whose names end so, sorted by path. None where there is no folder.
std::vector<std::string> files_ending(const std::filesystem::path& folder, std::string_view ending);

/// Whether a run needs all shipped definitions, or loads them on demand.
enum class Wanted { named, all };

/// The shipped definitions and those of the user's files, which replace shipped ones of the same name.
/// `einsum:ij,jk->ik` stands for a file with that op. `more`: one more file of the user's, or null.
OpLibrary read_definitions(Run& run, const std::vector<std::string>& user_files, const SourceFileRef& more = nullptr,
                           Wanted wanted = Wanted::named);
/// The elementary functions of opdefs/math, and those of opdefs/math_variants that replace them.
MathLibrary read_math_library(Run& run, const MathChoice& choice);
/// The small functions of templates/scalar.
ScalarFunctions read_scalar_functions(Run& run);
/// The rules of opdefs/rewrites.
RuleSet read_rewrite_rules(Run& run, const OpLibrary& defs);
/// The schedules of templates/blueprints, after those of the user's file `own`, which may name `kernels`.
Blueprints read_schedules(Run& run, const std::optional<std::string>& own, const std::vector<std::string>& kernels);
/// The calls that `tenon bench` times: the tests of opdefs/bench, or of the user's file `own`.
TimedTests read_bench_tests(Run& run, const std::optional<std::string>& own, const OpLibrary& defs);
/// Frames below templates/: their texts by the names given.
std::map<std::string, std::string> read_frames(Run& run, const std::vector<std::string>& names);

/// The type of the array in a regular file, if it has one: a pipe can be read only once.
std::optional<NpyType> type_of_array(const std::string& file);

/// A model and the definitions of its operators: the shipped ones, and one for each einsum that it has.
struct ModelSource {
  Graph graph;
  OpLibrary defs;
};
/// Stops with exit_bad_command_line where nothing but the sizes of `options` is wrong.
ModelSource read_model_source(Run& run, const ModelOptions& options, GraphMode mode, OpLibrary defs);

}  // namespace tenon
