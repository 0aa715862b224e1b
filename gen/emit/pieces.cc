// Small functions that kernels call, each printed once a file: made on first use.
#include <fmt/format.h>

#include "emit/emitter.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

constexpr std::string_view kParams[] = {"a", "b", "c", "d"};

/// The function itself: declared parameters and the body that `make` writes.
void add_piece(Emitter& e, const std::string& name, const Piece& piece, const std::function<void(Emitter&, CBlock&)>& make) {
  CFunction f;
  f.specifiers = e.piece_specifiers();
  f.name = name;
  Emitter inner(e.isa, e.options, e.needs, nullptr);
  f.result = inner.c_type(piece.result);
  for (size_t i = 0; i < piece.params.size(); ++i) {
    const std::string param = inner.declare(std::string(kParams[i]), Binding{"", piece.params[i], false, false, std::nullopt});
    f.params.push_back(inner.c_type(piece.params[i]) + ' ' + param);
  }
  make(inner, f.body);
  e.needs.add_function(std::move(f));
}

}  // namespace

CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args, const std::function<void(Emitter&, CBlock&)>& make) {
  std::string name = e.piece_name(piece.op, piece.named_by);
  if (!e.needs.has(name)) add_piece(e, name, piece, make);
  return c_call(std::move(name), std::move(args));
}

CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args, const std::function<Operand()>& make) {
  return call_piece(e, piece, std::move(args), [&](Emitter& inner, CBlock& body) { body.push_back(c_return(inner.operand(make()))); });
}

CExpr call_lanewise(Emitter& e, ScalarOp op, const OperandType& result, const std::vector<OperandType>& params, std::vector<CExpr> args) {
  const std::string name = op == ScalarOp::Cast ? fmt::format("{}_of_lanes", name_of(result.dtype)) : std::string(scalar_op_row(op).name);
  const Piece piece{name, params[0], result, params};
  return call_piece(e, piece, std::move(args), [&](Emitter& inner, CBlock& body) {
    body.push_back(c_declare(inner.c_type(result), "r", c_braces("", {c_text("0")})));
    inner.open_scope();
    std::vector<Operand> lanes;
    CFor loop{"int", "l", c_text("0"), c_binary(c_text("l"), "<", c_text(std::to_string(result.lanes))), "++l", {}};
    for (size_t i = 0; i < params.size(); ++i) {
      const std::string param(kParams[i]);
      const OperandType scalar{params[i].dtype, 1, 0};
      CExpr lane = c_index(c_text(param), c_text("l"));
      if (scalar.dtype == DType::Bool) lane = c_binary(lane, "!=", c_text("0"));
      const std::string lane_name = inner.declare(param + "_l", Binding{"", scalar, false, false, std::nullopt});
      loop.body.push_back(c_declare("const " + inner.c_type(scalar), lane_name, lane));
      lanes.push_back(v_var(param + "_l", scalar));
    }
    const OperandType one{result.dtype, 1, 0};
    CExpr value = inner.operand(v_apply_as(op, std::move(lanes), one));
    if (result.dtype == DType::Bool) value = c_conditional(value, c_text("-1"), c_text("0"));
    loop.body.push_back(c_assign(c_index(c_text("r"), c_text("l")), value));
    inner.close_scope();
    body.push_back({std::move(loop)});
    body.push_back(c_return(c_text("r")));
  });
}

CExpr call_math(Emitter& e, ScalarOp op, const OperandType& t, std::vector<CExpr> args) {
  std::string name = e.piece_name(scalar_op_row(op).name, t);
  if (!e.needs.has(name)) {
    TENON_CHECK(e.options.math, "{} of {} has no math source", scalar_op_row(op).name, type_tag(t));
    const MathBody math = e.options.math(op, t, e.isa);
    CFunction f;
    f.comment = math.comment;
    f.specifiers = e.piece_specifiers();
    f.name = name;
    Emitter inner(e.isa, e.options, e.needs, nullptr);
    f.result = inner.c_type(math.type);
    for (const std::string& p : math.params) {
      const std::string param = inner.declare(p, Binding{"", math.type, false, false, std::nullopt});
      f.params.push_back(inner.c_type(math.type) + ' ' + param);
    }
    inner.block(math.body, f.body);
    f.body.push_back(c_return(inner.operand(math.result)));
    e.needs.add_function(std::move(f));
  }
  return c_call(std::move(name), std::move(args));
}

}  // namespace tenon::emit
