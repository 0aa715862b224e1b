// The shape of one tensor in the bind function: which sizes it determines, and which of its extents are checked.
#pragma once

#include <optional>

#include "harness/library/library_bind.h"

namespace tenon {

/// An input, or the gradient of one.
class InputShape {
 public:
  InputShape(BindState& state, const TensorDef& t);

  void write();
  /// Rank of the pack at `i`, given the dims before it.
  CExpr rank_at(size_t i, const StoredPlace& before) const;
  /// D@axis, *Q@axis: a variable says where the axis is; once, or in each block about an optional tensor.
  void declare_axes();
  static void advance(StoredPlace& place, const Dim& d);

 private:
  bool listed(const Dim& d) const { return !d.at.empty() && s.def().attr(d.at)->count != AttrCount::one; }
  bool unknown_pack(const Dim& d) const {
    return d.kind == DimKind::pack && !d.broadcast && !s.bound_packs.count(d.name);
  }
  std::string axis_name(const Dim& d) const;
  CExpr stored_rank() const { return c_arrow(name_, "ndim"); }
  void declare_axis(const Dim& d, CExpr rank, CExpr last);

  void listed_axes();
  void require_axis();
  void axis();
  void check_rank();
  void dim(size_t i);
  void size(const Dim& d, const CExpr& at);
  void split(const Dim& d, const CExpr& at);
  void pack(size_t i, const CExpr& at);
  void find_rank(const Dim& pack, CExpr rank);

  BindState& s;
  const TensorDef& t_;
  const CExpr name_;
  StoredPlace at_;
  std::optional<AddedDim> added_;
  bool tells_ = false;            ///< whether its axis separates this input's packs
  bool checks_ = false;           ///< whether this is the first input of the shape
  std::set<std::string> ranked_;  ///< packs whose rank this tensor determines
};

}  // namespace tenon
