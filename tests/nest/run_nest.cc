// The interpreter of loop nests.
#include "nest/run_nest.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "support/check.h"

namespace tenon {
namespace {

/// Ends a run: a check of the nest failed, an access was outside, or a C template was called.
struct Ended {
  NestRun how;
};

/// What a buffer of a nest or of an inner function is: elements of a tensor from one on.
struct Memory {
  TensorData* data = nullptr;
  int64_t from = 0;
  std::string name;

  int64_t elements() const { return static_cast<int64_t>(data->bytes.size()) / std::max(bytes_of(data->dtype), 1); }
};

using Names = std::unordered_map<std::string, NestValue>;

class Interpreter {
 public:
  Interpreter(const LoopNest& nest, OracleCall& call, NestWork& work) : nest_(nest), call_(call), work_(work) {}

  void run() {
    own_.reserve(nest_.buffers.size());
    for (const Buffer& b : nest_.buffers) memory_.push_back(memory_of(b));
    block(nest_.body);
  }

 private:
  /// Tensors are those of the call; other memory is filled with a pattern that is a NaN, or far from any index.
  Memory memory_of(const Buffer& b) {
    if (b.storage == Storage::Tensor) return {&call_.tensors[static_cast<size_t>(b.tensor)], 0, b.name};
    const int64_t n = std::max<int64_t>(integer(b.elements), 0);
    own_.push_back({b.dtype, {n}, {}});
    own_.back().bytes.assign(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(b.dtype)), 0xF7);
    return {&own_.back(), 0, b.name};
  }

  // ---- statements
  void block(const Block& b) {
    std::vector<std::pair<std::string, std::optional<NestValue>>> outer;
    for (const Stmt& s : b) {
      if (left_) break;
      if (const auto* l = std::get_if<SLet>(&s.node)) declare(l->name, value(l->value), outer);
      else if (const auto* v = std::get_if<SVar>(&s.node)) declare(v->name, value(v->init), outer);
      else std::visit([&](const auto& n) { statement(n); }, s.node);
    }
    for (auto at = outer.rbegin(); at != outer.rend(); ++at) restore(at->first, std::move(at->second));
  }

  void declare(const std::string& name, NestValue v,
               std::vector<std::pair<std::string, std::optional<NestValue>>>& outer) {
    const auto at = names_.find(name);
    outer.emplace_back(name, at == names_.end() ? std::nullopt : std::optional(std::move(at->second)));
    names_[name] = std::move(v);
  }

  void restore(const std::string& name, std::optional<NestValue> v) {
    if (v) names_[name] = *std::move(v);
    else names_.erase(name);
  }

  void statement(const SLet&) {}
  void statement(const SVar&) {}
  void statement(const SPrefetch&) {}
  void statement(const SComment&) {}
  void statement(const SLeave&) { left_ = true; }
  void statement(const SAssign& n) { names_.at(n.name) = value(n.value); }
  void statement(const SFail& n) { throw Ended{{status_of(n.status), ""}}; }

  void statement(const SStore& n) {
    const NestValue v = value(n.value);
    const int64_t at = integer(n.offset), active = active_lanes(n.active, v.type.lanes);
    work_.stores += active;
    for (int64_t k = 0; k < active; ++k) {
      const Memory& m = element(n.buffer, at + k);
      store_number(*m.data, m.from + at + k, v.lanes[static_cast<size_t>(k)]);
    }
  }

  void statement(const SFor& n) {
    std::vector<std::pair<std::string, std::optional<NestValue>>> outer;
    const int64_t begin = integer(n.begin), end = integer(n.end);
    declare(n.var, index(begin), outer);
    for (int64_t i = begin; n.step > 0 ? i < end : i > end; i += n.step) {
      names_[n.var] = index(i);
      ++work_.passes;
      block(*n.body);
      if (std::exchange(left_, false)) break;
    }
    restore(outer[0].first, std::move(outer[0].second));
  }

