// Philox 4x32-10 on vectors: each lane has its own counter. A lane keeps the word it asks for, or all four words are
// stored.

#include "emit/emitter.h"

namespace tenon::emit {
namespace {

constexpr int kRounds = 10;

/// a*number for the lower 32 bits of each lane; the upper bits are ignored.
CExpr times(Emitter& e, const OperandType& t, std::string_view a, std::string_view number) {
  const CExpr factor = c_text(std::string(number));
  if (const IsaRow* row = e.isa.row("mul_low", t.dtype, t.lanes))
    return c_cast(e.c_type(t), c_row(row->spelling, {c_text(std::string(a)), splat_value(e, factor, t)}));
  return c_binary(c_binary(c_text(std::string(a)), "&", c_text("0xffffffffu")), "*", factor);
}

CExpr upper(std::string_view v) { return c_binary(c_text(std::string(v)), ">>", c_text("32")); }

/// p >> 32 ^ x ^ k
CExpr mixed(std::string_view p, std::string_view x, std::string_view k) {
  return c_binary(c_binary(upper(p), "^", c_text(std::string(x))), "^", c_text(std::string(k)));
}

/// The state after all rounds in x0 to x3: a is the seed, b the counter. Only the lower halves of the lanes are used.
void rounds(Emitter& e, const OperandType& t, CBlock& body) {
  const std::string u = e.c_type(t);
  body.push_back(c_comment("the words are in the lower halves of the lanes; what is above them is ignored"));
  const auto variable = [&](const char* name, CExpr init) { body.push_back(c_declare(u, name, std::move(init))); };
  variable("x0", c_text("b"));
  variable("x1", upper("b"));
  variable("x2", c_braces("", {c_text("0")}));
  variable("x3", c_braces("", {c_text("0")}));
  variable("k0", c_text("a"));
  variable("k1", upper("a"));
  CFor loop{"int",     "round", c_text("0"), c_binary(c_text("round"), "<", c_text(std::to_string(kRounds))),
            "++round", {}};
  const auto step = [&](const char* to, CExpr value, std::string_view op = "=") {
    loop.body.push_back(c_assign(c_text(to), std::move(value), op));
  };
  loop.body.push_back(c_declare("const " + u, "p0", times(e, t, "x0", "0xd2511f53u")));
  loop.body.push_back(c_declare("const " + u, "p1", times(e, t, "x2", "0xcd9e8d57u")));
  step("x0", mixed("p1", "x1", "k0"));
  step("x1", c_text("p1"));
  step("x2", mixed("p0", "x3", "k1"));
  step("x3", c_text("p0"));
  step("k0", c_text("0x9e3779b9u"), "+=");
  step("k1", c_text("0xbb67ae85u"), "+=");
  body.push_back({std::move(loop)});
}

/// Interleaves two vectors by units of this many lanes: the first half of the result, or the second.
Operand zip(const Operand& a, const Operand& b, int unit, int half) {
  const int lanes = a->type.lanes;
  if (unit == lanes) return half == 0 ? a : b;
  std::vector<int> pick;
  for (int l = 0; l < lanes; ++l) {
    const int at = l / unit, from = (at / 2 * unit) + half * lanes / 2 + l % unit;
    pick.push_back(at % 2 == 0 ? from : lanes + from);
  }
  return v_shuffle(a, b, pick);
}

/// Two words in each lane of 64 bits.
CExpr both(Emitter& e, const OperandType& t, const char* low, const char* high) {
  const CExpr mask = splat_value(e, c_text("0xffffffffu"), t);
  return c_binary(c_binary(c_text(low), "&", mask), "|", c_binary(c_text(high), "<<", c_text("32")));
}

/// The vectors that hold the words of all blocks, one block after the other.
std::vector<Operand> in_order(Emitter& e, const OperandType& t, bool two_words, CBlock& body) {
  const auto pair = [&](const char* name, const char* low, const char* high) {
    body.push_back(c_declare("const " + e.c_type(t), name, both(e, t, low, high)));
    e.declare(name, Binding{name, t, false, false, std::nullopt});
    return v_var(name, t);
  };
  const Operand w0 = pair("w0", "x0", "x1");
  if (!two_words) {
    const Operand w2 = pair("w2", "x2", "x3");
    return {zip(w0, w2, 1, 0), zip(w0, w2, 1, 1)};
  }
  const Operand w1 = pair("w1", "x1", "x2"), w2 = pair("w2", "x2", "x3"), w3 = pair("w3", "x3", "x0");
  std::vector<Operand> out;
  for (const int half : {0, 1}) {
    const Operand first = zip(w0, w1, 1, half), second = zip(w2, w3, 1, half);
    for (const int quarter : {0, 1}) out.push_back(zip(first, second, 2, quarter));
  }
  return out;
}

/// Stores blocks b, b + 1, … of the seed a at p.
void store_blocks(Emitter& e, const OperandType& t, DType word, CBlock& body) {
  std::vector<CExpr> lanes;
  for (int l = 0; l < t.lanes; ++l) lanes.push_back(c_text(std::to_string(l)));
  const std::string u = e.c_type(t);
  body.push_back(c_declare("const " + u, "a", splat_value(e, c_text("seed"), t)));
  body.push_back(c_declare("const " + u, "b", c_binary(c_text("counter"), "+", c_braces(u, std::move(lanes)))));
  rounds(e, t, body);
  const OperandType stored{word, t.lanes * 8 / bytes_of(word), 0};
  int at = 0;
  for (const Operand& v : in_order(e, t, word == DType::U64, body)) {
    const CExpr to = c_unary("&", c_index(c_text("p"), c_text(std::to_string(at))));
    body.push_back(c_assign(c_unary("*", c_cast(e.memory_type(word, stored.lanes) + " *", to)),
                            c_cast(e.c_type(stored), e.operand(v))));
    at += stored.lanes;
  }
}

CExpr as_u64(Emitter& e, const Operand& v) {
  return e.operand(v->type.dtype == DType::U64 ? v : v_cast(v, DType::U64));
}

}  // namespace

CExpr store_philox(Emitter& e, const OperandNode& node, const VApply& n, CExpr at) {
  const DType word = node.type.dtype;
  const OperandType t{DType::U64, node.type.lanes / 4, 0};
  std::vector<CExpr> args{std::move(at), as_u64(e, n.args[0]), as_u64(e, n.args[1])};
  const std::string op = word == DType::U64 ? "philox_block_u64" : "philox_block_u32";
  if (t.lanes == 1) return call_scalar_piece(e, op, DType::U64, std::move(args));
  CFunction f;
  f.name = e.piece_name(op, t);
  if (!e.needs.has(f.name)) {
    Emitter inner(e.isa, e.options, e.needs, nullptr);
    f.result = "void";
    f.params = {e.storage_type(word) + " *p", "uint64_t seed", "uint64_t counter"};
    f.specifiers = e.piece_specifiers();
    store_blocks(inner, t, word, f.body);
    e.needs.add_function(f);
  }
  return c_call(f.name, std::move(args));
}

CExpr philox_vector(Emitter& e, const OperandNode& node, const VApply& n) {
  const OperandType t{DType::U64, node.type.lanes, 0};
  const bool two_words = node.type.dtype == DType::U64;
  std::vector<CExpr> args;
  for (const Operand& a : n.args) args.push_back(e.operand(a->type.dtype == DType::U64 ? a : v_cast(a, DType::U64)));
  const Piece piece{two_words ? "philox_u64" : "philox_u32", t, node.type, {t, t, t}};
  return call_piece(e, piece, std::move(args), [&](Emitter& inner, CBlock& body) {
    rounds(inner, t, body);
    const Operand low_bits = v_apply(ScalarOp::BitAnd, {v_var("c", t), v_const(3, t)});
    body.push_back(c_declare("const " + inner.c_type(t), "word", inner.operand(low_bits)));
    for (const char* x : {"x0", "x1", "x2", "x3", "word"}) inner.declare(x, Binding{x, t, false, false, std::nullopt});
    const auto chosen = [&](const Operand& first, const Operand& second, const Operand& third, const Operand& fourth) {
      const auto is = [&](int word) { return v_apply(ScalarOp::Eq, {v_var("word", t), v_const(word, t)}); };
      return v_select(is(0), first, v_select(is(1), second, v_select(is(2), third, fourth)));
    };
    const Operand x0 = v_var("x0", t), x1 = v_var("x1", t), x2 = v_var("x2", t), x3 = v_var("x3", t);
    const Operand low = chosen(x0, x1, x2, x3);
    if (!two_words) return body.push_back(c_return(inner.operand(v_cast(low, DType::U32))));
    const Operand words = v_apply(ScalarOp::BitAnd, {low, v_constant({0xffffffff, 0}, t)});
    const Operand high = v_apply(ScalarOp::Shl, {chosen(x1, x2, x3, x0), v_constant({32, 0}, t)});
    body.push_back(c_return(inner.operand(v_apply(ScalarOp::BitOr, {words, high}))));
  });
}

}  // namespace tenon::emit
