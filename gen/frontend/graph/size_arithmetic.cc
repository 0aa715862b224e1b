// Evaluates ops on tensors of extents.
#include "frontend/graph/size_arithmetic.h"

#include <cmath>

#include "support/ranges.h"

namespace tenon {
namespace {

// The inputs whose elements are moved come first; those from `first_index` on are indices and must be constants.
struct MovementRow {
  const char* op;
  size_t first_index;
};
constexpr size_t kAll = 1000;
constexpr MovementRow kMovement[] = {
    {"identity", kAll}, {"reshape", kAll}, {"transpose", kAll}, {"concat", kAll}, {"slice", kAll},
    {"split", kAll},    {"expand", kAll},  {"flip", kAll},      {"tile", kAll},   {"repeat", kAll},
    {"stack", kAll},    {"gather", 1},     {"take", 1},         {"gather_nd", 1}, {"take_along_axis", 1},
};

using Sizes = std::vector<GraphSize>;
using Element = std::optional<SizeExpr>;

/// 1 where the extent is above 0, else 0: what the ranges of the sizes decide, or an extent.
SizeExpr is_positive(const SizeExpr& e, const Sizes& sizes) { return greater(lesser(e, 1, sizes), 0, sizes); }
Element less(const SizeExpr& a, const SizeExpr& b, const Sizes& sizes) { return is_positive(b - a, sizes); }
Element less_equal(const SizeExpr& a, const SizeExpr& b, const Sizes& sizes) {
  return is_positive(b - a + SizeExpr(1), sizes);
}
Element equal(const SizeExpr& a, const SizeExpr& b, const Sizes& sizes) {
  return SizeExpr(1) - is_positive(greater(a - b, b - a, sizes), sizes);
}
Element quotient(const SizeExpr& a, const SizeExpr& b, const Sizes&) {
  return b.is(0) ? std::nullopt : Element(floor_div(a, b));
}
// Of real numbers: where it is an integer, as the length of a range at steps of -1.0 is.
Element exact_quotient(const SizeExpr& a, const SizeExpr& b, const Sizes&) {
  if (!b.is_constant() || b.is(0)) return std::nullopt;
  const bool negative = b.value < 0;
  const SizeExpr by = negative ? SizeExpr(0) - b : b, of = negative ? SizeExpr(0) - a : a;
  return floor_mod(of, by).is(0) ? Element(floor_div(of, by)) : std::nullopt;
}
// Rounded toward zero; nothing where a number that may be negative is divided by one that may not be positive.
Element whole_quotient(const SizeExpr& a, const SizeExpr& b, const Sizes& sizes) {
  if (bounds_of(a, sizes).lo >= 0) return quotient(a, b, sizes);
  if (bounds_of(b, sizes).lo < 1) return std::nullopt;
  return floor_div(greater(a, 0, sizes), b) - floor_div(greater(SizeExpr(0) - a, 0, sizes), b);
}

struct ArithmeticRow {
  const char* op;
  Element (*function)(const SizeExpr&, const SizeExpr&, const Sizes&);
};
constexpr ArithmeticRow kArithmetic[] = {
    {"add", [](const SizeExpr& a, const SizeExpr& b, const Sizes&) -> Element { return a + b; }},
    {"sub", [](const SizeExpr& a, const SizeExpr& b, const Sizes&) -> Element { return a - b; }},
    {"mul", [](const SizeExpr& a, const SizeExpr& b, const Sizes&) -> Element { return a * b; }},
    {"floor_div", quotient},
    {"trunc_div", whole_quotient},
    {"div", exact_quotient},
    {"mod",
     [](const SizeExpr& a, const SizeExpr& b, const Sizes&) -> Element {
       return b.is(0) ? std::nullopt : Element(floor_mod(a, b));
     }},
    {"minimum", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) -> Element { return lesser(a, b, s); }},
    {"maximum", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) -> Element { return greater(a, b, s); }},
    {"equal", equal},
    {"not_equal",
     [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) -> Element {
       return is_positive(greater(a - b, b - a, s), s);
     }},
    {"less", less},
    {"less_equal", less_equal},
    {"greater", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) { return less(b, a, s); }},
    {"greater_equal", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) { return less_equal(b, a, s); }},
    {"logical_and", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) -> Element { return lesser(a, b, s); }},
    {"logical_or", [](const SizeExpr& a, const SizeExpr& b, const Sizes& s) -> Element { return greater(a, b, s); }},
};

using SizeFunction = SizeExpr (*)(const SizeExpr&, const SizeExpr&);
struct ReductionRow {
  const char* op;
  SizeFunction function;
  int64_t of_none;
};
constexpr ReductionRow kReductions[] = {
    {"sum", [](const SizeExpr& a, const SizeExpr& b) { return a + b; }, 0},
    {"prod", [](const SizeExpr& a, const SizeExpr& b) { return a * b; }, 1},
};

