// Syntax → typed expression: functions of the notation, rows of the scalar table, and functions of definition files.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "algebra/linear.h"
#include "ir/kernel/library.h"
#include "ir/kernel/stated_derivative.h"
#include "ir/op/type_function.h"
#include "library/expr_builder.h"
#include "library/type_rules.h"
#include "support/ranges.h"

namespace tenon {
namespace {
constexpr int kMaxInlining = 100;
constexpr size_t kMaxNodes = 20000;  // nodes of an expression: the time of every later stage is proportional to it

/// Whether an expression, written out, has more than kMaxNodes nodes.
bool too_large(const Expr& e) {
  size_t nodes = 0;
  walk(e, [&](const Expr&) { return ++nodes <= kMaxNodes; });
  return nodes > kMaxNodes;
}
}  // namespace

Typed ExprBuilder::call(const Syntax& s) {
  bool known = true;
  const Typed t = special(s, known);
  if (known) return t;
  if (const auto f = library_.fns.find(s.text); f != library_.fns.end()) {
    const auto args = arguments(f->second.params, s);
    return args ? inlined(f->second.value, *args, s) : zero();
  }
  if (const auto r = library_.scalars.find(s.text); r != library_.scalars.end() && r->second.as)
    return row_in_place(r->second, s);
  if (const auto op = scalar_op_from_name(s.text)) return scalar_row(s, *op);
  error(Code::E0402, s, fmt::format("there is no function '{}'", s.text));
  return zero();
}

Typed ExprBuilder::special(const Syntax& s, bool& known) {
  switch (s.function) {
    case Builtin::select: return choice(s);
    case Builtin::padded: return padded(s);
    case Builtin::opt: return optional(s);
    case Builtin::given: return {constant_int(1, DType::Bool), true};  // for lets that the call determines
    case Builtin::element: return element(s);
    case Builtin::elements: return {constant_int(1), true};
    case Builtin::clamp:
    case Builtin::wrap:
    case Builtin::reflect:
    case Builtin::mirror: return guard(s);
    case Builtin::stop: {
      const Typed t = value(s.children[0]);
      return scope_.keeps_stops && is_float(t.e->type) ? Typed{stopped(t.e), t.flexible} : t;
    }
    case Builtin::cast: return conversion(s);
    case Builtin::bits: return bit_pattern(s);
    case Builtin::lowest:
    case Builtin::highest:
    case Builtin::epsilon: return limit_of(s);
    case Builtin::lin: return linear(s);
    case Builtin::size: return extent(s);
    case Builtin::rank: return {rank_of(s.children[0]), true};
    case Builtin::count: return count(s);
    case Builtin::dim: return {place_in(s.children[0]), true};
    case Builtin::upto: return value(s.children[0]);
    case Builtin::ceildiv: return rounded_up(s);
    default: break;
  }
  if (s.text == "philox" || s.text == "u01") return draw(s);
  known = false;
  return zero();
}

/// ceildiv(a, b), without overflow.
Typed ExprBuilder::rounded_up(const Syntax& s) {
  Typed a = value(s.children[0]), b = value(s.children[1]);
  if (const auto why = unify(a, b)) error(Code::E0601, s, *why);
  const bool flexible = a.flexible && b.flexible;
  if (!has_function(s, ScalarOp::Ceil, a.e->type, s.text)) return a;
  if (is_float(a.e->type)) return {apply(ScalarOp::Ceil, {apply(ScalarOp::Div, {a.e, b.e})}), flexible};
  b.e = divisor(b.e, s.children[1]);
  if (const auto x = constant_value(a.e), y = constant_value(b.e);
      x && y && *y > 0 && (*x >= 0 || !is_unsigned_int(a.e->type)))
    return {constant_int(*x >= 0 ? (*x + *y - 1) / *y : -(-*x / *y), a.e->type), flexible};
  if (is_unsigned_int(a.e->type)) {
    const Expr rest = apply(ScalarOp::Min, {apply(ScalarOp::Mod, {a.e, b.e}), constant_int(1, a.e->type)});
    return {apply(ScalarOp::FloorDiv, {a.e, b.e}) + rest, flexible};
  }
  return {apply(ScalarOp::Neg, {apply(ScalarOp::FloorDiv, {apply(ScalarOp::Neg, {a.e}), b.e})}), flexible};
}

/// How many dimensions a pack has.
Expr ExprBuilder::rank_of(const Syntax& pack) {
  const auto open = scope_.binding.pack_ranks.find(pack.text);
  return open != scope_.binding.pack_ranks.end() ? size_ref(open->second)
                                                 : constant_int(static_cast<int64_t>(list(pack).size()));
}

/// The number of the dimension that is being expanded. Where only a call determines the rank, dimensions of extent 1
/// come first: they count below zero.
Expr ExprBuilder::place_in(const Syntax& pack) {
  const Expr place = constant_int(std::max(element_, 0));
  const auto open = scope_.binding.pack_ranks.find(pack.text);
  if (open == scope_.binding.pack_ranks.end()) return place;
  return front_.neutral ? constant_int(front_.place) : place + size_ref(open->second) - constant_int(kMaxRank);
}

std::optional<ExprBuilder::Arguments> ExprBuilder::arguments(const std::vector<std::string>& params,
                                                             const Syntax& call) {
  if (params.size() != call.children.size()) {
    error(Code::E0403, call, fmt::format("{} takes {} arguments", call.text, params.size()));
    return std::nullopt;
  }
  Arguments bound;
  for (size_t i = 0; i < params.size() && !too_large_; ++i) bound[params[i]] = value(call.children[i]);
  return too_large_ ? std::nullopt : std::optional(std::move(bound));
}

/// A row of a definition file: its expression and, in kernels that are differentiated, the derivatives that it states.
Typed ExprBuilder::row_in_place(const ScalarRow& row, const Syntax& call) {
  constexpr int kOrders = 2;  // a derivative calls its own function: exp, sigmoid
  auto args = arguments(row.args, call);
  if (!args) return zero();
  const Typed t = inlined(*row.as, *args, call);
  const bool states = scope_.keeps_stops && !row.derivatives.empty() && is_float(t.e->type) && stating_ < kOrders;
  return states ? stating(row, t, std::move(*args), call) : t;
}

Typed ExprBuilder::stating(const ScalarRow& row, const Typed& result, Arguments arguments, const Syntax& call) {
  Typed out = result;
  arguments["Y"] = result;
  ++stating_;
  for (size_t k = 0; k < row.args.size(); ++k) {
    const Typed x = arguments.at(row.args[k]);
    if (x.e->type != result.e->type || as_constant(x.e)) continue;
    Typed d = inlined(row.derivatives[k], arguments, call), like = result;
    if (!unify(d, like) && d.e->type == result.e->type) out.e = with_derivative({out.e, x.e, d.e});
  }
  --stating_;
  return out;
}

Typed ExprBuilder::inlined(const Syntax& body, const Arguments& arguments, const Syntax& call) {
  params_.push_back(arguments);
  ++depth_;
  const Typed t = depth_ > kMaxInlining ? zero() : value(body);
  --depth_;
  params_.pop_back();
  const bool first = !too_large_ && (depth_ >= kMaxInlining || too_large(t.e));
  too_large_ = too_large_ || first;
  if (first)
    error(
        Code::E0305, call,
        fmt::format("with '{}' in the place of its calls this expression has more than {} parts", call.text, kMaxNodes),
        {"compute what is used several times in a statement of its own"});
  return t;
}

namespace {

/// min and max of several are those of all but the last, and of the result and the last.
Syntax in_pairs(const Syntax& call) {
  Syntax pair = call, others = call;
  others.children.pop_back();
  pair.children = {std::move(others), call.children.back()};
  return pair;
}

}  // namespace

/// The count of a shift in the type of the shifted value: a count outside of 0 … width - 1 stays outside.
Expr ExprBuilder::shift_count(const Typed& count, DType shifted) const {
  const DType own = count.e->type;
  const int bits = dtype_row(shifted).bits;
  const auto known = constant_value(count.e);
  if (known && *known >= 0 && *known < bits) return convert(count, shifted);
  if (known) return constant_int(bits, shifted);
  const bool fits = own == DType::Bool || own == shifted || (bytes_of(own) < bytes_of(shifted) && is_unsigned_int(own));
  if (fits) return convert(count, shifted);
  const Ranges ranges = ranges_of(reducing_, ranges_of(statement_.loops));
  if (proves_le(constant_int(0), count.e, ranges) && proves_lt(count.e, constant_int(bits), ranges))
    return convert(count, shifted);
  // A negative count is a large one without its sign.
  const Expr far = cast_to(count.e, apply_type_function("unsigned", own).value_or(DType::U64));
  return cast_to(apply(ScalarOp::Min, {far, constant_int(bits, far->type)}), shifted);
}

Typed ExprBuilder::scalar_row(const Syntax& s, ScalarOp op) {
  const ScalarOpRow& row = scalar_op_row(op);
  if ((op == ScalarOp::Min || op == ScalarOp::Max) && s.children.size() > 2) return scalar_row(in_pairs(s), op);
  if (static_cast<int>(s.children.size()) != row.arity) {
    error(Code::E0403, s, fmt::format("{} takes {} argument{}", row.name, row.arity, row.arity == 1 ? "" : "s"));
    return zero();
  }
  std::vector<Typed> args = mapped(s.children, [&](const Syntax& c) { return value(c); });
  if (op == ScalarOp::Shl || op == ScalarOp::Shr) {
    if (args[0].e->type == DType::Bool) args[0] = {convert(args[0], DType::I64), true};
    if (!has_function(s, op, args[0].e->type, s.text) || !has_function(s, op, args[1].e->type, s.text)) return args[0];
    return {apply(op, {args[0].e, shift_count(args[1], args[0].e->type)}), args[0].flexible};
  }
  for (size_t i = 1; i < args.size(); ++i)
    if (const auto why = unify(args[0], args[i])) {
      error(Code::E0601, s, *why, {"convert one of the two with cast(x, T)"});
      return args[0];
    }
  for (size_t i = 1; i + 1 < args.size(); ++i) unify(args[0], args[i]);
  bool flexible = all_of(args, [](const Typed& t) { return t.flexible; });
  Few<Expr> e;
  const bool wants_float = row.has('F') || op == ScalarOp::Complex || op == ScalarOp::Arg;
  for (Typed& t : args)
    e.push_back(wants_float && !is_float(t.e->type) && !is_complex(t.e->type) ? convert(t, DType::F64) : t.e);
  if (is_complex(e[0]->type))
    if (const Expr composed = complex_function(op, e)) return {composed, flexible};
  if (!has_function(s, op, e[0]->type, s.text)) return args[0];
  if (op == ScalarOp::Complex) {
    // Operands without a type take the type of the statement.
    if (flexible && statement_.real != e[0]->type)
      for (Expr& part : e) part = convert({part, true}, statement_.real);
    return {apply_as(op, e, e[0]->type == DType::F64 ? DType::C128 : DType::C64), false};
  }
  if (op == ScalarOp::Conj && !is_complex(e[0]->type)) return args[0];
  if (row.result == ResultRule::Bool) flexible = false;
  if (e[0]->type == DType::Bool && row.result != ResultRule::Bool && !row.has('I') && !row.has('B'))
    for (Expr& x : e) x = cast_to(x, DType::I64);
  return {apply(op, e), flexible};
}

/// Element of a list with one element per tensor of a variadic output; in a library it is known only in a call.
Typed ExprBuilder::element(const Syntax& s) {
  const std::vector<Typed>& list = scope_.binding.attrs.at(s.children[0].text).elements;
  const auto k = static_cast<size_t>(s.children[1].integer);
  return k < list.size() ? list[k] : Typed{constant_int(0), true};
}

Typed ExprBuilder::choice(const Syntax& s) {
  const Expr cond = condition(s.children[0]);
  if (const auto c = constant_value(cond)) {
    Typed yes = value(s.children[*c ? 1 : 2]);
    return yes;
  }
  path_.push_back(cond);
  Typed yes = value(s.children[1]);
  path_.back() = apply(ScalarOp::Not, {cond});
  Typed no = value(s.children[2]);
  path_.pop_back();
  if (const auto why = unify(yes, no)) {
    error(Code::E0601, s, *why, {"both arms of a select have one type"});
    return yes;
  }
  return {tenon::select(cond, yes.e, no.e), yes.flexible && no.flexible};
}

std::optional<DType> ExprBuilder::type_named(const std::string& word) const {
  return dtype_of_word(word, scope_.binding.types);
}

std::optional<DType> ExprBuilder::named_type(const Syntax& s) const {
  if (s.kind == SyntaxKind::name) return type_named(s.text);
  return s.kind == SyntaxKind::call && is_type_function(s.text) ? type_named(print(s)) : std::nullopt;
}

Typed ExprBuilder::conversion(const Syntax& s) {
  auto to = named_type(s.children[1]);
  const Syntax* from = &s.children[0];
  if (!to) {
    to = named_type(s.children[0]);
    from = &s.children[1];
  }
  if (!to) {
    error(Code::E0207, s, "cast names no type", {"write cast(x, f32) or cast(x, T)"});
    return zero();
  }
  const DType widest = statement_.widest;
  statement_.widest = widest_integer(*from, DType::I8);
  const Typed t = value(*from);
  statement_.widest = widest;
  const DType compute = dtype_row(*to).compute;
  const bool wraps =
      is_small(*to) && is_int(compute) && is_float(t.e->type);  // small integer types keep the low bits of a number
  const bool rounds = is_small(*to) && is_float(compute) && is_float(t.e->type);  // once, from f64 too
  Expr e = wraps ? cast_to(t.e, DType::I32) : rounds ? t.e : convert(t, is_small(*to) ? compute : *to);
  return {cast_to(cast_to(std::move(e), *to), compute), false};
}

/// The lowest and the highest finite value of a type, and its spacing at 1.
Typed ExprBuilder::limit_of(const Syntax& s) {
  const auto type = named_type(s.children[0]);
  if (!type || is_complex(*type) || is_small(*type) || (*type == DType::Bool) ||
      (s.calls(Builtin::epsilon) && !is_float(*type))) {
    error(Code::E0608, s, fmt::format("{} has no {}", print(s.children[0]), s.text),
          {"lowest and highest are for real numbers, epsilon for floats"});
    return zero();
  }
  const DType compute = dtype_row(*type).compute;
  if (!is_float(*type)) {
    const double end = std::numeric_limits<double>::infinity();
    return {convert({constant_of(s.calls(Builtin::lowest) ? -end : end, *type), false}, compute), false};
  }
  const int digits = *type == DType::F64 ? 53 : *type == DType::F32 ? 24 : *type == DType::F16 ? 11 : 8;
  const int largest = *type == DType::F64 ? 1024 : *type == DType::F16 ? 16 : 128;  // the exponent just too large
  const double highest = (1.0 - std::ldexp(1.0, -digits)) * std::ldexp(1.0, largest - 1) * 2.0;
  const double value = s.calls(Builtin::epsilon)  ? std::ldexp(1.0, 1 - digits)
                       : s.calls(Builtin::lowest) ? -highest
                                                  : highest;
  return {constant_float(value, compute), false};
}

/// bits(x, U): an element or a cast of 16 bits is read as it is stored.
Typed ExprBuilder::bit_pattern(const Syntax& s) {
  const auto to = named_type(s.children[1]);
  Expr from = value(s.children[0]).e;
  if (const auto* n = std::get_if<Apply>(&from->node);
      n && n->op == ScalarOp::Cast && bytes_of(n->args[0]->type) == 2 && is_float(n->args[0]->type))
    from = n->args[0];
  const auto plain = [](DType d) { return is_float(d) || (is_int(d) && dtype_row(d).compute == d); };
  if (!to || !plain(*to) || !plain(from->type) || bytes_of(*to) != bytes_of(from->type)) {
    error(Code::E0601, s,
          fmt::format("the bits of {} are no {}", name_of(from->type),
                      to ? std::string(name_of(*to)) : print(s.children[1])),
          {"both types are integers or floats of the same width; arithmetic on f16 and bf16 gives f32"});
    return zero();
  }
  return {cast_to(*to == from->type ? from : apply_as(ScalarOp::Bits, {from}, *to), dtype_row(*to).compute), false};
}

Typed ExprBuilder::linear(const Syntax& s) {
  const Syntax& p = s.children[0];
  const std::vector<LoopVar> vars = loop_vars(p);
  Expr e;
  for (const LoopVar& v : vars) {
    const Expr i = value_or(renamed_, v.name, var_ref(v.name));
    e = e ? e * v.extent + i : i;
  }
  if (vars.size() > 1) integers_.guard(e, constant_int(kMostInMemory));
  const auto pack = scope_.pack_of.find(p.text);
  if (pack != scope_.pack_of.end())
    if (const auto base = scope_.binding.pack_bases.find(pack->second); base != scope_.binding.pack_bases.end())
      e = size_ref(base->second) + e;
  return {e ? e : constant_int(0), true};
}

Typed ExprBuilder::extent(const Syntax& s) {
  const Syntax& p = s.children[0];
  const auto pack = scope_.binding.packs.find(p.text);
  if (pack == scope_.binding.packs.end()) {
    if (const auto* z = find_value(scope_.binding.sizes, p.text)) return *z;
    error(Code::E0401, s, "size(P) takes a pack");
    return zero();
  }
  Expr e = constant_int(1);
  for (const Expr& d : pack->second) {
    const auto a = constant_value(e), b = constant_value(d);
    e = a && b ? constant_int(*a * *b) : e * d;
  }
  if (pack->second.size() > 1) integers_.guard(e, constant_int(kMostInMemory));
  return {e, true};
}

Typed ExprBuilder::draw(const Syntax& s) {
  const bool wide = statement_.real == DType::F64;
  if (s.text == "u01") {
    if (s.children.size() != 1) return error(Code::E0403, s, "u01 takes 1 argument"), zero();
    const Typed bits = value(s.children[0]);
    const DType in = bits.e->type == DType::U64 ? DType::U64 : DType::U32;
    return {apply_as(ScalarOp::U01, {convert(bits, in)}, in == DType::U64 ? DType::F64 : DType::F32), false};
  }
  if (s.children.size() != 3) return error(Code::E0403, s, "philox takes a seed, a counter and a word"), zero();
  const Expr seed = convert(value(s.children[0]), DType::U64), counter = convert(value(s.children[1]), DType::U64);
  return {apply_as(ScalarOp::Philox, {seed, counter, index(s.children[2])}, wide ? DType::U64 : DType::U32), false};
}

}  // namespace tenon
