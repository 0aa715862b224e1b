// The rows of dtype.def as a table, and the type classes of the definition language over it.
#include "ir/number/dtype.h"

namespace tenon {
namespace {

constexpr DTypeRow kDTypeRows[] = {
#define DTYPE(e, name, key, bits, cls, c_type, compute, acc) \
  {DType::e, name, key, bits, DTypeClass::cls, c_type, DType::compute, DType::acc},
#include "ir/number/dtype.def"
#undef DTYPE
};

constexpr std::string_view kClasses[] = {"float",  "int",   "uint", "real", "complex",
                                         "number", "index", "bool", "any",  "small"};

}  // namespace

std::span<const DTypeRow> all_dtypes() { return kDTypeRows; }
const DTypeRow& dtype_row(DType d) { return kDTypeRows[static_cast<size_t>(d)]; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeRow& r : kDTypeRows)
    if (r.name == name) return r.dtype;
  return std::nullopt;
}

DType real_of(DType d) {
  if (d == DType::C64) return DType::F32;
  if (d == DType::C128) return DType::F64;
  return d;
}

DType unsigned_of(int bits) {
  return bits == 8 ? DType::U8 : bits == 16 ? DType::U16 : bits == 32 ? DType::U32 : DType::U64;
}
DType signed_of(int bits) {
  return bits == 8 ? DType::I8 : bits == 16 ? DType::I16 : bits == 32 ? DType::I32 : DType::I64;
}
DType movement_dtype(DType d) { return dtype_row(d).bits <= 64 ? unsigned_of(dtype_row(d).bits) : d; }

bool is_type_class(std::string_view name) {
  for (std::string_view c : kClasses)
    if (c == name) return true;
  return false;
}

bool in_type_class(DType d, std::string_view c) {
  if (c == "any") return !is_small(d);
  if (c == "small") return is_small(d);
  if (c == "float") return is_float(d);
  if (c == "int") return is_signed_int(d);
  if (c == "uint") return is_unsigned_int(d);
  if (c == "real") return is_float(d) || is_int(d);
  if (c == "complex") return is_complex(d);
  if (c == "number") return is_float(d) || is_int(d) || is_complex(d);
  if (c == "index") return d == DType::I32 || d == DType::I64;
  if (c == "bool") return d == DType::Bool;
  return false;
}

}  // namespace tenon
