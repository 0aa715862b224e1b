// The text form of a library's C.
#include "ir/text/library_text.h"

#include "ir/text/print_c99.h"

namespace tenon {

std::string to_text(const KernelText& kernel) { return print_banner(kernel.comment) + kernel.code; }

std::string to_text(const LibraryTexts& texts) {
  std::string out;
  for (const LevelTexts& level : texts.levels)
    for (const auto& [name, kernel] : level.kernels) out += to_text(kernel) + "\n";
  return out;
}

}  // namespace tenon
