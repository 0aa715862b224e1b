// Loops over a line for the operations that large constants use; everything else is computed number by number.
#include <cstring>

#include "oracle/run_lines.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Element `k` of a line: the only one of a uniform value.
size_t place_in(const LineValue& v, int64_t k) { return v.uniform ? 0 : static_cast<size_t>(k); }
Number number_in(const LineValue& v, int64_t k) {
  const size_t at = place_in(v, k);
  return holds_reals(v.type) ? Number{0, v.real[at]} : Number{v.whole[at]};
}
void put_in(LineValue& v, int64_t k, const Number& n) {
  const auto at = static_cast<size_t>(k);
  if (holds_reals(v.type)) v.real[at] = n.f;
  else v.whole[at] = n.i;
}

/// Offset of the first element, and elements from one to the next.
struct Walk {
  int64_t at = 0, step = 0;
  bool inside = true;
};

Walk walk_of(LineValue& v, const Line& line, const std::vector<TensorData>& tensors) {
  Walk out;
  const Line ends{line.vars, std::min<int64_t>(line.count, 2)};
  for (size_t d = 0; d < v.dims->size(); ++d) {
    evaluate_line(v.parts[d], ends, tensors);
    const std::vector<int64_t>& i = v.parts[d].whole;
    const int64_t step = i.size() > 1 ? i[1] - i[0] : 0, last = i[0] + step * (line.count - 1);
    out.inside = out.inside && std::min(i[0], last) >= 0 && std::max(i[0], last) < (*v.dims)[d];
    out.at += i[0] * (*v.strides)[d];
    out.step += step * (*v.strides)[d];
  }
  return out;
}

template <class T, class To>
void load_as(const TensorData& t, const Walk& w, std::vector<To>& to) {
  const unsigned char* from = t.bytes.data() + w.at * static_cast<int64_t>(sizeof(T));
  for (To& x : to) {
    T element;
    std::memcpy(&element, from, sizeof element);
    from += w.step * static_cast<int64_t>(sizeof(T));
    x = static_cast<To>(element);
  }
}

void load_line(LineValue& v, const Walk& w, const TensorData& t, int64_t count) {
  switch (t.dtype) {
    case DType::I8: return load_as<int8_t>(t, w, v.whole);
    case DType::U8: return load_as<uint8_t>(t, w, v.whole);
    case DType::I32: return load_as<int32_t>(t, w, v.whole);
    case DType::I64: return load_as<int64_t>(t, w, v.whole);
    case DType::F32: return load_as<float>(t, w, v.real);
    case DType::F64: return load_as<double>(t, w, v.real);
    default:
      for (int64_t k = 0; k < count; ++k) put_in(v, k, load_number(t, w.at + k * w.step));
  }
}

/// Element by element: irregular indices, or a fill outside the tensor.
void gather_line(LineValue& v, const Line& line, const std::vector<TensorData>& tensors, int64_t count) {
  const size_t rank = v.dims->size();
  for (LineValue& part : v.parts) evaluate_line(part, line, tensors);
  for (int64_t k = 0; k < count; ++k) {
    int64_t at = 0;
    bool inside = true;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t i = number_in(v.parts[d], k).i;
      inside = inside && i >= 0 && i < (*v.dims)[d];
      at += i * (*v.strides)[d];
    }
    TENON_CHECK(inside || v.padded, "a constant is read outside of its extents");
    put_in(v, k, inside ? load_number(tensors[v.slot], at) : number_in(v.parts[rank], k));
  }
}

void read_line(LineValue& v, const Line& line, const std::vector<TensorData>& tensors, int64_t count) {
  const auto index = v.parts.begin() + static_cast<std::ptrdiff_t>(v.dims->size());
  const bool steps = std::all_of(v.parts.begin(), index, [](const LineValue& p) { return p.affine; });
  const Walk w = steps ? walk_of(v, {line.vars, v.uniform ? 1 : line.count}, tensors) : Walk{0, 0, false};
  if (w.inside) load_line(v, w, tensors[v.slot], count);
  else gather_line(v, line, tensors, count);
}

