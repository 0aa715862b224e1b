// The verifier of loop nests: types agree, names are declared, buffers exist.
#include <fmt/format.h>

#include <bit>
#include <unordered_map>

#include "ir/nest/loop_nest.h"

namespace tenon {
namespace {

class Verifier {
 public:
  explicit Verifier(const LoopNest& n) : nest(n) {
    for (const Buffer& b : n.buffers) check_buffer(b);
  }
  std::vector<std::string> errors;

  /// An inner function as a nest of its own: `shell` holds its buffers and a kernel without sizes and attributes.
  Verifier(const LoopNest& shell, const InnerFunction& f) : nest(shell) {
    for (const std::string& p : f.params) types[p] = {};
  }

  void block(const Block& b) {
    std::vector<std::pair<std::string, std::optional<OperandType>>> outer;
    for (const Stmt& s : b) std::visit([&](const auto& n) { statement(n, outer); }, s.node);
    for (auto at = outer.rbegin(); at != outer.rend(); ++at) {
      if (at->second) types[at->first] = *at->second;
      else types.erase(at->first);
    }
  }

 private:
  using Outer = std::vector<std::pair<std::string, std::optional<OperandType>>>;
  const LoopNest& nest;
  std::unordered_map<std::string, OperandType> types;

  template <class... Args>
  void error(fmt::format_string<Args...> format, Args&&... args) {
    errors.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  void check_buffer(const Buffer& b) {
    if (b.storage == Storage::Tensor && (b.tensor < 0 || static_cast<size_t>(b.tensor) >= nest.kernel->tensors.size()))
      error("buffer {} has no tensor", b.name);
    if (b.storage != Storage::Tensor && !b.elements) error("buffer {} has no size", b.name);
    if (b.storage == Storage::Stack && b.elements && constant_value(b.elements).value_or(0) <= 0)
      error("array {} has no constant size", b.name);
  }
  void declare(const std::string& name, const OperandType& t, Outer& outer) {
    const auto at = types.find(name);
    outer.emplace_back(name, at == types.end() ? std::nullopt : std::optional(at->second));
    types[name] = t;
  }
  void index(const Operand& v, std::string_view what) {
    value(v);
    if (v && v->type != OperandType{}) error("{} is not an i64: {}", what, to_text(v));
  }
  void buffer(int b, DType stored, std::string_view what) {
    if (b < 0 || static_cast<size_t>(b) >= nest.buffers.size())
      return error("{} of buffer {}, which is not there", what, b);
    const Buffer& buf = nest.buffers[static_cast<size_t>(b)];
    if (buf.dtype != stored)
      error("{} of {} as {}, but its elements are {}", what, buf.name, name_of(stored), name_of(buf.dtype));
    if (what == "store" && !buf.writable) error("store to {}, which is not writable", buf.name);
  }

  void statement(const SLet& n, Outer& outer) {
    value(n.value);
    if (n.value) declare(n.name, n.value->type, outer);
  }
  void statement(const SVar& n, Outer& outer) {
    value(n.init);
    if (n.init) declare(n.name, n.init->type, outer);
  }
  void statement(const SAssign& n, Outer&) {
    value(n.value);
    const auto at = types.find(n.name);
    if (at == types.end()) error("assignment to {}, which is not declared", n.name);
    else if (n.value && at->second != n.value->type)
      error("assignment to {} of another type: {}", n.name, to_text(n.value));
  }
  void statement(const SStore& n, Outer&) {
    index(n.offset, "offset");
    value(n.value);
    if (n.active) index(n.active, "active");
    if (n.value) buffer(n.buffer, n.value->type.dtype, "store");
  }
  void statement(const SFor& n, Outer& outer) {
    index(n.begin, "begin");
    index(n.end, "end");
    if (n.step == 0) error("loop {} has step 0", n.var);
    if (!n.body) return error("loop {} has no body", n.var);
    Outer own;
    declare(n.var, {}, own);
    block(*n.body);
    if (own[0].second) types[n.var] = *own[0].second;
    else types.erase(n.var);
    (void)outer;
  }
  void statement(const SIf& n, Outer&) {
    value(n.cond);
    if (n.cond && (n.cond->type.dtype != DType::Bool || n.cond->type.lanes != 1))
      error("condition is not a bool: {}", to_text(n.cond));
    if (n.then) block(*n.then);
    if (n.otherwise) block(*n.otherwise);
  }
  void statement(const SPrefetch& n, Outer&) { index(n.offset, "offset"); }
  void statement(const SFail&, Outer&) {}
  void statement(const SLeave&, Outer&) {}
  void statement(const SComment&, Outer&) {}
  void statement(const SCall& n, Outer&) {
    if (n.function < 0 || static_cast<size_t>(n.function) >= nest.functions.size())
      return error("call of function {}, which is not there", n.function);
    const InnerFunction& f = nest.functions[static_cast<size_t>(n.function)];
    if (n.buffers.size() != f.buffers.size() || n.args.size() != f.params.size())
      return error("call of {} with another number of arguments", f.name);
    for (size_t i = 0; i < n.buffers.size(); ++i) {
      if (f.frame && n.buffers[i].buffer < 0) continue;
      index(n.buffers[i].offset, "offset");
      buffer(n.buffers[i].buffer, f.buffers[i].dtype, f.buffers[i].writable ? "store" : "load");
    }
    for (const Operand& a : n.args) f.frame ? value(a) : index(a, "argument");
  }

  void value(const Operand& v) {
    if (!v) return error("a value is missing");
    std::visit([&](const auto& n) { node(n, v->type); }, v->node);
  }
  void node(const VConst&, const OperandType&) {}
  void node(const VVar& n, const OperandType& t) {
    const auto at = types.find(n.name);
    if (at == types.end()) error("variable {} is not declared", n.name);
    else if (at->second != t) error("variable {} is used with another type", n.name);
  }
  void node(const VSize& n, const OperandType&) {
    for (const Size& s : nest.kernel->sizes)
      if (s.name == n.name) return;
    error("unknown size {}", n.name);
  }
  void node(const VAttr& n, const OperandType& t) {
    for (const Attr& a : nest.kernel->attrs)
      if (a.name == n.name) {
        if (n.element < 0 || n.element >= a.count) error("attribute {} has no element {}", n.name, n.element);
        if (a.dtype != t.dtype) error("attribute {} is {}, read as {}", n.name, name_of(a.dtype), name_of(t.dtype));
        return;
      }
    error("unknown attribute {}", n.name);
  }
  void node(const VLoad& n, const OperandType& t) {
    index(n.offset, "offset");
    if (n.active) index(n.active, "active");
    buffer(n.buffer, t.dtype, "load");
  }
  void node(const VGather& n, const OperandType& t) {
    index(n.stride, "stride");
    node(VLoad{n.buffer, n.offset, n.active}, t);
  }
  void node(const VApply& n, const OperandType& t) {
    const ScalarOpRow& row = scalar_op_row(n.op);
    if (static_cast<int>(n.args.size()) != row.arity) return error("{} of {} values", row.name, n.args.size());
    for (const Operand& a : n.args) {
      value(a);
      if (!a) return;
      const bool same_bytes =
          n.op == ScalarOp::Bits && bytes_of(a->type.dtype) * a->type.lanes == bytes_of(t.dtype) * t.lanes;
      // words of blocks one after the other, from that of the counter on: the value of a store
      const bool words = n.op == ScalarOp::Philox && a->type.lanes == 1 && t.lanes % 4 == 0;
      if (a->type.lanes != t.lanes && !same_bytes && !words)
        error("{} of {} lanes gives {}", row.name, a->type.lanes, t.lanes);
    }
    const bool half = is_half(n.args[0]->type.dtype) || is_small(n.args[0]->type.dtype);
    if (half && n.op != ScalarOp::Cast && n.op != ScalarOp::Bits)
      error("{} of {}", row.name, name_of(n.args[0]->type.dtype));
    if (row.arity == 2 && n.op != ScalarOp::Complex && n.args[0]->type.dtype != n.args[1]->type.dtype)
      error("{} of {} and {}", row.name, name_of(n.args[0]->type.dtype), name_of(n.args[1]->type.dtype));
  }
  void node(const VSelect& n, const OperandType& t) {
    value(n.cond), value(n.yes), value(n.no);
    if (n.cond && n.cond->type.dtype != DType::Bool) error("select by {}", to_text(n.cond));
    if (n.cond && n.cond->type.lanes != t.lanes) error("select of {} lanes by {}", t.lanes, n.cond->type.lanes);
  }
  void node(const VSplat& n, const OperandType& t) {
    value(n.scalar);
    if (n.scalar && (n.scalar->type.lanes != 1 || n.scalar->type.dtype != t.dtype))
      error("splat of {}", to_text(n.scalar));
  }
  void node(const VRamp& n, const OperandType& t) {
    value(n.base);
    if (n.base && n.base->type != OperandType{t.dtype, 1, 0}) error("ramp from {}", to_text(n.base));
  }
  void node(const VFold& n, const OperandType& t) {
    value(n.vector);
    if (is_positional(n.op)) error("a fold by {}", name_of(n.op));
    if (n.vector && n.vector->type.dtype != t.dtype) error("a fold to another type");
  }
  void node(const VLane& n, const OperandType&) {
    value(n.vector);
    if (n.vector && (n.lane < 0 || n.lane >= n.vector->type.lanes))
      error("lane {} of {}", n.lane, n.vector->type.lanes);
  }
  void node(const VShuffle& n, const OperandType& t) {
    value(n.a), value(n.b);
    if (!n.a || !n.b) return;
    for (const int p : n.pick)
      if (p < 0 || p >= n.a->type.lanes + n.b->type.lanes) error("shuffle picks lane {}", p);
    if (static_cast<int>(n.pick.size()) != t.lanes) error("shuffle of {} lanes gives {}", n.pick.size(), t.lanes);
  }
  void node(const VLookup& n, const OperandType& t) {
    value(n.index);
    if (n.index && n.index->type.lanes != t.lanes) error("{} lanes of {}", t.lanes, to_text(n.index));
    if (!std::has_single_bit(n.table.size())) error("a table of {} entries", n.table.size());
  }
};

}  // namespace

std::vector<std::string> verify(const LoopNest& nest) {
  if (!nest.kernel) return {"the nest has no kernel"};
  Verifier v(nest);
  v.block(nest.body);
  for (const InnerFunction& f : nest.functions) {
    LoopNest shell;
    shell.kernel = std::make_shared<const Kernel>();
    shell.buffers = f.buffers;
    for (Buffer& b : shell.buffers) b.elements = v_int(1);
    Verifier inner(shell, f);
    inner.block(f.body);
    for (const std::string& e : inner.errors) v.errors.push_back(fmt::format("{}: {}", f.name, e));
  }
  return std::move(v.errors);
}

}  // namespace tenon
