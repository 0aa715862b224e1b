// The shipped definitions, rewrite rules and blueprints, for tests. What is wrong with them ends the test that asks.
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "frame_files.h"
#include "opdef/read_ops.h"
#include "schedule/read_blueprints.h"
#include "semantics/apply_rewrites.h"
#include "support/read_source.h"

namespace tenon_test {

/// The .yaml files right in a folder of the checkout, by name.
inline std::vector<tenon::SourceFileRef> yaml_files(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& e : std::filesystem::directory_iterator(std::string(TENON_CHECKOUT) + "/" + folder))
    if (e.path().extension() == ".yaml") paths.push_back(e.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<tenon::SourceFileRef> files;
  for (const std::string& p : paths) files.push_back(*tenon::read_source(p));
  return files;
}

template <class T>
T wholly_read(tenon::Result<T> read) {
  if (!read.ok()) throw std::runtime_error(read.diagnostics().text());
  return std::move(read).value();
}

inline const tenon::OpLibrary& shipped_ops() {
  static const tenon::OpLibrary library =
      wholly_read(tenon::read_ops(yaml_files("opdefs"), {}, frame_files(TENON_CHECKOUT)));
  return library;
}

inline const tenon::RuleSet& shipped_rules() {
  static const tenon::RuleSet set = wholly_read(tenon::read_rewrites(shipped_ops(), yaml_files("opdefs/rewrites")));
  return set;
}

inline const tenon::Blueprints& shipped_blueprints() {
  static const tenon::Blueprints all =
      wholly_read(tenon::read_blueprint_folder(std::string(TENON_CHECKOUT) + "/templates/blueprints"));
  return all;
}

}  // namespace tenon_test
