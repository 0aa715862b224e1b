// What a library has for calls whose loops workers share: notes in its header, pools of threads.
#pragma once

#include <string>
#include <vector>

#include "harness/library/library_output.h"
#include "support/output_tree.h"

namespace tenon {

/// Paths below templates/ of the pools.
std::vector<std::string> pool_template_names();
/// Which calls of an op its header says workers share: a line.
std::string share_note(const LibraryOp& op, const LibraryTexts& texts);
/// The optional pools: a header and their sources, which are not among those of the library.
void add_pools(OutputTree& out, const std::string& provenance, const LibraryOptions& options);

}  // namespace tenon
