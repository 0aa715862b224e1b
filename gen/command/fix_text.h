// The text of --fix: entries of ops with values for their sizes and attributes.
//
//   text    := entry (';' entry)*
//   entry   := op ':' binding+
//   binding := name '=' item ('x' item)*
//   item    := number | word
#pragma once

#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "support/result.h"

namespace tenon {

/// `kernel=3x3`: the name, and the items with their places.
struct FixBinding {
  Word name;
  std::vector<Word> items;
};

/// `conv2d: kernel=3x3 stride=1`
struct FixEntry {
  Word op;
  std::vector<FixBinding> bindings;
};

/// All entries, at least one, or an error in the text.
Result<std::vector<FixEntry>> parse_fix(const SourceFileRef& text);

/// "kernel=3x3"
std::string to_text(const FixBinding& binding);
/// "kernel=3x3 stride=1"
std::string to_text(const FixEntry& entry);

}  // namespace tenon