/// f of two operands at every place.
template <class T, class F>
void each_pair(const LineValue& a, const LineValue& b, const std::vector<T> LineValue::*of, std::vector<T>& to, F f) {
  const size_t sa = a.uniform ? 0 : 1, sb = b.uniform ? 0 : 1;
  const T *x = (a.*of).data(), *y = (b.*of).data();
  for (size_t k = 0; k < to.size(); ++k) to[k] = f(x[k * sa], y[k * sb]);
}

/// The quotient rounded down; 0 if there is none.
int64_t quotient_or_0(int64_t x, int64_t y) {
  if (y == 0 || y == -1) return y == 0 ? 0 : static_cast<int64_t>(-static_cast<uint64_t>(x));
  const int64_t q = x / y;
  return q - ((x % y != 0) && ((x < 0) != (y < 0)));
}

bool apply_whole(LineValue& v) {
  const LineValue &a = v.parts[0], &b = v.parts.back();
  const auto each = [&](auto f) {
    each_pair(a, b, &LineValue::whole, v.whole, f);
    return true;
  };
  const auto as = [](int64_t n) { return static_cast<uint64_t>(n); };
  const DType t = v.type;
  switch (v.op) {
    case ScalarOp::Add:
      return each([=](int64_t x, int64_t y) { return wrapped(static_cast<int64_t>(as(x) + as(y)), t); });
    case ScalarOp::Sub:
      return each([=](int64_t x, int64_t y) { return wrapped(static_cast<int64_t>(as(x) - as(y)), t); });
    case ScalarOp::Mul:
      return each([=](int64_t x, int64_t y) { return wrapped(static_cast<int64_t>(as(x) * as(y)), t); });
    case ScalarOp::BitAnd: return each([](int64_t x, int64_t y) { return x & y; });
    case ScalarOp::BitOr: return each([](int64_t x, int64_t y) { return x | y; });
    case ScalarOp::FloorDiv: return t == DType::I64 && each(quotient_or_0);
    case ScalarOp::Mod:
      return t == DType::I64 && each([](int64_t x, int64_t y) { return x - quotient_or_0(x, y) * y; });
    default: return false;
  }
}

bool apply_real_line(LineValue& v) {
  const auto each = [&](auto f) {
    each_pair(v.parts[0], v.parts.back(), &LineValue::real, v.real, f);
    return true;
  };
  switch (v.op) {
    case ScalarOp::Add: return each([](long double x, long double y) { return x + y; });
    case ScalarOp::Sub: return each([](long double x, long double y) { return x - y; });
    case ScalarOp::Mul: return each([](long double x, long double y) { return x * y; });
    case ScalarOp::Div: return each([](long double x, long double y) { return x / y; });
    default: return false;
  }
}

/// Conversion of integers to others or to plain floats.
bool cast_line(LineValue& v) {
  const LineValue& from = v.parts[0];
  const bool whole = is_int(from.type) || (is_small(from.type) && !holds_reals(from.type));
  if (!whole || is_small(v.type) || from.type == DType::U64) return false;
  if (v.type == DType::F32 || v.type == DType::F64) {
    for (size_t k = 0; k < v.real.size(); ++k) v.real[k] = static_cast<long double>(from.whole[k]);
    return true;
  }
  if (!is_int(v.type)) return false;
  for (size_t k = 0; k < v.whole.size(); ++k) v.whole[k] = wrapped(from.whole[k], v.type);
  return true;
}

void apply_line(LineValue& v, int64_t count) {
  const bool same = all_of(v.parts, [&](const LineValue& p) { return p.type == v.type; });
  if (v.op == ScalarOp::Cast && v.type != DType::Bool && cast_line(v)) return;
  if (same && v.parts.size() == 2 && is_int(v.type) && !is_small(v.type) && apply_whole(v)) return;
  if (same && v.parts.size() == 2 && is_float(v.type) && apply_real_line(v)) return;
  Number args[3];
  for (int64_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < v.parts.size(); ++i) args[i] = number_in(v.parts[i], k);
    put_in(v, k, apply_number(v.op, args, v.parts[0].type, v.type));
  }
}

