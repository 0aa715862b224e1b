// The steps of making a gradient kernel.
#pragma once

#include <functional>
#include <set>

#include "algebra/body_steps.h"
#include "algebra/fresh_names.h"
#include "differentiate/back_propagate.h"

namespace tenon {

/// The gradient of a tensor as an expression of its element.
struct Adjoint {
  std::vector<std::string> vars;
  Expr value;

  Expr at(const std::vector<Expr>& index) const {
    std::map<std::string, Expr> to;
    for (size_t d = 0; d < vars.size(); ++d) to[vars[d]] = index[d];
    return substitute(value, to);
  }
};

/// A value that is 0 unless `where` holds, which is the same for all elements of a call.
struct ChosenByCall {
  Expr where, value;
};

/// Nothing where the value is not of that kind. The omitted value need not be finite: multiplying it by 0 would give
/// NaN, so it has to be skipped, not multiplied.
std::optional<ChosenByCall> chosen_by_call(const Expr& value);

/// Whether a value of little work is computed again at each read instead of being stored.
bool is_cheap(const Expr& value);

/// The contribution with such a choice as its condition.
Contribution with_condition(Contribution c);

/// Where there is a contribution to an element of a tensor with these dims: its condition, and that a padded index is
/// in them.
Expr where_inside(const Contribution& c, const std::vector<Expr>& dims, const Ranges& ranges);

/// `e` with `element`, where `value` is stored, in place of the function whose result that is: e^x is its own
/// derivative.
Expr with_stored(const Expr& e, const Expr& value, const Expr& element);

/// Tensors that a choice may leave out, with all that they are made of: statements read them in a branch of one.
std::set<int> left_out(const std::vector<KernelStatement>& body);

/// Whether a derivative of the value may be infinite for finite arguments, as those of quotients and roots of data are.
bool has_poles(const Expr& value);

/// A value that is 0 where its element is outside of a tensor, and what else has to hold.
struct InsideRead {
  Expr value, where;
};

/// `value` reads an element at clamped places, of which `where` keeps those that the clamps do not change: the same as
/// a padded read. Nothing where the value is not of that kind.
std::optional<InsideRead> inside_read(const Expr& value, const Expr& where, const std::vector<Tensor>& tensors);

/// Statements for which `applies` is false stay as they are. Each update that is split follows the statement that
/// copies what it updates. What is checked before it is checked of the value that is copied.
void split_updates(Kernel& kernel, BodySteps& steps, const std::function<bool(const KernelStatement&)>& applies,
                   FreshNames& names);

/// The same with every read of `from` one of `to`; of statements also the target.
void rename_tensor(KernelStatement& statement, int from, int to);

/// Drops statements and calls that the outputs do not depend on, and tensors that are neither read nor written then.
/// Checks stay: a call is refused for the same data whatever is asked for.
void keep_needed(Kernel& kernel, const std::vector<int>& outputs, BodySteps& steps);

/// Statements for which `applies` is false stay as they are. False where a reduction cannot have a tensor of its own:
/// its size depends on where it is.
bool name_reductions(Kernel& kernel, const std::function<bool(const KernelStatement&)>& applies, FreshNames& names);

/// A reduction that several statements compute becomes a statement in front of the first of them, which all of them
/// read.
void share_reductions(Kernel& kernel, FreshNames& names);

/// A sum of products that is divided by an active value with fewer loops: one factor is divided instead, as a statement
/// of its own.
void divide_first(Kernel& kernel, FunctionRef<bool(const Expr&)> is_active, FreshNames& names);

struct UpdateGradient {
  Expr combined;  ///< of the update's value, for its loop variables
  Expr before;    ///< of what the update finds, at `element`
};

/// The gradient of what an update leaves in its target.
struct UpdateAdjoint {
  std::vector<LoopVar> element;                      ///< the variables of an element of the target
  std::function<Expr(const std::vector<Expr>&)> at;  ///< the gradient of an element
};

/// `update` is last=, max=, min= or *=; `before` reads what an element of the target was, null for last=. Statements
/// that note which value an element has, or the product of the others, are put after those of the kernel.
UpdateGradient update_gradient(Kernel& kernel, const KernelStatement& update, const Expr& before,
                               const UpdateAdjoint& adjoint, FreshNames& names);

}  // namespace tenon
