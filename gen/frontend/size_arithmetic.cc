// Evaluates ops on tensors of extents.
#include "frontend/size_arithmetic.h"

#include <algorithm>

namespace tenon {
namespace {

// Inputs whose elements are moved stand first; those from `first_index` on say where to, and have to be plain numbers.
struct MovementRow {
  const char* op;
  size_t first_index;
};
constexpr size_t kAll = 1000;
constexpr MovementRow kMovement[] = {
    {"identity", kAll}, {"reshape", kAll}, {"transpose", kAll}, {"concat", kAll}, {"slice", kAll}, {"split", kAll},
    {"expand", kAll},   {"flip", kAll},    {"tile", kAll},      {"repeat", kAll}, {"stack", kAll}, {"gather", 1},
    {"gather_nd", 1},   {"take", 1},       {"unsqueeze", kAll}, {"squeeze", kAll},
};

using SizeFunction = SizeExpr (*)(const SizeExpr&, const SizeExpr&);
struct ArithmeticRow {
  const char* op;
  SizeFunction function;
  bool divides;
};
constexpr ArithmeticRow kArithmetic[] = {
    {"add", [](const SizeExpr& a, const SizeExpr& b) { return a + b; }, false},
    {"sub", [](const SizeExpr& a, const SizeExpr& b) { return a - b; }, false},
    {"mul", [](const SizeExpr& a, const SizeExpr& b) { return a * b; }, false},
    {"floor_div", floor_div, true},
    {"trunc_div", floor_div, true},  // extents are not negative
    {"mod", floor_mod, true},
    {"minimum", size_min, false},
    {"maximum", size_max, false},
};

bool plain(const SizeTensor& t) {
  return std::all_of(t.elements.begin(), t.elements.end(), [](const SizeExpr& e) { return e.is_constant(); });
}

TensorData plain_data(const SizeTensor& t) {
  std::vector<int64_t> values;
  for (const SizeExpr& e : t.elements) values.push_back(e.value);
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

// The elements are numbered across the inputs that are moved, the op is evaluated on the numbers, and these are looked up again.
std::optional<std::vector<SizeTensor>> move_sizes(const OpSemantics& semantics, const MovementRow& row,
                                                  const std::vector<const SizeTensor*>& inputs, const Attributes& attrs,
                                                  const std::vector<TensorType>& types) {
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
  std::vector<const TensorData*> pointers;
  for (const TensorData& t : numbered) pointers.push_back(&t);
  const ComputedTensors computed = semantics.evaluate(row.op, pointers, attrs, types.size());
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

std::optional<std::vector<SizeTensor>> combine_sizes(const ArithmeticRow& row, const SizeTensor& a, const SizeTensor& b,
                                                     const TensorType& type) {
  const std::optional<std::vector<int64_t>> dims = constant_dims(type);
  if (!dims) return std::nullopt;
  SizeTensor result{type.dtype, *dims, {}};
  for (int64_t i = 0, n = element_count(*dims); i < n; ++i) {
    const SizeExpr& x = a.elements[broadcast_position(a.dims, *dims, i)];
    const SizeExpr& y = b.elements[broadcast_position(b.dims, *dims, i)];
    if (row.divides && y.is(0)) return std::nullopt;
    result.elements.push_back(row.function(x, y));
  }
  return std::vector<SizeTensor>{std::move(result)};
}

}  // namespace

std::optional<std::vector<SizeTensor>> compute_on_sizes(const OpSemantics& semantics, const std::string& op,
                                                        const std::vector<const SizeTensor*>& inputs, const Attributes& attrs,
                                                        const std::vector<TensorType>& types) {
  for (const ArithmeticRow& row : kArithmetic)
    if (op == row.op && inputs.size() == 2 && inputs[0] && inputs[1] && types.size() == 1)
      return combine_sizes(row, *inputs[0], *inputs[1], types[0]);
  if (op == "cast" && inputs.size() == 1 && inputs[0] && types.size() == 1 && (types[0].dtype == DType::I32 || types[0].dtype == DType::I64))
    return std::vector<SizeTensor>{{types[0].dtype, inputs[0]->dims, inputs[0]->elements}};
  for (const MovementRow& row : kMovement)
    if (op == row.op && semantics.evaluate) return move_sizes(semantics, row, inputs, attrs, types);
  return std::nullopt;
}

}  // namespace tenon
