// Small functions that kernels call, each printed once a file: made on first use.
#include <fmt/format.h>

#include "emit/emitter.h"
#include "ir/text/print_c99.h"
#include "support/c_names.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon::emit {
namespace {

constexpr std::string_view kParams[] = {"a", "b", "c", "d"};

/// Adds a function and the functions it calls, if the file lacks it. It is cached as text and printed once for all
/// kernels.
void provide(Emitter& e, const std::string& name, const std::function<CFunction(Emitter& inner)>& make) {
  if (e.needs.has(name)) return;
  std::shared_ptr<const EmitNeeds> piece = e.options.pieces->find(name);
  if (!piece) {
    auto made = std::make_shared<EmitNeeds>();
    Emitter inner(e.isa, e.options, *made, nullptr);
    CFunction f = make(inner);
    f.specifiers += (f.specifiers.empty() ? "" : " ") + e.piece_specifiers();
    f.name = name;
    CFunction printed;
    printed.name = name;
    printed.text = print_c99(f);
    made->add_function(std::move(printed));
    e.options.pieces->put(name, piece = std::move(made));
  }
  e.needs.merge(*piece);
}

/// The parameter as the function declares it.
std::string declared_param(Emitter& inner, const std::string& name, const OperandType& type) {
  const std::string param = inner.declare(name, Binding{"", type, false, false, std::nullopt});
  return inner.c_type(type) + ' ' + param;
}

/// The function itself: declared parameters and the body that `make` writes.
CFunction piece_function(Emitter& inner, const Piece& piece, const std::function<void(Emitter&, CBlock&)>& make) {
  CFunction f;
  f.comment = piece.comment;
  f.result = inner.c_type(piece.result);
  for (size_t i = 0; i < piece.params.size(); ++i)
    f.params.push_back(declared_param(inner, std::string(kParams[i]), piece.params[i]));
  make(inner, f.body);
  return f;
}

/// The function of <math.h> for each lane of the parameters.
void call_of_libm(Emitter& inner, const MathBody& math, CBlock& body) {
  const bool vector = math.type.lanes > 1;
  std::vector<CExpr> args;
  for (const std::string& p : math.params) {
    const CExpr whole = inner.operand(v_var(p, math.type));
    args.push_back(vector ? c_index(whole, c_text("l")) : whole);
  }
  const CExpr call = c_call(math.c_function, std::move(args));
  if (!vector) {
    body.push_back(c_return(call));
    return;
  }
  body.push_back(c_declare(inner.c_type(math.type), "r", c_braces("", {c_text("0")})));
  CFor loop{"int", "l", c_text("0"), c_binary(c_text("l"), "<", c_text(std::to_string(math.type.lanes))), "++l", {}};
  loop.body.push_back(c_assign(c_index(c_text("r"), c_text("l")), call));
  body.push_back({std::move(loop)});
  body.push_back(c_return(c_text("r")));
}

/// Compilers do not inline functions with a branch for rare arguments by themselves, because they are long, and each
/// call would reload all constants of the common path.
bool worth_inlining(const MathBody& math) {
  return math.type.lanes > 1 && any_of(math.body, [](const Stmt& s) { return std::holds_alternative<SIf>(s.node); });
}

/// The macro that asks for functions to be inlined where speed matters more than size.
std::string inlined(Emitter& inner) {
  std::string macro = upper_case(inner.options.prefix + "_inlined");
  inner.needs.add_type(macro, fmt::format(R"(#if defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define {0} __attribute__((always_inline))
#else
#define {0}
#endif
)",
                                          macro));
  return macro;
}

CFunction math_function(Emitter& inner, const MathBody& math) {
  CFunction f;
  if (worth_inlining(math)) f.specifiers = inlined(inner);
  f.comment = math.comment;
  f.result = inner.c_type(math.type);
  for (const std::string& p : math.params) f.params.push_back(declared_param(inner, p, math.type));
  if (!math.c_function.empty()) {
    call_of_libm(inner, math, f.body);
    return f;
  }
  inner.block(math.body, f.body);
  f.body.push_back(c_return(inner.operand(math.result)));
  return f;
}

}  // namespace

CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args,
                 const std::function<void(Emitter&, CBlock&)>& make) {
  std::string name = e.piece_name(piece.op, piece.named_by);
  provide(e, name, [&](Emitter& inner) { return piece_function(inner, piece, make); });
  return c_call(std::move(name), std::move(args));
}

CExpr call_piece(Emitter& e, const Piece& piece, std::vector<CExpr> args, const std::function<Operand()>& make) {
  return call_piece(e, piece, std::move(args),
                    [&](Emitter& inner, CBlock& body) { body.push_back(c_return(inner.operand(make()))); });
}

CExpr call_lanewise(Emitter& e, ScalarOp op, const OperandType& result, const std::vector<OperandType>& params,
                    std::vector<CExpr> args) {
  const std::string name =
      op == ScalarOp::Cast ? fmt::format("{}_of_lanes", name_of(result.dtype)) : std::string(scalar_op_row(op).name);
  const Piece piece{name, params[0], result, params};
  return call_piece(e, piece, std::move(args), [&](Emitter& inner, CBlock& body) {
    body.push_back(c_declare(inner.c_type(result), "r", c_braces("", {c_text("0")})));
    inner.open_scope();
    Few<Operand> lanes;
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
  TENON_CHECK(e.options.math, "{} of {} has no math source", scalar_op_row(op).name, type_tag(t));
  provide(e, name, [&](Emitter& inner) { return math_function(inner, e.options.math(op, t, e.isa)); });
  return c_call(std::move(name), std::move(args));
}

}  // namespace tenon::emit
