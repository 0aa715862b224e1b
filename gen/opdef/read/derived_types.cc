// Types that follow from types as definitions write them.
#include <fmt/format.h>

#include "ir/op/type_function.h"
#include "opdef/read/read_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The dtypes that a word can be; empty after an error.
std::vector<DType> possible_dtypes(const std::string& word, const SourceSpan& place, const OpDef& op,
                                   Diagnostics& diagnostics) {
  const std::string inside(variable_of_type(word));
  const TypeVar* variable = op.type(inside);
  std::vector<DType> from;
  if (variable != nullptr) from = dtypes_of(*variable);
  else if (const auto dtype = dtype_from_name(inside)) from = {*dtype};
  if (from.empty() && variable == nullptr) {
    const std::vector<std::string> known = mapped(op.types, &TypeVar::name);
    diagnostics.error(Code::E0207, place, fmt::format("'{}' is neither a type variable of this op nor a dtype", inside),
                      {meant_note(inside, known)});
    return {};
  }
  std::vector<DType> out;
  for (const DType d : from) {
    const auto made = derived_dtype(word, d);
    if (!made) {
      diagnostics.error(Code::E0207, place, fmt::format("there is no type {} where {} is {}", word, inside, name_of(d)),
                        {"complex is for floats and complex types, real for numbers, unsigned and signed for "
                         "integers, wide for numbers",
                         fmt::format("let {} range over types that have one, as in types: {{{}: [f32, f64]}}", inside,
                                     variable != nullptr ? inside : "T")});
      return {};
    }
    if (!contains(out, *made)) out.push_back(*made);
  }
  return out;
}

}  // namespace

bool declare_derived_type(std::string& word, const SourceSpan& place, OpDef& op, Diagnostics& diagnostics) {
  if (!is_derived_type(word) || op.type(word) != nullptr) return true;
  const std::vector<DType> dtypes = possible_dtypes(word, place, op, diagnostics);
  if (dtypes.empty()) return false;
  if (op.type(variable_of_type(word)) == nullptr) {
    word = name_of(dtypes[0]);
    return true;
  }
  TypeVar made;
  made.name = word;
  made.derived = true;
  made.span = place;
  for (const DType d : dtypes) made.classes.push_back({std::string(name_of(d)), place});
  op.types.push_back(std::move(made));
  return true;
}

}  // namespace tenon
