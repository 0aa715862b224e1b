// The typing rules of the notation.
#include "library/type_rules.h"

#include <fmt/format.h>

namespace tenon {
namespace {

bool both(DType a, DType b, bool (*is)(DType)) { return is(a) && is(b); }

std::string nearby(DType a, DType b) { return fmt::format("{} is next to {}", name_of(a), name_of(b)); }

/// The common type of two fixed operands.
std::optional<DType> meet(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::Bool || b == DType::Bool) {
    const DType other = a == DType::Bool ? b : a;
    return is_int(other) ? std::optional(other) : std::nullopt;
  }
  if (both(a, b, is_int)) {
    const int wa = bytes_of(a), wb = bytes_of(b);
    if (wa != wb) return wa > wb ? a : b;
    return is_signed_int(a) ? a : b;
  }
  if (is_int(a)) return b;
  if (is_int(b)) return a;
  if (is_complex(a) && is_float(b)) return real_of(a) == b ? std::optional(a) : std::nullopt;
  if (is_complex(b) && is_float(a)) return real_of(b) == a ? std::optional(b) : std::nullopt;
  return std::nullopt;
}

/// The common type of two flexible operands: a real literal takes the type of a real value that is not a literal.
DType meet_flexible(const Typed& a, const Typed& b) {
  const DType x = a.e->type, y = b.e->type;
  if (x == y) return x;
  if (is_float(x) && is_float(y)) return as_constant(a.e) ? y : as_constant(b.e) ? x : DType::F64;
  if (is_float(x)) return x;
  return is_float(y) ? y : DType::I64;
}

/// The type of a flexible operand next to one of type `fixed`.
DType flexible_beside(DType flexible, DType fixed) {
  if (fixed == DType::Bool) return flexible;
  const bool literal_is_real = is_float(flexible);
  if (is_int(fixed) && literal_is_real) return DType::F64;
  return fixed;
}

}  // namespace

Expr convert(const Typed& t, DType to) {
  if (t.e->type == to) return t.e;
  if (const Constant* c = as_constant(t.e)) {
    const DType from = t.e->type;
    if (holds_reals(from)) return constant_of(c->f, to);
    if (holds_reals(to))
      return constant_float(
          from == DType::U64 ? static_cast<double>(static_cast<uint64_t>(c->i)) : static_cast<double>(c->i), to);
    if (to == DType::Bool) return constant_int(c->i != 0, to);
    const int bits = dtype_row(to).bits;
    const bool fits =
        bits == 64 || (is_signed_int(to) ? c->i >= -(int64_t{1} << (bits - 1)) && c->i < (int64_t{1} << (bits - 1))
                                         : c->i >= 0 && c->i < (int64_t{1} << bits));
    if (fits && (from != DType::U64 || c->i >= 0 || bits == 64)) return constant_int(c->i, to);
  }
  if (const auto* s = std::get_if<Select>(&t.e->node); s && t.flexible && as_constant(s->yes) && as_constant(s->no))
    return select(s->cond, convert({s->yes, true}, to), convert({s->no, true}, to));
  return cast_to(t.e, to);
}

std::optional<std::string> unify(Typed& a, Typed& b) {
  if (a.flexible && b.flexible) {
    const DType t = meet_flexible(a, b);
    a.e = convert(a, t);
    b.e = convert(b, t);
    return std::nullopt;
  }
  if (a.flexible || b.flexible) {
    Typed& loose = a.flexible ? a : b;
    Typed& fixed = a.flexible ? b : a;
    if (loose.e->type == DType::Bool && is_float(fixed.e->type)) return nearby(a.e->type, b.e->type);
    const Constant* c = as_constant(loose.e);
    const bool infinite = c && is_float(loose.e->type) && (c->f - c->f != 0);
    const DType to = infinite && is_int(fixed.e->type) ? fixed.e->type : flexible_beside(loose.e->type, fixed.e->type);
    loose.e = convert(loose, to);
    loose.flexible = false;
    if (to != fixed.e->type) fixed.e = convert(fixed, to);
    return std::nullopt;
  }
  const auto t = meet(a.e->type, b.e->type);
  if (!t) return nearby(a.e->type, b.e->type);
  a.e = convert(a, *t);
  b.e = convert(b, *t);
  return std::nullopt;
}

std::optional<std::string> assignable(const Typed& value, DType target) {
  const DType from = value.e->type, to = dtype_row(target).compute;
  if (value.flexible || from == to) return std::nullopt;
  if (is_float(from) && is_float(to))
    return fmt::format("a value of {} is stored in a tensor of {}", name_of(from), name_of(target));
  if (is_complex(from) && !is_complex(to))
    return fmt::format("a complex value is stored in a tensor of {}", name_of(target));
  if (is_complex(from) || (is_complex(to) && is_float(from) && real_of(to) != from))
    return fmt::format("a value of {} is stored in a tensor of {}", name_of(from), name_of(target));
  return std::nullopt;
}

bool is_defined(ScalarOp op, DType t) {
  if (scalar_op_row(op).has('I')) return is_integral(t);
  return !is_complex(t) || scalar_op_row(op).has('Z');
}

std::optional<std::string> as_condition(Typed& t) {
  if (t.e->type == DType::Bool) return std::nullopt;
  return fmt::format("a number of {} where a condition is expected", name_of(t.e->type));
}

}  // namespace tenon
