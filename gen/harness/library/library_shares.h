// What a library has for calls whose loops workers share: holes of its runtime, notes in its header, pools of threads.
#pragma once

#include <string>
#include <vector>

#include "harness/library/library_output.h"
#include "support/output_tree.h"
#include "support/text_template.h"

namespace tenon {

std::vector<std::string> share_template_names();
/// The holes of a template of the runtime, empty text without workers.
std::vector<HoleValue> share_holes(const std::string& part, const LibraryOptions& options);
/// Which calls of an op its header says workers share: a line.
std::string share_note(const LibraryOp& op, const LibraryTexts& texts);
/// The optional pools: a header and their sources, which are not among those of the library.
void add_pools(OutputTree& out, const std::string& provenance, const LibraryOptions& options);

}  // namespace tenon