  void statement(const SIf& n) {
    if (value(n.cond).lanes[0].i) {
      if (n.then) block(*n.then);
    } else if (n.otherwise) {
      block(*n.otherwise);
    }
  }

  /// An inner function sees its parameters and its buffers only.
  void statement(const SCall& n) {
    const InnerFunction& f = nest_.functions[static_cast<size_t>(n.function)];
    if (f.frame) throw Ended{{OracleStatus::Unknown, ""}};
    std::vector<Memory> memory;
    for (size_t i = 0; i < n.buffers.size(); ++i) {
      memory.push_back(memory_[static_cast<size_t>(n.buffers[i].buffer)]);
      memory.back().from += integer(n.buffers[i].offset);
    }
    Names names;
    for (size_t i = 0; i < n.args.size(); ++i) names[f.params[i]] = value(n.args[i]);
    std::swap(memory, memory_);
    std::swap(names, names_);
    block(f.body);
    std::swap(memory, memory_);
    std::swap(names, names_);
  }

  // ---- values
  static NestValue index(int64_t i) { return {{}, {Number{i}}}; }

  NestValue value(const Operand& v) {
    return std::visit([&](const auto& n) { return node(n, v->type); }, v->node);
  }

  int64_t integer(const Operand& v) { return value(v).lanes[0].i; }

  int64_t active_lanes(const Operand& active, int lanes) {
    return active ? std::clamp<int64_t>(integer(active), 0, lanes) : lanes;
  }

  /// The memory of a buffer, in which there is an element `at`.
  const Memory& element(int buffer, int64_t at) {
    const Memory& m = memory_[static_cast<size_t>(buffer)];
    if (m.from + at < 0 || m.from + at >= m.elements())
      throw Ended{{OracleStatus::Done, fmt::format("element {} of the {} of {}", m.from + at, m.elements(), m.name)}};
    return m;
  }

  Number load(int buffer, int64_t at) {
    const Memory& m = element(buffer, at);
    return load_number(*m.data, m.from + at);
  }

  static NestValue splat(const Number& v, OperandType type) {
    return {type, std::vector<Number>(static_cast<size_t>(type.lanes), v)};
  }

  NestValue node(const VConst& n, OperandType t) {
    return splat(is_float(t.dtype) || is_complex(t.dtype) ? rounded_to({0, n.f}, t.dtype) : Number{n.i}, t);
  }
  NestValue node(const VVar& n, OperandType) { return names_.at(n.name); }
  NestValue node(const VSize& n, OperandType t) { return splat({call_.sizes.at(n.name)}, t); }
  NestValue node(const VAttr& n, OperandType t) {
    return splat(rounded_to(call_.attrs.at(n.name).at(static_cast<size_t>(n.element)), t.dtype), t);
  }
  NestValue node(const VLoad& n, OperandType t) { return strided(n.buffer, integer(n.offset), 1, n.active, t); }
  NestValue node(const VGather& n, OperandType t) {
    return strided(n.buffer, integer(n.offset), integer(n.stride), n.active, t);
  }

  NestValue strided(int buffer, int64_t at, int64_t stride, const Operand& active, OperandType t) {
    NestValue out = splat({}, t);
    const int64_t touched = active_lanes(active, t.lanes);
    work_.loads += touched;
    for (int64_t k = 0; k < touched; ++k) out.lanes[static_cast<size_t>(k)] = load(buffer, at + k * stride);
    return out;
  }

  NestValue node(const VApply& n, OperandType t) {
    std::vector<NestValue> args;
    args.reserve(n.args.size());
    args.push_back(value(n.args[0]));
    const bool scalar_logic = t == OperandType{DType::Bool, 1, 0} && (n.op == ScalarOp::And || n.op == ScalarOp::Or);
    if (scalar_logic && (args[0].lanes[0].i != 0) == (n.op == ScalarOp::Or)) return args[0];
    for (size_t i = 1; i < n.args.size(); ++i) args.push_back(value(n.args[i]));
    work_.applied[n.op] += t.lanes;
    return apply_lanes(n.op, args, t);
  }

