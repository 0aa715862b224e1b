// Reads of an input under opt: at constant positions, or anywhere if all of them have the same default.
#include <optional>

#include "ir/op/type_function.h"
#include "library/expand_symbolic.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kMostElements = 16;

/// Collects the reads of one input in a body.
class Reads {
 public:
  Reads(const TensorDef& input, int64_t elements) : input_(input), known_(static_cast<size_t>(elements)) {}

  void add(const Syntax& s) {
    if (s.calls(Builtin::opt) && s.children[0].is(SyntaxKind::subscript) && s.children[0].text == input_.name) {
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

/// The common default of all reads of an input; nothing if they differ.
class OneDefault {
 public:
  explicit OneDefault(const std::string& input) : input_(input) {}

  void add(const Syntax& s) {
    if (s.calls(Builtin::opt) && s.children[0].is(SyntaxKind::subscript) && s.children[0].text == input_) {
      const Syntax& value = s.children[1];
      simple_ = simple_ && value.is(SyntaxKind::integer) && (!known_ || *known_ == value.integer);
      known_ = value.integer;
      for (const Syntax& index : s.children[0].children) add(index);
      return;
    }
    simple_ = simple_ && s.text != input_;
    for (const Syntax& c : s.children) add(c);
  }

  std::optional<int64_t> number() const { return simple_ ? known_ : std::nullopt; }

 private:
  const std::string& input_;
  std::optional<int64_t> known_;
  bool simple_ = true;
};

/// Gives `to` every expression of the body.
template <class To>
void add_body(const OpDef& def, To& to) {
  for (const Statement& s : def.body) each_expression(s, [&](const Syntax& e) { to.add(e); });
}

/// The types that an input may have; none where they follow from others.
std::vector<DType> types_of(const OpDef& def, const TensorDef& input) {
  if (const auto d = dtype_from_name(input.dtype)) return {*d};
  for (const TypeVar& v : def.types) {
    const auto moves = [](const Word& w) { return w.text == "any"; };  // shared by types of one size
    if (v.name == input.dtype && !v.derived && none_of(v.classes, moves)) return dtypes_of(v);
  }
  return {};
}

/// A single element repeated along all dimensions. A factor of 1 and an integer term of 0 preserve the bits of results;
/// -0.0 + 0 does not.
std::vector<int64_t> repeated(const OpDef& def, const TensorDef& input) {
  OneDefault reads(input.name);
  add_body(def, reads);
  const auto number = reads.number();
  const std::vector<DType> types = types_of(def, input);
  if (!number || *number < 0 || *number > 1 || types.empty()) return {};
  const bool holds =
      all_of(types, [&](DType d) { return *number == 0 ? is_int(d) : !is_small(d) && (is_int(d) || is_float(d)); });
  return holds ? std::vector<int64_t>{*number} : std::vector<int64_t>();
}

/// Zero is the same in every type; other numbers are written as C literals, which half types do not have.
bool holds_numbers(const TensorDef& input) {
  const auto d = dtype_from_name(input.dtype);
  return d && *d != DType::Bool && (is_int(*d) || *d == DType::F32 || *d == DType::F64);
}

/// A term for each channel of a group, which kernels read once a row of results.
bool is_a_number_per_channel(const TensorDef& input) {
  return input.optional && input.dims.size() == 1 && input.dims[0].kind == DimKind::split;
}

/// 0 where every read has it for default.
std::vector<int64_t> repeated_zero(const OpDef& def, const TensorDef& input) {
  OneDefault reads(input.name);
  add_body(def, reads);
  return reads.number() == 0 ? std::vector<int64_t>{0} : std::vector<int64_t>();
}

}  // namespace

bool repeats_stand_in(const OpDef& def, const TensorDef& input) {
  return is_a_number_per_channel(input) && !stand_in(def, input).empty();
}

std::vector<int64_t> stand_in(const OpDef& def, const TensorDef& input) {
  if (!input.optional || def.body.empty()) return {};
  const auto repeats = [](const Dim& d) { return d.broadcast; };
  if (!input.dims.empty() && all_of(input.dims, repeats)) return repeated(def, input);
  if (is_a_number_per_channel(input)) return repeated_zero(def, input);
  int64_t elements = 1;
  for (const Dim& d : input.dims) {
    if (d.kind != DimKind::integer || d.value < 1 || d.value > kMostElements) return {};
    elements *= d.value;
    if (elements > kMostElements) return {};
  }
  Reads reads(input, elements);
  add_body(def, reads);
  std::vector<int64_t> out = reads.elements();
  const bool zeros = all_of(out, [](int64_t v) { return v == 0; });
  return zeros || holds_numbers(input) ? out : std::vector<int64_t>();
}

}  // namespace tenon
