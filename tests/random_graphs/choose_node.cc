// Operators, attributes and operands at random; what does not fit its definition is drawn again.
#include "random_graphs/choose_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ir/op/type_function.h"
#include "library/bind_node.h"
#include "library/expand_library.h"
#include "library/storage_order.h"
#include "oracle/number.h"
#include "random_graphs/evaluate.h"

namespace tenon_test {
namespace {

constexpr int64_t kMostElements = 3000;
constexpr long double kMaximum = 1e4L;  ///< magnitudes above are not carried on: products of them say little

/// Operators that move elements, reduce them, or read windows: what fusion, views and in-place memory are about.
const std::set<std::string> kFrequent = {"reshape",
                                         "transpose",
                                         "transpose2d",
                                         "slice",
                                         "concat",
                                         "pad",
                                         "pad_edge",
                                         "pad_reflect",
                                         "expand",
                                         "gather",
                                         "take_along_axis",
                                         "tile",
                                         "flip",
                                         "roll",
                                         "repeat",
                                         "cast",
                                         "where",
                                         "add",
                                         "mul",
                                         "sub",
                                         "sum",
                                         "mean",
                                         "max",
                                         "min",
                                         "argmax",
                                         "softmax",
                                         "layernorm",
                                         "gemm",
                                         "matmul",
                                         "dense",
                                         "conv2d",
                                         "conv1d",
                                         "maxpool2d",
                                         "avgpool2d",
                                         "global_avgpool",
                                         "topk",
                                         "sort",
                                         "cumsum",
                                         "scatter_elements",
                                         "depth_to_space",
                                         "space_to_depth",
                                         "bias_add",
                                         "batch_norm",
                                         "variance",
                                         "logsumexp",
                                         "identity",
                                         "relu",
                                         "clip"};

bool in_classes(const OpDef& def, const std::string& type, DType d) {
  const TypeVar* v = def.type(type);
  if (!v) return dtype_from_name(type) == d;
  return std::any_of(v->classes.begin(), v->classes.end(),
                     [&](const Word& c) { return in_type_class(d, c.text) || c.text == name_of(d); });
}

bool is_index(const OpDef& def, const TensorDef& t) {
  const TypeVar* v = def.type(t.dtype);
  return v && v->classes.size() == 1 && v->classes[0].text == "index";
}

/// Differences say little where numbers are rounded to so few bits.
bool is_narrow(DType d) { return (is_float(d) || is_complex(d) || is_small(d)) && real_of(d) != DType::F64; }

/// Not too large, and numbers with which the next operators can still say something.
bool is_healthy(const TensorData& t, bool empty_too) {
  const int64_t n = element_count(t.dims);
  if (n > kMostElements || t.dims.size() > 6 || (n == 0 && !empty_too)) return false;
  int64_t odd = 0;
  const bool real = is_float(t.dtype) || is_complex(t.dtype);
  const std::vector<long double> elements = real_elements(t);
  for (const long double x : elements) odd += real && !(std::fabs(x) <= kMaximum);
  return odd * 8 <= static_cast<int64_t>(elements.size());
}

TensorData in_ascending_order(const TensorData& t) {
  const std::vector<long double> elements = real_elements(t);
  std::vector<size_t> order(elements.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return elements[a] < elements[b]; });
  const auto size = static_cast<size_t>(bytes_of(t.dtype));
  TensorData out = t;
  for (size_t i = 0; i < order.size(); ++i) std::memcpy(&out.bytes[i * size], &t.bytes[order[i] * size], size);
  return out;
}

}  // namespace

/// A call while it is drawn.
struct NodeChooser::Call {
  const OpDef* def = nullptr;
  RandomNode node;
  std::vector<RandomValue> made;  ///< inputs and parameters of its own, numbered behind the graph's values
  std::vector<const TensorData*> data;
  std::map<std::string, DType> types;
  std::map<std::string, std::vector<int64_t>> names;  ///< sizes and packs
  std::vector<int64_t> first;                         ///< extents of the first operand
  int64_t least = 4;                                  ///< the smallest of them: indices stay below
};

