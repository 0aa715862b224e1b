// The text form of a library's C.
#include "ir/text/library_text.h"

namespace tenon {

std::string to_text(const LibraryTexts& texts) {
  std::string out;
  for (const LevelTexts& level : texts.levels)
    for (const auto& [name, kernel] : level.kernels) out += kernel.text + "\n";
  return out;
}

}  // namespace tenon
