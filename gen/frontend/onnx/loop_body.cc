// Facts about an ONNX Loop, read from its body before its nodes are added.
#include "frontend/onnx/loop_body.h"

#include <set>

#include "frontend/onnx/onnx_tensor.h"

namespace tenon {
namespace {

using namespace tenon_onnx;

constexpr int kMaxSteps = 1000;
// Beyond these limits some counter types, f32 in particular, would round or wrap.
constexpr int64_t kMaximumCount = int64_t{1} << 22;

std::optional<SizeExpr> whole_number(const TensorProto& t) {
  const std::optional<DType> dtype = onnx_dtype(t.data_type());
  if (t.data_location() == TensorProto::EXTERNAL || !dtype || is_complex(*dtype)) return std::nullopt;
  const Result<TensorData> data = read_onnx_tensor(t, {}, "");
  if (!data.ok() || element_count(data.value().dims) != 1) return std::nullopt;
  if (!is_float(*dtype)) return SizeExpr(int_element(data.value(), 0));
  const double v = real_element(data.value(), 0);
  if (!(v > -static_cast<double>(kMaximumCount) && v < static_cast<double>(kMaximumCount)) ||
      v != static_cast<double>(static_cast<int64_t>(v)))
    return std::nullopt;
  return SizeExpr(static_cast<int64_t>(v));
}

bool is_small(int64_t v) { return v > -kMaximumCount && v < kMaximumCount; }
bool is_small(const SizeExpr& e) { return !e.is_constant() || is_small(e.value); }

std::optional<Counter> if_small(const SizeExpr& start, int64_t step) {
  return is_small(start) && is_small(step) ? std::optional(Counter{start, step}) : std::nullopt;
}

/// Whether the node's result is its input, in another shape or another type that holds counts.
bool hands_on(const NodeProto& n) {
  static const std::set<std::string> same{"Identity", "Squeeze", "Unsqueeze", "Reshape"};
  static const std::set<DType> types{DType::F32, DType::F64, DType::I32, DType::I64};
  if (n.op_type() != "Cast" || n.attribute_size() != 1) return same.count(n.op_type()) != 0;
  const std::optional<DType> to = onnx_dtype(static_cast<int>(n.attribute(0).i()));
  return to && types.count(*to) != 0;
}

}  // namespace

LoopBody::LoopBody(const GraphProto& body, NumberOf outside, std::vector<std::optional<SizeExpr>> initial,
                   std::vector<GraphSize> sizes)
    : body_(body), outside_(std::move(outside)), initial_(std::move(initial)), sizes_(std::move(sizes)) {
  for (const NodeProto& n : body.node())
    for (const std::string& name : n.output()) makers_.emplace(name, &n);
}

const NodeProto* LoopBody::maker(const std::string& name) const {
  const auto it = makers_.find(name);
  return it == makers_.end() || it->second->output(0) != name ||
                 !(it->second->domain().empty() || it->second->domain() == "ai.onnx")
             ? nullptr
             : it->second;
}

/// The value that `name` is a copy of.
const std::string& LoopBody::source(const std::string& name) const {
  const std::string* s = &name;
  for (int i = 0; i < kMaxSteps; ++i) {
    const NodeProto* n = maker(*s);
    if (!n || n->op_type() != "Identity" || n->input_size() != 1) break;
    s = &n->input(0);
  }
  return *s;
}

std::optional<size_t> LoopBody::carried_named(const std::string& name) const {
  for (size_t i = 0; i < initial_.size(); ++i)
    if (static_cast<int>(i) + 2 < body_.input_size() && body_.input(static_cast<int>(i) + 2).name() == name) return i;
  return std::nullopt;
}

bool LoopBody::keeps(size_t carried) const {
  const int at = static_cast<int>(carried);
  return at + 2 < body_.input_size() && at + 1 < body_.output_size() &&
         source(body_.output(at + 1).name()) == body_.input(at + 2).name();
}

bool LoopBody::grows(size_t carried) const {
  const int at = static_cast<int>(carried);
  if (at + 2 >= body_.input_size() || at + 1 >= body_.output_size()) return false;
  const std::string &own = body_.input(at + 2).name(), &next = source(body_.output(at + 1).name());
  const NodeProto* insert = maker(next);
  if (!insert || insert->op_type() != "SequenceInsert" || insert->input_size() != 2 || insert->input(0) != own)
    return false;
  for (const NodeProto& n : body_.node()) {
    const bool hands_out = n.op_type() == "Identity" && n.output(0) == body_.output(at + 1).name();
    for (const std::string& name : n.input())
      if ((name == own && &n != insert) || (name == next && !hands_out)) return false;
  }
  return true;
}

std::optional<Counter> LoopBody::counter(size_t carried) const {
  const int at = static_cast<int>(carried);
  if (carried >= initial_.size() || !initial_[carried] || at + 2 >= body_.input_size() || at + 1 >= body_.output_size())
    return std::nullopt;
  const std::string& own = body_.input(at + 2).name();
  const NodeProto* next = maker(source(body_.output(at + 1).name()));
  if (!next || next->input_size() != 2 || (next->op_type() != "Add" && next->op_type() != "Sub")) return std::nullopt;
  const bool first = source(next->input(0)) == own;
  if (!first && (next->op_type() == "Sub" || source(next->input(1)) != own)) return std::nullopt;
  const std::optional<SizeExpr> step = constant(source(next->input(first ? 1 : 0)));
  if (!step || !step->is_constant() || !is_small(*step)) return std::nullopt;
  return if_small(*initial_[carried], next->op_type() == "Sub" ? -step->value : step->value);
}

/// A number of the body that is the same in every iteration.
std::optional<SizeExpr> LoopBody::constant(const std::string& name) const {
  if (const std::optional<size_t> i = carried_named(name)) return keeps(*i) ? initial_[*i] : std::nullopt;
  if (const NodeProto* n = maker(name)) {
    if (n->op_type() != "Constant" || n->attribute_size() != 1) return std::nullopt;
    const AttributeProto& a = n->attribute(0);
    return a.name() == "value_int" ? std::optional(SizeExpr(a.i()))
           : a.name() == "value"   ? whole_number(a.t())
                                   : std::nullopt;
  }
  for (const TensorProto& t : body_.initializer())
    if (t.name() == name) return whole_number(t);
  for (const ValueInfoProto& v : body_.input())
    if (v.name() == name) return std::nullopt;
  return makers_.count(name) ? std::nullopt : outside_(name);
}

std::optional<Counter> LoopBody::term(const std::string& name) const {
  if (++steps_ > kMaxSteps) return std::nullopt;
  if (body_.input_size() > 0 && body_.input(0).name() == name) return Counter{0, 1};
  if (const std::optional<SizeExpr> c = constant(name)) return if_small(*c, 0);
  if (const std::optional<size_t> i = carried_named(name)) return counter(*i);
  const NodeProto* n = maker(name);
  if (!n || n->input_size() == 0) return std::nullopt;
  if (hands_on(*n)) return term(n->input(0));
  if (n->input_size() != 2 || (n->op_type() != "Add" && n->op_type() != "Sub")) return std::nullopt;
  const std::optional<Counter> a = term(n->input(0)), b = term(n->input(1));
  if (!a || !b) return std::nullopt;
  return n->op_type() == "Add" ? if_small(a->start + b->start, a->step + b->step)
                               : if_small(a->start - b->start, a->step - b->step);
}

/// Input 0 below input 1, or the other way round.
std::optional<LoopBody::Holds> LoopBody::below(const NodeProto& node, bool swapped, bool or_equal) const {
  const std::optional<Counter> a = term(node.input(swapped ? 1 : 0)), b = term(node.input(swapped ? 0 : 1));
  if (!a || !b) return std::nullopt;
  // It holds while the rest, `left` - `step` * k, is above 0.
  const SizeExpr left = b->start - a->start + SizeExpr(or_equal ? 1 : 0);
  const int64_t step = a->step - b->step;
  if (step < 0) return std::nullopt;
  if (step == 0) return left.is_constant() ? std::optional(Holds{left.value > 0, 0}) : std::nullopt;
  return Holds{false, floor_div(left + SizeExpr(step - 1), step)};
}

std::optional<LoopBody::Holds> LoopBody::holds(const std::string& name, bool negated) const {
  if (++steps_ > kMaxSteps) return std::nullopt;
  // Inside a running iteration, the condition that it receives holds.
  if (body_.input_size() > 1 && body_.input(1).name() == name) return Holds{!negated, 0};
  if (const std::optional<SizeExpr> c = constant(name))
    return c->is_constant() ? std::optional(Holds{!c->is(0) != negated, 0}) : std::nullopt;
  const NodeProto* n = maker(name);
  if (!n || n->input_size() == 0) return std::nullopt;
  const std::string& op = n->op_type();
  if (op == "Identity") return holds(n->input(0), negated);
  if (op == "Not") return holds(n->input(0), !negated);
  if (n->input_size() != 2) return std::nullopt;
  if (op == (negated ? "Or" : "And")) {
    const std::optional<Holds> a = holds(n->input(0), negated), b = holds(n->input(1), negated);
    if (!a || !b) return std::nullopt;
    return a->always ? b : b->always ? a : Holds{false, lesser(a->times, b->times, sizes_)};
  }
  if (op == "Less") return below(*n, negated, negated);
  if (op == "Greater") return below(*n, !negated, negated);
  if (op == "LessOrEqual") return below(*n, negated, !negated);
  if (op == "GreaterOrEqual") return below(*n, !negated, !negated);
  return std::nullopt;
}

std::optional<SizeExpr> LoopBody::iterations(bool starts) const {
  if (body_.output_size() == 0) return std::nullopt;
  const std::optional<Holds> h = holds(body_.output(0).name(), false);
  if (!h || h->always) return std::nullopt;
  return starts ? greater(0, h->times, sizes_) + SizeExpr(1) : greater(0, h->times + SizeExpr(1), sizes_);
}

}  // namespace tenon
