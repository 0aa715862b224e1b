// An instruction-set level as data: how wide its vectors are and how each operation is spelled in C.
#pragma once

#include <string_view>
#include <vector>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"

namespace tenon {

/// How one operation on one vector type is spelled: `$0`, `$1`, … stand for the arguments. Without a row the printer
/// uses plain C on GNU vectors (or scalars), or builds it lane by lane.
struct IsaRow {
  std::string_view key;  ///< a name of scalar_op.def, or: load_masked store_masked select cvt_f16_f32 cvt_f32_f16 and
                         ///< the others of docs/add-an-isa.md
  DType dtype;           ///< element type of the (first) vector argument
  int lanes;             ///< 1 for scalars
  std::string_view spelling;  ///< e.g. "_mm512_fmadd_ps($0, $1, $2)"
};

/// One level. Levels of an architecture are ordered: each includes the features of the one before.
struct Isa {
  std::string_view name;          ///< "portable", "x86-64-v3", "neon": the word of --isa
  std::string_view suffix;        ///< in internal symbols and file names: "portable", "x86_64_v3"
  std::string_view architecture;  ///< "" (any), "x86-64", "aarch64"
  std::string_view guard;         ///< preprocessor condition under which the file has content; "" = always
  std::string_view header;        ///< intrinsics header; "" = none
  std::string_view target;        ///< feature list of __attribute__((target("…"))); "" = none
  int vector_bits;                ///< widest vector that pays; 0 = scalars only
  int vector_registers;
  bool fma;                             ///< Fma is fused, also for scalars
  bool unfused = false;                 ///< FMA is there but left alone, see without_fma
  bool masked_memory;                   ///< partial loads and stores exist as instructions
  std::vector<std::string_view> needs;  ///< what a processor must have to run the level: fields of `features` in
                                        ///< templates/runtime/library_level.c.in
  std::vector<IsaRow> rows;
  std::string_view base = {};  ///< set: a level for sums of products of 8-bit integers alone; kernels without them are
                               ///< those of the level named so, which it extends

  /// Lanes of the widest vector of an element type; 1 where the level has no vectors.
  int lanes(DType d) const { return vector_bits == 0 ? 1 : vector_bits / (bytes_of(d) * 8); }
  /// Whether C templates use vectors: two lanes of 64 bits gain too little for the additional text.
  bool has_vectors_in_templates() const { return base.empty() && vector_bits >= 256; }
  /// The row for an operation, or null.
  const IsaRow* row(std::string_view key, DType d, int lanes) const;
  /// The level with multiplication, addition and exact roots only: for kernels that promise the same bits on every
  /// level.
  Isa without_fma() const;
};

}  // namespace tenon
