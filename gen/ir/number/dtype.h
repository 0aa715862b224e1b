// Element types: the closed list of dtype.def and the properties in each row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tenon {

enum class DType : uint8_t {
#define DTYPE(e, ...) e,
#include "ir/number/dtype.def"
#undef DTYPE
};

enum class DTypeClass : uint8_t { SignedInt, UnsignedInt, Float, Complex, Bool, Small };

/// One row of dtype.def.
struct DTypeRow {
  DType dtype;
  std::string_view name;  ///< the name in definitions and on the command line
  int key;                ///< DLPack code << 8 | bits
  int bits;               ///< of storage
  DTypeClass cls;
  std::string_view c_type;  ///< storage type in C; complex types carry the library's prefix instead of `tn`
  DType compute;            ///< what a loaded element is converted to before arithmetic
  DType accumulator;        ///< default accumulator of sums and products
};

/// All element types, in the order of dtype.def.
std::span<const DTypeRow> all_dtypes();
const DTypeRow& dtype_row(DType);
std::optional<DType> dtype_from_name(std::string_view);

inline std::string_view name_of(DType d) { return dtype_row(d).name; }
inline int bytes_of(DType d) { return dtype_row(d).bits / 8; }
inline bool is_float(DType d) { return dtype_row(d).cls == DTypeClass::Float; }
inline bool is_half(DType d) { return d == DType::F16 || d == DType::BF16; }
inline bool is_complex(DType d) { return dtype_row(d).cls == DTypeClass::Complex; }
inline bool is_signed_int(DType d) { return dtype_row(d).cls == DTypeClass::SignedInt; }
inline bool is_unsigned_int(DType d) { return dtype_row(d).cls == DTypeClass::UnsignedInt; }
/// A type of storage only, one byte an element: it is converted to its compute type before any arithmetic.
inline bool is_small(DType d) { return dtype_row(d).cls == DTypeClass::Small; }
/// Whether a constant of the type is a real (or, for complex types, its real part), and not an integer or bool.
inline bool holds_reals(DType d) {
  return is_float(d) || is_complex(d) || (is_small(d) && is_float(dtype_row(d).compute));
}
inline bool is_int(DType d) { return is_signed_int(d) || is_unsigned_int(d); }
inline bool is_integral(DType d) { return is_int(d) || d == DType::Bool; }
/// The real type that a complex one is made of; any other type is returned as it is.
DType real_of(DType);
/// Integer types of a width of 8 to 64 bits.
DType unsigned_of(int bits);
DType signed_of(int bits);
/// The unsigned type of the same size for movement ops (u8 u16 u32 u64); complex numbers of 128 bits stay C128.
DType movement_dtype(DType);

/// Type classes of the definition language: float int uint real complex number index bool any small.
bool in_type_class(DType, std::string_view type_class);
bool is_type_class(std::string_view name);

}  // namespace tenon