using AttributeNumber = std::optional<int64_t> (*)(const Attributes&);
/// Ops of one operand that limit it: the least and the maximum that results have, where there is one.
struct LimitRow {
  const char* op;
  AttributeNumber least, most;
};
std::optional<int64_t> whole_attribute(const Attributes& attrs, const char* name) {
  const auto it = attrs.find(name);
  if (it == attrs.end()) return std::nullopt;
  if (const auto* i = std::get_if<int64_t>(&it->second)) return *i;
  const auto* d = std::get_if<double>(&it->second);
  return d && std::fabs(*d) < 0x1p53 && *d == std::floor(*d) ? std::optional(static_cast<int64_t>(*d)) : std::nullopt;
}
constexpr LimitRow kLimits[] = {
    {"relu", [](const Attributes&) { return std::optional<int64_t>(0); },
     [](const Attributes&) { return std::optional<int64_t>(); }},
    {"clip", [](const Attributes& a) { return whole_attribute(a, "lo"); },
     [](const Attributes& a) { return whole_attribute(a, "hi"); }},
};

/// Ops that leave integers as they are.
constexpr const char* kRoundings[] = {"floor", "ceil", "round", "trunc"};

/// Floats as well: ranges and quotients of extents are often computed in them.
bool is_real(DType d) { return d == DType::F32 || d == DType::F64; }
bool holds_sizes(DType d) { return d == DType::I32 || d == DType::I64 || is_real(d); }

bool plain(const SizeTensor& t) {
  return all_of(t.elements, [](const SizeExpr& e) { return e.is_constant(); });
}

TensorData plain_data(const SizeTensor& t) {
  const std::vector<int64_t> values = mapped(t.elements, &SizeExpr::value);
  return i64_tensor(t.dims, values);
}

std::optional<std::vector<int64_t>> constant_dims(const TensorType& type) {
  std::vector<int64_t> dims;
  for (const SizeExpr& d : type.dims) {
    if (!d.is_constant()) return std::nullopt;
    dims.push_back(d.value);
  }
  return dims;
}

// The elements are numbered across the inputs that are moved, the op is evaluated on the numbers, and these are looked
// up again.
std::optional<std::vector<SizeTensor>> move_sizes(const OpSemantics& semantics, const MovementRow& row,
                                                  const SizeCall& call) {
  const auto& [op, inputs, attrs, types] = call;
  std::vector<TensorData> numbered;
  std::vector<SizeExpr> elements;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) return std::nullopt;
    if (i >= row.first_index) {
      if (!plain(*inputs[i])) return std::nullopt;
      numbered.push_back(plain_data(*inputs[i]));
      continue;
    }
    std::vector<int64_t> numbers;
    for (const SizeExpr& e : inputs[i]->elements) {
      numbers.push_back(static_cast<int64_t>(elements.size()));
      elements.push_back(e);
    }
    numbered.push_back(i64_tensor(inputs[i]->dims, numbers));
  }
  const std::vector<const TensorData*> pointers = mapped(numbered, [&](const TensorData& t) { return &t; });
  const ComputedTensors computed = semantics.evaluate(op, pointers, attrs, types.size());
  if (!computed.error.empty() || computed.outputs.size() != types.size()) return std::nullopt;
  std::vector<SizeTensor> results;
  for (size_t k = 0; k < types.size(); ++k) {
    const TensorData& t = computed.outputs[k];
    SizeTensor result{types[k].dtype, t.dims, {}};
    for (int64_t i = 0, n = element_count(t.dims); i < n; ++i) {
      const int64_t number = int_element(t, i);
      if (number < 0 || static_cast<size_t>(number) >= elements.size()) return std::nullopt;
      result.elements.push_back(elements[static_cast<size_t>(number)]);
    }
    results.push_back(std::move(result));
  }
  return results;
}

// Position in an operand of the element that broadcasting pairs with position `at` of the result.
size_t broadcast_position(const std::vector<int64_t>& dims, const std::vector<int64_t>& result, int64_t at) {
  int64_t position = 0, stride = 1;
  for (size_t back = 0; back < result.size(); ++back) {
    const int64_t extent = result[result.size() - 1 - back], coordinate = at % extent;
    at /= extent;
    if (back >= dims.size()) continue;
    const int64_t own = dims[dims.size() - 1 - back];
    position += own == 1 ? 0 : coordinate * stride;
    stride *= own;
  }
  return static_cast<size_t>(position);
}

/// Element-wise over broadcast operands; nothing if `function` returns nothing for any element.
template <class Function>
std::optional<std::vector<SizeTensor>> combine_sizes(const std::vector<const SizeTensor*>& operands,
                                                     const TensorType& type, const Function& function) {
  const std::optional<std::vector<int64_t>> dims = constant_dims(type);
  if (!dims) return std::nullopt;
  SizeTensor result{type.dtype, *dims, {}};
  for (int64_t i = 0, n = element_count(*dims); i < n; ++i) {
    std::vector<SizeExpr> elements;
    for (const SizeTensor* t : operands) elements.push_back(t->elements[broadcast_position(t->dims, *dims, i)]);
    const Element e = function(elements);
    if (!e) return std::nullopt;
    result.elements.push_back(*e);
  }
  return std::vector<SizeTensor>{std::move(result)};
}

