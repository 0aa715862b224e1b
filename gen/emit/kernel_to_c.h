// LoopNest to C: one function per kernel, and the helpers that its file needs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/scalar_functions.h"
#include "ir/nest/c_ast.h"
#include "ir/nest/isa.h"
#include "ir/nest/loop_nest.h"
#include "support/ranges.h"

namespace tenon {

/// What a file must contain besides its kernels: vector types, and small functions that kernels call. Collected while
/// kernels are emitted. Typedefs come out sorted; functions in an order in which each one is after those that it calls.
/// Both depend only on what was emitted and in which order, so a file has the same bytes on every run.
class EmitNeeds {
 public:
  bool has(std::string_view name) const { return names_.count(std::string(name)) != 0; }
  bool has_type(const std::string& name) const { return types_.count(name) != 0; }
  /// Remembers a typedef line under its name.
  void add_type(std::string name, std::string line) { types_.emplace(std::move(name), std::move(line)); }
  /// Remembers a function after those that were added before; a second one of the same name is the same one.
  void add_function(CFunction function) {
    if (names_.insert(function.name).second) functions_.push_back(std::move(function));
  }
  /// Everything that another file needs too, for files that are put together.
  void merge(const EmitNeeds& other) {
    types_.insert(other.types_.begin(), other.types_.end());
    for (const CFunction& f : other.functions_) add_function(f);
  }
  /// The typedefs as one text (empty without any), and the functions.
  const std::map<std::string, std::string>& types() const { return types_; }
  const std::vector<CFunction>& functions() const { return functions_; }
  /// Null if there is none.
  const CFunction* function(std::string_view name) const {
    for (const CFunction& f : functions_)
      if (f.name == name) return &f;
    return nullptr;
  }

 private:
  std::map<std::string, std::string> types_;
  std::unordered_set<std::string> names_;
  std::vector<CFunction> functions_;
};

/// A cache of small functions by name, each with all that it calls: many kernels need the same ones. Names identify
/// prefix and level, so that one cache may serve kernels that are printed in parallel.
class PieceCache {
 public:
  /// Null if there is none yet.
  std::shared_ptr<const EmitNeeds> find(const std::string& name) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return value_or(made_, name, nullptr);
  }
  void put(const std::string& name, std::shared_ptr<const EmitNeeds> piece) {
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.emplace(name, std::move(piece));
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const EmitNeeds>> made_;
};

/// How a kernel's function takes its arguments.
///   Library: `int NAME(const int64_t *size, const PREFIX_scalar *attr, const void *const *in, void *const *out, void
///   *workspace)`;
///            the same for every kernel, so that one table holds them all. The workspace may be at any address. Where
///            workers share loops, `const PREFIX_share *share` follows.
///   Model:   `int NAME(const float *restrict X, …, float *restrict Y, …, int64_t N, …, void *workspace)`: inputs and
///   constants, outputs,
///            then the sizes and attributes that are used and not constant, each in the kernel's order; `void
///            *workspace`, aligned to 64 bytes, is there if the nest has buffers in it, and `void *worker_memory` if it
///            has buffers for each worker; `int64_t begin, int64_t end` at the end for split functions.
enum class FunctionStyle : uint8_t { Library, Model };

/// The body of a math function: straight-line statements over parameters of one type, and what it returns.
struct MathBody {
  std::string comment;              ///< method and error bound
  std::vector<std::string> params;  ///< each of type `type`
  OperandType type;                 ///< of parameters and result
  Block body;
  Operand result;
  std::string c_function;  ///< of <math.h>: called for each lane, instead of `body`
};
/// Makes the body of a row with flag M for one type on one level.
using MathSource = std::function<MathBody(ScalarOp, OperandType, const Isa&)>;

/// The part of a kernel's comment that is the same at all levels: what it computes, and its cost.
struct KernelBanner {
  std::string what, types, cost;
};
KernelBanner banner_of(const Kernel&);

struct EmitOptions {
  std::string prefix = "tn";
  FunctionStyle style = FunctionStyle::Library;
  bool split_parallel =
      false;  ///< Model: iterations begin … end-1 of the outermost parallel loop only (see parallel_iterations)
  bool shares_loops = false;     ///< Library: Parallel loops are functions, which a call hands to its workers
  bool exported = false;         ///< without `static`
  bool math_header = false;      ///< functions of <math.h> are called
  bool string_header = true;     ///< false: the header that the file begins with has memcpy and its like already
  bool common_functions = true;  ///< inner functions that do not depend on the kernel serve all kernels of a file
  MathSource math;               ///< empty: math rows are an error
  const ScalarFunctions* scalars = nullptr;
  const KernelBanner* banner = nullptr;  ///< of the kernel whose nests are printed; null: written anew for each
  std::shared_ptr<PieceCache> pieces = std::make_shared<PieceCache>();
};

/// `PREFIX_name`: how the function of a nest is called.
std::string function_name(const LoopNest&, const EmitOptions&);

/// The kernel's function; what it needs besides is added to `needs`.
CFunction emit_kernel(const LoopNest&, const Isa&, const EmitOptions&, EmitNeeds& needs);

/// `static int64_t NAME_workspace(const int64_t *size, const PREFIX_scalar *attr)`: bytes that the kernel's function
/// takes, slack for alignment included in Library style; 0 without buffers in the workspace.
CFunction emit_workspace_function(const LoopNest&, const Isa&, const EmitOptions&, EmitNeeds& needs);
/// The same number if it is known at generation time.
std::optional<int64_t> constant_workspace_bytes(const LoopNest&, FunctionStyle);

/// Number of iterations of the parallel loop that a split function takes `begin` and `end` of; null when the nest
/// cannot be split: its body must end in its only Parallel loop, after declarations and what each worker prepares.
Operand parallel_iterations(const LoopNest&);

/// `static int64_t NAME_iterations(int64_t N, …)`: their number, from the sizes that model_parameters names.
CFunction emit_iterations_function(const LoopNest&, const Isa&, const EmitOptions&, EmitNeeds& needs);

/// Parameters of a Model function after the tensors, in order: names of sizes and attributes that the nest uses.
struct ModelParameters {
  std::vector<int> tensors;  ///< indices into Kernel::tensors: inputs and constants, then outputs
  std::vector<std::string> sizes;
  std::vector<std::pair<std::string, int>> attrs;  ///< name and element
  bool workspace = false;
  bool worker_memory = false;  ///< then the memory of the worker
  bool split = false;
};
ModelParameters model_parameters(const LoopNest&, const EmitOptions&);

/// The lines above the functions of a file of this level: include lines, checks of the compiler's mode, macro of the
/// target. All of a file between level_begin and level_end is empty for other architectures and compilers.
std::string level_begin(const Isa&, const EmitOptions&);
std::string level_end(const Isa&, const EmitOptions&);
/// Typedefs and functions of `needs` as items, to be before the kernels.
std::vector<CItem> needed_items(const EmitNeeds&);

}  // namespace tenon
