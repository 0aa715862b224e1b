// Syntax → typed expression: reads that may be out of bounds or absent, and their fill values.
#include <cmath>

#include "algebra/simplify.h"
#include "library/expr_builder.h"
#include "library/type_rules.h"

namespace tenon {

namespace {

/// True where a tensor of `storage` can hold what stands for its elements outside; an intermediate whose type is still
/// open takes that of the other operand.
bool fills(const Typed& v, DType storage, bool open) {
  const DType from = v.e->type;
  if (from == storage) return true;
  if (const Constant* c = as_constant(v.e); c && v.flexible)
    return !is_float(from) || holds_reals(storage) || c->f == std::floor(c->f);
  if (is_complex(from)) return is_complex(storage);
  if (open && !v.flexible) return false;
  if (is_float(from)) return holds_reals(storage);
  return v.flexible || !is_int(storage) || bytes_of(from) <= bytes_of(storage);
}

/// Where a padded read is inside of its tensor.
Expr inside(const Expr& padded, const Tensor& tensor) {
  const auto* cast = std::get_if<Apply>(&padded->node);
  const auto& read = std::get<Read>((cast ? cast->args[0] : padded)->node);
  Expr all = constant_int(1, DType::Bool);
  const auto also = [&](Expr holds) { all = is_one(all) ? std::move(holds) : apply(ScalarOp::And, {all, holds}); };
  for (size_t k = 0; k < read.index.size(); ++k) {
    also(apply(ScalarOp::Le, {constant_int(0), read.index[k]}));
    also(apply(ScalarOp::Lt, {read.index[k], tensor.dims[k]}));
  }
  return simplify(all);
}

}  // namespace

Typed ExprBuilder::padded(const Syntax& s) {
  const Syntax& read = s.children[0];
  const auto t = scope_.tensors.find(read.text);
  if (read.kind != SyntaxKind::subscript || t == scope_.tensors.end() || t->second.tensor < 0) {
    error(Code::E0422, s, "padded takes a read of a tensor", {"write padded(X[i - 1], 0)"});
    return zero();
  }
  Typed v = value(s.children[1]);
  const Tensor& tensor = kernel_.tensor(t->second.tensor);
  if (fills(v, tensor.dtype, t->second.flexible)) return subscript(read, convert(v, tensor.dtype));
  Typed got = subscript(read, constant_of(0, tensor.dtype));
  const Expr is_inside = inside(got.e, tensor);
  if (const auto why = unify(got, v)) {
    error(Code::E0601, s, *why, {"convert one of the two with cast(x, T)"});
    return got;
  }
  return {tenon::select(is_inside, got.e, v.e), got.flexible && v.flexible};
}

/// Whether the tensor that is read is there, not an optional input that is absent.
bool ExprBuilder::is_given(const Syntax& read) const {
  const auto t = scope_.tensors.find(read.text);
  return t != scope_.tensors.end() && t->second.tensor >= 0;
}

/// Whether a term of a sum vanishes if an input is absent: `opt(B[…], 0)`, a product with it, or a choice between that
/// and 0. Adding its 0 would cost instructions and turn -0 into 0.
bool ExprBuilder::is_left_out(const Syntax& term) const {
  const auto is_0 = [](const Syntax& s) {
    return (s.is(SyntaxKind::integer) && s.integer == 0) || (s.is(SyntaxKind::real) && s.real == 0);
  };
  const auto& parts = term.children;
  if (term.calls(Builtin::opt)) return is_0(parts[1]) && !is_given(parts[0]);
  if (term.is(SyntaxKind::binary) && term.text == "*") return is_left_out(parts[0]) || is_left_out(parts[1]);
  const auto nothing = [&](const Syntax& s) { return is_0(s) || is_left_out(s); };
  return term.calls(Builtin::select) && nothing(parts[1]) && nothing(parts[2]);
}

Typed ExprBuilder::optional(const Syntax& s) {
  const Syntax& read = s.children[0];
  if (is_given(read)) return value(read);
  // A literal that replaces an absent tensor has the type that the tensor would have.
  Typed v = value(s.children[1]);
  const TensorDef* absent = scope_.def->input(read.text);
  if (!absent || !v.flexible || !std::holds_alternative<Constant>(v.e->node)) return v;
  const std::optional<DType> storage = type_named(absent->dtype);
  if (storage && (is_int(*storage) || is_float(*storage))) return {convert(v, type_of_read(*storage)), false};
  return v;
}

}  // namespace tenon
