// Reads templates/blueprints/*.yaml.
#pragma once

#include <filesystem>

#include "ir/blueprint.h"
#include "support/result.h"

namespace tenon {

/// The rows of one file: a list under `blueprints`, each a map of the fields of Blueprint.
Result<Blueprints> read_blueprints(const SourceFileRef& file);
/// The rows of every *.yaml below `folder`, files in order of their names.
Result<Blueprints> read_blueprint_folder(const std::filesystem::path& folder);

}  // namespace tenon
