// The manifest and the build files of a library.
#pragma once

#include <string>
#include <vector>

#include "harness/library/library_output.h"

namespace tenon {

std::string library_manifest(const Library& library, const LibraryTexts& texts, const LibraryOptions& options);
std::string library_cmake(const std::vector<std::string>& sources, const std::vector<std::string>& headers,
                          const LibraryOptions& options);
std::string library_makefile(const std::vector<std::string>& headers, const LibraryTexts& texts,
                             const LibraryOptions& options);

}  // namespace tenon