  /// Of one lane, only the choice is evaluated; of several, both are, as in C.
  NestValue node(const VSelect& n, OperandType t) {
    const NestValue cond = value(n.cond);
    const bool uniform = t.lanes == 1 || std::holds_alternative<VSplat>(n.cond->node);
    if (uniform) return value(cond.lanes[0].i ? n.yes : n.no);
    NestValue out = value(n.no);
    const NestValue yes = value(n.yes);
    for (size_t k = 0; k < out.lanes.size(); ++k)
      if (cond.lanes[k].i) out.lanes[k] = yes.lanes[k];
    return out;
  }
  NestValue node(const VSplat& n, OperandType t) { return splat(value(n.scalar).lanes[0], t); }
  NestValue node(const VRamp& n, OperandType t) {
    NestValue out = splat(value(n.base).lanes[0], t);
    for (size_t k = 0; k < out.lanes.size(); ++k) {
      out.lanes[k].i = wrapped(out.lanes[k].i + static_cast<int64_t>(k), t.dtype);
      out.lanes[k].f += static_cast<long double>(k);
    }
    return out;
  }
  NestValue node(const VFold& n, OperandType) { return fold_lanes(n.op, value(n.vector)); }
  NestValue node(const VLane& n, OperandType t) { return splat(value(n.vector).lanes[static_cast<size_t>(n.lane)], t); }
  NestValue node(const VShuffle& n, OperandType t) {
    NestValue both = value(n.a);
    const NestValue b = value(n.b);
    both.lanes.insert(both.lanes.end(), b.lanes.begin(), b.lanes.end());
    NestValue out{t, {}};
    for (const int p : n.pick) out.lanes.push_back(both.lanes[static_cast<size_t>(p)]);
    return out;
  }
  NestValue node(const VLookup&, OperandType t) {
    TENON_CHECK(false, "a table of {} outside of functions", name_of(t.dtype));
    return {};
  }

  const LoopNest& nest_;
  OracleCall& call_;
  NestWork& work_;
  bool left_ = false;            ///< a loop is being left
  std::vector<TensorData> own_;  ///< workspace and arrays; reserved, so that pointers to them stay
  std::vector<Memory> memory_;
  Names names_;
};

/// Elements that a tensor reaches from its first one on.
int64_t reach(const Tensor& t, const OracleCall& call) {
  int64_t last = 0;
  for (size_t k = 0; k < t.dims.size(); ++k) {
    const int64_t extent = evaluate_size(t.dims[k], call);
    if (extent == 0) return 0;
    last += (extent - 1) * evaluate_size(t.strides[k], call);
  }
  return last + 1;
}

void make_tensors(const Kernel& kernel, OracleCall& call) {
  call.tensors.resize(kernel.tensors.size());
  for (size_t i = 0; i < kernel.tensors.size(); ++i) {
    const Tensor& t = kernel.tensors[i];
    TensorData& data = call.tensors[i];
    if (t.data) data = *t.data;
    if (t.role == Role::Input || t.data) continue;
    data.dtype = t.dtype;
    data.dims.clear();
    for (const Expr& e : t.dims) data.dims.push_back(evaluate_size(e, call));
    data.bytes.assign(static_cast<size_t>(reach(t, call) * bytes_of(t.dtype)), 0xF7);
  }
}

}  // namespace

NestRun run_nest(const LoopNest& nest, OracleCall& call, NestWork* work) {
  if (nest.kernel->call || !nest.kernel->parts.empty()) return {OracleStatus::Unknown, ""};
  make_tensors(*nest.kernel, call);
  NestWork unasked;
  try {
    Interpreter(nest, call, work ? *work : unasked).run();
  } catch (const Ended& e) {
    return e.how;
  }
  return {};
}

}  // namespace tenon
