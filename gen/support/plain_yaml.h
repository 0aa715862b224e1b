// YAML as definitions are written, read directly: the YAML library takes ten times as long over the same text.
#pragma once

#include <string>

#include "support/yaml_tree.h"

namespace tenon {

/// Puts the one document of `text` into the tree: block and flow collections, keys of one line, plain and quoted
/// scalars, and block scalars. False where the text holds anything else, or anything wrong: the tree is of no use then,
/// and the YAML library reads the text. What this reads, the library reads to the same tree.
bool read_plain_yaml(const std::string& text, YamlTree& tree);

}  // namespace tenon
