// Facts about a kernel's sizes and variables in the form used by proofs; and the tensors that its statements access.
#pragma once

#include "algebra/linear.h"
#include "ir/kernel/kernel.h"

namespace tenon {

/// Ranges of the kernel's sizes, no variables yet.
Ranges size_ranges(const Kernel&);
/// True when every read in `e` is proved to be inside its tensor (or has a fill), whatever conditions enclose it,
/// and no integer division can fail.
bool always_defined(const Kernel&, const Expr& e, const Ranges& ranges);
/// The same of the value that a statement reduces, over the statement's loops and its own.
bool always_defined(const Kernel&, const KernelStatement& s, const Reduce& r);
/// The same with clamps and the least extents that facts state; of the indices and integer divisions that are asked
/// about alone.
bool defined_by_facts(const Kernel&, const Expr& e, const Ranges& ranges);
bool defined_by_facts(const Kernel&, const Expr& e, Ranges ranges, FunctionRef<bool(const Expr&)> asked);
/// Row of a scalar operation that is a function of its own rather than an instruction or two.
bool is_costly(const Expr& node);

/// Simplified throughout; loops over one iteration are gone.
Kernel simplify_kernel(const Kernel&);
/// The same, without temps that only parts read which are simplified away.
Kernel simplify_again(const Kernel&);
/// The conditions of its checks, simplified within their loops.
void simplify_checks(Kernel&);

}  // namespace tenon
