// The state of emitting one function, and the functions that turn operands and statements into C. Private to emit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "algebra/integer_states.h"
#include "emit/kernel_to_c.h"
#include "ir/nest/c_ast.h"
#include "ir/nest/loop_nest.h"

namespace tenon::emit {

/// Half floats, small types and bools are moved as what they are in memory.
inline DType moved_type(DType d) { return is_half(d) ? DType::U16 : d == DType::Bool || is_small(d) ? DType::U8 : d; }

/// Where products of extents and variables with what the call gives are taken to fit an i64.
constexpr double kUsualMemory = 0x1p30;

/// A visible variable.
struct Binding {
  std::string c_name;  ///< its spelling; a literal for the variable of an unrolled loop
  OperandType type;
  bool index = false;  ///< made of loop variables, sizes and constants alone: plain arithmetic cannot overflow
  bool nonnegative = false;
  std::optional<int64_t> constant;  ///< in a repetition of an unrolled loop
  bool of_attributes = false;       ///< made of attributes too: an index in offsets, any number as a value
  double most = kUsualMemory;       ///< of its absolute value, if it is made of indices and attributes
};

/// Which attributes and lets count as indices: those that calls limit as parts of indices, those that are alone in
/// bounds, or all.
enum class Attributes : uint8_t { limited, alone, all };

class Emitter {
 public:
  Emitter(const Isa& isa, const EmitOptions& options, EmitNeeds& needs, const LoopNest* nest);

  const Isa& isa;
  const EmitOptions& options;
  EmitNeeds& needs;
  const LoopNest* nest;         ///< null inside small functions
  bool split_parallel = false;  ///< the next Parallel loop runs from `begin` to `end`

  /// The call that replaces a loop shared by workers; empty if it stays a loop.
  bool may_leave = false;  ///< the innermost loop of the nest is one in C
  std::function<CStmt(const SFor&)> share;

  // ---- names
  /// Declares a variable and returns its C name, which differs from `name` where that one is visible already or a
  /// keyword.
  std::string declare(const std::string& name, Binding binding);
  const Binding& lookup(const std::string& name) const;
  void open_scope() { scopes_.push_back(declared_.size()); }
  void close_scope();
  /// Closes a scope whose statements were spliced into the enclosing block: its variables go out of scope, but their C
  /// names stay reserved as long as those of that block.
  void close_spliced();
  std::string buffer_name(int buffer);  ///< counts as a use
  bool uses(int buffer) const;
  std::string tensor_name(int tensor) const { return tensor_names_[static_cast<size_t>(tensor)]; }
  const std::string& size_name(const std::string& size) const;
  std::optional<int64_t> fixed_size(const std::string& size) const;
  const std::string& attr_name(const std::string& attr, int element) const;

  // ---- types
  std::string c_type(const OperandType& t);
  std::string c_type(DType d) { return c_type(OperandType{d, 1, 0}); }
  std::string vector_type(DType d, int lanes);
  /// The type that memory is accessed through: may be at any address that the element may have.
  std::string memory_type(DType d, int lanes);
  /// The type of an element in memory.
  std::string storage_type(DType d) const;
  bool portable() const { return isa.vector_bits == 0; }

  // ---- values
  CExpr operand(const Operand& v);
  /// As `operand`, for offsets and bounds: integer arithmetic is plain because indices do not overflow.
  CExpr index(const Operand& v);
  /// The condition of an `if`: comparisons of indices are plain.
  CExpr condition(const Operand& v);
  /// A value inside an index as outside of it: arithmetic on data wraps.
  CExpr as_data(const OperandNode& v);
  bool in_index() const { return in_index_; }
  /// Products of indices may overflow: they are workspace sizes, computed before the sizes are checked.
  bool is_measuring = false;
  bool is_bounded = false;  ///< workspace sizes: their products are checked where they are measured
  bool is_index(const Operand& v, Attributes attributes) const;
  /// Whether sums or products in it may be beyond i64.
  bool may_overflow(const Operand& v) const;
  double magnitude(const Operand& v) const;
  bool nonnegative(const Operand& v) const;
  std::optional<int64_t> known(const Operand& v) const;

  // ---- statements
  void block(const Block& b, CBlock& out);

  // ---- what the function uses
  std::set<int> used_buffers;
  std::set<int> called_functions;  ///< of the nest
  std::set<std::string> used_sizes;
  std::set<std::pair<std::string, int>> used_attrs;

  // ---- small functions
  /// `PREFIX_type_op_LEVEL`: the type comes first, so that no kernel has such a name.
  std::string piece_name(std::string_view op, const OperandType& t) const;
  std::string piece_specifiers() const;
  /// Of a function that has the registers to itself: inlined into its callers, it would share theirs.
  std::string apart_specifiers() const;

