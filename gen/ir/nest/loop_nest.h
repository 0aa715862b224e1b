// Loop nests: what a kernel does on one ISA, as structured statements over scalars and fixed-width vectors.
// The data type between lower and emit: all decisions are made, only the spelling in C is left.
//
//   operand := const | var | size | attr | load(buffer, offset, active) | gather(buffer, offset, stride) | op(operand…)
//          | select(mask, a, b) | splat(scalar) | ramp(scalar) | fold(reducer, vector) | lane(vector, k) |
//          concat/interleave by shuffle
//   stmt  := let | var | assign | store | for | if | block | prefetch | fail | comment | call
//
// A vector has `lanes` > 1 elements of one dtype. A mask is Bool with lanes; `mask_bits` is the width of what was
// compared. `active` on a load or store: only the first `active` lanes are touched in memory, the others read as 0.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/kernel/kernel.h"
#include "support/counted.h"
#include "support/few.h"

namespace tenon {

/// Type of a value: one element (lanes == 1) or a vector of them.
struct OperandType {
  DType dtype = DType::I64;
  int lanes = 1;
  int mask_bits = 0;  ///< for Bool vectors: 8, 16, 32 or 64
  bool operator==(const OperandType&) const = default;
};

struct OperandNode;
using Operand = Counted<OperandNode>;

struct VConst {
  int64_t i = 0;
  double f = 0;
};  ///< splat when the type has lanes
struct VVar {
  std::string name;
};  ///< loop variable, let, mutable variable
struct VSize {
  std::string name;
};  ///< a run-time size of the kernel
struct VAttr {
  std::string name;
  int element = 0;
};
/// `lanes` consecutive elements of the buffer's storage type. Conversions to the compute type are Cast nodes above.
/// `once`: compilers must not reload it at each use, as some do if an instruction takes a memory operand.
struct VLoad {
  int buffer = 0;
  Operand offset;
  Operand active;
  bool once = false;
};
/// Element l comes from offset + l*stride (in elements).
struct VGather {
  int buffer = 0;
  Operand offset;
  Operand stride;
  Operand active;
};
/// The row of scalar_op.def applied lane by lane; Cast and Bits change the type, comparisons give masks, Fma is fused
/// only where the ISA has a fused row. Math rows (flag M) become calls of functions made from math entries.
struct VApply {
  ScalarOp op;
  Few<Operand> args;
};
struct VSelect {
  Operand cond, yes, no;
};
struct VSplat {
  Operand scalar;
};
struct VRamp {
  Operand base;
};  ///< base, base+1, …
struct VFold {
  Reducer op;
  Operand vector;
};  ///< all lanes to one scalar: halves added pairwise, a fixed order
struct VLane {
  Operand vector;
  int lane = 0;
};
/// Lane l of the result is lane pick[l] of the two arguments laid end to end.
struct VShuffle {
  Operand a, b;
  std::vector<int> pick;
};

/// Lane l of the result is the entry of the table that the low bits of lane l of the index number; only for levels with
/// the row `lookup`.
struct VLookup {
  Operand index;
  std::vector<double> table;
};

struct OperandNode : CountedNode {
  OperandType type;
  std::variant<VConst, VVar, VSize, VAttr, VLoad, VGather, VApply, VSelect, VSplat, VRamp, VFold, VLane, VShuffle,
               VLookup>
      node;
};

struct Stmt;
using Block = std::vector<Stmt>;

/// Serial: as written. Parallel: iterations are independent and may go to workers. Unrolled: the printer repeats the
/// body (constant trip count).
/// Paired: serial, and compilers are asked to compile two iterations as one.
enum class LoopKind : uint8_t { Serial, Parallel, Unrolled, Paired };

/// Constant from here to the end of the block. `place`: read from a tensor and checked to be a valid index, so that
/// offsets computed from it do not overflow. `any`: computed even if out of range, so that it wraps for large
/// attributes. `operand`: a part of a minimum or a remainder, not proved to be in range itself. `count`: a count, never
/// negative.
struct SLet {
  std::string name;
  Operand value;
  bool place = false, any = false, count = false, operand = false;
};
struct SVar {
  std::string name;
  Operand init;
};  ///< may be assigned
struct SAssign {
  std::string name;
  Operand value;
};
struct SStore {
  int buffer = 0;
  Operand offset;
  Operand value;
  Operand active;
};  ///< value has the buffer's storage type
struct SFor {
  std::string var;
  Operand begin, end;
  int64_t step = 1;
  LoopKind kind = LoopKind::Serial;
  std::shared_ptr<const Block> body;
  std::vector<int> own = {};  ///< Parallel, in a library: buffers of the workspace that each worker has for itself
};
struct SIf {
  Operand cond;
  std::shared_ptr<const Block> then, otherwise;
};  ///< otherwise may be null
struct SPrefetch {
  int buffer = 0;
  Operand offset;
  int locality = 3;
};
/// Leaves the kernel with a negative status; only before the first store.
struct SFail {
  CheckStatus status = CheckStatus::Range;
};
/// Leaves the innermost loop early; only in a serial loop.
struct SLeave {};
struct SComment {
  std::string text;
};
/// A buffer of the caller from an element on, as the pointer argument of a call; buffer -1 is NULL (frames only).
struct BufferArgument {
  int buffer = 0;
  Operand offset;
};
/// Runs LoopNest::functions[function].
struct SCall {
  int function = 0;
  std::vector<BufferArgument> buffers;
  std::vector<Operand> args;
};

struct Stmt {
  std::variant<SLet, SVar, SAssign, SStore, SFor, SIf, SPrefetch, SFail, SLeave, SComment, SCall> node;
};

/// Where a buffer lives.
enum class Storage : uint8_t {
  Tensor,     ///< a tensor of the kernel (input, output, constant): a pointer argument
  Workspace,  ///< caller's memory, 64-byte aligned by the kernel's entry; sizes may be run-time values
  Stack,      ///< a small array of constant size inside the function, 64-byte aligned
};

struct Buffer {
  std::string name;
  DType dtype;
  Storage storage;
  int tensor = -1;   ///< Storage::Tensor: index into Kernel::tensors
  Operand elements;  ///< Workspace and Stack: number of elements (Stack: a constant)
  bool writable = false;
  bool per_worker = false;  ///< Workspace: each worker has its own (a phase of parallel_phases)
};

/// A part of a nest that is a C function of its own, so that its innermost loop has the registers to itself. Buffers in
/// its body count in its own list; sizes and attributes come in as parameters. The text of a frame may be in place
/// of a body.
struct InnerFunction {
  std::string name;     ///< after the nest's own: strip_8
  std::string comment;  ///< what it does; "" for none
  bool common = false;  ///< the name states all that it does, so that one function serves all nests: tile_8x2_f32
  std::vector<Buffer> buffers;
  std::vector<std::string> params;  ///< i64
  Block body;
  std::shared_ptr<const Frame>
      frame;  ///< instead of a body: buffers are its pointers, params its numbers (i64 or f64), in their order
};

/// One function: the body of a kernel at one ISA level. Sizes, attributes and tensors are those of the kernel.
struct LoopNest {
  std::string name;  ///< kernel name + level, such as gemm_f32_x86_64_v4
  std::string isa;   ///< row of all_isas
  std::shared_ptr<const Kernel> kernel;
  std::string blueprint;  ///< which schedule was taken, for the banner
  std::vector<Buffer>
      buffers;  ///< the first kernel->tensors.size() entries are the tensors but for temps that live elsewhere
  std::vector<InnerFunction> functions;
  Block body;
  std::vector<std::string> notes = {};  ///< what lowering made of the statements, a line each, for `tenon explain`
};

// ---- building
Operand v_int(int64_t v, DType type = DType::I64);
Operand v_const(double v, OperandType type);
Operand v_constant(const Constant& c, OperandType type);
Operand v_var(std::string name, OperandType type = {});
Operand v_size(std::string name);
Operand v_attr(std::string name, DType type, int element = 0);
Operand v_load(int buffer, DType storage, Operand offset, int lanes = 1, Operand active = nullptr);
Operand v_load_once(int buffer, DType storage, Operand offset, int lanes);
Operand v_gather(DType storage, int lanes, VGather from);
/// Types the node by the row's result rule (Explicit rows: give `type`). Integer constants fold.
Operand v_apply(ScalarOp op, Few<Operand> args);
Operand v_apply_as(ScalarOp op, Few<Operand> args, OperandType type);
Operand v_cast(Operand v, DType type);  ///< keeps the lanes
Operand v_select(Operand cond, Operand yes, Operand no);
Operand v_splat(Operand scalar, int lanes);  ///< the value itself for lanes == 1
Operand v_ramp(Operand base, int lanes);
Operand v_fold(Reducer op, Operand vector);
Operand v_lane(Operand vector, int lane);
Operand v_shuffle(Operand a, Operand b, std::vector<int> pick);
/// The pick of the even elements of two vectors, the second of which begins `distance` elements after the first.
std::vector<int> even_elements(int lanes, int distance);
Operand v_lookup(Operand index, std::vector<double> table, OperandType type);
Operand operator+(const Operand& a, const Operand& b);  ///< of equal types; integer constants fold, x+0 = x
Operand operator-(const Operand& a, const Operand& b);
Operand operator*(const Operand& a, const Operand& b);
inline bool is_i64_scalar(const Operand& v) { return v->type == OperandType{}; }
std::optional<int64_t> constant_value(const Operand&);

Stmt s_let(std::string name, Operand value);
Stmt s_count(std::string name, Operand value);  ///< a let of a number that is never negative
Stmt s_var(std::string name, Operand init);
Stmt s_assign(std::string name, Operand value);
Stmt s_store(int buffer, Operand offset, Operand value, Operand active = nullptr);
Stmt s_for(std::string var, Operand begin, Operand end, int64_t step, Block body);
Stmt with_kind(LoopKind kind, Stmt loop);
Stmt s_if(Operand cond, Block then, Block otherwise = {});
Stmt s_comment(std::string text);

// ---- walking
/// Calls f for each direct operand of a node or statement, in order, including null ones.
template <class Node, class F>
void for_operands(Node& n, const F& f) {
  if constexpr (requires { n.buffers; })
    for (auto& b : n.buffers) f(b.offset);
  if constexpr (requires { n.offset; }) f(n.offset);
  if constexpr (requires { n.stride; }) f(n.stride);
  if constexpr (requires { n.init; }) f(n.init);
  if constexpr (requires { n.value; }) f(n.value);
  if constexpr (requires { n.active; }) f(n.active);
  if constexpr (requires { n.begin; }) f(n.begin), f(n.end);
  if constexpr (requires { n.cond; }) f(n.cond);
  if constexpr (requires { n.yes; }) f(n.yes), f(n.no);
  if constexpr (requires { n.scalar; }) f(n.scalar);
  if constexpr (requires { n.base; }) f(n.base);
  if constexpr (requires { n.vector; }) f(n.vector);
  if constexpr (requires { n.a; }) f(n.a), f(n.b);
  if constexpr (requires { n.args; })
    for (auto& a : n.args) f(a);
}
/// A leaf: a constant, a variable, a size or an attribute.
bool is_leaf(const Operand&);
/// Calls f for every direct child of a value, and for every operand of a statement but for those of statements inside.
void each_child(const Operand&, FunctionRef<void(const Operand&)> f);
void each_operand(const Stmt&, FunctionRef<void(const Operand&)> f);
/// Rebuilds a value with every direct child replaced by f(child).
Operand map_children(const Operand&, FunctionRef<Operand(const Operand&)> f);
/// Calls f for each block directly inside of a statement, a condition's `then` first; replaces it by f(block).
void each_block(const Stmt&, FunctionRef<void(const Block&)> f);
void map_blocks(Stmt&, FunctionRef<Block(const Block&)> f);

/// Text form, indented; and errors (types, unknown names, buffers out of range), empty when valid.
std::string to_text(const Operand&);
std::string to_text(const LoopNest&);
std::vector<std::string> verify(const LoopNest&);

}  // namespace tenon