/// Many conditions that depend on run-time sizes are computed by one operator rather than one at a time.
std::optional<std::vector<SizeTensor>> of_use(std::optional<std::vector<SizeTensor>> results) {
  constexpr size_t kFewConditions = 16;
  if (results && (*results)[0].dtype == DType::Bool && (*results)[0].elements.size() > kFewConditions &&
      !plain((*results)[0]))
    return std::nullopt;
  return results;
}

Element selected(const std::vector<SizeExpr>& e) {
  return e[0].is_constant() ? Element(e[0].is(0) ? e[2] : e[1]) : std::nullopt;
}

/// Over all elements: the result has one element.
std::optional<std::vector<SizeTensor>> reduce_sizes(const ReductionRow& row, const SizeTensor& t,
                                                    const TensorType& type) {
  const std::optional<std::vector<int64_t>> dims = constant_dims(type);
  if (!dims || element_count(*dims) != 1) return std::nullopt;
  SizeExpr all = row.of_none;
  for (const SizeExpr& e : t.elements) all = row.function(all, e);
  return std::vector<SizeTensor>{{type.dtype, *dims, {all}}};
}

}  // namespace

std::optional<std::vector<SizeExpr>> whole_elements(const TensorData& data) {
  std::vector<SizeExpr> elements;
  if (!is_integral(data.dtype) && !is_real(data.dtype)) return std::nullopt;
  for (int64_t i = 0, n = element_count(data.dims); i < n; ++i) {
    if (!is_real(data.dtype)) {
      elements.emplace_back(int_element(data, i));
      continue;
    }
    const double v = real_element(data, i);
    if (!(std::fabs(v) < 0x1p62) || v != std::trunc(v) || (v == 0 && std::signbit(v))) return std::nullopt;
    elements.emplace_back(static_cast<int64_t>(v));
  }
  return elements;
}

bool is_exact(const SizeTensor& tensor, const std::vector<GraphSize>& sizes) {
  if (!is_real(tensor.dtype)) return true;
  const bool narrow = tensor.dtype == DType::F32;
  const int64_t most = narrow ? int64_t{1} << 24 : int64_t{1} << 53;
  return all_of(tensor.elements, [&](const SizeExpr& e) {
    if (e.is_constant())
      return bounds_of(e, sizes).hi == e.value &&
             static_cast<int64_t>(narrow ? static_cast<double>(static_cast<float>(e.value))
                                         : static_cast<double>(e.value)) == e.value;
    const Interval b = bounds_of(e, sizes);
    return b.lo >= -most && b.hi <= most;
  });
}

std::optional<std::vector<SizeTensor>> compute_on_sizes(const OpSemantics& semantics, const SizeCall& call,
                                                        const std::vector<GraphSize>& sizes) {
  const std::string& op = call.op;  // not a structured binding: clang 14 cannot capture one in a lambda
  const std::vector<const SizeTensor*>& inputs = call.inputs;
  const Attributes& attrs = call.attrs;
  const std::vector<TensorType>& types = call.types;
  const auto takes = [&](size_t count) {
    return inputs.size() == count && types.size() == 1 && !contains(inputs, nullptr);
  };
  for (const ArithmeticRow& row : kArithmetic)
    if (op == row.op && takes(2))
      return of_use(combine_sizes(inputs, types[0],
                                  [&](const std::vector<SizeExpr>& e) { return row.function(e[0], e[1], sizes); }));
  if (op == "neg" && takes(1))
    return combine_sizes(inputs, types[0], [](const std::vector<SizeExpr>& e) { return Element(SizeExpr(0) - e[0]); });
  if (contains(kRoundings, op) && takes(1)) return std::vector<SizeTensor>{*inputs[0]};
  if (op == "logical_not" && takes(1))
    return combine_sizes(inputs, types[0], [](const std::vector<SizeExpr>& e) { return Element(SizeExpr(1) - e[0]); });
  if (op == "where" && takes(3)) return combine_sizes(inputs, types[0], selected);
  if (op == "cast" && takes(1) && holds_sizes(types[0].dtype))
    return std::vector<SizeTensor>{{types[0].dtype, inputs[0]->dims, inputs[0]->elements}};
  for (const LimitRow& row : kLimits)
    if (op == row.op && takes(1))
      return combine_sizes(inputs, types[0], [&](const std::vector<SizeExpr>& e) {
        const SizeExpr above = row.least(attrs) ? greater(e[0], *row.least(attrs), sizes) : e[0];
        return Element(row.most(attrs) ? lesser(above, *row.most(attrs), sizes) : above);
      });
  for (const ReductionRow& row : kReductions)
    if (op == row.op && takes(1)) return reduce_sizes(row, *inputs[0], types[0]);
  for (const MovementRow& row : kMovement)
    if (op == row.op && semantics.evaluate) return move_sizes(semantics, row, call);
  return std::nullopt;
}

}  // namespace tenon