NodeChooser::NodeChooser(const OpLibrary& defs, uint64_t seed, bool smooth, const std::set<std::string>& frequent)
    : defs_(defs), rng_(seed), smooth_(smooth) {
  const std::set<std::string>& often = frequent.empty() ? kFrequent : frequent;
  for (const auto& [name, def] : defs.ops) {
    if (smooth && (def.grad == GradKind::none || name == "stop")) continue;  // differences go through stop(x)
    (often.count(name) ? frequent_ : def.family.empty() ? others_ : families_).push_back(&def);
  }
}

const OpDef& NodeChooser::draw_op() {
  const int64_t at = upto(100);
  const OpDef& def = *one_of(at < 50 ? frequent_ : at < 75 ? families_ : others_);
  // A network computes the form for inference of such an op, which is not what the op's definition says.
  return defs_.op(def.name + "_inference") ? draw_op() : def;
}

void NodeChooser::draw_types(Call& call) {
  for (const TypeVar& v : call.def->types) {
    DType& type = call.types[v.name] = one_of(dtypes_of(v));
    if (smooth_ && is_narrow(type)) type = is_complex(type) ? DType::C128 : DType::F64;
  }
}

/// Takes a value for the first operand, one of the last ones more often, or makes one.
bool NodeChooser::draw_first(const RandomGraph& g, Call& call) {
  draw_types(call);
  if (call.def->inputs.empty()) return true;
  const TensorDef& t = call.def->inputs[0];
  size_t packs = 0, dims = 0;
  for (const Dim& d : t.dims) (d.kind == DimKind::pack ? packs : dims)++;
  const auto fits = [&](const TensorData& data) {
    return in_classes(*call.def, t.dtype, data.dtype) && (packs ? data.dims.size() >= dims : data.dims.size() == dims);
  };
  std::vector<int> candidates;
  for (size_t v = 0; v < g.values.size(); ++v)
    for (int often = v + 6 > g.values.size() ? 3 : 1; often > 0 && fits(g.values[v].data); --often)
      candidates.push_back(static_cast<int>(v));
  const bool ordered = call.def->name == "searchsorted";  // in a row that is not, any place is right
  if (!candidates.empty() && chance(88) && !ordered) {
    const int v = one_of(candidates);
    call.node.inputs.push_back(v);
    call.first = g.values[static_cast<size_t>(v)].data.dims;
    if (call.def->type(t.dtype)) call.types[t.dtype] = g.values[static_cast<size_t>(v)].data.dtype;
  } else {
    const DType usual = smooth_ ? DType::F64 : DType::F32;
    if (call.def->type(t.dtype) && in_classes(*call.def, t.dtype, usual) && chance(60)) call.types[t.dtype] = usual;
    static const std::vector<int64_t> extents = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
    for (size_t k = 0; k < dims + (packs ? static_cast<size_t>(upto(3)) : 0); ++k)
      call.first.push_back(one_of(extents));
    if (element_count(call.first) > kMostElements) return false;
    const auto type = call.types.find(t.dtype);
    TensorData data = draw_data(type != call.types.end() ? type->second : *dtype_from_name(t.dtype), call.first, 4);
    call.made.push_back(fresh(g, call, ordered ? in_ascending_order(data) : std::move(data)));
    call.node.inputs.push_back(static_cast<int>(g.values.size()));
  }
  for (const int64_t d : call.first) call.least = std::min(call.least, d);
  return true;
}

std::vector<int64_t> NodeChooser::draw_list(const AttrDef& a, const Call& call) {
  const int64_t rank = static_cast<int64_t>(call.first.size());
  std::vector<int64_t> out;
  if (a.name == "perm") {
    for (int64_t k = 0; k < rank; ++k) out.push_back(k);
    std::shuffle(out.begin(), out.end(), rng_);
    return out;
  }
  if (a.name == "axes" || a.name == "dims") {
    for (int64_t k = 0; k < rank; ++k)
      if (chance(50)) out.push_back(chance(80) ? k : k - rank);
    return out;
  }
  if (a.name == "shape") {
    if (chance(50)) {  // as many elements as there are, in other dimensions
      int64_t left = element_count(call.first);
      for (int k = 0; k < 3 && left > 1; ++k)
        for (const int64_t f : {2, 3, 4, 5, 7})
          if (left % f == 0 && chance(40)) out.push_back(f), left /= f;
      out.push_back(left);
      return out;
    }
    out = call.first;
    for (int64_t& d : out) d = d == 1 ? 1 + upto(4) : d;
    if (chance(30)) out.insert(out.begin(), 1 + upto(3));
    return out;
  }
  const bool shrinks = a.name == "size" && a.count == AttrCount::per_dim;
  const int64_t n = a.count == AttrCount::fixed ? a.length : a.count == AttrCount::per_dim ? rank : upto(3);
  const int64_t value = 1 + upto(3);
  for (int64_t k = 0; k < n; ++k) {
    if (shrinks) out.push_back(1 + upto(std::max<int64_t>(call.first[static_cast<size_t>(k)], 1)));
    else if (a.name == "pads" || a.name == "before" || a.name == "after" || a.name == "begin" ||
             a.name == "output_pads")
      out.push_back(upto(3));
    else if (a.name == "step") out.push_back(chance(70) ? 1 : chance(50) ? 2 : -1);
    else out.push_back(chance(70) ? value : 1 + upto(3));
  }
  return out;
}

