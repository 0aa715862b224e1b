// YAML as definitions are written, read by LibYAML: yaml-cpp takes several times as long for the same text.
#pragma once

#include <string>

#include "support/yaml_tree.h"

namespace tenon {

/// Adds the only document of `text` to the tree. Returns false if the text is not valid, or uses a feature that the two
/// libraries might read differently (anchors, tags, directives, several documents, tabs, empty items): the tree is then
/// unusable, and yaml-cpp reads the text and reports its errors.
bool read_plain_yaml(const std::string& text, YamlTree& tree);

}  // namespace tenon
