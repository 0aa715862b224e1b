// The result of each type function for each dtype.
#include "ir/op/type_function.h"

#include "ir/op/op_def.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using Row = std::optional<DType> (*)(DType);

std::optional<DType> complex_type(DType d) {
  const DType computed = dtype_row(d).compute;  // the types of 16 bits and less have none of their own
  if (is_complex(d)) return d;
  if (computed == DType::F32) return DType::C64;
  return computed == DType::F64 ? std::optional(DType::C128) : std::nullopt;
}

std::optional<DType> real_type(DType d) { return d == DType::Bool ? std::nullopt : std::optional(real_of(d)); }

/// The integer type of the other or the same sign, of the same width.
std::optional<DType> integer_type(DType d, bool is_signed) {
  constexpr DType kSigned[] = {DType::I8, DType::I16, DType::I32, DType::I64, DType::I4, DType::I2};
  constexpr DType kUnsigned[] = {DType::U8, DType::U16, DType::U32, DType::U64, DType::U4, DType::U2};
  for (size_t k = 0; k < std::size(kSigned); ++k)
    if (d == kSigned[k] || d == kUnsigned[k]) return is_signed ? kSigned[k] : kUnsigned[k];
  return std::nullopt;
}

std::optional<DType> signed_type(DType d) { return integer_type(d, true); }
std::optional<DType> unsigned_type(DType d) { return integer_type(d, false); }

std::optional<DType> wide_type(DType d) {
  if (is_small(d)) return dtype_row(d).compute;
  if (is_complex(d)) return DType::C128;
  const int bits = std::min(64, 2 * dtype_row(d).bits);
  if (is_int(d)) return is_signed_int(d) ? signed_of(bits) : unsigned_of(bits);
  return d == DType::Bool ? std::nullopt : std::optional(bits == 32 ? DType::F32 : DType::F64);
}

std::optional<DType> compute_type(DType d) { return dtype_row(d).compute; }

constexpr std::pair<std::string_view, Row> kFunctions[] = {{"complex", complex_type},   {"real", real_type},
                                                           {"unsigned", unsigned_type}, {"signed", signed_type},
                                                           {"wide", wide_type},         {"compute", compute_type}};

/// Splits `f(x)` into f and x; empty for a word without parentheses.
std::optional<std::pair<std::string_view, std::string_view>> parts_of(std::string_view word) {
  const size_t open = word.find('(');
  if (open == std::string_view::npos || !word.ends_with(')')) return std::nullopt;
  return std::pair(word.substr(0, open), word.substr(open + 1, word.size() - open - 2));
}

}  // namespace

bool is_type_function(std::string_view name) {
  return any_of(kFunctions, [&](const auto& row) { return row.first == name; });
}

std::optional<DType> apply_type_function(std::string_view function, DType d) {
  for (const auto& [name, row] : kFunctions)
    if (name == function) return row(d);
  return std::nullopt;
}

bool is_derived_type(std::string_view word) { return parts_of(word).has_value(); }

std::string_view variable_of_type(std::string_view word) {
  for (auto inside = parts_of(word); inside; inside = parts_of(word)) word = inside->second;
  return word;
}

std::optional<DType> derived_dtype(std::string_view word, DType d) {
  const auto parts = parts_of(word);
  if (!parts) return d;
  const auto inside = derived_dtype(parts->second, d);
  return inside ? apply_type_function(parts->first, *inside) : std::nullopt;
}

std::optional<DType> dtype_of_word(const std::string& word, const std::map<std::string, DType>& types) {
  if (const auto* t = find_value(types, word)) return *t;
  if (!is_derived_type(word)) return dtype_from_name(word);
  const auto inside = dtype_of_word(std::string(variable_of_type(word)), types);
  return inside ? derived_dtype(word, *inside) : std::nullopt;
}

std::vector<DType> dtypes_of(const TypeVar& v) {
  std::vector<DType> out;
  for (const DTypeRow& r : all_dtypes())
    if (any_of(v.classes, [&](const Word& c) { return in_type_class(r.dtype, c.text) || c.text == r.name; }))
      out.push_back(r.dtype);
  return out;
}

}  // namespace tenon
