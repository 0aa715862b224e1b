// A library: the kernels that a selection of definitions expands to, and for each definition what a call has to check
// and compute. The data type between library (which expands definitions) and lower/harness (which write bodies,
// wrappers and tables).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/op/op_def.h"

namespace tenon {

/// How a pack of the definition is passed to the kernels of the library.
enum class PackPlan : uint8_t {
  Collapsed,  ///< one logical dimension, the product of the pack's extents; strided inputs are copied to the workspace
              ///< first
  Odometer,   ///< the call merges dimensions of equal pattern, the kernel sees the innermost with one stride an operand
              ///< (0 = broadcast), the others are walked by the caller with changed base pointers
  Plane,      ///< as Odometer, of tensors that have no other dimensions: the kernel sees the innermost one and one
              ///< around it, each with a stride an operand; where an input is dense along another dimension than the
              ///< innermost, that one
  Fixed,      ///< kMaxRank logical dimensions, padded in front with extents of 1
  Merged,     ///< as Fixed, of a body that asks for none of them alone: the call merges dimensions of equal pattern
};
inline constexpr int kMaxRank = 8;
/// Dimensions that kernels see of a pack.
inline int kernel_dims(PackPlan plan) {
  return plan == PackPlan::Fixed || plan == PackPlan::Merged ? kMaxRank : plan == PackPlan::Plane ? 2 : 1;
}
/// Operands that a variadic input has in a library, or outputs that a variadic one is: those after the last one given
/// are NULL.
inline constexpr int kMaxOperands = 8;

/// The source of one Kernel::sizes value at a call.
struct FromSymbol {
  std::string name;
};  ///< a size symbol of the signature, an integer attribute, or an integer `let`
/// The symbol that is the number of elements of a list attribute.
inline std::string count_of(const std::string& attr) { return "count(" + attr + ")"; }
struct FromPack {
  std::string pack;
  int dim = -1;
};  ///< Collapsed/Odometer/Plane: the (innermost merged) extent; Plane: kOuterDim the one around it; else: extent
    ///< `dim` of kMaxRank
inline constexpr int kOuterDim = -2;
struct FromStride {
  int tensor = 0;
  int dim = 0;
};  ///< stride in elements of logical dimension `dim` of kernel tensor `tensor`
struct FromPackAttr {
  std::string attr;
  int dim = 0;
};  ///< element of an int[*P] attribute, padded in front to kMaxRank with its neutral default
struct FromPackBase {
  std::string pack;
};  ///< Odometer: linear index (over all of the pack) of the first element of this call
struct FromPackRank {
  std::string pack;
};  ///< how many dimensions the pack has in this call
struct FromExtent {
  int tensor = 0;
  int dim = 0;
};  ///< extent of logical dimension `dim` of a gradient: 1 where what it belongs to is repeated
struct FromRepeats {
  int tensor = 0;
  int dim = 0;
};  ///< how often the call repeats what the gradient belongs to in dimension `dim`
struct FromGiven {
  int tensor = 0;
};  ///< 1 where the call asks for the output, else 0
using SizeSource = std::variant<FromSymbol, FromPack, FromStride, FromPackAttr, FromPackBase, FromPackRank, FromExtent,
                                FromRepeats, FromGiven>;

/// Sizes and attributes of a kernel, and the source of each.
using KnownValues = std::vector<std::pair<Expr, Expr>>;

/// Values for which a kernel has a separate body (`tenon lib --fix`).
struct FixedValues {
  std::string text;     ///< as written: "M=64 N=64 K=64"
  KnownValues asked;    ///< what a call has to have: sizes, attributes, dense strides
  KnownValues implied;  ///< what follows from that for other sizes
};

/// One body of the library. Entries of kernel.attrs are attributes of the definition or lets with a real value (`sc:
/// D**-0.5`).
struct LibraryKernel {
  std::string name;  ///< of the op with the types of the call: kernel.name where the body is its own
  Kernel kernel;
  std::map<std::string, DType>
      types;  ///< type variable → the dtype that this body handles (a movement dtype stands for all of its size)
  std::map<std::string, DType>
      call_types;             ///< type variable → the dtype of the call (differs from `types` where a body is shared)
  std::vector<bool> present;  ///< per input: is the optional input given?
  std::vector<SizeSource> size_sources;  ///< parallel to kernel.sizes
  std::vector<int> computes = {};        ///< of a gradient: the outputs that this body computes; empty: all
  KnownValues lets = {};                 ///< sizes that are integer lets, in order: what each is computed from
  std::vector<FixedValues> fixed = {};   ///< in the order in which a call compares them
};

/// All bodies of one definition.
struct LibraryOp {
  const OpDef* def = nullptr;  ///< owned by the OpLibrary, which outlives the Library, or by `unrolled`
  std::shared_ptr<const OpDef>
      unrolled;          ///< of a variadic definition: kMaxOperands operands or outputs, all but the first optional
  std::string counted;   ///< the variadic input whose number of operands no extent determines: calls state it
  std::string permuted;  ///< a list let: kernels see the input with its dimensions in this order
  std::string key_type;  ///< the first type variable, or "" when there is none
  std::map<std::string, PackPlan> packs;
  std::vector<std::vector<int64_t>> stand_ins;  ///< per input: its elements for a kernel when it is not given, of one
                                                ///< element all dimensions repeat it; empty: kernels of their own
  std::vector<LibraryKernel> kernels;           ///< order: dtypes of dtype.def, then presence

  bool is_gradient() const { return !kernels.empty() && !kernels[0].computes.empty(); }
};

struct Library {
  std::vector<LibraryOp> ops;  ///< sorted by name
};

/// Each kernel once, under the types that it is written for.
std::string to_text(const Library& library);
/// Errors in any of the kernels, with its name; empty when all are valid.
std::vector<std::string> verify(const Library& library);

/// Drops the others, and facts about them.
void keep_used(LibraryKernel& kernel);

}  // namespace tenon
