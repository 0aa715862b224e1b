// The meaning of names in a body: values with their shapes, index variables with their ranges.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/index_bounds.h"
#include "ir/op/op_def.h"
#include "support/diagnostics.h"

namespace tenon {

/// One index position of a value: a single dim (one extent), a split dim (several) or a pack (one, per dim of the
/// pack).
struct Slot {
  bool pack = false;
  std::vector<Syntax> extents;
  std::string at = {};  ///< the attribute that chooses the dim, as in D@axis

  bool split() const { return extents.size() > 1; }
  bool known() const { return !extents.empty(); }
};

/// A tensor that the body reads or defines.
struct BodyValue {
  const TensorDef* input = nullptr;
  const TensorDef* output = nullptr;
  std::optional<std::vector<Slot>> slots;  ///< absent: the shape is not known here
  bool open = false;                       ///< a call determines the shape, or an index of its result, at expansion
  std::optional<std::vector<Slot>> partial =
      {};  ///< of an open value: the dims, those that are not known without extents
};

struct IndexVariable {
  bool pack = false;
  bool declared = false;   ///< has an `index` entry
  bool elsewhere = false;  ///< indexes a value of unknown shape bare, which may give the range at expansion
  std::optional<Syntax> extent;
  SourceSpan first;
  bool fixed = false;     ///< an `index` entry or the left side of an output tells the extent
  bool narrowed = false;  ///< a later use has a smaller extent than the first
};

/// Names of one body. Built once; reports variables whose bare uses disagree.
class BodyScope {
 public:
  /// Tables of formulas → the ranges of their elements, as far as these are known.
  using TableRanges = std::map<std::string, std::optional<Interval>>;

  BodyScope(const OpDef& op, const OpLibrary& library, Diagnostics& diagnostics, TableRanges tables = {});

  const IndexVariable* variable(const std::string& name) const;
  const BodyValue* value(const std::string& name) const;
  /// A size symbol or a pack of the shapes, an attribute, a let.
  bool is_size(const std::string& name) const { return sizes_.count(name) != 0; }
  bool is_pack(const std::string& name) const { return packs_.count(name) != 0; }
  bool is_given(const std::string& name) const {
    return is_size(name) || is_pack(name) || op_.attr(name) != nullptr || op_.let(name) != nullptr;
  }
  const std::map<std::string, IndexVariable>& variables() const { return variables_; }
  const OpDef& op() const { return op_; }
  const OpLibrary& library() const { return library_; }
  std::vector<std::string> names() const;
  /// The first tensor that an argument of a call names; "" if none.
  std::string first_tensor(const Syntax& argument) const;
  IndexBounds& bounds() { return bounds_; }

 private:
  void evaluate(const TableDef& table);
  void collect_sizes();
  void collect_variables(const Syntax& s);
  void claim(const Syntax& sub);
  void resolve();
  bool visit_statement(const Statement& statement);
  bool visit_reads(const Syntax& s);
  bool visit_subs(const std::vector<Syntax>& subs, const BodyValue& value);
  bool bind(const Syntax& sub, bool pack, const Syntax& extent);
  bool define(const Statement& statement);
  bool infer_call(const Statement& statement);
  static bool know_partly(BodyValue& value, std::vector<Slot> slots);
  BoundsContext context() const;

  const OpDef& op_;
  const OpLibrary& library_;
  Diagnostics& diagnostics_;
  std::set<std::string> sizes_;
  std::set<std::string> packs_;
  std::map<std::string, IndexVariable> variables_;
  std::map<std::string, BodyValue> values_;
  std::set<std::size_t> reported_;
  TableRanges formulas_;
  std::vector<std::string> accumulators_;  ///< of the folds around what collect_variables looks at
  IndexBounds bounds_;
};

/// The extent of the stored dim of a slot.
Syntax stored_extent(const Slot& slot);

/// How many elements a list attribute has that a variable may index: a number, or count(taps); nothing for others.
std::optional<Syntax> length_of(const AttrDef& list);

/// Slots of a declared tensor.
std::vector<Slot> slots_of(const TensorDef& tensor);

bool same_slots(const std::vector<Slot>& a, const std::vector<Slot>& b);

/// Shapes of a call's results as far as the arguments' shapes and constant attributes determine them; else absent.
std::vector<std::optional<std::vector<Slot>>> infer_results(const OpDef& callee, const Syntax& call,
                                                            const std::vector<const BodyValue*>& arguments);

}  // namespace tenon