AttrValue NodeChooser::draw_attr(const AttrDef& a, const Call& call) {
  if (a.count != AttrCount::one) return draw_list(a, call);
  const int64_t rank = std::max<int64_t>(static_cast<int64_t>(call.first.size()), 1);
  const auto type = call.types.find(a.type);
  const bool whole = a.kind == AttrKind::type_variable && type != call.types.end() &&
                     (is_int(dtype_row(type->second).compute) || type->second == DType::Bool);
  static const std::vector<double> reals = {0.5, 1, 2, -1, 0.25, 3};
  switch (a.kind) {
    case AttrKind::boolean: return chance(50);
    case AttrKind::integer:
      return a.name == "axis" || a.name == "time" ? upto(2 * rank) - rank : chance(90) ? 1 + upto(3) : int64_t{0};
    case AttrKind::u64: return upto(1000000);
    case AttrKind::enumeration: return one_of(a.words);
    case AttrKind::real: return one_of(reals);
    case AttrKind::dtype:
    case AttrKind::type_variable: return whole ? AttrValue(upto(4)) : AttrValue(one_of(reals));
  }
  return int64_t{0};
}

void NodeChooser::draw_attrs(Call& call) {
  for (const AttrDef& a : call.def->attrs) {
    const bool tiny = a.name == "eps";  // a definition's own is the one that means something
    if (!a.required() && (tiny || chance(a.name == "axis" ? 30 : 50))) continue;
    call.node.attrs[a.name] = draw_attr(a, call);
  }
  const std::string free = free_type(*call.def);
  if (!free.empty() && !call.def->attr("dtype")) call.node.attrs["dtype"] = call.types[free];
}

/// Names of the shape of an operand from its extents; false where they are no shape of it.
bool NodeChooser::bind_dims(const TensorDef& t, std::vector<int64_t> dims, Call& call) {
  size_t packs = 0, singles = 0;
  for (const Dim& d : t.dims) (d.kind == DimKind::pack ? packs : singles)++;
  if (dims.size() < singles || (!packs && dims.size() != singles)) return false;
  for (const StorageRule& rule : t.storage) {
    const auto flag = rule.condition && rule.condition->is(SyntaxKind::name)
                          ? call.node.attrs.find(rule.condition->text)
                          : call.node.attrs.end();
    if (packs || flag == call.node.attrs.end() || !std::holds_alternative<bool>(flag->second) ||
        !std::get<bool>(flag->second))
      continue;
    const std::vector<int64_t> stored = dims;
    const std::vector<int> order = order_of(t, rule);
    for (size_t k = 0; k < order.size(); ++k) dims[static_cast<size_t>(order[k])] = stored[k];
  }
  size_t left = dims.size() - singles, at = 0;
  for (size_t k = 0; k < t.dims.size(); ++k) {
    const Dim& d = t.dims[k];
    if (d.kind != DimKind::pack) {
      if (d.kind == DimKind::size) call.names[d.name] = {dims[at]};
      if (d.kind == DimKind::split && d.parts.size() == 2) {
        const int64_t outer = std::max<int64_t>(extent(d.parts[0].name, call), 1);
        call.names[d.parts[0].name] = {outer};
        call.names[d.parts[1].name] = {dims[at] / outer};
      }
      ++at;
      continue;
    }
    --packs;
    size_t take = packs ? static_cast<size_t>(upto(static_cast<int64_t>(left) + 1)) : left;
    for (size_t j = k + 1; j <= k + 1 && j < t.dims.size() && packs; ++j) {  // *P, D@axis, *Q: the axis says where D is
      const auto axis = t.dims[j].at.empty() ? call.node.attrs.end() : call.node.attrs.find(t.dims[j].at);
      int64_t a = -1;
      if (axis != call.node.attrs.end() && std::holds_alternative<int64_t>(axis->second))
        a = std::get<int64_t>(axis->second);
      else if (const AttrDef* def = call.def->attr(t.dims[j].at); def && def->value)
        a = def->value->is(SyntaxKind::unary) ? -def->value->children[0].integer : def->value->integer;
      if (!t.dims[j].at.empty())
        take = std::min(left,
                        static_cast<size_t>(std::max<int64_t>(0, a < 0 ? a + static_cast<int64_t>(dims.size()) : a)));
    }
    call.names[d.name].assign(dims.begin() + static_cast<std::ptrdiff_t>(at),
                              dims.begin() + static_cast<std::ptrdiff_t>(at + take));
    at += take;
    left -= take;
  }
  return true;
}

