// The chain rule through the value of one statement: the gradient that it passes to every element it reads.
#pragma once

#include <functional>
#include <string>

#include "algebra/fresh_names.h"
#include "algebra/simplify.h"
#include "differentiate/scalar_derivative.h"

namespace tenon {

/// `tensor[index] += value` for all values of the variables for which `where` holds.
struct Contribution {
  int tensor = 0;
  std::vector<Expr> index;
  Expr value;  ///< of the compute type of the read tensor
  std::vector<LoopVar> vars;
  Expr where;           ///< null: everywhere
  bool padded = false;  ///< the index may be outside of the tensor: nothing is handed on there
};

/// Reads outside of a statement's reductions, shared by its parts.
class BackPropagation {
 public:
  BackPropagation(Kernel& kernel, const DerivativeTable& rows, std::function<bool(int)> is_active, FreshNames& names)
      : kernel_(kernel), rows_(rows), is_active_(std::move(is_active)), names_(names) {}

  /// `adjoint` is that of the statement's target at its index. Reductions of `value` are at its root. The statement is
  /// executed where `where` holds; null: everywhere.
  void run(const Expr& value, const Expr& adjoint, const std::vector<LoopVar>& loops, const Expr& where);

  bool keeps_variables = false;  ///< a maximum hands on at its own variables: each of them asks whether it is the one
  std::vector<Contribution> contributions;
  std::vector<KernelStatement> positions;  ///< places of maxima, parts of products: to be put in front
  std::map<int, Interval> elements;        ///< what these tensors hold, where that is known
  std::string why;                         ///< not empty: what has no derivative here

 private:
  struct Region {
    std::vector<LoopVar> vars;
    Expr where;
  };

  bool depends(const Expr& e) const;
  void region(const Expr& root, const Expr& adjoint, const Region& in);
  void order(const Expr& e, std::vector<Expr>& out) const;
  void hand_on(const Expr& e, const Expr& adjoint, const Region& in);
  bool complex_rule(const Expr& e, const Apply& a, const Expr& adjoint);
  Expr derivative(const Expr& e, const Apply& a, size_t k) const;
  void apply_rule(const Expr& e, const Apply& a, const Expr& adjoint);
  void reduction(const Expr& e, const Reduce& r, const Expr& adjoint, const Region& in);
  Expr others(const Expr& e, const Reduce& r, const Region& in);
  Expr noted(const char* name, const Expr& e, const Expr& value, const Region& in);
  void extreme(const Expr& e, const Reduce& r, const Expr& adjoint, const Region& in);
  std::map<std::string, Expr> steps_of(const Expr& e, const Reduce& r, const Expr& step, const Region& in);
  Expr first_extreme(const Expr& e, const Reduce& r, const Region& in);
  /// Whether no element is read by two steps of the reduction, and the step follows from the element's index.
  bool reads_each_once(const Reduce& reduction, const Region& in) const;
  void add(const Expr& to, const Expr& adjoint, const Expr& condition = nullptr);
  Expr where_inside(const Expr& e, const Expr& where, const std::vector<LoopVar>& vars) const;

  Kernel& kernel_;
  const DerivativeTable& rows_;
  std::function<bool(int)> is_active_;
  FreshNames& names_;
  SharedExprs shared_;
  std::map<const ExprNode*, Expr> adjoints_;
  std::map<const ExprNode*, Expr> paths_;  ///< conditions of the choices that lead to a node; null: always
  Expr path_;                              ///< that of the node at hand
};

/// Whether `e` is 0 where its gradient is, as sums of squares are, and products of which a factor is so: a root of it
/// has the gradient 0 where it is 0, not infinity times 0.
bool is_flat_at_zero(const Expr& e, const Kernel& kernel);

}  // namespace tenon
