// Vectors of complex numbers: the imaginary half of each one follows the real one, as in memory.
#include "emit/emitter.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

/// From the halves of a and b, which `even` and `odd` choose for the real and the imaginary half of each number: those
/// of a are 0 (real) and 1, those of b 2 and 3.
CExpr halves(const OperandType& t, CExpr a, CExpr b, int even, int odd) {
  std::vector<CExpr> args = {std::move(a), std::move(b)};
  const int all = 2 * t.lanes;
  for (int l = 0; l < all; ++l) {
    const int half = l % 2 == 0 ? even : odd;
    args.push_back(c_number((half < 2 ? 0 : all) + l - l % 2 + half % 2));
  }
  return c_call("__builtin_shufflevector", std::move(args));
}

/// a.re*b.re - a.im*b.im and a.re*b.im + a.im*b.re, rounded as those of single numbers are.
CExpr product(Emitter& e, const OperandType& t, CExpr x, CExpr y) {
  const Piece piece{"mul", t, t, {t, t}};
  return call_piece(e, piece, {std::move(x), std::move(y)}, [&](Emitter& in, CBlock& body) {
    const CExpr a = c_text("a"), b = c_text("b"), by_real = c_text("by_real"), by_imag = c_text("by_imag");
    const std::string type = "const " + in.c_type(t);
    body.push_back(c_declare(type, "by_real", c_binary(halves(t, a, a, 0, 0), "*", b)));
    body.push_back(c_declare(type, "by_imag", c_binary(halves(t, a, a, 1, 1), "*", halves(t, b, b, 1, 0))));
    body.push_back(c_return(halves(t, c_binary(by_real, "-", by_imag), c_binary(by_real, "+", by_imag), 0, 3)));
  });
}

}  // namespace

CExpr apply_complex(Emitter& e, const OperandType& t, const VApply& n) {
  const CExpr a = e.operand(n.args[0]);
  switch (n.op) {
    case ScalarOp::Add: return c_binary(a, "+", e.operand(n.args[1]));
    case ScalarOp::Sub: return c_binary(a, "-", e.operand(n.args[1]));
    case ScalarOp::Neg: return c_unary("-", a);
    case ScalarOp::Mul: return product(e, t, a, e.operand(n.args[1]));
    case ScalarOp::Sq: return product(e, t, a, a);
    case ScalarOp::Conj:
      return call_piece(e, Piece{"conj", t, t, {t}}, {a}, [&](Emitter&, CBlock& body) {
        body.push_back(c_return(halves(t, c_text("a"), c_unary("-", c_text("a")), 0, 3)));
      });
    default: TENON_UNREACHABLE("{} of a vector of {}", scalar_op_row(n.op).name, name_of(t.dtype));
  }
}

CExpr complex_total(Emitter& e, const OperandType& t, CExpr v) {
  const OperandType one{t.dtype, 1, 0};
  return call_piece(e, Piece{"fold_sum", t, one, {t}}, {std::move(v)}, [&](Emitter& in, CBlock& body) {
    std::string last = "a";
    int lanes = t.lanes;
    for (; lanes > 2; lanes /= 2) {
      std::vector<CExpr> low = {c_text(last), c_text(last)}, high = low;
      for (int l = 0; l < lanes; ++l) low.push_back(c_number(l)), high.push_back(c_number(lanes + l));
      const std::string name = "by_" + std::to_string(lanes / 2);
      body.push_back(c_declare("const " + in.c_type({t.dtype, lanes / 2, 0}), name,
                               c_binary(c_call("__builtin_shufflevector", std::move(low)), "+",
                                        c_call("__builtin_shufflevector", std::move(high)))));
      last = name;
    }
    const auto half = [&](int i) {
      return c_binary(c_index(c_text(last), c_number(i)), "+", c_index(c_text(last), c_number(i + 2)));
    };
    body.push_back(c_return(c_braces(in.c_type(one), {half(0), half(1)})));
  });
}

std::vector<CExpr> complex_lanes(const std::vector<CExpr>& numbers) {
  std::vector<CExpr> out;
  for (const CExpr& number : numbers) {
    out.push_back(c_member(number, "re"));
    out.push_back(c_member(number, "im"));
  }
  return out;
}

}  // namespace tenon::emit
