// A kernel: monomorphic statements over tensors, one function of the generated C. The data type between
// library/schedule and lower.
//
//   kernel    := name, tensors, sizes, attrs, facts, checks, statements | call of a frame
//   tensor    := role name: dtype[dim, …] strides [s, …]
//   statement := T[index, …] update expr   for its loop variables, outermost first
//   check     := for variables: predicate else status
// A computation that needs several kernels has parts instead of statements: calls of frames between statements, and
// statements whose extents are found in the data by earlier ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel/expr.h"
#include "ir/number/tensor_data.h"
#include "ir/op/frame.h"
#include "ir/op/update.h"

namespace tenon {

enum class Role : uint8_t {
  Input,
  Output,
  Temp,  ///< a value of the body that no caller sees; lowering decides where it lives (register, row buffer, workspace)
  Constant,  ///< its bytes are known when the program is generated: a table of the definition, a weight of a model
};

/// A tensor as statements see it: logical dimensions, of which several may come from one stored dimension.
struct Tensor {
  std::string name;
  Role role;
  DType dtype;
  std::vector<Expr> dims;  ///< extents: constants, sizes, or expressions of them
  std::vector<Expr>
      strides;  ///< in elements, one per dimension; constants 0 and 1 are meaningful to lowering. Always given.
  bool shared =
      false;  ///< models: may be in the memory of another shared tensor; read only at the element that is written
  std::string extent =
      {};  ///< an i64 in which the kernel leaves the value of this extent of its outputs; "" for tensors of the op
  std::shared_ptr<const TensorData> data = {};  ///< of a table: its elements
  std::string list = {};                        ///< an input that is this list attribute of the call; "" for others
  bool repeats = false;  ///< an input of which a call may repeat one element or line: strides of 0 are usual
  std::string given =
      {};  ///< an output that a call may leave out: the size that is 1 where it does not, else 0; "" for others
};

/// A size that the caller supplies at run time. 0 <= lo <= value <= hi.
struct Size {
  std::string name;
  int64_t lo = 0;
  int64_t hi = INT64_MAX;
};

/// A run-time attribute. `dtype` is its compute type (i64 for int and bool flags are Bool); lists have count > 1.
struct Attr {
  std::string name;
  DType dtype;
  int count = 1;
  bool limited = false;  ///< a call refuses large numbers where it is a term or a factor of an index
};

/// What combines the value with the element; nothing for updates that replace it.
std::optional<Reducer> reducer_of(Update update);

/// target[index] update value, for every value of the loop variables. A full definition has Assign and the loop
/// variables themselves as index; scatter updates run in the order of the loops. A definition with directed loops is
/// recurrent: it may read its own target, and those of the statements that it is joined with, at elements that come
/// earlier in the order of the loops.
struct KernelStatement {
  int target = 0;
  std::vector<Expr> index;
  Update update = Update::Assign;
  Expr value;  ///< of the target's storage type
  std::vector<LoopVar> loops;
  std::string formula;   ///< the definition's own text, for comments
  Expr where = nullptr;  ///< of an update: where it is false nothing is computed and nothing is touched
  /// The number of outermost loops shared with the previous statement: both run in order for each of their values.
  size_t joined = 0;
  /// Terms that a condition excludes from its sum may be multiplied by 0 instead, which matters if they are not finite:
  /// only in derived gradients.
  bool masks_by_zero = false;
};

enum class CheckStatus : uint8_t { Range, Shape, Attribute };

/// As in the names of statuses: range, shape, attr.
std::string_view name_of(CheckStatus);

/// A condition on data that must hold before the first store; otherwise the call returns the status and leaves the
/// outputs unchanged.
struct Check {
  std::vector<LoopVar> loops;
  Expr holds;
  CheckStatus status = CheckStatus::Range;
  std::string what;
};

/// What a kernel does instead of statements: the function of a frame and its arguments.
struct FrameCall {
  std::shared_ptr<const Frame> frame;
  std::vector<int> tensors;               ///< per parameter: the tensor, -1 for absent tensors and for other parameters
  std::vector<std::vector<Expr>> values;  ///< per parameter: the value of a size or real, the extents of a pack
};

/// An extent that a part of a kernel finds in the data: 0 <= value <= bound, which the next part checks.
struct FoundSize {
  std::string name;  ///< as SizeRefs name it
  int tensor = 0;    ///< the i64 that the part leaves it in
  size_t part = 0;   ///< the parts after this one know it
  Expr bound;        ///< over sizes that the caller supplies
};

struct Kernel {
  std::string name;  ///< C name without prefix and ISA: gemm_f32, conv2d_bias_relu_f32
  std::string op;    ///< definition that it came from ("" for fused ones)
  std::string doc;
  std::vector<std::string> fused;  ///< operations that were put together, in order
  std::vector<Tensor> tensors;     ///< inputs, outputs, constants, temps
  std::vector<Size> sizes;
  std::vector<Attr> attrs;
  std::vector<Expr> facts;  ///< predicates over sizes and attributes that hold at every call
  std::vector<Check> checks;
  std::vector<KernelStatement> body;
  std::optional<FrameCall> call;  ///< instead of a body
  /// Replaces a body: parts that run in order over all of these tensors. A tensor that a part makes for a later one is
  /// an output of the former and an input of the latter.
  std::vector<Kernel> parts;
  std::vector<FoundSize> found;  ///< what the parts find, in order
  bool reassociate = true;  ///< sums and products may use several accumulators, in an order that the blueprint fixes
  bool vectors = true;      ///< some level that it is lowered to may have vectors
  std::vector<std::string> notes = {};  ///< what lowering made of its statements, a line each, for `tenon explain`

