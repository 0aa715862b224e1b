// The table of small scalar functions: text of their bodies with holes. Private to emit.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace tenon::emit {

/// One function for the dtypes whose letter is in `types`: s signed, u unsigned integers, f float, d double, c complex
/// of floats, z complex of doubles. Holes: $T the type, $U the unsigned type of its width, $W that type or uint32_t
/// where it is narrower, $B the bits, $R the real type, $S the suffix of its literals (f or nothing), $(piece) the
/// piece of the same type, $(piece:dtype) of another.
struct ScalarPieceRow {
  std::string_view op;
  std::string_view types;
  std::string_view result;                 ///< of the function
  std::array<std::string_view, 3> params;  ///< the first ones; empty text for the others
  std::string_view body;
};

std::span<const ScalarPieceRow> integer_piece_rows();
std::span<const ScalarPieceRow> float_piece_rows();
std::span<const ScalarPieceRow> complex_piece_rows();
std::span<const ScalarPieceRow> conversion_piece_rows();
std::span<const ScalarPieceRow> small_piece_rows();

}  // namespace tenon::emit
