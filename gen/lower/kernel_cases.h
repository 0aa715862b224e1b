// A kernel before its statements are generated: the cases with separate code, each after its passes.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ir/kernel/kernel.h"
#include "ir/nest/blueprint.h"
#include "ir/nest/isa.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/variants.h"
#include "lower/kernel/whole_copy.h"
#include "lower/tree/loop_tree.h"
#include "lower/tree/tree_passes.h"

namespace tenon {

/// The passes that run on a kernel: all of them, or those before the point of a dump.
struct LoweringPasses {
  std::span<const KernelPass> kernel = kernel_passes();
  bool loops = true;  ///< built after the passes over kernels
  std::span<const TreePass> tree = tree_passes();
};

/// A kernel before a level is chosen: a fork and its two branches, a kernel after its passes with its loops, or a
/// sequence of parts.
struct KernelCase {
  std::vector<KernelCase> parts;  ///< empty: one part
  Expr holds;                     ///< null: no fork
  ForkTraits fork;
  std::unique_ptr<KernelCase> then, otherwise;
  bool streams_rows = false;      ///< its loops, or those of a case of it, go over blocks of rows
  bool by_vectors = false;        ///< its loops depend on whether the level has vectors
  std::optional<WholeCopy> copy;  ///< of a part: what it is the body of, a function of its own
  Kernel kernel;
  LoopTree tree;
};

/// Whether kernels share functions: those of a library are next to others in a file, and their sizes are given by the
/// call.
enum class Sharing : uint8_t { none, functions };

/// The level that a fork's scalar case is for.
Isa without_vectors(Isa isa);

/// `isa`: any level with vectors, or any without; forks ask no more.
KernelCase prepare(const Kernel& kernel, const Isa& isa, Sharing sharing, const LoweringPasses& passes = {});
/// One case: the kernel as it is, without forks.
KernelCase prepare_unforked(const Kernel& kernel);

/// A kernel for levels with vectors and one for those without, made on first use: the same kernel if neither forks.
class Prepared {
 public:
  Prepared(const Kernel& kernel, Sharing sharing) : kernel_(kernel), sharing_(sharing) {}

  const KernelCase& of(const Isa& isa);

 private:
  const Kernel& kernel_;
  const Sharing sharing_;
  std::optional<Kernel> simple_;
  std::shared_ptr<const KernelCase> scalars_, vectors_;
};

/// The cases of a kernel with the loops of one level.
struct PlannedCase {
  const KernelCase* of = nullptr;
  const WholeCopy* copy = nullptr;  ///< of a part: the copy that it is the body of
  LoopTree tree;
  std::unique_ptr<PlannedCase> then, otherwise;
  std::vector<PlannedCase> parts;

  bool vectors() const;
};

/// The result refers to the case.
PlannedCase plan(const KernelCase& c, const Isa& isa, const Blueprints& blueprints,
                 std::span<const TreePass> passes = tree_passes());

}  // namespace tenon