int64_t NodeChooser::extent(const std::string& name, Call& call) {
  if (const auto it = call.node.attrs.find(name);
      it != call.node.attrs.end() && std::holds_alternative<int64_t>(it->second))
    return std::get<int64_t>(it->second);
  if (const auto it = call.names.find(name); it != call.names.end()) return it->second.empty() ? 1 : it->second[0];
  if (const AttrDef* a = call.def->attr(name); a && a->value && a->value->is(SyntaxKind::integer))
    return a->value->integer;
  return (call.names[name] = {1 + upto(4)})[0];
}

std::vector<int64_t> NodeChooser::dims_of(const TensorDef& t, Call& call) {
  std::vector<std::vector<int64_t>> entries;
  for (const Dim& d : t.dims) {
    std::vector<int64_t> e;
    if (d.kind == DimKind::integer) e = {d.value};
    else if (d.kind == DimKind::split) {
      e = {1};
      for (const Dim& part : d.parts) e[0] *= part.kind == DimKind::integer ? part.value : extent(part.name, call);
    } else if (d.kind == DimKind::pack && call.names.count(d.name)) e = call.names[d.name];
    else e = {d.per_operand ? 1 + upto(4) : extent(d.name, call)};
    for (int64_t& n : e)
      if (d.broadcast && chance(25)) n = 1;
    entries.push_back(std::move(e));
  }
  for (const StorageRule& rule : t.storage) {
    const auto flag = rule.condition && rule.condition->is(SyntaxKind::name)
                          ? call.node.attrs.find(rule.condition->text)
                          : call.node.attrs.end();
    if (flag == call.node.attrs.end() || !std::holds_alternative<bool>(flag->second) || !std::get<bool>(flag->second))
      continue;
    std::vector<std::vector<int64_t>> stored;
    for (const int k : order_of(t, rule)) stored.push_back(entries[static_cast<size_t>(k)]);
    entries = std::move(stored);
  }
  std::vector<int64_t> dims;
  for (const auto& e : entries) dims.insert(dims.end(), e.begin(), e.end());
  return dims;
}

TensorData NodeChooser::draw_data(DType d, std::vector<int64_t> dims, int64_t below) {
  TensorData t{d, std::move(dims), {}};
  const int64_t n = element_count(t.dims);
  t.bytes.resize(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(d)));
  const bool positive = chance(15), wide = chance(15);
  for (int64_t i = 0; i < n; ++i) {
    Number v;
    const long double x = static_cast<long double>(rng_() >> 11) * 0x1p-53L;
    v.f = positive ? 0.1L + 2 * x : 4 * x - 2;
    v.im = 4 * static_cast<long double>(rng_() >> 11) * 0x1p-53L - 2;
    v.i = below > 0 ? upto(below) - (wide ? below * upto(2) : 0)
          : wide    ? static_cast<int64_t>(rng_())
                    : upto(7) - (is_signed_int(d) ? 3 : 0);
    v.i = d == DType::Bool ? v.i & 1 : is_int(d) ? wrapped(v.i, dtype_row(d).compute) : v.i;
    if (is_small(d)) {  // any code that its bits hold
      t.bytes[static_cast<size_t>(i)] =
          static_cast<uint8_t>(rng_() & (d == DType::I4 || d == DType::U4 || d == DType::F4E2M1 ? 15u
                                         : d == DType::I2 || d == DType::U2                     ? 3u
                                                                                                : 0x3fu));
      continue;
    }
    store_number(t, i, v);
  }
  return t;
}

