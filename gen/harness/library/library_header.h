// The headers of a library: the public one, and the one that its sources share.
#pragma once

#include <string>

#include "harness/library/library_output.h"
#include "harness/library/library_tables.h"
#include "support/text_template.h"

namespace tenon {

std::string library_header(const Library& library, const LibraryTexts& texts, const LibraryOptions& options);
std::string library_internal_header(const LibraryLimits& limits, const LibraryTexts& texts,
                                    const LibraryOptions& options);
/// Fills a template of the options; aborts when it is missing.
std::string fill_template(const LibraryOptions& options, const std::string& path, const std::vector<HoleValue>& holes);

}  // namespace tenon
