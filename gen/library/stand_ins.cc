// Reads of an input under opt, with constant places and constant defaults.
#include "library/stand_ins.h"

#include <algorithm>
#include <optional>

namespace tenon {
namespace {

constexpr int64_t kMostElements = 16;

/// Collects what a body says of one input.
class Reads {
 public:
  Reads(const TensorDef& input, int64_t elements) : input_(input), known_(static_cast<size_t>(elements)) {}

  void add(const Syntax& s) {
    if (s.is(SyntaxKind::call) && s.text == "opt" && s.children.size() == 2 &&
        s.children[0].is(SyntaxKind::subscript) && s.children[0].text == input_.name) {
      add_read(s.children[0], s.children[1]);
      return;
    }
    simple_ = simple_ && s.text != input_.name;
    for (const Syntax& c : s.children) add(c);
  }

  /// Elements that are not read are 0.
  std::vector<int64_t> elements() const {
    std::vector<int64_t> out;
    if (!simple_) return out;
    for (const std::optional<int64_t>& e : known_) out.push_back(e.value_or(0));
    return out;
  }

 private:
  void add_read(const Syntax& read, const Syntax& value) {
    int64_t at = 0;
    for (size_t d = 0; d < read.children.size(); ++d) {
      simple_ = simple_ && read.children[d].is(SyntaxKind::integer) && d < input_.dims.size();
      if (simple_) at = at * input_.dims[d].value + read.children[d].integer;
    }
    simple_ = simple_ && value.is(SyntaxKind::integer) && read.children.size() == input_.dims.size() && at >= 0 &&
              at < static_cast<int64_t>(known_.size());
    if (!simple_) return;
    std::optional<int64_t>& known = known_[static_cast<size_t>(at)];
    simple_ = !known || *known == value.integer;
    known = value.integer;
  }

  const TensorDef& input_;
  std::vector<std::optional<int64_t>> known_;
  bool simple_ = true;
};

/// Zeros are zeros in every type; other numbers are written as C numbers, which half types are not.
bool holds_numbers(const TensorDef& input) {
  const auto d = dtype_from_name(input.dtype);
  return d && *d != DType::Bool && (is_int(*d) || *d == DType::F32 || *d == DType::F64);
}

}  // namespace

std::vector<int64_t> stand_in(const OpDef& def, const TensorDef& input) {
  if (!input.optional || def.body.empty()) return {};
  int64_t elements = 1;
  for (const Dim& d : input.dims) {
    if (d.kind != DimKind::integer || d.value < 1 || d.value > kMostElements) return {};
    elements *= d.value;
    if (elements > kMostElements) return {};
  }
  Reads reads(input, elements);
  for (const Statement& s : def.body) {
    reads.add(s.value);
    for (const Syntax& sub : s.subs) reads.add(sub);
  }
  std::vector<int64_t> out = reads.elements();
  const bool zeros = std::all_of(out.begin(), out.end(), [](int64_t v) { return v == 0; });
  return zeros || holds_numbers(input) ? out : std::vector<int64_t>();
}

}  // namespace tenon