 private:
  /// Whether subtracting `less` cancels one term of the sum `from`.
  bool leaves_some(const Operand& from, const Operand& less) const;
  std::unordered_map<std::string, std::vector<Binding>> bindings_;
  std::unordered_map<std::string, int> visible_;
  struct Declared {
    std::string name, c_name;
  };  ///< without a name: the C name of a variable that is unknown by now
  std::vector<Declared> declared_;
  std::vector<size_t> scopes_;
  std::vector<std::string> tensor_names_, buffer_names_;
  struct NamedSize {
    std::string c_name;
    std::optional<int64_t> fixed;
    bool nonnegative;  ///< an extent, not an attribute
    IndexPart limit;   ///< as a part of an index: calls refuse large ones
  };
  std::unordered_map<std::string, NamedSize> sizes_;
  /// An attribute or a number made of sizes, not an extent; null for others.
  const NamedSize* number_named(const std::string& size) const;
  std::map<std::pair<std::string, int>, std::string> attr_names_;
  std::map<std::pair<DType, int>, std::string> vector_types_;
  bool in_index_ = false;

  std::string free_name(const std::string& name) const;
  std::string reserve(const std::string& name);
  void name_everything();
};

inline int bits_of(DType d) { return bytes_of(d) * 8; }
/// "f32", "i8x16".
std::string type_tag(const OperandType& t);
/// The macro that holds the level's target attribute.
std::string target_macro(const Isa& isa, const EmitOptions& options);

// ---- literals.cc
CExpr literal(Emitter& e, const VConst& c, const OperandType& t);

// ---- operators, a file each
CExpr apply_scalar(Emitter& e, const OperandNode& node, const VApply& n);
CExpr apply_vector(Emitter& e, const OperandNode& node, const VApply& n);
/// Of complex numbers.
CExpr apply_complex(Emitter& e, const OperandType& t, const VApply& n);
CExpr complex_total(Emitter& e, const OperandType& t, CExpr v);
/// The lanes of a vector of these complex numbers: the halves of each.
std::vector<CExpr> complex_lanes(const std::vector<CExpr>& numbers);
/// Random words of Philox, a counter a lane.
CExpr philox_vector(Emitter& e, const OperandNode& node, const VApply& n);
/// Stores the words of blocks of Philox, one after the other, at an address.
CExpr store_philox(Emitter& e, const OperandNode& node, const VApply& n, CExpr at);
CExpr cast_value(Emitter& e, const OperandType& to, const Operand& from);
CExpr bits_value(Emitter& e, const OperandType& to, const Operand& from);
CExpr splat_value(Emitter& e, CExpr scalar, const OperandType& t);
CExpr select_value(Emitter& e, const OperandNode& node, const VSelect& n);
CExpr fold_value(Emitter& e, const OperandNode& node, const VFold& n);
CExpr shuffle_value(Emitter& e, const OperandNode& node, const VShuffle& n);
CExpr lookup_value(Emitter& e, const OperandNode& node, const VLookup& n);
CExpr ramp_value(Emitter& e, const OperandNode& node, const VRamp& n);
/// The mask `m` with elements of `bits` bits.
CExpr mask_of_width(Emitter& e, const Operand& m, int bits);

// ---- memory.cc
CExpr load_value(Emitter& e, const OperandNode& node, const VLoad& n);
CExpr gather_value(Emitter& e, const OperandNode& node, const VGather& n);
CStmt store_value(Emitter& e, const SStore& n);

// ---- inner_functions.cc
/// The call of a function of the nest, which is printed before the kernel when it is called for the first time.
void call_inner(Emitter& e, const SCall& n, CBlock& out);

// ---- pieces.cc: small functions, printed once a file
struct Piece {
  std::string op;
  OperandType named_by;  ///< the type in its name
  OperandType result;
  std::vector<OperandType> params;  ///< called a, b, c
  std::string_view comment = {};
};
/// Calls the function; if the file does not have it yet, `make` writes its body, with a, b and c declared in the inner
/// emitter.
CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args,
                 const std::function<void(Emitter& inner, CBlock& body)>& make);
/// The same with a value over a, b and c for body.
CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args, const std::function<Operand()>& make);
/// Applies a scalar row lane by lane.
CExpr call_lanewise(Emitter& e, ScalarOp op, const OperandType& result, const std::vector<OperandType>& params,
                    std::vector<CExpr> args);
CExpr call_math(Emitter& e, ScalarOp op, const OperandType& t, std::vector<CExpr> args);

// ---- scalar_pieces.cc: small functions whose text is in a table
/// Calls `op` for scalars of type `d`; aborts if the table has none.
CExpr call_scalar_piece(Emitter& e, std::string_view op, DType d, std::vector<CExpr> args);

// ---- banner.cc: the comment above a kernel
std::string banner_text(const KernelBanner&, const std::string& blueprint);

// ---- c_operators.cc
/// A constant other than NaN.
bool not_nan_constant(const Operand& v);
/// a op b of a signed type, wrapping: computed as `unsigned_type` of the same width. A value that was already computed
/// this way is used without redundant casts.
CExpr wrapped(const std::string& type, const std::string& unsigned_type, std::string_view op, const CExpr& a,
              const CExpr& b);

}  // namespace tenon::emit
