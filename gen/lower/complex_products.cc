// Sums of products of complex numbers as one product of matrices of real ones.
//
//   Y[m,n] = f(sum[k](A[m,k]*B[k,n]))  →  left  = [re A, im A]
//                                         right = [re B, im B; -im B, re B]
//                                         parts[m,n] = sum[k < 2*K](left[m,k]*right[k,n]), n < 2*N
//                                         Y[m,n] = f(complex(parts[m,n], parts[m,N + n]))

#include "lower/kernel/kernel_passes.h"
#include "lower/lower_parts.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Expr twice(const Expr& extent) { return constant_int(2) * extent; }

/// The one sum of the value, of two factors; null where there is none, or it is used twice.
Expr complex_sum(const Expr& value) {
  Expr found;
  int sums = 0;
  walk(value, [&](const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return true;
    if (!found || !same(found, e)) ++sums;
    found = e;
    return false;
  });
  if (sums != 1 || !is_complex(found->type)) return nullptr;
  const auto& r = std::get<Reduce>(found->node);
  return r.op == Reducer::Sum && !r.where ? found : nullptr;
}

/// The dim whose index is the variable and whose extent is its own, where no other index has it; -1 where there is
/// none.
int dim_of(const Kernel& k, const Read& read, const LoopVar& var) {
  int found = -1, uses = 0;
  for (size_t d = 0; d < read.index.size(); ++d) {
    if (!mentions(read.index[d], var.name)) continue;
    ++uses;
    const auto* v = std::get_if<VarRef>(&read.index[d]->node);
    if (v && same(k.tensor(read.tensor).dims[d], var.extent)) found = static_cast<int>(d);
  }
  return uses == 1 ? found : -1;
}

/// Where the halves of both operands are: depth and columns are whole dims of them.
struct Halves {
  const Read *left, *right;
  LoopVar depth, column;
  size_t left_depth, right_depth, right_column;
};

/// Whether the extent of another loop depends on the variable, whose own is to be doubled.
bool bounds_others(const LoopVar& var, const KernelStatement& s, const Reduce& sum) {
  const auto bounded = [&](const LoopVar& l) { return mentions(l.extent, var.name); };
  return any_of(s.loops, bounded) || any_of(sum.vars, bounded);
}

std::optional<Halves> halves_of(const Kernel& k, const KernelStatement& s, const Reduce& sum, const Read& left,
                                const Read& right) {
  const bool other = left.fill && !same(left.fill, constant_of(0, k.tensor(left.tensor).dtype));
  if (right.fill || other) return std::nullopt;
  for (const LoopVar& depth : sum.vars) {
    const int in_left = dim_of(k, left, depth), in_right = dim_of(k, right, depth);
    if (in_left < 0 || in_right < 0 || bounds_others(depth, s, sum)) continue;
    for (size_t i = s.loops.size(); i-- > 0;) {
      const LoopVar& column = s.loops[i];
      const int at = dim_of(k, right, column);
      if (at < 0 || mentions(left.index, column.name) || bounds_others(column, s, sum)) continue;
      return Halves{&left,
                    &right,
                    depth,
                    column,
                    static_cast<size_t>(in_left),
                    static_cast<size_t>(in_right),
                    static_cast<size_t>(at)};
    }
  }
  return std::nullopt;
}

/// The kernel, where dims of tensors have neighbours as elements, and the condition for it.
ComplexProduct::Neighbours with_neighbours(const Kernel& k, Expr holds, const char* what,
                                           const std::vector<std::pair<int, size_t>>& dims) {
  ComplexProduct::Neighbours out{std::move(holds), k, what};
  for (const auto& [tensor, d] : dims) {
    Expr& stride = out.kernel.tensor(tensor).strides[d];
    out.holds = apply(ScalarOp::And, {out.holds, apply(ScalarOp::Eq, {stride, constant_int(1)})});
    stride = constant_int(1);
  }
  return out;
}

/// Whether few rows are multiplied by the columns: at most two iterations of the loops that do not affect the columns.
/// Null if the extent of one loop depends on another.
Expr few_rows(const KernelStatement& s, const Halves& h) {
  Expr rows = constant_int(1);
  for (const LoopVar& l : s.loops) {
    if (has_node<VarRef>(l.extent)) return nullptr;
    if (!mentions(h.right->index, l.name)) rows = rows * l.extent;
  }
  return apply(ScalarOp::Le, {rows, constant_int(2)});
}

/// Loops over few rows and over a single column. There are no vectors along what a window moves over.
std::vector<ComplexProduct::Neighbours> neighbours_of(const Kernel& k, const Halves& h) {
  constexpr size_t kWithoutWindows = 4;
  std::vector<ComplexProduct::Neighbours> out;
  const int left = h.left->tensor, right = h.right->tensor;
  if (k.body[0].loops.size() > kWithoutWindows) return out;
  if (const Expr few = few_rows(k.body[0], h))
    out.push_back(with_neighbours(k, few, "few rows: vectors along the columns", {{right, h.right_column}}));
  Kernel one = k;
  for (LoopVar& l : one.body[0].loops)
    if (l.name == h.column.name) l.extent = constant_int(1);
  out.push_back(with_neighbours(one, apply(ScalarOp::Eq, {h.column.extent, constant_int(1)}),
                                "one column: vectors along the sum", {{left, h.left_depth}, {right, h.right_depth}}));
  return out;
}

