// Families: one template and a line per member.
#pragma once

#include <vector>

#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// The entries of a family that are members: a name and what fills the template.
std::vector<const YamlEntry*> family_members(const YamlNode& family, Diagnostics& diagnostics);

/// A member as the map of an op of its own: the family's keys with every `$hole` filled from the member's keys, and the
/// member's own keys over them. Filled text keeps its places: what came from the member points into the member.
YamlNode expand_member(const YamlNode& family, const YamlEntry& member, Diagnostics& diagnostics);

}  // namespace tenon
