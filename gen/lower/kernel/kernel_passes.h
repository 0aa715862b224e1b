// Rewritings of a kernel before its loops are built: each keeps its meaning. They run in the order of the table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/kernel/kernel.h"

namespace tenon {

struct KernelPass {
  std::string_view name;
  Kernel (*run)(const Kernel&);
};

/// Statements that never run are removed.
Kernel drop_idle(const Kernel&);
/// A window over one variable that is divided into rows and columns goes over both.
Kernel split_windows(const Kernel&);
/// Every reduction becomes the whole value of a statement of its own, for the variables that it depends on.
Kernel separate_reductions(const Kernel&);
/// Sums over what equals a variable of the statement become updates of the places that the data name.
Kernel scatter_sums(const Kernel&);
/// A reduction over several variables is taken over one of them first, where the rest depends on fewer loops.
Kernel separate_sums(const Kernel&);
/// Whether it finds any.
bool has_separate_sums(const Kernel&);
/// A running reduction that a statement reads at positions other than its own becomes a temporary.
Kernel shift_prefixes(const Kernel&);
/// A costly function of the same elements in several reductions over the same loops is computed once.
Kernel share_functions(const Kernel&);
/// A function of many steps that depends on some of the loops is computed in these alone.
Kernel separate_functions(const Kernel&);
/// Temps that are cheap, or read once, disappear into their readers.
Kernel inline_temps(const Kernel&);
/// What reads a recurrence at the element just made is computed in its loops.
Kernel join_followers(const Kernel&);
/// Exponents that are known to be at most 40 are arguments of a function with fewer steps.
Kernel bounded_exponents(const Kernel& k);
/// Divisions by a sum become multiplications by its reciprocal where they repeat.
Kernel divide_once(const Kernel&);
/// The maximum or minimum of a padded window is found down its columns, then along one line.
Kernel separate_windows(const Kernel&);
/// The fact that a kernel's windows are so close to each other that computing them at all elements of a line pays off.
Expr is_near(const Expr& step);
/// The type of the windows at all elements of a line, where the pass finds them.
std::optional<DType> every_window(const Kernel&);
/// Boxes that slide are reduced along one dim after the other, wide ones from smaller ones.
Kernel split_boxes(const Kernel&);
/// A temp that is only read up to a bound is computed up to it.
Kernel limit_temps(const Kernel&);

/// Rows that a fork found to be short become lanes.
Kernel rows_as_lanes(const Kernel&);

/// The passes by name, in order. They run on a kernel that simplify_kernel has gone over.
std::span<const KernelPass> kernel_passes();

/// The kernel with checks that read no values that one plain statement defines: checks run before all
/// statements, also those of outputs.
Kernel checks_without_temps(const Kernel& k);

/// Adds a temp named `base`, with a number after it where the name is taken; its position among the tensors.
int add_temp(Kernel& k, const std::string& base, DType type, const std::vector<Expr>& dims);

// ---- parts of passes
/// Whether the kernel divides integers of up to 32 bits by others than constants.
bool divides_integers(const Kernel&);

/// These divisions as such of floats with more than twice the bits: their quotient is never rounded to an integer that
/// is not the quotient.
Kernel quotients_by_floats(const Kernel&);

/// Maxima of padded windows at whose places a statement adds are found in lines that have their padding next to them.
Kernel place_maxima(const Kernel&);

/// Drops clamps of an update's indices that its condition makes superfluous, and writes comparisons of the condition so
/// that the innermost variable that has a positive coefficient is alone on one side: loops take these as bounds.
void narrow_update(const Kernel& kernel, KernelStatement& update);

/// Whether the value is known to be positive: a number, or what a fact says of it.
bool is_positive(const Kernel& kernel, const Expr& e);

}  // namespace tenon
