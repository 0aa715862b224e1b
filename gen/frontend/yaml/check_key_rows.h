// Tables of the keys that a map of a graph has.
#pragma once

#include <span>
#include <string>

#include "support/diagnostics.h"
#include "support/yaml_document.h"

namespace tenon {

/// A key, what it takes, and how that is written.
struct KeyRow {
  const char* name;
  YamlKind kind;
  bool needed;
  const char* example;
};

/// "a map", "a list", "a text" or "nothing".
const char* kind_name(YamlKind kind);

/// Reports keys of `map`, which messages call `what`, that are unknown, missing (under `code`), or hold something else.
void check_key_rows(const YamlNode& map, std::span<const KeyRow> rows, const std::string& what, Code code,
                    Diagnostics& diagnostics);

}  // namespace tenon
