// Library × C texts of its kernels → the files of a generated library: headers, wrappers, tables, build files,
// manifest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/text/library_text.h"
#include "support/output_tree.h"
#include "support/result.h"

namespace tenon {

struct LibraryOptions {
  std::string prefix = "tn";
  bool registry = true;     ///< the uniform entry and its table
  bool amalgamate = false;  ///< one header and one source
  bool threads = false;     ///< calls with a context, and pools of threads for it
  bool gradients = false;   ///< some op is a gradient; set by library_files
  bool joins = false;       ///< some op has dimensions that calls may join; the same
  bool merges = false;      ///< some op has rows of several matrices that calls may merge; the same
  bool steps = false;       ///< some op reduces in steps; the same
  std::vector<int> ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::map<std::string, std::string> templates;  ///< text by path below templates/, all of library_template_names()
  bool freestanding = false;                     ///< no header of a C library, only those of the compiler
  std::string version;                           ///< of the generator, for the package files
  bool libm = false;                             ///< kernels call <math.h>: what links them needs -lm
};

/// Whether the library has pools of threads next to it, which need headers of a C library.
inline bool has_pool(const LibraryOptions& o) { return o.threads && !o.freestanding; }

/// Paths below templates/ of what library_files fills in.
std::vector<std::string> library_template_names();

/// The files of the library: include/, src/, sources.txt, MANIFEST.json, CMakeLists.txt, Makefile,
/// package files. `defs` supplies scalar functions that sizes are computed with. Errors: ops that need one name.
Result<OutputTree> library_files(const Library& library, const OpLibrary& defs, const LibraryTexts& texts,
                                 LibraryOptions options);

/// Marks the texts of a family that differ from an earlier one only in names and comments as shared, and names its
/// functions for them.
LibraryTexts share_kernels(const Library& library, LibraryTexts texts);

}  // namespace tenon
