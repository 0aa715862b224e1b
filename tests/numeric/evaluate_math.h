// Runs a math function as its text says, for one lane: T is the float, U the integer of its size. `fused`: fma rounds
// once. `lookups`: as on levels with tables in registers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ir/op/math_function.h"
#include "support/check.h"

namespace tenon_test {

template <typename T, typename U>
class MathEvaluator {
 public:
  struct Value {
    T f = 0;
    U i = 0;
    bool m = false;
  };
  MathEvaluator(const tenon::MathLibrary& library, tenon::DType dtype, bool fused, bool lookups = false)
      : library_(library), dtype_(dtype), fused_(fused), lookups_(lookups) {}

  std::vector<Value> call(const std::string& name, const std::vector<Value>& args) const {
    const tenon::MathFunction* f = library_.find(name, dtype_);
    TENON_CHECK(f != nullptr && f->parameters.size() == args.size(), "call of {}", name);
    if (lookups_ && !f->by_lookup.empty()) return call(f->by_lookup, args);
    if (fused_ && !f->by_fma.empty()) return call(f->by_fma, args);
    if (fused_ && name == "mul_tail")  // as generated code computes it there
      return {{std::fma(args[0].f, args[1].f, -(args[0].f * args[1].f)), 0, false}};
    Names names;
    for (size_t i = 0; i < args.size(); ++i) names[f->parameters[i].name] = args[i];
    for (const tenon::MathStep& s : f->steps) std::visit([&](const auto& step) { run(step, names); }, s);
    std::vector<Value> out;
    for (const tenon::MathExpr& e : f->results) out.push_back(value(e, names));
    return out;
  }
  T operator()(const std::string& name, std::vector<T> xs) const {
    std::vector<Value> args;
    for (const T x : xs) args.push_back({x, 0, false});
    return call(name, args)[0].f;
  }
  /// Whether a product or quotient so far was about as small as denormal numbers: processors may take a hundred cycles
  /// for it, also where it rounds to 0. Far smaller ones are as fast as others.
  bool was_slow() const { return slow_; }

 private:
  using Names = std::map<std::string, Value>;
  using S = std::make_signed_t<U>;

  void run(const tenon::MathLet& s, Names& n) const { n[s.name] = value(s.value, n); }
  void run(const tenon::MathRare& s, Names& n) const {
    n[s.name] = value(value(s.when, n).m ? s.unlikely : s.usual, n);
  }
  void run(const tenon::MathUnpack& s, Names& n) const {
    const std::vector<Value> r = call(s.call.function, values(s.call.args, n));
    for (size_t i = 0; i < r.size(); ++i) n[s.names[i]] = r[i];
  }
  std::vector<Value> values(const std::vector<tenon::MathExpr>& es, const Names& n) const {
    std::vector<Value> out;
    for (const tenon::MathExpr& e : es) out.push_back(value(e, n));
    return out;
  }
  Value value(const tenon::MathExpr& e, const Names& n) const {
    if (const auto* x = std::get_if<tenon::MathNumber>(&e.node)) return {static_cast<T>(x->value), 0, false};
    if (const auto* x = std::get_if<tenon::MathInteger>(&e.node)) return {0, static_cast<U>(x->bits), false};
    if (const auto* x = std::get_if<tenon::MathName>(&e.node)) return n.at(x->name);
    if (const auto* x = std::get_if<tenon::MathCall>(&e.node)) return call(x->function, values(x->args, n))[0];
    const auto& apply = std::get<tenon::MathApply>(e.node);
    const std::vector<Value> a = values(apply.args, n);
    if (apply.op == tenon::MathOp::Lookup) return a[1 + a[0].i % (a.size() - 1)];
    const bool ints = apply.args[0].type == tenon::MathType::Int;
    return ints ? integer(apply.op, a) : other(apply.op, a, apply.args.back().type == tenon::MathType::Int);
  }
  static Value i(U v) { return {0, v, false}; }
  static Value f(T v) { return {v, 0, false}; }
  static Value m(bool v) { return {0, 0, v}; }
  static Value integer(tenon::MathOp op, const std::vector<Value>& a) {
    using enum tenon::MathOp;
    const U x = a[0].i, y = a.back().i;
    const S sx = static_cast<S>(x), sy = static_cast<S>(y);
    switch (op) {
      case Neg: return i(U{0} - x);
      case Add: return i(x + y);
      case Sub: return i(x - y);
      case Mul: return i(x * y);
      case BitAnd: return i(x & y);
      case BitOr: return i(x | y);
      case BitXor: return i(x ^ y);
      case BitNot: return i(~x);
      case Shl: return i(x << y);
      case Shr: return i(x >> y);
      case Sar: return i(static_cast<U>(sx >> y));
      case Lt: return m(sx < sy);
      case Le: return m(sx <= sy);
      case Gt: return m(sx > sy);
      case Ge: return m(sx >= sy);
      case Eq: return m(x == y);
      case Ne: return m(x != y);
      case FloatBits: return f(std::bit_cast<T>(x));
      case FloatOf: return f(static_cast<T>(sx));
      default: TENON_UNREACHABLE("integer {}", tenon::math_op_row(op).spelling);
    }
  }
  Value other(tenon::MathOp op, const std::vector<Value>& a, bool ints) const {
    using enum tenon::MathOp;
    const T x = a[0].f, y = a.back().f;
    const volatile T product = x * (a.size() > 1 ? a[1].f : T{1});
    switch (op) {
      case Neg: return f(-x);
      case Add: return f(x + y);
      case Sub: return f(x - y);
      case Mul: return note_size(static_cast<long double>(x) * y), f(x * y);
      case Div: return note_size(static_cast<long double>(x) / y), f(x / y);
      case Lt: return m(x < y);
      case Le: return m(x <= y);
      case Gt: return m(x > y);
      case Ge: return m(x >= y);
      case Eq: return m(x == y);
      case Ne: return m(x != y);
      case And: return m(a[0].m && a[1].m);
      case Or: return m(a[0].m || a[1].m);
      case Not: return m(!a[0].m);
      case Select: return ints ? i(a[0].m ? a[1].i : a[2].i) : a[a[0].m ? 1 : 2];
      case Fma: return f(fused_ ? std::fma(x, a[1].f, y) : product + y);
      case Sqrt: return f(std::sqrt(x));
      case Floor: return f(std::floor(x));
      case RoundEven: return f(std::nearbyint(x));
      case Abs: return f(std::fabs(x));
      case Min: return f(x != x ? x : y != y ? y : std::min(x, y));
      case Max: return f(x != x ? x : y != y ? y : std::max(x, y));
      case Copysign: return f(std::copysign(x, y));
      case Bits: return i(std::bit_cast<U>(x));
      default: TENON_UNREACHABLE("float {}", tenon::math_op_row(op).spelling);
    }
  }

  void note_size(long double exact) const {
    const long double size = std::fabs(exact);
    slow_ = slow_ || (size < std::numeric_limits<T>::min() && size > std::numeric_limits<T>::denorm_min() / 0x1p11L);
  }

  const tenon::MathLibrary& library_;
  tenon::DType dtype_;
  bool fused_, lookups_;
  mutable bool slow_ = false;
};

}  // namespace tenon_test
