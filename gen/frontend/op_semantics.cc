// The text form of a tensor's type.
#include "frontend/op_semantics.h"

#include <fmt/format.h>

namespace tenon {

std::string to_text(const TensorType& type) {
  std::string dims;
  for (const SizeExpr& d : type.dims) dims += (dims.empty() ? "" : ", ") + to_text(d);
  return fmt::format("{}[{}]", name_of(type.dtype), dims);
}

}  // namespace tenon
