// Monomorphic expressions: values and indices in one language. Every node carries its type; conversions are explicit
// Cast nodes.
//
//   expr   := constant | var | size | attr[k] | read | op(expr…) | reduce[var < extent, …: where](expr) | select(c, a,
//   b) read   := T[index, …] | T[index, …] else fill      (with fill: an index outside the tensor yields fill, else it
//   is proved in range)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/number/dtype.h"
#include "ir/number/scalar_op.h"
#include "ir/op/direction.h"
#include "support/few.h"
#include "support/function_ref.h"

namespace tenon {

struct ExprNode;
using Expr = std::shared_ptr<const ExprNode>;

/// A number. Integers (and bool as 0/1) are held in `i` (u64 as its bits), floats and complex (imaginary part 0) in
/// `f`.
struct Constant {
  int64_t i = 0;
  double f = 0;
};

/// A loop or reduction variable, i64. Names are unique within a kernel.
struct VarRef {
  std::string name;
};

/// A size that is known at run time only, i64: an entry of Kernel::sizes.
struct SizeRef {
  std::string name;
};

/// A run-time attribute, or element `element` of a list attribute: an entry of Kernel::attrs.
struct AttrRef {
  std::string name;
  int element = 0;
};

/// One element of tensor number `tensor` of the kernel; the node has the tensor's storage type.
struct Read {
  int tensor = 0;
  std::vector<Expr> index;  ///< one per logical dimension, i64
  Expr fill;                ///< null: in range; else the value outside, of the storage type
};

struct Apply {
  ScalarOp op;
  Few<Expr> args;
};

enum class Reducer : uint8_t { Sum, Prod, Max, Min, Any, All, ArgMax, ArgMin, BitXor, BitOr, BitAnd, Fold };

/// Whether the result is the position of an element.
inline bool is_positional(Reducer r) { return r == Reducer::ArgMax || r == Reducer::ArgMin; }

/// A variable and the number of values that it takes: 0 … extent-1. `direction`: of a loop of a recurrence, in which
/// each element is computed from elements that the loop has made before.
struct LoopVar {
  std::string name;
  Expr extent;
  Direction direction = Direction::Any;
};

/// The accumulator has the node's type, but for ArgMax/ArgMin (i64 or i32; they compare `value`). A Fold begins with
/// `start`, and for each element in order the variable `running` of the node's type becomes `value`.
struct Reduce {
  Reducer op;
  std::vector<LoopVar> vars;
  Expr where;  ///< null: all; else a predicate over vars and outer variables
  Expr value;
  Expr start = nullptr;
  std::string running = {};
};

/// Only the taken arm counts for run-time checks. Both arms have the node's type; `cond` is Bool.
struct Select {
  Expr cond, yes, no;
};

struct ExprNode {
  DType type;
  std::variant<Constant, VarRef, SizeRef, AttrRef, Read, Apply, Reduce, Select> node;
};

// ---- building (no simplification beyond constants; see algebra/simplify)
Expr constant_int(int64_t v, DType type = DType::I64);
Expr constant_float(double v, DType type);
/// A constant of any type from a number (integers saturate; floats of half types keep f32/f64 value).
Expr constant_of(double v, DType type);
Expr var_ref(std::string name);
Expr size_ref(std::string name);
Expr attr_ref(std::string name, DType type, int element = 0);
std::vector<Expr> var_refs(const std::vector<LoopVar>& loops);
Expr read_of(int tensor, DType storage, std::vector<Expr> index, Expr fill = nullptr);
/// Types the node by the row's result rule; `type` is needed for Explicit rows.
Expr apply(ScalarOp op, Few<Expr> args);
Expr apply_as(ScalarOp op, Few<Expr> args, DType type);
Expr cast_to(Expr e, DType type);  ///< `e` itself when it has that type
/// stop(e), a value that is not differentiated: a conversion to its own type. Used only in kernels that are
/// differentiated.
Expr stopped(Expr e);
bool is_stop(const Expr& e);
Expr reduce(Reducer op, std::vector<LoopVar> vars, Expr where, Expr value, DType type);
Expr fold(std::vector<LoopVar> vars, Expr where, Expr value, Expr start, std::string running);
/// The same reduction over other parts; `start` and `running` stay.
Expr reduce_like(const Reduce& r, std::vector<LoopVar> vars, Expr where, Expr value, DType type);
/// A variable of any type: the running value of a fold.
Expr running_ref(std::string name, DType type);
Expr select(Expr cond, Expr yes, Expr no);
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);

