// The values that a bind function passes to kernels, numbered: packs, scalar sizes, lists, attribute values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/kernel/library.h"

namespace tenon {

/// One value of tn_frame.scalar.
struct ScalarSlot {
  std::string name;  ///< attribute, or a let that is a real number
  int element = 0;
  int part = 0;  ///< 1: the imaginary part
  bool operator==(const ScalarSlot&) const = default;
};

struct BindSignature {
  std::vector<std::string> packs;          ///< of the signature and of lets: tn_frame.pack
  std::vector<std::string> symbols;        ///< tn_frame.symbol
  std::vector<std::string> lists;          ///< int[*P] attributes that kernels take: tn_frame.list
  std::vector<ScalarSlot> scalars;         ///< tn_frame.scalar
  std::vector<std::string> values;         ///< list attributes whose memory kernels read: tn_frame.values
  std::map<std::string, int64_t> neutral;  ///< per int[*P] attribute: what it is for dimensions that are not there
};

BindSignature signature_of(const LibraryOp& op);

int position(const std::vector<std::string>& names, const std::string& name);  ///< aborts if it is not there
int position(const std::vector<ScalarSlot>& slots, const ScalarSlot& slot);

/// All input and output tensors, in order.
std::vector<const TensorDef*> tensors_of(const OpDef& def);
/// Does the shape have a dim marked `~`?
bool has_broadcast(const TensorDef& t);
/// A let that is a part of a split dim: a typed call names its extent, which may differ from the computed one.
bool is_let_part(const OpDef& def, const TensorDef& t, const Dim& part);
/// Extents that depend on data, in the order of the lets.
std::vector<std::string> written_extents(const OpDef& def);

}  // namespace tenon
