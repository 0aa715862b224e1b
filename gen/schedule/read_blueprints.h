// Reads templates/blueprints/*.yaml.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/nest/blueprint.h"
#include "support/result.h"

namespace tenon {

/// A parameter of a kind; one that is needed is not 0.
struct BlueprintParameter {
  std::string_view name;
  int Blueprint::*field;
  bool needed = false;
  bool transposed = false;  ///< rows whose columns are stored as vectors
  bool scalars = true;      ///< has an effect on levels without vectors too
  bool masked = false;      ///< only on levels that load and store parts of vectors

  bool has_effect(const Isa& level) const {
    return (scalars || level.vector_bits > 0) && (!masked || level.masked_memory);
  }
};
/// A kind of kernel, and what a row of it may say.
struct BlueprintKind {
  std::string_view name;
  std::vector<BlueprintParameter> parameters;
  std::vector<DType> types;  ///< that rows are looked up by; none: one row for all of them
  bool scalars = true;       ///< levels without vectors follow it too
  bool named = true;         ///< its name is in the banners of kernels
};
std::span<const BlueprintKind> blueprint_kinds();

/// The rows of one file: a list under `blueprints`, each a map of the fields of Blueprint. A key or a value without
/// effect is an error, and so is a row that no kernel takes, since rows in front of it fit all that it fits.
Result<Blueprints> read_blueprints(const SourceFileRef& file);
/// The rows of a user's file, followed by `shipped`, which they override. Kernels that rows name have to be among
/// `kernels`, unless none are given.
Result<Blueprints> read_own_blueprints(const SourceFileRef& file, const Blueprints& shipped,
                                       const std::vector<std::string>& kernels);
/// A file of rows, with all their parameters, as read_blueprints reads it. `remarks` are parallel to the rows: a
/// comment above each, or "".
std::string print_blueprints(const Blueprints& rows, const std::vector<std::string>& remarks);
/// The rows of every *.yaml below `folder`, files in order of their names.
Result<Blueprints> read_blueprint_folder(const std::filesystem::path& folder);

}  // namespace tenon
