// The host functions of recipes: what is computed while the graph is read, from shapes, constants and lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/graph/size_arithmetic.h"
#include "frontend/recipe/recipe_call.h"
#include "frontend/recipe/recipe_einsum.h"
#include "frontend/recipe/recipe_parts.h"
#include "frontend/recipe/recipe_scan.h"
#include "ir/number/small_number.h"

namespace tenon {
namespace {

// A list longer than this is a mistake in a recipe, or an attack.
constexpr int64_t kMaxList = 1 << 20;

struct HostCall {
  RecipeContext& context;
  const RecipeList& args;
  size_t offset;
  const HostArguments& given;

  [[noreturn]] void fail(const std::string& message) const { throw RecipeError(offset, message); }

  ValueId tensor(size_t i) const {
    const TensorRef* t = args[i].get<TensorRef>();
    if (!t) fail("a tensor is expected here, not " + kind_of(args[i]));
    return t->id;
  }
  const Value& value(size_t i) const { return context.builder.value(tensor(i)); }
  const RecipeList& list(size_t i) const {
    const RecipeList* l = args[i].get<RecipeList>();
    if (!l) fail("a list is expected here, not " + kind_of(args[i]));
    return *l;
  }
  SizeExpr whole(const RecipeValue& v) const {
    if (const SizeExpr* n = v.get<SizeExpr>()) return *n;
    if (const bool* b = v.get<bool>()) return int64_t{*b};
    fail("an integer is expected here, not " + to_text(v));
  }
  int64_t integer(const RecipeValue& v) const {
    const SizeExpr n = whole(v);
    if (!n.is_constant()) fail(fmt::format("{} has to be known before run time", to_text(n)));
    return n.value;
  }
  double real(const RecipeValue& v) const {
    if (const double* d = v.get<double>()) return *d;
    return static_cast<double>(integer(v));
  }
  std::string text(size_t i) const {
    const std::string* s = args[i].get<std::string>();
    if (!s) fail("text is expected here, not " + kind_of(args[i]));
    return *s;
  }
};

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

// Contents in row-major order; the tensor has to be known before run time.
RecipeList contents(const HostCall& c, size_t i) {
  const ValueId id = c.tensor(i);
  const Value& v = c.context.builder.value(id);
  if (!is_known(c, i)) c.fail(fmt::format("'{}' has to be a constant here, but is computed at run time", v.original));
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
RecipeValue values(const HostCall& c) { return contents(c, 0); }
RecipeValue scalar(const HostCall& c) {
  const RecipeList list = contents(c, 0);
  if (list.size() != 1) c.fail(fmt::format("one element is expected here, not {}", list.size()));
  return list[0];
}

RecipeValue len(const HostCall& c) { return SizeExpr(static_cast<int64_t>(c.list(0).size())); }

RecipeValue range(const HostCall& c) {
  const int64_t from = c.args.size() > 1 ? c.integer(c.args[0]) : 0, to = c.integer(c.args[c.args.size() > 1 ? 1 : 0]);
  if (to - from > kMaxList) c.fail("this range is too long");
  RecipeList list;
  for (int64_t i = from; i < to; ++i) list.push_back(SizeExpr(i));
  return list;
}

RecipeValue extreme(const HostCall& c, bool maximum) {
  const RecipeList list = c.args.size() == 1 ? c.list(0) : c.args;
  if (list.empty()) c.fail("the list is empty");
  const std::vector<GraphSize> sizes = c.context.builder.sizes();
  RecipeValue best = list[0];
  for (const RecipeValue& v : list) {
    if (best.get<double>() || v.get<double>())
      best = maximum ? std::max(c.real(best), c.real(v)) : std::min(c.real(best), c.real(v));
    else best = maximum ? greater(c.whole(best), c.whole(v), sizes) : lesser(c.whole(best), c.whole(v), sizes);
  }
  return best;
}
RecipeValue minimum(const HostCall& c) { return extreme(c, false); }
RecipeValue maximum(const HostCall& c) { return extreme(c, true); }

RecipeValue product_of(const HostCall& c) {
  SizeExpr p = 1;
  for (const RecipeValue& v : c.list(0)) p = p * c.whole(v);
  return p;
}
RecipeValue sum_of(const HostCall& c) {
  SizeExpr s = 0;
  for (const RecipeValue& v : c.list(0)) s = s + c.whole(v);
  return s;
}
RecipeValue ceil_div(const HostCall& c) {
  const SizeExpr a = c.whole(c.args[0]), b = c.whole(c.args[1]);
  if (b.is(0)) c.fail("division by 0");
  return floor_div(a + b - SizeExpr(1), b);
}
RecipeValue all_of(const HostCall& c) {
  for (const RecipeValue& v : c.list(0)) {
    const bool* b = v.get<bool>();
    if (!b) c.fail("a list of conditions is expected here");
    if (!*b) return false;
  }
  return true;
}
RecipeValue any_of(const HostCall& c) {
  for (const RecipeValue& v : c.list(0)) {
    const bool* b = v.get<bool>();
    if (!b) c.fail("a list of conditions is expected here");
    if (*b) return true;
  }
  return false;
}
RecipeValue reversed(const HostCall& c) {
  RecipeList list = c.list(0);
  std::reverse(list.begin(), list.end());
  return list;
}
RecipeValue sorted(const HostCall& c) {
  std::vector<int64_t> numbers;
  for (const RecipeValue& v : c.list(0)) numbers.push_back(c.integer(v));
  std::sort(numbers.begin(), numbers.end());
  RecipeList list;
  for (int64_t n : numbers) list.push_back(SizeExpr(n));
  return list;
}
RecipeValue is_constant(const HostCall& c) {
  const SizeExpr* n = c.args[0].get<SizeExpr>();
  return !n || n->is_constant();
}
/// The fraction with the least denominator, 1000 at most, that is `real` to the precision of f32.
std::optional<std::pair<int64_t, int64_t>> fraction(double real) {
  for (int64_t q = 1; q <= 1000; ++q)
    if (const double p = std::round(real * static_cast<double>(q));
        std::fabs(p - real * static_cast<double>(q)) <= std::fabs(p) * 0x1p-23 && p < 0x1p31)
      return std::pair(static_cast<int64_t>(p), q);
  return std::nullopt;
}

/// The whole part of an extent times a number, rounded to f32 before as in ONNX's own inference of shapes.
RecipeValue floor_of_product(const HostCall& c) {
  const SizeExpr n = *c.args[0].get<SizeExpr>();
  const double factor = c.real(c.args[1]);
  if (n.is_constant()) {
    const double d = std::floor(static_cast<double>(static_cast<float>(n.value) * static_cast<float>(factor)));
    if (!(std::fabs(d) < 9e18)) c.fail("this number has no whole part that 64 bits hold");
    return SizeExpr(static_cast<int64_t>(d));
  }
  const auto f = factor > 0 ? fraction(factor) : std::nullopt;
  if (!f)
    c.fail(fmt::format(
        "{} times {} depends on run-time sizes, and {} is not a fraction of small numbers; fix them with --size",
        to_text(n), factor, factor));
  return floor_div(n * SizeExpr(f->first), SizeExpr(f->second));
}

RecipeValue floor_of(const HostCall& c) {
  if (c.args.size() == 2 && c.args[0].get<SizeExpr>()) return floor_of_product(c);
  if (c.args.size() == 2) c.fail("an extent is expected before the number");
  if (const SizeExpr* n = c.args[0].get<SizeExpr>()) return *n;
  const double d = std::floor(c.real(c.args[0]));
  if (!(std::fabs(d) < 9e18)) c.fail("this number has no whole part that 64 bits hold");
  return SizeExpr(static_cast<int64_t>(d));
}
RecipeValue square_root(const HostCall& c) { return std::sqrt(c.real(c.args[0])); }
RecipeValue real_of_value(const HostCall& c) { return c.real(c.args[0]); }
// The maximum (sign 1) or least (sign -1) number of a small type that is finite.
RecipeValue extreme_of_small(DType d, int sign) {
  double best = 0;
  for (int code = 0; code < 256; ++code)
    if (const double v = small_value(d, static_cast<uint8_t>(code)); std::isfinite(v) && sign * v > sign * best)
      best = v;
  if (is_int(dtype_row(d).compute)) return SizeExpr(static_cast<int64_t>(best));
  return best;
}
RecipeValue dtype_lowest(const HostCall& c) {
  const DType* d = c.args[0].get<DType>();
  if (!d) c.fail("a dtype is expected here");
  if (is_small(*d)) return extreme_of_small(*d, -1);
  if (is_float(*d)) return -std::numeric_limits<double>::infinity();
  return SizeExpr(is_signed_int(*d) ? std::numeric_limits<int64_t>::min() >> (64 - dtype_row(*d).bits) : 0);
}
RecipeValue dtype_highest(const HostCall& c) {
  const DType* d = c.args[0].get<DType>();
  if (!d) c.fail("a dtype is expected here");
  if (is_small(*d)) return extreme_of_small(*d, 1);
  if (is_float(*d)) return std::numeric_limits<double>::infinity();
  if (*d == DType::U64) return SizeExpr(-1);
  const int bits = dtype_row(*d).bits - (is_signed_int(*d) ? 1 : 0);
  return SizeExpr(static_cast<int64_t>((uint64_t{1} << bits) - 1));
}
RecipeValue is_float_dtype(const HostCall& c) { return c.args[0].get<DType>() && is_float(*c.args[0].get<DType>()); }
RecipeValue is_int_dtype(const HostCall& c) { return c.args[0].get<DType>() && is_int(*c.args[0].get<DType>()); }

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
  if (!dtype || !(is_int(*dtype) || *dtype == DType::Bool)) c.fail("a dtype of integers, f32 or f64 is expected here");
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

// One list of the elements of many.
RecipeValue joined_lists(const HostCall& c) {
  RecipeList all;
  for (const RecipeValue& v : c.list(0)) {
    const RecipeList* part = v.get<RecipeList>();
    if (!part) c.fail("a list of lists is expected here");
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
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

// The broadcast of two extents if only run time determines which of them is 1; otherwise none.
RecipeValue met(const HostCall& c) {
  const auto joint = c.context.builder.joint_extent(c.whole(c.args[0]), c.whole(c.args[1]));
  return joint ? RecipeValue(*joint) : RecipeValue();
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

RecipeValue warn(const HostCall& c) {
  if (c.context.warn) c.context.warn(c.text(0));
  return true;
}

RecipeValue tree_tables(const HostCall& c) {
  const DType* dtype = c.args[0].get<DType>();
  if (!dtype || !c.context.tree_tables) c.fail("only a node of trees has tables");
  return c.context.tree_tables(*dtype, c.integer(c.args[1]), c.real(c.args[2]));
}

RecipeValue require(const HostCall& c) {
  const bool* holds = c.args[0].get<bool>();
  if (!holds) c.fail("a condition is expected here");
  if (!*holds) c.fail(c.text(1));
  return true;
}

// Requires two extents to be equal; extents known only at run time are compared there.
RecipeValue require_equal(const HostCall& c) {
  if (c.context.builder.require_equal(c.whole(c.args[0]), c.whole(c.args[1])) == GraphBuilder::Equality::never)
    c.fail(c.text(2));
  return true;
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

struct HostRow {
  const char* name;
  size_t least, most;  // arguments
  RecipeValue (*function)(const HostCall&);
  bool keywords = false;
};

constexpr size_t kMany = 1000;
constexpr HostRow kHostRows[] = {
    {"rank", 1, 1, rank},
    {"shape", 1, 1, shape},
    {"dtype", 1, 1, dtype_of_tensor},
    {"has", 1, 1, has},
    {"known", 1, kMany, known},
    {"values", 1, 1, values},
    {"scalar", 1, 1, scalar},
    {"len", 1, 1, len},
    {"range", 1, 2, range},
    {"least", 1, kMany, minimum},
    {"most", 1, kMany, maximum},
    {"product", 1, 1, product_of},
    {"total", 1, 1, sum_of},
    {"ceil_div", 2, 2, ceil_div},
    {"every", 1, 1, all_of},
    {"some", 1, 1, any_of},
    {"reversed", 1, 1, reversed},
    {"sorted", 1, 1, sorted},
    {"whole", 1, 2, floor_of},
    {"real", 1, 1, real_of_value},
    {"root", 1, 1, square_root},
    {"fixed", 1, 1, is_constant},
    {"lowest", 1, 1, dtype_lowest},
    {"highest", 1, 1, dtype_highest},
    {"is_float", 1, 1, is_float_dtype},
    {"is_int", 1, 1, is_int_dtype},
    {"numbers", 2, 2, numbers_tensor},
    {"text_numbers", 1, 1, text_numbers},
    {"as_text", 1, 1, as_text},
    {"holds_texts", 1, 1, holds_texts},
    {"require", 2, 2, require},
    {"einsum", 2, kMany, einsum},
    {"upper_bound", 1, 1, upper_bound},
    {"made", 1, 1, made},
    {"warn", 1, 1, warn},
    {"tree_tables", 3, 3, tree_tables},
    {"joined", 1, 1, joined_lists},
    {"open_parts", 4, 4, open_parts},
    {"is_open", 1, 1, is_open},
    {"parts_of", 1, 1, parts_of},
    {"met", 2, 2, met},
    {"chain", 2, 2, chain},
    {"scan", 5, 5, scan},
    {"item", 2, 2, item},
    {"stretch", 3, 3, stretch},
    {"split", 1, 3, split, true},
    {"require_equal", 3, 3, require_equal},
    {"grad", 2, kMany, grad},
};

bool takes_tensors(const HostRow& row) {
  const auto f = row.function;
  return f == rank || f == shape || f == dtype_of_tensor || f == has || f == known || f == values || f == scalar ||
         f == upper_bound || f == made || f == holds_texts || f == open_parts || f == chain || f == scan || f == item ||
         f == stretch || f == split || f == grad;
}

bool has_tensor(const RecipeList& args) {
  return std::any_of(args.begin(), args.end(), [](const RecipeValue& v) { return v.get<TensorRef>() != nullptr; });
}

/// Whether the call gives the op all attributes that it requires.
bool is_complete(const OpSignature& op, const HostArguments& given) {
  for (size_t a = 0; a < op.attrs.size(); ++a) {
    const bool by_place = given.args.size() > op.inputs.size() + a;
    if (op.attrs[a].required && !by_place &&
        std::none_of(given.keywords.begin(), given.keywords.end(),
                     [&](const RecipeKeyword& k) { return k.name == op.attrs[a].name; }))
      return false;
  }
  return true;
}

}  // namespace

bool call_host_function(RecipeContext& context, const std::string& name, const HostArguments& given, size_t offset,
                        RecipeValue& result) {
  for (const HostRow& row : kHostRows) {
    if (name != row.name) continue;
    if (!given.keywords.empty() && !row.keywords) return false;
    // The name refers to an op if a tensor is passed and the function takes none, or if everything that the op needs
    // is given.
    const OpSignature* op = has_tensor(given.args) ? context.builder.semantics().find(name) : nullptr;
    if (op && (!takes_tensors(row) || (row.keywords && is_complete(*op, given)))) return false;
    if (given.args.size() < row.least || given.args.size() > row.most)
      throw RecipeError(offset, fmt::format("{} takes {} argument{}, not {}", name, row.least,
                                            row.least == 1 ? "" : "s", given.args.size()));
    result = row.function({context, given.args, offset, given});
    return true;
  }
  return false;
}

std::vector<std::string> host_functions() {
  std::vector<std::string> names;
  for (const HostRow& row : kHostRows) names.emplace_back(row.name);
  return names;
}

}  // namespace tenon
