// Syntax → typed expression of a kernel, in the scope of one definition. Shared by bodies, lets, requires and shapes.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algebra/integer_states.h"
#include "ir/kernel/expr.h"
#include "library/scope.h"
#include "support/diagnostics.h"

namespace tenon {

/// How `*(…)` is evaluated: as written, with pack variables at 0, or for a dim that a call puts in front of its own,
/// where extents are 1, lists have the value that stands for no change (`list` where it is not the default) and dim()
/// is `place`, below zero.
struct FrontDim {
  bool variables_at_zero = false;
  bool neutral = false;
  int64_t list = 0;
  int64_t place = -1;
};

class ExprBuilder {
 public:
  ExprBuilder(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics)
      : library_(library), scope_(scope), kernel_(kernel), diagnostics_(diagnostics), integers_(kernel) {}

  /// The context in which one statement is built.
  struct Statement {
    DType real = DType::F64;   ///< floating type of draws and of reals without another operand
    DType widest = DType::I8;  ///< integers of the statement widen to this
    std::vector<LoopVar> loops;
  };
  void begin(Statement s);

  /// A value; on an error reports it and returns the constant 0, so that all errors of a text are found.
  Typed value(const Syntax& s);
  /// An index or extent: i64.
  Expr index(const Syntax& s);
  /// Conditions: Bool.
  Expr condition(const Syntax& s);
  /// A condition that names packs or lists holds for each of their elements.
  std::vector<Expr> conditions(const Syntax& s);
  /// The extents of the parts of `(h d)` along one dim of what a call gives; empty where nothing says them.
  std::vector<Expr> extents_of_parts(const Syntax& group, const BoundTensor& t, size_t entry) const;
  /// Subscripts against a tensor's entries: the kernel's index list.
  std::vector<Expr> subscripts(const std::vector<Syntax>& subs, const BoundTensor& t, const Syntax* place);
  /// The element of a tensor that the subscripts say. Where integers may wrap it is the nearest one that there is.
  std::vector<Expr> place(const std::vector<Syntax>& subs, const BoundTensor& t);
  /// The condition of an update, with its ranges from data; null where it has none.
  Expr update_condition(const tenon::Statement& s);
  /// Statements built between the two are executed only where the condition holds.
  void enter_condition(const Expr& where) { path_.push_back(where); }
  void leave_condition() { path_.pop_back(); }
  /// Conditions on these tensors are checked after the statement: where one does not hold, 0 is read.
  void compute_later(std::set<int> tensors) { later_ = tensors, integers_.begin_group(std::move(tensors)); }
  /// Values that indices are made of.
  IntegerStates& integers() { return integers_; }
  /// The list that `*(…)` or a pack-valued let stands for. Where a call decides the rank of a pack, dims of extent 1
  /// are in front of its own: there the list has the value `at_front`, 0 for indices and 1 for extents.
  std::vector<Expr> list(const Syntax& s, int64_t at_front = 0);
  /// The pack of a rank known only in a call whose dims the elements of such a list are computed from, one by one; ""
  /// if there is none.
  std::string elementwise_pack(const Syntax& s) const;
  /// Variables of index notation for a bare name or pack, in the order of the pack's dims.
  std::vector<LoopVar> loop_vars(const Syntax& name_or_pack);
  /// Widest integer type read as a value (not as an index) anywhere in `s`, or `least`.
  DType widest_integer(const Syntax& s, DType least) const;
  /// The type that a word names; nothing where it names none.
  std::optional<DType> type_named(const std::string& word) const;
  std::optional<DType> named_type(const Syntax& s) const;
  DType type_of_read(DType storage) const;
  /// How many elements a list attribute has.
  Expr length_of(const BoundAttr& list) const;

  void error(Code code, const Syntax& place, std::string message, std::vector<std::string> notes = {});
  /// Reports a function that numbers of the type do not have, under the name that the text gives it.
  bool has_function(const Syntax& s, ScalarOp op, DType t, std::string_view name);

