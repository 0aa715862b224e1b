// Families: one template and a line per member.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// An op's name and the map that says it.
struct NamedNode {
  YamlNode name;
  YamlNode map;
};

/// The members of a family as maps of ops of their own: the family's keys with every `$hole` filled from the member's
/// keys, and the member's own keys over them. Filled text keeps its places: what came from the member points into the
/// member.
std::vector<NamedNode> expand_family(const YamlNode& family, Diagnostics& diagnostics);

}  // namespace tenon
