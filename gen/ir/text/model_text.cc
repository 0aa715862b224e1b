// The text form of a model's C.
#include "ir/text/model_text.h"

namespace tenon {

std::string to_text(const std::vector<ModelLevel>& levels) {
  std::string out;
  for (const ModelLevel& level : levels) out += level.functions;
  return out;
}

}  // namespace tenon
