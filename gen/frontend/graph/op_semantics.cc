// The text form of a tensor's type.
#include "frontend/graph/op_semantics.h"

#include <fmt/format.h>

#include "support/joined.h"

namespace tenon {

std::string to_text(const TensorType& type) { return fmt::format("{}[{}]", name_of(type.dtype), to_text(type.dims)); }

std::string call_text(const std::string& op, const OpSignature& signature) {
  std::vector<std::string> parts;
  for (const InputSignature& in : signature.inputs)
    parts.push_back(in.name + (in.optional ? "?" : in.variadic ? ", …" : ""));
  for (const AttrSignature& a : signature.attrs) parts.push_back(a.name + (a.list ? "=[…]" : "=…"));
  return op + "(" + joined(parts, ", ") + ")";
}

}  // namespace tenon
