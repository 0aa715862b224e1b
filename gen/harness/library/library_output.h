// Library × C texts of its kernels → the files of a generated library: headers, wrappers, tables, build files,
// manifest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/isa.h"
#include "support/output_tree.h"

namespace tenon {

/// A piece of C that kernels need above them; pieces of one name are the same piece.
struct NamedText {
  std::string name;
  std::string text;
};

/// One kernel at one level.
struct KernelText {
  std::string run;                   ///< name of the function with the arguments of `tn_core.run`
  std::string workspace;             ///< name of the function that tells its workspace; empty: it takes none
  std::string text;                  ///< both functions
  std::vector<NamedText> types;      ///< typedefs that the text needs
  std::vector<NamedText> functions;  ///< functions that it needs, each behind those that it calls
  std::string blueprint;             ///< which schedule was taken
};

/// All kernels at one level.
struct LevelTexts {
  const Isa* isa = nullptr;
  std::string begin, end;                     ///< what encloses the functions of a file
  std::map<std::string, KernelText> kernels;  ///< by Kernel::name
};

/// The C of all kernels, levels in the order of all_isas.
struct LibraryTexts {
  std::vector<LevelTexts> levels;
};

struct LibraryOptions {
  std::string prefix = "tn";
  bool registry = true;     ///< the uniform entry and its table
  bool amalgamate = false;  ///< one header and one source
  std::vector<int> ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::map<std::string, std::string> templates;  ///< text by path below templates/, all of library_template_names()
  std::string version;                           ///< of the generator, for the package files
};

/// Paths below templates/ of what write_library fills in.
std::vector<std::string> library_template_names();

/// Adds the files of the library to `out`: include/, src/, sources.txt, MANIFEST.json, CMakeLists.txt, Makefile,
/// package files. `defs` supplies scalar functions that sizes are computed with.
void write_library(const Library& library, const OpLibrary& defs, const LibraryTexts& texts,
                   const LibraryOptions& options, OutputTree& out);

}  // namespace tenon
