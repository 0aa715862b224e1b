// The bindings of a definition's names in one expansion: types, sizes, packs, attributes, tensors, index variables.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/op/op_def.h"

namespace tenon {

/// An expression whose type may still be open. Literals, sizes and index variables are flexible: they take the type of
/// the other operand.
struct Typed {
  Expr e;
  bool flexible = false;
};

/// A list attribute in the memory of a library call.
struct HeldList {
  std::string attr;         ///< of the op that the library has; "" for lists that are known or computed
  Expr count;               ///< its number of elements
  DType held = DType::I64;  ///< of an element in memory: i64, u64, f64 or c128
  int64_t stride = 1;       ///< from element to element, in elements of that type
  DType type = DType::I64;  ///< what an element is in expressions
  bool flexible = true;
};

/// An attribute: one element, or several for a list.
struct BoundAttr {
  std::vector<Typed> elements;
  bool list = false;
  bool placed = false;  ///< an axis that is the dim itself, counted over packs as the kernel has them
  HeldList held = {};
};

/// A tensor of the kernel under a name of the definition. `entries` follows the definition's shape: a size has one
/// extent, a pack any number, a split its parts; put end to end they are the kernel tensor's dims.
struct BoundTensor {
  int tensor = -1;  ///< -1: an optional input that is absent
  std::vector<std::vector<Expr>> entries;
  bool flexible = false;  ///< a temp whose value has no type of its own
  /// For an output of a called op: the stored dim that contains each dim. Empty: the dims are the stored ones.
  std::vector<int> stored = {};
  /// For results of a call: the extents of an entry's index, in parts; none if the checks of the definition do not know
  /// them.
  std::vector<std::vector<Expr>> parts = {};
  bool open = false;  ///< what a call gives, or along it: the checks of the definition may not know its extents
};

/// All bindings that exist before the body is expanded.
struct Binding {
  std::map<std::string, DType> types;
  std::map<std::string, Typed> sizes;              ///< size symbols and scalar lets
  std::map<std::string, std::vector<Expr>> packs;  ///< packs, and lets that are packs
  std::map<std::string, BoundAttr> attrs;
  std::map<std::string, std::string> pack_bases;  ///< pack → size that is its first linear index (Odometer packs)
  std::map<std::string, std::string>
      pack_ranks;  ///< pack → size that is its number of dimensions, if only a call determines it
};

/// A pack of any rank, and the size that is its number of dimensions, if there is one.
struct OpenPack {
  std::string pack, rank;
};

/// Names inside a body.
struct Scope {
  const OpDef* def = nullptr;
  bool keeps_stops = false;  ///< stop(x) is marked: the kernel is on its way to a gradient
  /// Sizes of the kernel that stand for the dims of a pack of any rank, all of them or one → the pack.
  std::map<std::string, OpenPack> any_rank;
  Binding binding;
  std::map<std::string, BoundTensor> tensors;
  std::map<std::string, Expr> ranges;                    ///< index variable → extent
  std::map<std::string, std::vector<Expr>> pack_ranges;  ///< pack variable → extents
  std::set<std::string> open_ranges;                     ///< variables that run over dims of such values
  std::map<std::string, std::string> pack_of;  ///< pack variable → the pack that it indexes bare ("" unknown)
};

}  // namespace tenon