/// Both conditions at once; a null one says nothing.
Expr both(const Expr& a, const Expr& b);
/// All of them at once; null if there are none.
Expr conjunction(const std::vector<Expr>& conditions);

// ---- looking
const Constant* as_constant(const Expr&);
/// The value of an integer or bool constant; nothing for any other node.
std::optional<int64_t> constant_value(const Expr&);
/// The node that applies `op`; null for any other.
const Apply* as_apply(const Expr&, ScalarOp op);
/// The conditions that `e` joins by `and`.
std::vector<Expr> conjuncts(const Expr& e);
bool is_zero(const Expr&);
bool is_one(const Expr&);
bool same(const Expr&, const Expr&);  ///< structural equality
bool same(const std::vector<Expr>&, const std::vector<Expr>&);
/// Whether two reductions are equal but for the names of their variables.
bool same_reduction(const Expr&, const Expr&);
bool mentions(const Expr&, const std::string& var);
bool mentions(const std::vector<Expr>&, const std::string& var);
inline bool is_variable(const Expr& e, const std::string& name) {
  const auto* v = std::get_if<VarRef>(&e->node);
  return v && v->name == name;
}
/// Names of accumulators, which no variable of a loop has. Variables of loops are not negative, accumulators may be.
inline std::string accumulator_named(const std::string& name) { return "acc." + name; }
inline bool is_accumulator(const std::string& variable) { return variable.starts_with("acc."); }
bool has_loop(const std::vector<LoopVar>&, const std::string& name);
/// Appends the factors of a product, of which one may be a product itself; any other expression is one factor.
void collect_factors(const Expr& e, std::vector<Expr>& out);
std::string_view name_of(Reducer);
Reducer reducer_from_name(std::string_view);
/// The value of an empty reduction, of type `type` (Max: -inf or the lowest integer).
Expr identity_of(Reducer, DType type);

// ---- walking
/// A leaf: a constant, a variable, a size or an attribute.
bool is_leaf(const Expr&);
/// Calls `visit` for `e` and every node below it, parents first; it returns false to skip the children.
void walk(const Expr& e, FunctionRef<bool(const Expr&)> visit);
/// Calls f for every node of the kind in `e`, which may be null.
template <class Node, class F>
void each_node(const Expr& e, const F& f) {
  walk(e, [&](const Expr& n) {
    if (const auto* node = std::get_if<Node>(&n->node)) f(*node);
    return true;
  });
}
/// Whether `holds` is true of `e`, which may be null, or of a node below it; any_read, all_reads: of a read in it, of
/// all of them. Each shared node is asked once.
bool any_node(const Expr& e, FunctionRef<bool(const Expr&)> holds);
bool any_read(const Expr& e, FunctionRef<bool(const Read&)> holds);
bool all_reads(const Expr& e, FunctionRef<bool(const Read&)> hold);
bool reads_tensor(const Expr& e, int tensor);
/// Calls `visit` for every read in `e`, each shared node once.
void each_read(const Expr& e, FunctionRef<void(const Read&)> visit);
/// Whether there is a node of the kind.
template <class Node>
bool has_node(const Expr& e) {
  return any_node(e, [](const Expr& n) { return std::holds_alternative<Node>(n->node); });
}
/// Calls f for every direct child of `e`, in order; extents of Reduce are children too.
void each_child(const Expr& e, FunctionRef<void(const Expr&)> f);
/// Rebuilds `e` with every direct child replaced by f(child); the same node when nothing changes. Extents of Reduce are
/// children too.
Expr map_children(const Expr& e, FunctionRef<Expr(const Expr&)> f);
/// `e` with `to` in place of every node that is the same as `from`.
Expr with_expr(const Expr& e, const Expr& from, const Expr& to);
/// Replaces variables by expressions everywhere; reductions whose variables the expressions mention get others. A
/// shared node stays one node.
Expr substitute(const Expr& e, const std::map<std::string, Expr>& vars);

/// Reads of tensor t become reads of to[t].
Expr with_tensors(const Expr& e, const std::vector<int>& to);
/// Reads of `from` become reads of `to`; null stays null.
Expr with_tensor(const Expr& e, int from, int to);

/// Text form; tensors are printed by the names given (or t0, t1, … without).
std::string to_text(const Expr&, const std::vector<std::string>& tensor_names = {});

/// The row of the scalar table that combines two values of a reduction. Positions and folds have none.
ScalarOp step_of(Reducer reducer);

}  // namespace tenon
