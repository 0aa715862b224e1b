// Matches stored extents against the shapes of a signature: finds sizes, packs and the strides of logical dimensions.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/scope.h"

namespace tenon {

/// Logical dimensions of one tensor. `from` says for each flat logical dimension which stored one it is in (-1:
/// broadcast).
struct TensorLayout {
  std::vector<std::vector<Expr>> entries;
  std::vector<Expr> strides;  ///< flat, in elements, for contiguous storage; 0 where broadcast
  std::vector<int> from;
};

/// "1 dimension", "2 dimensions".
std::string dimensions(size_t count);

/// Works on extents that are constants or expressions of the caller's sizes. Methods return an error, or nothing.
class ShapeBinder {
 public:
  /// The value of a let, if its operands are already bound.
  using EarlyLet = std::function<std::optional<Expr>(const std::string& name)>;

  ShapeBinder(const OpDef& def, Binding& binding, EarlyLet let) : def_(def), binding_(binding), let_(std::move(let)) {}

  /// Binds sizes and packs from all inputs (empty optional = absent). `orders`: per tensor the entries of its shape as
  /// they are stored.
  std::optional<std::string> bind_inputs(const std::vector<std::optional<std::vector<Expr>>>& dims,
                                         const std::vector<std::vector<int>>& orders);
  /// After the lets: the layout of an input or output whose stored extents are `dims` (for outputs: what stored_dims
  /// says).
  TensorLayout layout(const TensorDef& t, const std::vector<Expr>& dims, const std::vector<int>& stored_order) const;
  /// Stored extents according to the signature, from bound sizes and packs.
  std::vector<Expr> stored_dims(const TensorDef& t, const std::vector<int>& stored_order) const;
  /// Extents that cannot be compared at generation and were assumed to be equal.
  const std::vector<std::pair<Expr, Expr>>& taken_as_equal() const { return taken_as_equal_; }
  void take_as_equal(const Expr& a, const Expr& b) { taken_as_equal_.emplace_back(a, b); }
  /// Compares dims that a later let names (`T[N2]` with N2 a let) with the given ones.
  std::optional<std::string> check_inputs(const std::vector<std::optional<std::vector<Expr>>>& dims,
                                          const std::vector<std::vector<int>>& orders) const;

 private:
  struct Slot {
    int entry;
    int part;
  };  ///< which entry of the signature a stored dimension belongs to, and its place in it
  /// How many stored dimensions each entry of a signature takes; an entry is `open` until the rank decides.
  struct EntryCounts {
    std::vector<size_t> count;
    std::vector<size_t> open;
    size_t listed = 0;  ///< the entry `*R@axes`; the number of entries if there is none
    std::vector<int64_t> axes;
    size_t at = 0;  ///< the entry `D@axis`; likewise
    size_t axis = 0;
  };
  EntryCounts known_counts(const TensorDef& t, size_t rank, std::string& why) const;
  void count_beside_axis(const TensorDef& t, size_t rank, EntryCounts& c, std::string& why) const;
  void count_beside_added(const TensorDef& t, size_t rank, const AddedDim& added, EntryCounts& c,
                          std::string& why) const;
  void count_open(const TensorDef& t, size_t rank, EntryCounts& c, std::string& why) const;
  /// Extents that a let says are known only after it: each dim is 1 or the extent that it is spread to.
  std::optional<std::string> check_broadcast(const TensorDef& t, const std::vector<Expr>& dims,
                                             const std::vector<int>& order) const;
  std::optional<std::string> match(const TensorDef& t, const std::vector<Expr>& dims, bool broadcasts);
  std::optional<std::vector<Slot>> slots(const TensorDef& t, size_t rank, std::string& why) const;
  std::optional<std::string> bind_size(const std::string& name, const Expr& extent, const TensorDef& t);
  std::optional<std::string> bind_pack(const std::string& name, std::vector<Expr> extents, const TensorDef& t);
  std::optional<std::string> bind_split(const Dim& d, const Expr& extent, const TensorDef& t);
  std::optional<std::string> broadcast_pack(const std::string& name, const std::vector<Expr>& extents,
                                            const TensorDef& t);
  std::optional<std::string> broadcast_size(const std::string& name, const Expr& extent, const TensorDef& t);
  bool is_let(const std::string& name) const { return def_.let(name) != nullptr; }
  std::optional<Expr> known_extent(const Dim& d) const;
  std::vector<Expr> entry_extents(const Dim& d) const;
  std::vector<int64_t> axes_of(const std::string& attr, size_t rank, std::string& why) const;

  const OpDef& def_;
  Binding& binding_;
  EarlyLet let_;
  bool agree(const Expr& a, const Expr& b) const;
  mutable std::vector<std::pair<Expr, Expr>> taken_as_equal_;
  std::set<std::string> broadcast_;  ///< sizes and packs that only broadcast dims have bound so far
  bool splits_wait_ = false;
  bool waited_ = false;  ///< whether a split dim did, since it was last asked
};

}  // namespace tenon