class RealProduct {
 public:
  RealProduct(const Kernel& k, const Expr& sum, const Halves& h)
      : k_(k), s_(k.body[0]), sum_(sum), h_(h), type_(real_of(sum->type)) {
    const auto dims = [&](const Read& r) { return k_.tensor(r.tensor).dims; };
    std::vector<Expr> left = dims(*h.left), right = dims(*h.right), parts;
    left[h.left_depth] = twice(left[h.left_depth]);
    right[h.right_depth] = twice(right[h.right_depth]);
    right[h.right_column] = twice(right[h.right_column]);
    for (const LoopVar& l : s_.loops) parts.push_back(l.name == h.column.name ? twice(l.extent) : l.extent);
    k_.body.clear();
    left_ = add_temp(k_, "left", type_, left);
    right_ = add_temp(k_, "right", type_, right);
    parts_ = add_temp(k_, "parts", type_, parts);
  }

  Kernel run() {
    const Expr depth = h_.depth.extent, column = h_.column.extent, none = constant_int(0);
    Kernel operands = part("_operands", {left_, right_}, {});
    const std::vector<size_t> left{h_.left_depth}, right{h_.right_depth, h_.right_column};
    operands.body = {half_of(*h_.left, left_, ScalarOp::Real, left, {none}),
                     half_of(*h_.left, left_, ScalarOp::Imag, left, {depth}),
                     half_of(*h_.right, right_, ScalarOp::Real, right, {none, none}),
                     half_of(*h_.right, right_, ScalarOp::Imag, right, {none, column}),
                     half_of(*h_.right, right_, ScalarOp::Imag, right, {depth, none}),
                     half_of(*h_.right, right_, ScalarOp::Real, right, {depth, column})};
    operands.body[4].value = apply(ScalarOp::Neg, {operands.body[4].value});
    Kernel products = part("_products", {parts_}, {left_, right_});
    products.body = {product()};
    Kernel rest = part("_rest", {}, {parts_});
    rest.body = {result()};
    Kernel out = k_;
    out.parts = {std::move(operands), std::move(products), std::move(rest)};
    return out;
  }

 private:
  Kernel part(const char* what, const std::vector<int>& makes, const std::vector<int>& takes) const {
    Kernel out = k_;
    out.name += what;
    for (const int t : makes) out.tensor(t).role = Role::Output;
    for (const int t : takes) out.tensor(t).role = Role::Input;
    return out;
  }

  /// One half of all elements of an operand, stored in the temporary at an offset along these dims.
  KernelStatement half_of(const Read& from, int to, ScalarOp half, const std::vector<size_t>& dims,
                          const std::vector<Expr>& further) const {
    const Tensor& t = k_.tensor(from.tensor);
    KernelStatement s;
    s.target = to;
    s.formula = s_.formula;
    std::vector<Expr> index;
    for (size_t d = 0; d < t.dims.size(); ++d) {
      s.loops.push_back({"d" + std::to_string(d), t.dims[d]});
      index.push_back(var_ref(s.loops.back().name));
    }
    s.index = index;
    for (size_t i = 0; i < dims.size(); ++i) s.index[dims[i]] = further[i] + index[dims[i]];
    s.value = apply(half, {read_of(from.tensor, t.dtype, index)});
    return s;
  }

  KernelStatement product() const {
    const auto& sum = std::get<Reduce>(sum_->node);
    KernelStatement s = s_;
    s.target = parts_;
    s.index = at_loops({});
    for (LoopVar& l : s.loops)
      if (l.name == h_.column.name) l.extent = twice(l.extent);
    std::vector<LoopVar> vars = sum.vars;
    for (LoopVar& v : vars)
      if (v.name == h_.depth.name) v.extent = twice(v.extent);
    const Expr fill = h_.left->fill ? constant_of(0, type_) : nullptr;
    const Expr both =
        apply(ScalarOp::Mul, {read_of(left_, type_, h_.left->index, fill), read_of(right_, type_, h_.right->index)});
    s.value = reduce(Reducer::Sum, vars, nullptr, both, type_);
    return s;
  }

  /// The statement's loop variables, with an offset added to the column.
  std::vector<Expr> at_loops(const Expr& further) const {
    std::vector<Expr> index;
    for (const LoopVar& l : s_.loops) {
      index.push_back(var_ref(l.name));
      if (further && l.name == h_.column.name) index.back() = further + index.back();
    }
    return index;
  }

  KernelStatement result() const {
    const Expr value = apply_as(
        ScalarOp::Complex, {read_of(parts_, type_, at_loops({})), read_of(parts_, type_, at_loops(h_.column.extent))},
        sum_->type);
    KernelStatement s = s_;
    s.value = with_expr(s.value, sum_, value);
    return s;
  }

  Kernel k_;
  const KernelStatement s_;
  const Expr sum_;
  const Halves h_;
  const DType type_;
  int left_ = 0, right_ = 0, parts_ = 0;
};

}  // namespace

std::optional<ComplexProduct> complex_products(const Kernel& k) {
  if (k.body.size() != 1 || k.call || !k.checks.empty() || has_recurrence(k)) return std::nullopt;
  const KernelStatement& s = k.body[0];
  const Expr sum = s.update == Update::Assign && !s.where ? complex_sum(s.value) : nullptr;
  std::vector<Expr> factors;
  if (sum) collect_factors(std::get<Reduce>(sum->node).value, factors);
  if (factors.size() != 2) return std::nullopt;
  const auto *a = std::get_if<Read>(&factors[0]->node), *b = std::get_if<Read>(&factors[1]->node);
  if (!a || !b || factors[0]->type != sum->type || factors[1]->type != sum->type) return std::nullopt;
  auto halves = halves_of(k, s, std::get<Reduce>(sum->node), *a, *b);
  if (!halves) halves = halves_of(k, s, std::get<Reduce>(sum->node), *b, *a);
  if (!halves) return std::nullopt;
  const Expr thin = apply(ScalarOp::Le, {halves->column.extent, constant_int(1)});
  return ComplexProduct{RealProduct(k, sum, *halves).run(), thin, neighbours_of(k, *halves)};
}

}  // namespace tenon