void select_line(LineValue& v, const Line& line, const std::vector<TensorData>& tensors, int64_t count) {
  evaluate_line(v.parts[0], line, tensors);
  const bool uniform = v.parts[0].uniform, yes = v.parts[0].whole[0] != 0;
  if (!uniform || yes) evaluate_line(v.parts[1], line, tensors);
  if (!uniform || !yes) evaluate_line(v.parts[2], line, tensors);
  for (int64_t k = 0; k < count; ++k) put_in(v, k, number_in(v.parts[number_in(v.parts[0], k).i != 0 ? 1 : 2], k));
}

/// A copy keeps the bits of its elements.
bool copy_line(const Walk& to, LineValue& from, const Line& line, std::vector<TensorData>& tensors, TensorData& t) {
  const auto affine = [](const LineValue& p) { return p.affine; };
  if (from.kind != LineValue::Kind::read || from.uniform || tensors[from.slot].dtype != t.dtype ||
      !all_of(from.parts, affine))
    return false;
  const Walk w = walk_of(from, line, tensors);
  if (!w.inside) return false;
  const auto size = static_cast<int64_t>(bytes_of(t.dtype));
  const unsigned char* x = tensors[from.slot].bytes.data() + w.at * size;
  unsigned char* y = t.bytes.data() + to.at * size;
  if (w.step == 1 && to.step == 1) return std::memcpy(y, x, static_cast<size_t>(line.count * size)), true;
  for (int64_t k = 0; k < line.count; ++k)
    std::memcpy(y + k * to.step * size, x + k * w.step * size, static_cast<size_t>(size));
  return true;
}

template <class T, class From>
void store_as(TensorData& t, const Walk& w, const LineValue& v, const std::vector<From>& from, int64_t count) {
  unsigned char* to = t.bytes.data() + w.at * static_cast<int64_t>(sizeof(T));
  for (int64_t k = 0; k < count; ++k, to += w.step * static_cast<int64_t>(sizeof(T))) {
    const T element = static_cast<T>(from[place_in(v, k)]);
    std::memcpy(to, &element, sizeof element);
  }
}

}  // namespace

void evaluate_line(LineValue& v, const Line& line, const std::vector<TensorData>& tensors) {
  const int64_t count = v.uniform ? 1 : line.count;
  (holds_reals(v.type) ? v.real.resize(static_cast<size_t>(count)) : v.whole.resize(static_cast<size_t>(count)));
  switch (v.kind) {
    case LineValue::Kind::constant: return put_in(v, 0, v.value);
    case LineValue::Kind::variable:
      for (int64_t k = 0; k < count; ++k) v.whole[static_cast<size_t>(k)] = line.vars[v.slot] + k;
      return;
    case LineValue::Kind::read: return read_line(v, line, tensors, count);
    case LineValue::Kind::select: return select_line(v, line, tensors, count);
    case LineValue::Kind::apply: break;
  }
  for (LineValue& part : v.parts) evaluate_line(part, line, tensors);
  apply_line(v, count);
}

void store_line(LineValue& to, const Line& line, std::vector<TensorData>& tensors) {
  LineValue& v = to.parts.back();
  const Walk w = walk_of(to, line, tensors);
  TENON_CHECK(w.inside, "a constant is written outside of its extents");
  TensorData& t = tensors[to.slot];
  if (copy_line(w, v, line, tensors, t)) return;
  evaluate_line(v, line, tensors);
  switch (t.dtype) {
    case DType::I8:
    case DType::U8: return store_as<uint8_t>(t, w, v, v.whole, line.count);
    case DType::I32: return store_as<int32_t>(t, w, v, v.whole, line.count);
    case DType::I64: return store_as<int64_t>(t, w, v, v.whole, line.count);
    case DType::F32: return store_as<float>(t, w, v, v.real, line.count);
    default:
      for (int64_t k = 0; k < line.count; ++k) store_number(t, w.at + k * w.step, number_in(v, k));
  }
}

}  // namespace tenon
