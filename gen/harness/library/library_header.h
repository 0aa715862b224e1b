// The headers of a library: the public one, and the one that its sources share.
#pragma once

#include <string>
#include <vector>

#include "harness/library/library_output.h"
#include "harness/library/library_tables.h"
#include "support/output_tree.h"
#include "support/text_template.h"

namespace tenon {

std::string library_header(const Library& library, const LibraryTexts& texts, const LibraryOptions& options);
std::string library_internal_header(const LibraryLimits& limits, const LibraryTexts& texts,
                                    const LibraryOptions& options);
/// Fills a template of the options; aborts when it is missing.
std::string fill_template(const LibraryOptions& options, const std::string& path, const std::vector<HoleValue>& holes);

/// The manifest and the build files of a library.
std::string library_manifest(const Library& library, const LibraryTexts& texts, const LibraryOptions& options);
std::string library_cmake(const std::vector<std::string>& sources, const LibraryOptions& options);
std::string library_makefile(const LibraryTexts& texts, const LibraryOptions& options);

/// Paths below templates/ of the pools.
std::vector<std::string> pool_template_names();
/// Which calls of an op its header says workers share: a line.
std::string share_note(const LibraryOp& op, const LibraryTexts& texts);
/// The optional pools: a header and their sources, which are not among those of the library.
void add_pools(OutputTree& out, const std::string& provenance, const LibraryOptions& options);

}  // namespace tenon
