// Host functions that read or make tensors.
#include <cmath>

#include "frontend/recipe/host_call.h"
#include "frontend/recipe/recipe_parts.h"

namespace tenon {
namespace {

RecipeValue rank(const HostCall& c) { return SizeExpr(static_cast<int64_t>(c.value(0).dims.size())); }

RecipeValue shape(const HostCall& c) {
  const std::vector<SizeExpr>& dims = c.value(0).dims;
  return RecipeList(dims.begin(), dims.end());
}

RecipeValue dtype_of_tensor(const HostCall& c) { return c.value(0).dtype; }
RecipeValue has(const HostCall& c) { return !c.args[0].is_none(); }

RecipeValue element(const TensorData& t, int64_t i) {
  if (t.dtype == DType::Bool) return int_element(t, i) != 0;
  if (is_int(dtype_row(t.dtype).compute)) return SizeExpr(int_element(t, i));
  return real_element(t, i);
}

bool is_known(const HostCall& c, size_t i) {
  if (c.args[i].is_none()) return true;
  const ValueId id = c.tensor(i);
  const Value& v = c.context.builder.value(id);
  for (const SizeExpr& d : v.dims)
    if (d.is(0)) return true;
  return (v.constant && !v.trainable && !is_complex(v.dtype)) || c.context.builder.numbers(id).has_value();
}

// The first argument in row-major order; the tensor has to be known before run time.
RecipeList contents(const HostCall& c) {
  const ValueId id = c.tensor(0);
  const Value& v = c.context.builder.value(id);
  if (!is_known(c, 0)) c.fail(fmt::format("'{}' has to be a constant here, but is computed at run time", v.original));
  if (v.constant) {
    const int64_t n = element_count(v.constant->dims);
    if (n > kMaxList) c.fail(fmt::format("'{}' has {} elements, too many for a list", v.original, n));
    RecipeList list;
    for (int64_t k = 0; k < n; ++k) list.push_back(element(*v.constant, k));
    return list;
  }
  const std::vector<SizeExpr> numbers =
      c.context.builder.numbers(id).value_or(std::vector<SizeExpr>());  // nothing: it has no elements
  return RecipeList(numbers.begin(), numbers.end());
}

RecipeValue known(const HostCall& c) {
  for (size_t i = 0; i < c.args.size(); ++i)
    if (!is_known(c, i)) return false;
  return true;
}

RecipeValue values(const HostCall& c) { return contents(c); }

RecipeValue scalar(const HostCall& c) {
  const RecipeList list = contents(c);
  if (list.size() != 1) c.fail(fmt::format("one element is expected here, not {}", list.size()));
  return list[0];
}

// A constant of floats from a list (rank 1) or a number (rank 0).
RecipeValue reals_tensor(const HostCall& c, DType dtype) {
  TensorData data{dtype, {}, {}};
  const RecipeList* list = c.args[0].get<RecipeList>();
  if (list) data.dims.push_back(static_cast<int64_t>(list->size()));
  for (const RecipeValue& v : list ? *list : RecipeList{c.args[0]}) {
    const double d = c.real(v);
    const float f = static_cast<float>(d);
    const uint8_t* bytes =
        dtype == DType::F32 ? reinterpret_cast<const uint8_t*>(&f) : reinterpret_cast<const uint8_t*>(&d);
    data.bytes.insert(data.bytes.end(), bytes, bytes + bytes_of(dtype));
  }
  return TensorRef{c.context.builder.add_constant("", std::move(data))};
}

// A tensor of numbers from a list (rank 1) or a number (rank 0); whole ones may depend on run-time sizes.
RecipeValue numbers_tensor(const HostCall& c) {
  const DType* dtype = c.args[1].get<DType>();
  if (dtype && (*dtype == DType::F32 || *dtype == DType::F64)) return reals_tensor(c, *dtype);
  if (!dtype || !is_integral(*dtype)) c.fail("a dtype of integers, f32 or f64 is expected here");
  std::vector<SizeExpr> elements, dims;
  if (const RecipeList* list = c.args[0].get<RecipeList>()) {
    for (const RecipeValue& v : *list) elements.push_back(c.whole(v));
    dims.emplace_back(static_cast<int64_t>(list->size()));
  } else {
    elements.push_back(c.whole(c.args[0]));
  }
  return TensorRef{c.context.builder.add_numbers(*dtype, dims, elements)};
}

// A list of texts as their numbers, and a tensor that holds such numbers.
RecipeValue text_numbers(const HostCall& c) {
  std::vector<SizeExpr> elements;
  for (const RecipeValue& v : c.list(0)) {
    const std::string* text = v.get<std::string>();
    if (!text) c.fail("a list of texts is expected here");
    elements.emplace_back(c.context.builder.texts().number_of(*text));
  }
  const SizeExpr count = static_cast<int64_t>(elements.size());
  return TensorRef{c.context.builder.add_numbers(DType::I64, {count}, elements)};
}

RecipeValue holds_texts(const HostCall& c) { return c.context.builder.texts().holds_texts(c.tensor(0)); }

RecipeValue as_text(const HostCall& c) {
  c.context.builder.texts().mark(c.tensor(0));
  return TensorRef{c.tensor(0)};
}

// The parts of a tensor along an axis, `extent` each, as a list whose length is open.
RecipeValue open_parts(const HostCall& c) {
  const bool* dropped = c.args[3].get<bool>();
  if (!dropped) c.fail("a condition is expected here");
  return RecipeList{OpenParts{c.tensor(0), static_cast<size_t>(c.integer(c.args[1])), c.integer(c.args[2]), *dropped}};
}

const OpenParts* open_list(const RecipeValue& v) {
  const RecipeList* list = v.get<RecipeList>();
  return list && list->size() == 1 ? (*list)[0].get<OpenParts>() : nullptr;
}

RecipeValue is_open(const HostCall& c) { return open_list(c.args[0]) != nullptr; }

// [whole, axis, extent, dropped] of such a list.
RecipeValue parts_of(const HostCall& c) {
  const OpenParts* p = open_list(c.args[0]);
  if (!p) c.fail("a sequence whose length run time decides is expected here, not " + kind_of(c.args[0]));
  return RecipeList{TensorRef{p->whole}, SizeExpr(static_cast<int64_t>(p->axis)), SizeExpr(p->extent), p->dropped};
}

// op(op(a, b), c) … over a list of tensors.
RecipeValue chain(const HostCall& c) {
  const RecipeList& list = c.list(1);
  if (list.empty()) c.fail("at least one tensor is needed");
  RecipeValue result = list[0];
  for (size_t i = 1; i < list.size(); ++i) result = call_op(c.context, {c.text(0), {result, list[i]}, {}, 1, c.offset});
  return result;
}

RecipeValue split(const HostCall& c) { return split_tensor(c.context, c.given, c.offset); }
RecipeValue scan(const HostCall& c) { return scan_recipe(c.context, c.args, c.offset); }
RecipeValue item(const HostCall& c) { return item_of(c.context, c.args, c.offset); }
RecipeValue stretch(const HostCall& c) { return stretch_of(c.context, c.args, c.offset); }

RecipeValue einsum(const HostCall& c) {
  return einsum_of(c.context, c.text(0), RecipeList(c.args.begin() + 1, c.args.end()), c.offset);
}

// An upper bound of the elements of a tensor; none if unknown.
RecipeValue upper_bound(const HostCall& c) {
  const std::optional<ValueRange> range = c.context.builder.range(c.tensor(0));
  if (!range || !(std::fabs(range->hi) < 0x1p53)) return {};
  return SizeExpr(static_cast<int64_t>(std::floor(range->hi)));
}

// Whether an operator of the graph computes the tensor: it is neither an input nor a constant.
RecipeValue made(const HostCall& c) { return !c.value(0).constant && !c.context.builder.is_input(c.tensor(0)); }

RecipeValue tree_tables(const HostCall& c) {
  const DType* dtype = c.args[0].get<DType>();
  if (!dtype || !c.context.tree_tables) c.fail("only a node of trees has tables");
  return c.context.tree_tables(*dtype, c.integer(c.args[1]), c.real(c.args[2]));
}

/// grad(s, x, W): the gradient of s with respect to x, and to W.
RecipeValue grad(const HostCall& c) {
  std::vector<ValueId> wrt;
  for (size_t i = 1; i < c.args.size(); ++i) wrt.push_back(c.tensor(i));
  if (c.context.origin)
    c.context.builder.set_origin(c.context.origin(c.context.depth > 0 ? c.context.outermost : c.offset));
  RecipeList out;
  try {
    for (const ValueId id : c.context.builder.add_gradients(c.tensor(0), wrt)) out.push_back(TensorRef{id});
  } catch (const GraphError& error) {
    c.fail(error.what());
  }
  return out.size() == 1 ? out[0] : RecipeValue(out);
}

constexpr HostRow kTensorFunctions[] = {
    {"rank", 1, 1, rank, kTensors},
    {"shape", 1, 1, shape, kTensors},
    {"dtype", 1, 1, dtype_of_tensor, kTensors},
    {"has", 1, 1, has, kTensors},
    {"known", 1, kMany, known, kTensors},
    {"values", 1, 1, values, kTensors},
    {"scalar", 1, 1, scalar, kTensors},
    {"numbers", 2, 2, numbers_tensor},
    {"text_numbers", 1, 1, text_numbers},
    {"as_text", 1, 1, as_text},
    {"holds_texts", 1, 1, holds_texts, kTensors},
    {"einsum", 2, kMany, einsum},
    {"upper_bound", 1, 1, upper_bound, kTensors},
    {"made", 1, 1, made, kTensors},
    {"tree_tables", 3, 3, tree_tables},
    {"open_parts", 4, 4, open_parts, kTensors},
    {"is_open", 1, 1, is_open},
    {"parts_of", 1, 1, parts_of},
    {"chain", 2, 2, chain, kTensors},
    {"scan", 5, 5, scan, kTensors},
    {"item", 2, 2, item, kTensors},
    {"stretch", 3, 3, stretch, kTensors},
    {"split", 1, 3, split, kTensors | kKeywords},
    {"grad", 2, kMany, grad, kTensors},
};

}  // namespace

std::span<const HostRow> tensor_functions() { return kTensorFunctions; }

}  // namespace tenon