RandomValue NodeChooser::fresh(const RandomGraph& g, const Call& call, TensorData data) {
  const bool parameter = !is_small(data.dtype) && chance(30);
  return {fmt::format("{}{}", parameter ? "c" : "x", g.values.size() + call.made.size()),
          parameter ? From::Parameter : From::Input, std::move(data)};
}

/// Another operand: a value of the dtype and shape that it has to have, or one that is made.
int NodeChooser::draw_value(const RandomGraph& g, Call& call, const TensorDef& t) {
  const std::vector<int64_t> dims = dims_of(t, call);
  const auto type = call.types.find(t.dtype);
  const DType d = type != call.types.end() ? type->second : *dtype_from_name(t.dtype);
  std::vector<int> candidates;
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].data.dtype == d && g.values[v].data.dims == dims) candidates.push_back(static_cast<int>(v));
  if (!candidates.empty() && chance(75) && !is_index(*call.def, t)) return one_of(candidates);
  if (element_count(dims) > kMostElements) return -1;
  call.made.push_back(
      fresh(g, call, draw_data(d, dims, is_index(*call.def, t) ? std::max<int64_t>(call.least, 1) : 0)));
  return static_cast<int>(g.values.size() + call.made.size()) - 1;
}

void NodeChooser::draw_others(const RandomGraph& g, Call& call) {
  for (size_t k = 1; k < call.def->inputs.size(); ++k) {
    const TensorDef& t = call.def->inputs[k];
    call.node.inputs.push_back(t.optional && chance(40) ? -1 : draw_value(g, call, t));
  }
  if (!call.def->inputs.empty() && call.def->inputs.back().variadic)
    for (int64_t more = 1 + upto(3); more > 0; --more)
      call.node.inputs.push_back(draw_value(g, call, call.def->inputs.back()));
}

bool NodeChooser::add_node(RandomGraph& g) {
  Call call;
  call.def = &draw_op();
  if (!draw_first(g, call)) return false;
  draw_attrs(call);
  if (!call.def->inputs.empty() && !bind_dims(call.def->inputs[0], call.first, call)) return false;
  draw_others(g, call);
  std::vector<const TensorData*> data;
  for (const int v : call.node.inputs) {
    const size_t at = static_cast<size_t>(v);
    data.push_back(v < 0 ? nullptr : at < g.values.size() ? &g.values[at].data : &call.made[at - g.values.size()].data);
  }
  const auto result = evaluate(defs_, call.def->name, data, call.node.attrs);
  if (!result) return false;
  const bool empty_too = chance(10);
  for (const TensorData& t : result->outputs)
    if (!is_healthy(t, empty_too) || (smooth_ && is_narrow(t.dtype))) return false;
  call.node.op = call.def->name;
  for (RandomValue& v : call.made) g.values.push_back(std::move(v));
  for (const TensorData& t : result->outputs) {
    call.node.outputs.push_back(static_cast<int>(g.values.size()));
    g.values.push_back({fmt::format("v{}", g.values.size()), From::Node, t});
  }
  g.nodes.push_back(std::move(call.node));
  ++used_[call.def->name];
  return true;
}

RandomGraph NodeChooser::graph(int nodes) {
  RandomGraph g;
  for (int tries = 0; tries < 60 * nodes && static_cast<int>(g.nodes.size()) < nodes; ++tries) add_node(g);
  std::vector<bool> read(g.values.size());
  for (const RandomNode& n : g.nodes)
    for (const int v : n.inputs)
      if (v >= 0) read[static_cast<size_t>(v)] = true;
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].from == From::Node && (!read[v] || chance(12))) g.outputs.push_back(static_cast<int>(v));
  std::shuffle(g.outputs.begin(), g.outputs.end(), rng_);
  return g;
}

}  // namespace tenon_test