  /// The number of a new tensor; add_temp: of a temp in row-major order.
  int add(Tensor t);
  int add_temp(std::string tensor_name, DType type, std::vector<Expr> dims);
  const Tensor& tensor(int t) const { return tensors[static_cast<size_t>(t)]; }
  Tensor& tensor(int t) { return tensors[static_cast<size_t>(t)]; }
};

/// Whether its computation is not in its body, because it is a call or has parts. Such a kernel is not fused.
bool is_opaque(const Kernel&);
/// The statements, in order: of the body, or of the parts.
void for_each_statement(const Kernel&, FunctionRef<void(const KernelStatement&)> f);
/// Whether a call of it can end with a status: it checks data.
bool may_fail(const Kernel&);
/// Whether the statement is part of a recurrence: it has directed loops, or shares loops with the one before.
bool is_in_recurrence(const KernelStatement&);
/// Whether any statement is.
bool has_recurrence(const Kernel&);
/// Removes a statement from the body; statements joined with it stay joined with the one before.
void erase_statement(std::vector<KernelStatement>& body, size_t at);
/// The statements from `at` on whose outermost loop is one and the same: the position after the last.
size_t end_of_joined(const std::vector<KernelStatement>& body, size_t at);

/// Row-major strides of `dims`, in elements.
std::vector<Expr> contiguous_strides(const std::vector<Expr>& dims);
/// Whether a tensor or a part of an expression has the type.
bool has_type(const Kernel&, DType);
/// Names of the tensors, for printing expressions.
std::vector<std::string> tensor_names(const Kernel&);
/// The same kernel with every expression replaced by f(e): statements, checks, facts, shapes.
Kernel map_exprs(const Kernel&, FunctionRef<Expr(const Expr&)> f);
/// Replaces the value, the condition and the index of a statement.
void map_exprs(KernelStatement&, FunctionRef<Expr(const Expr&)> f);
/// Tensor t of the statement becomes to[t].
void renumber_tensors(KernelStatement&, const std::vector<int>& to);
/// Removes an unused tensor from the kernel.
void drop_tensor(Kernel&, int tensor);
/// Text form, one line a tensor, check and statement.
std::string to_text(const Kernel&);
/// Errors: a list of messages, empty when the kernel is valid (ranks, types, unknown names, duplicate
/// variables).
std::vector<std::string> verify(const Kernel&);

/// 1 where the tensor is given and 0 where it is absent. Statements that read it are in a loop over this size, and
/// nothing may read it outside of that loop.
inline std::string presence_of(const std::string& tensor) { return tensor + "_given"; }
/// Whether a loop over this extent is around what reads a tensor that may be absent.
bool is_presence(const Kernel&, const Expr& extent);

}  // namespace tenon
