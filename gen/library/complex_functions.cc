// Principal values: log and sqrt have their cut along the negative real axis, as arg has.
#include "library/expr_builder.h"

namespace tenon {
namespace {

Expr real_part(const Expr& z) { return apply(ScalarOp::Real, {z}); }
Expr imaginary_part(const Expr& z) { return apply(ScalarOp::Imag, {z}); }
Expr of(const Expr& re, const Expr& im, DType type) { return apply_as(ScalarOp::Complex, {re, im}, type); }
Expr number(double v, const Expr& like) { return constant_float(v, like->type); }

Expr exponential(const Expr& z) {
  const Expr r = apply(ScalarOp::Exp, {real_part(z)}), angle = imaginary_part(z);
  // exp of a real number is real: avoids the NaN of an infinite r times sin(0)
  const Expr up = select(apply(ScalarOp::Eq, {angle, number(0, angle)}), angle, r * apply(ScalarOp::Sin, {angle}));
  return of(r * apply(ScalarOp::Cos, {angle}), up, z->type);
}

Expr logarithm(const Expr& z) {
  return of(apply(ScalarOp::Log, {apply(ScalarOp::Abs, {z})}), apply(ScalarOp::Arg, {z}), z->type);
}

/// The larger part from a sum without cancellation, the other one from it.
Expr root(const Expr& z) {
  const Expr re = real_part(z), im = imaginary_part(z), size = apply(ScalarOp::Abs, {z});
  const Expr half = number(0.5, re), none = number(0, re);
  const Expr large = apply(ScalarOp::Sqrt, {(apply(ScalarOp::Abs, {re}) + size) * half});
  const Expr zero = apply(ScalarOp::Eq, {large, none});
  const Expr small = select(zero, none, apply(ScalarOp::Div, {apply(ScalarOp::Abs, {im}) * half, large}));
  const Expr right = apply(ScalarOp::Ge, {re, none});
  return of(select(right, large, small), apply(ScalarOp::Copysign, {select(right, small, large), im}), z->type);
}

Expr sine(const Expr& z) {
  const Expr re = real_part(z), im = imaginary_part(z);
  return of(apply(ScalarOp::Sin, {re}) * apply(ScalarOp::Cosh, {im}),
            apply(ScalarOp::Cos, {re}) * apply(ScalarOp::Sinh, {im}), z->type);
}

Expr cosine(const Expr& z) {
  const Expr re = real_part(z), im = imaginary_part(z);
  return of(apply(ScalarOp::Cos, {re}) * apply(ScalarOp::Cosh, {im}),
            apply(ScalarOp::Neg, {apply(ScalarOp::Sin, {re}) * apply(ScalarOp::Sinh, {im})}), z->type);
}

/// exp(b*log(a)); 0 to a power other than 0 is 0, and to 0 it is 1.
Expr power(const Expr& a, const Expr& b) {
  const Expr none = constant_float(0, a->type), one = constant_float(1, a->type);
  const Expr general = exponential(b * logarithm(a));
  return select(apply(ScalarOp::Eq, {a, none}), select(apply(ScalarOp::Eq, {b, none}), one, none), general);
}

}  // namespace

Expr complex_function(ScalarOp op, const Few<Expr>& args) {
  switch (op) {
    case ScalarOp::Exp: return exponential(args[0]);
    case ScalarOp::Log: return logarithm(args[0]);
    case ScalarOp::Sqrt: return root(args[0]);
    case ScalarOp::Sin: return sine(args[0]);
    case ScalarOp::Cos: return cosine(args[0]);
    case ScalarOp::Pow: return power(args[0], args[1]);
    default: return nullptr;
  }
}

}  // namespace tenon
