// The parts of conversions between element types: numbers, integers in lanes, half floats in lanes.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "emit/emitter.h"

namespace tenon::emit {

inline std::string piece_to(DType to, std::string_view from) { return fmt::format("{}_of_{}", name_of(to), from); }

/// One number, as C converts it where its rules are ours.
CExpr cast_scalar(Emitter& e, DType to, const Operand& from);

/// Integers between widths: a row, bytes picked for narrowing, else a conversion by the compiler.
CExpr convert_ints(Emitter& e, CExpr v, DType from, DType to, int lanes);

/// The integers of at least 32 bits that floats become on the way to `to`.
OperandType before_narrowing(const OperandType& from, DType to);

/// Lanes inside the range of `to` are converted; lanes outside get the bound; NaN is in no range and gives 0.
CExpr within_ints(Emitter& e, CExpr v, const OperandType& from, DType to);

/// The row by which NaN becomes a number whose low half is 0, which is all that narrower integers take of it; or null.
const IsaRow* low_truncation(const Isa& isa, const OperandType& from, DType to);

/// As within_ints, where only the low half counts: NaN passes through the bounds.
CExpr low_of_ints(Emitter& e, CExpr v, const OperandType& from, DType to, const IsaRow& row);

/// Whether `v` is more than one register of lanes, laid end to end.
bool is_joined(const Emitter& e, const Operand& v);

/// Several vectors that are laid end to end, as integers that fit one: each step makes one of two and halves the width.
CExpr narrow_joined(Emitter& e, const Operand& v, DType to);

/// Half floats by integer arithmetic on vectors, where the level has no row.
CExpr f32_of_half(Emitter& e, const Operand& from);

/// An f32 rounded to f16 or bf16.
CExpr half_of_f32(Emitter& e, CExpr v, DType to, int lanes);

/// A number as an f32 that rounds to f16 as the number itself would: integers beyond all f16 are limited, and the last
/// bit of a float that stays is set where a bit is lost.
CExpr f32_before_f16(Emitter& e, const Operand& from);

}  // namespace tenon::emit
