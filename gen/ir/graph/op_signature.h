// The interface of an op: the names of its inputs, outputs and attributes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "support/ranges.h"

namespace tenon {

/// What an attribute of an op takes, so that numbers and words in a file become values of the right kind.
struct AttrSignature {
  enum class Kind { boolean, integer, real, element, word, dtype, text };
  std::string name;
  Kind kind = Kind::integer;
  bool list = false;  // int[2], int[]
  bool required = false;
  std::vector<std::string> words;          // of an enum, in order
  std::optional<AttrValue> fallback = {};  // the default as a node would state it; none if its length is that of a rank
};

struct InputSignature {
  std::string name;
  bool optional = false;
  bool variadic = false;  // takes this and all further arguments
  /// Leading dims that broadcast with those of other inputs: the pack's name, and how many dims come after them.
  std::string broadcast = {};
  size_t dims_after = 0;
};

/// Names of an op's inputs, outputs and attributes, in the definition's order.
struct OpSignature {
  std::vector<InputSignature> inputs;
  std::vector<std::string> outputs;
  std::vector<AttrSignature> attrs;

  bool is_variadic() const { return !inputs.empty() && inputs.back().variadic; }
  const AttrSignature* attr(const std::string& name) const {
    return find_pointer(attrs, [&](const AttrSignature& s) { return s.name == name; });
  }
};

}  // namespace tenon
