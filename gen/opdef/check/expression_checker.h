// Checks of expressions: every name means something, calls have their arguments, reads their indices, conditions are
// conditions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/op/op_def.h"
#include "opdef/check/body_scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// The context of an expression.
struct ExpressionPlace {
  bool data = true;           ///< tensors may be read (false in let, require and index)
  bool packs = false;         ///< packs and lists may stand for their dims (let, require, *( … ))
  bool index = false;         ///< directly within an index
  bool any_variable = false;  ///< every index variable of the body is in scope (closed gradients)
  bool optional = false;      ///< the read directly below is guarded by opt
  bool guarded = false;       ///< the read directly below is guarded by padded
};

/// Of let, require and index, and of attributes that a call gives.
constexpr ExpressionPlace kSizesOnly{.data = false, .packs = true};

class ExpressionChecker {
 public:
  ExpressionChecker(BodyScope& scope, Diagnostics& diagnostics)
      : scope_(scope), op_(scope.op()), diagnostics_(diagnostics) {}

  BodyScope& scope() { return scope_; }
  Diagnostics& diagnostics() { return diagnostics_; }

  void check(const Syntax& s, ExpressionPlace place);
  /// The same, and it must be a condition.
  void check_condition(const Syntax& s, ExpressionPlace place);
  /// What a call gives an attribute of the called op.
  void check_attr_value(const Syntax& value, const AttrDef& attr, const ExpressionPlace& place);
  /// Indices of a read or of a scattered target against the value's slots.
  void check_subs(const Syntax& access, const std::vector<Syntax>& subs, const BodyValue& value, ExpressionPlace place);

  /// Index variables that are bound here: the left side's and the enclosing reductions'.
  std::set<std::string> bound;
  /// Accumulators of the enclosing folds.
  std::set<std::string> accumulators;
  /// The ends of a range from data, `e in a .. b`.
  void check_range(const Syntax& variable, const ExpressionPlace& place);
  /// How to handle a read of a tensor that is not defined yet.
  std::string order_note(const Syntax& read) const;
  /// Values of the body that are defined so far.
  std::set<std::string> defined;
  /// Lets that may be used; all when null.
  const std::set<std::string>* lets = nullptr;
  /// A type that the notation names, as in cast(x, wide(T)).
  void check_type(const Syntax& type);

 private:
  bool names_type(const Syntax& s) const;
  void check_name(const Syntax& s, const ExpressionPlace& place);
  bool check_let(const Syntax& s, const ExpressionPlace& place);
  void unknown_name(const Syntax& s);
  void check_binary(const Syntax& s, const ExpressionPlace& place);
  bool check_enum(const Syntax& s);
  void check_subscript(const Syntax& s, const ExpressionPlace& place);
  void check_list_element(const Syntax& s, const AttrDef& attr, const ExpressionPlace& place);
  void check_reduce(const Syntax& s, const ExpressionPlace& place);
  void check_reduced(const Syntax& s, const ExpressionPlace& place);
  void check_fold(const Syntax& s, const ExpressionPlace& place);
  void check_call(const Syntax& s, const ExpressionPlace& place);
  bool check_special_call(const Syntax& s, const ExpressionPlace& place);
  void check_guard(const Syntax& s, ExpressionPlace place);
  void check_padded_expression(const Syntax& guard, const ExpressionPlace& place);
  Syntax guarded_reads(const Syntax& s, const Syntax& value) const;
  void check_arguments(const Syntax& s, const ExpressionPlace& place);
  void check_pack_arguments(const Syntax& s);
  void check_derived_type(const Syntax& type);
  void check_pack_variable(const Syntax& s);
  bool definite_number(const Syntax& s) const;

  void check_unknown_shape(const Syntax& access, const std::vector<Syntax>& subs, const BodyValue& value,
                           const ExpressionPlace& place);
  void check_pack_sub(const Syntax& access, const Syntax& sub, const Slot& slot, const ExpressionPlace& place);
  void check_single_sub(const Syntax& access, const Syntax& sub, const Syntax& extent, const ExpressionPlace& place);
  std::string smaller_range(const Syntax& sub, const Syntax& extent);
  bool proved_within(const Syntax& sub, const Syntax& extent);
  void check_bounds(const Syntax& access, const Syntax& sub, const Syntax& extent);
  bool has_open_range(const Syntax& s) const;
  void check_pack_call(const Syntax& access, const Syntax& call, const Slot& slot);
  void check_unravel(const Syntax& access, const Syntax& call, const Slot& slot);
  bool same_size_of(const Syntax& number, const Syntax& shape);
  std::string where(const Syntax& sub);

  BodyScope& scope_;
  const OpDef& op_;
  Diagnostics& diagnostics_;
};

/// What a statement gives an op that it calls.
void check_op_arguments(const Syntax& call, const OpDef& callee, ExpressionChecker& expressions);

/// Whether an expression reads a tensor of the body.
bool reads_data(const Syntax& s, const BodyScope& scope);

/// The first function within a call, also within the functions that it expands to, that sizes do not have; empty if all
/// of them do.
std::string not_of_sizes(const Syntax& call, const OpLibrary& library);

/// The names of all that sizes have, for messages.
std::string size_function_names();

}  // namespace tenon
