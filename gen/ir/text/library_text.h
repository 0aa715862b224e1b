// The C of a library's kernels, level by level: what emit makes and the harness puts into files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nest/isa.h"

namespace tenon {

/// A C definition that kernels need; definitions with the same name are identical.
struct NamedText {
  std::string name;
  std::string text;
};

/// One kernel at one level.
struct KernelText {
  std::string run;                   ///< name of the function with the arguments of `tn_core.run`
  std::string workspace;             ///< name of the function that returns its workspace; empty: it needs none
  std::string comment;               ///< above the functions, without comment marks
  std::string code;                  ///< both functions
  bool shared = false;               ///< both functions are those of another kernel: the text is not written
  std::vector<NamedText> types;      ///< typedefs that the text needs
  std::vector<NamedText> functions;  ///< functions that it needs, each after those that it calls
  bool shares = false;               ///< workers may share loops of it
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

/// The functions of a kernel below their comment.
std::string to_text(const KernelText& kernel);
/// The functions of all kernels.
std::string to_text(const LibraryTexts& texts);

}  // namespace tenon