 private:
  Typed name(const Syntax& s);
  Typed unary(const Syntax& s);
  Typed binary(const Syntax& s);
  Typed arithmetic(const Syntax& s, Typed a, Typed b);
  Typed quotient(const Syntax& s, Typed a, Typed b);
  Typed power(const Syntax& s, Typed a, Typed b);
  Typed subscript(const Syntax& s, Expr fill = nullptr);
  Typed chosen_element(const std::string& name, const BoundAttr& list, const Expr& at);
  Typed held_element(const HeldList& list, const Expr& at);
  std::optional<Typed> known_element(const std::string& name, const BoundAttr& list, const Expr& at);
  Typed count(const Syntax& s);
  Typed reduction(const Syntax& s);
  Typed folded(const Syntax& s, std::vector<LoopVar> vars, const Expr& where, const Typed& start);
  Typed positional(const Syntax& s, Reducer op, std::vector<LoopVar> vars, const Expr& where);
  Typed reduced(const Syntax& s, Reducer op, std::vector<LoopVar> vars, const Expr& where);
  std::vector<LoopVar> bind_reduced(const Syntax& s);
  Typed call(const Syntax& s);
  Typed special(const Syntax& s, bool& known);
  Typed rounded_up(const Syntax& s);
  Typed scalar_row(const Syntax& s, ScalarOp op);
  Expr shift_count(const Typed& count, DType shifted) const;
  using Arguments = std::map<std::string, Typed>;
  std::optional<Arguments> arguments(const std::vector<std::string>& params, const Syntax& call);
  Typed inlined(const Syntax& body, const Arguments& arguments, const Syntax& call);
  Typed row_in_place(const ScalarRow& row, const Syntax& call);
  Typed stating(const ScalarRow& row, const Typed& result, Arguments arguments, const Syntax& call);
  Expr rank_of(const Syntax& pack);
  Expr place_in(const Syntax& pack);
  Typed padded(const Syntax& s);
  Typed optional(const Syntax& s);
  bool is_given(const Syntax& read) const;
  bool is_left_out(const Syntax& term) const;
  Typed choice(const Syntax& s);
  Typed element(const Syntax& s);
  Typed conversion(const Syntax& s);
  Typed bit_pattern(const Syntax& s);
  Typed limit_of(const Syntax& s);
  Typed guard(const Syntax& s);
  Typed clamped(const Syntax& s);
  Typed linear(const Syntax& s);
  Typed extent(const Syntax& s);
  Typed draw(const Syntax& s);
  /// Converts both to a common type; false, with an error reported, if there is none.
  bool unifies(const Syntax& s, Typed& a, Typed& b);
  Typed unified(ScalarOp op, const Syntax& s, Typed a, Typed b);
  std::vector<Expr> permuted(const Syntax& call);
  std::vector<Expr> unravelled(const Syntax& call);
  std::optional<std::vector<Expr>> list_call(const Syntax& call);
  Typed each_element(const Syntax& s, size_t k);
  std::string open_pack(const Syntax& s) const;
  Expr is_front(const std::string& pack, size_t k) const;
  Expr own_dim(const Syntax& s, const std::string& pack, size_t k, int64_t at_front);
  Expr with_front(const Syntax& s, FrontDim front);
  Typed front_element(const Syntax& s, const Typed& own) const;
  size_t each_rank(const Syntax& s) const;
  bool is_found(const Expr& extent) const;
  void match_found(const Syntax& sub, const Expr& extent);
  std::vector<Expr> bare_ranges(const Syntax& sub) const;
  bool is_stated(const Syntax& sub) const;
  void match_open(const Syntax& sub, const std::vector<Expr>& entry);
  Expr joined_parts(const Syntax& group, const BoundTensor& t, size_t entry);
  Expr kept_within(const Expr& index, const Expr& extent);
  void keep_within(std::vector<Expr>& at, const BoundTensor& t);
  void append_subscript(const Syntax& sub, const std::vector<Expr>& entry, std::vector<Expr>& out);
  void refuse_running(const std::string& accumulator, const Syntax& place);
  void require_data(Expr holds, CheckStatus status, const Syntax& place);
  bool lies_within(const Expr& i, const Expr& extent) const;
  bool is_required(const Expr& slack);
  /// The condition that a range from data stands for, null where it has none; its ends are checked at run time.
  Expr range_condition(const Syntax& variable);
  Expr range_end(const Syntax& s, const Expr& extent);
  void require_choice(const Expr& slack, const Syntax& place);
  void require_any(const std::vector<LoopVar>& vars, const Expr& where, const Syntax& place);
  void require_where_run(const Expr& slack, Expr holds, CheckStatus status, const Syntax& place);
  Expr divisor(const Expr& divisor, const Syntax& place);
  bool is_later(const Expr& e) const;
  Typed zero() const { return {constant_int(0), true}; }

  const OpLibrary& library_;
  Scope& scope_;
  Kernel& kernel_;
  Diagnostics& diagnostics_;
  Statement statement_;
  std::vector<LoopVar> reducing_;  ///< variables of the enclosing reductions
  std::vector<Expr> path_;         ///< conditions under which the place is evaluated
  std::vector<Arguments> params_;
  std::map<std::string, Expr> renamed_;   ///< reduction variables under their unique names
  std::map<std::string, Typed> running_;  ///< accumulators of the enclosing folds
  std::set<std::string> used_vars_;
  int depth_ = 0;
  int stating_ = 0;         ///< derivatives of rows within derivatives of rows
  bool too_large_ = false;  ///< reported; nothing more is put in place in this statement
  int element_ = -1;        ///< dim of the packs while `*(…)` is evaluated
  std::set<int> later_;     ///< tensors of the recurrence that the statement belongs to
  bool unsure_ = false;     ///< an index that is being built may be outside until it is checked
  bool in_index_ = false;   ///< a real number becomes an integer before it is brought into a range
  IntegerStates integers_;
  FrontDim front_;  ///< what the names of packs are while `*(…)` is evaluated
};

/// exp, log, sqrt, sin, cos and pow of complex numbers, principal values; null for other functions.
Expr complex_function(ScalarOp op, const Few<Expr>& args);

}  // namespace tenon
