// The naive interpreter of kernels.
#include "oracle/run_kernel.h"

#include <optional>
#include <set>

#include "oracle/compiled_expr.h"
#include "oracle/run_frame.h"
#include "oracle/run_lines.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

struct OutsideOfTensor {};

class Runner {
 public:
  /// `kept`: tensors that an earlier part of the same kernel has made.
  Runner(const Kernel& kernel, OracleCall& call, const std::set<size_t>& kept = {}) : kernel_(kernel), call_(call) {
    for (const Tensor& t : kernel.tensors) {
      std::vector<int64_t> dims, strides;
      for (const Expr& e : t.dims) dims.push_back(evaluate_size(e, call));
      for (const Expr& e : t.strides) strides.push_back(evaluate_size(e, call));
      shapes_.dims.push_back(std::move(dims));
      shapes_.strides.push_back(std::move(strides));
    }
    call_.tensors.resize(kernel.tensors.size());
    for (size_t i = 0; i < kernel.tensors.size(); ++i)
      if (made_by(kernel, i) && kept.count(i) == 0) allocate(i);
      else if (kernel.tensors[i].data) call_.tensors[i] = *kernel.tensors[i].data;
      else if (!kernel.tensors[i].list.empty()) take_list(i);
  }

  OracleStatus run() {
    if (const auto failed = failed_check(0, 0)) return *failed;
    if (kernel_.call && !run_frame(kernel_, call_)) return OracleStatus::Unknown;
    for (size_t i = 0; i < kernel_.body.size();) {
      const size_t end = end_of_joined(kernel_.body, i);
      if (end > i + 1 || !run_in_lines(kernel_, kernel_.body[i], shapes_, call_)) statements(i, end);
      if (const auto failed = failed_check(i + 1, end)) return *failed;
      i = end;
    }
    return OracleStatus::Done;
  }

 private:
  static bool made_by(const Kernel& k, size_t tensor) {
    return k.tensors[tensor].role == Role::Output || k.tensors[tensor].role == Role::Temp;
  }

  /// How many statements precede a check: up to the last one that makes a temp which it reads.
  size_t statements_before(const Check& c) const {
    size_t before = 0;
    each_node<Read>(c.holds, [&](const Read& r) {
      if (kernel_.tensor(r.tensor).role != Role::Temp) return;
      for (size_t i = before; i < kernel_.body.size(); ++i)
        if (kernel_.body[i].target == r.tensor) before = i + 1;
    });
    return before;
  }

  /// The status of the first check that does not hold, of those that `from` to `to` statements precede.
  std::optional<OracleStatus> failed_check(size_t from, size_t to) {
    for (const Check& c : kernel_.checks) {
      if (const size_t before = statements_before(c); before < from || before > to) continue;
      ExprCompiler compiler(call_);
      const auto loops = compiler.bind(c.loops);
      const CompiledExpr holds = compiler.compile(c.holds);
      reserve(compiler);
      if (!every(loops, 0, [&] { return eval(holds).i != 0; })) return status_of(c.status);
    }
    return std::nullopt;
  }

  void allocate(size_t i) {
    TensorData& t = call_.tensors[i];
    t.dtype = kernel_.tensors[i].dtype;
    if (kernel_.tensors[i].role == Role::Temp && t.dtype == DType::F32 && !is_read_back(i)) t.dtype = DType::F64;
    t.dims = dims_[i];
    int64_t n = 1;
    for (size_t k = 0; k < dims_[i].size(); ++k) n = dims_[i][k] == 0 ? 0 : n;
    if (n)
      for (size_t k = 0; k < dims_[i].size(); ++k) n += (dims_[i][k] - 1) * strides_[i][k];
    t.bytes.assign(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(t.dtype)), 0);
  }

  /// A list attribute that variables index, as the call gives it.
  void take_list(size_t i) {
    const std::vector<Number>& values = call_.attrs.at(kernel_.tensors[i].list);
    TensorData& t = call_.tensors[i];
    t.dtype = kernel_.tensors[i].dtype;
    t.dims = {static_cast<int64_t>(values.size())};
    const int64_t stride = strides_[i][0];
    t.bytes.assign(values.size() * static_cast<size_t>(stride * bytes_of(t.dtype)), 0);
    for (size_t k = 0; k < values.size(); ++k) store_number(t, static_cast<int64_t>(k) * stride, values[k]);
  }

  /// What a recurrence reads of itself is the value as it is stored.
  bool is_read_back(size_t tensor) const {
    return any_of(kernel_.body, [&](const KernelStatement& s) {
      return static_cast<size_t>(s.target) == tensor && is_in_recurrence(s);
    });
  }

  template <class F>
  bool every(const std::vector<std::pair<int, int64_t>>& loops, size_t k, const F& f) {
    if (k == loops.size()) return f();
    for (int64_t i = 0; i < loops[k].second; ++i) {
      vars_[static_cast<size_t>(loops[k].first)] = i;
      if (!every(loops, k + 1, f)) return false;
    }
    return true;
  }

  /// A compiled statement: its loops by slot, and its parts.
  struct Prepared {
    const KernelStatement* of;
    std::vector<std::pair<int, int64_t>> loops;
    std::vector<CompiledExpr> index;
    CompiledExpr value, where;
  };

  /// `from` … `to`-1 share loops, each with the one before; those that are shared have one slot.
  void statements(size_t from, size_t to) {
    ExprCompiler compiler(call_);
    std::vector<Prepared> all;
    for (size_t i = from; i < to; ++i) {
      const KernelStatement& s = kernel_.body[i];
      Prepared p{&s, {}, {}, {}, {}};
      const auto shared = static_cast<std::ptrdiff_t>(i == from ? 0 : s.joined);
      if (shared) p.loops.assign(all.back().loops.begin(), all.back().loops.begin() + shared);
      for (std::ptrdiff_t k = 0; k < shared; ++k)
        compiler.name(s.loops[static_cast<size_t>(k)].name, p.loops[static_cast<size_t>(k)].first);
      for (const auto& own : compiler.bind({s.loops.begin() + shared, s.loops.end()})) p.loops.push_back(own);
      for (const Expr& e : s.index) p.index.push_back(compiler.compile(e));
      p.value = compiler.compile(s.value);
      if (s.where) p.where = compiler.compile(s.where);
      all.push_back(std::move(p));
    }
    reserve(compiler);
    run_joined(all, 0, all.size(), 0);
  }

  /// Memory for what the compiled expressions refer to.
  void reserve(const ExprCompiler& compiler) {
    vars_.resize(std::max(vars_.size(), compiler.variables()));
    running_.resize(std::max(running_.size(), compiler.running_values()));
  }

  /// Statements whose outermost `depth` loops are at a value.
  void run_joined(const std::vector<Prepared>& all, size_t from, size_t to, size_t depth) {
    while (from < to) {
      size_t end = from + 1;
      while (end < to && all[end].of->joined > depth) ++end;
      if (depth == all[from].loops.size()) {
        store(all[from]);
        end = from + 1;
      } else {
        const auto [slot, extent] = all[from].loops[depth];
        const bool down = all[from].of->loops[depth].direction == Direction::Down;
        for (int64_t i = 0; i < extent; ++i) {
          vars_[static_cast<size_t>(slot)] = down ? extent - 1 - i : i;
          run_joined(all, from, end, depth + 1);
        }
      }
      from = end;
    }
  }

  void store(const Prepared& p) {
    const KernelStatement& s = *p.of;
    const auto t = static_cast<size_t>(s.target);
    if (s.where && !eval(p.where).i) return;
    int64_t at = 0;
    for (size_t k = 0; k < p.index.size(); ++k) {
      const int64_t i = integer(p.index[k]);
      if (i < 0 || i >= dims_[t][k]) outside("written", t, i, k);
      at += i * strides_[t][k];
    }
    const Number v = eval(p.value);
    TensorData& data = call_.tensors[t];
    store_number(data, at,
                 s.update == Update::Assign || s.update == Update::Last
                     ? v
                     : combined(s.update, load_number(data, at), v, s.value->type));
  }

  static Number combined(Update u, const Number& a, const Number& b, DType type) {
    const Number both[2] = {a, b};
    return apply_number(step_of(*reducer_of(u)), both, type, type);
  }

  Number eval(const CompiledExpr& c) {
    switch (c.kind) {
      case CompiledExpr::Kind::constant: return c.value;
      case CompiledExpr::Kind::variable: return {vars_[static_cast<size_t>(c.slot)]};
      case CompiledExpr::Kind::running: return running_[static_cast<size_t>(c.slot)];
      case CompiledExpr::Kind::read: return read(c);
      case CompiledExpr::Kind::reduce: return c.reducer == Reducer::Fold ? folded(c) : reduced(c);
      case CompiledExpr::Kind::select: return eval(c.parts[eval(c.parts[0]).i ? 1 : 2]);
      case CompiledExpr::Kind::apply: break;
    }
    if ((c.op == ScalarOp::And || c.op == ScalarOp::Or) && c.type == DType::Bool) {
      const bool first = eval(c.parts[0]).i != 0;
      return {first == (c.op == ScalarOp::Or) ? first : eval(c.parts[1]).i != 0};
    }
    Number args[3];
    for (size_t i = 0; i < c.parts.size(); ++i) args[i] = eval(c.parts[i]);
    return rounded(c.op, apply_number(c.op, args, c.parts[0].type, c.type), c.type);
  }

  /// An index: most of a run evaluates these, and most of them are sums and products of variables.
  int64_t integer(const CompiledExpr& c) {
    if (c.kind == CompiledExpr::Kind::variable) return vars_[static_cast<size_t>(c.slot)];
    if (c.kind == CompiledExpr::Kind::constant) return c.value.i;
    const bool is_linear = c.op == ScalarOp::Add || c.op == ScalarOp::Sub || c.op == ScalarOp::Mul;
    if (c.kind != CompiledExpr::Kind::apply || !is_linear || c.type != DType::I64) return eval(c).i;
    const auto a = static_cast<uint64_t>(integer(c.parts[0])), b = static_cast<uint64_t>(integer(c.parts[1]));
    return static_cast<int64_t>(c.op == ScalarOp::Add ? a + b : c.op == ScalarOp::Sub ? a - b : a * b);
  }

  Number rounded(ScalarOp op, const Number& v, DType type) const {
    return call_.rounded ? call_.rounded(op, v, type) : v;
  }

  /// An access outside the tensor, at index `i` of dimension `k`.
  [[noreturn]] void outside(const char* done, size_t t, int64_t i, size_t k) const {
    TENON_CHECK(call_.any_sizes, "{}: {} is {} at {} of {} in dimension {}", kernel_.name, kernel_.tensors[t].name,
                done, i, dims_[t][k], k);
    throw OutsideOfTensor{};
  }

  Number read(const CompiledExpr& c) {
    const auto t = static_cast<size_t>(c.slot);
    int64_t at = 0;
    const size_t rank = dims_[t].size();
    for (size_t k = 0; k < rank; ++k) {
      const int64_t i = integer(c.parts[k]);
      if (i < 0 || i >= dims_[t][k]) {
        if (!c.padded) outside("read", t, i, k);
        return eval(c.parts[rank]);
      }
      at += i * strides_[t][k];
    }
    return load_number(call_.tensors[t], at);
  }

  /// In order.
  Number folded(const CompiledExpr& c) {
    const auto slot = static_cast<size_t>(c.slot);
    Number now = eval(c.parts.back());
    every(c.loops, 0, [&] {
      running_[slot] = now;
      if (!c.guarded || eval(c.parts[1]).i) now = eval(c.parts[0]);
      return true;
    });
    return now;
  }

  Number reduced(const CompiledExpr& c) {
    const DType value_type = c.parts[0].type;
    const bool positional = is_positional(c.reducer);
    const Expr identity = identity_of(c.reducer, c.type);
    Number acc{as_constant(identity)->i, as_constant(identity)->f};
    Number best;
    int64_t position = 0, best_at = 0;
    bool any = false;
    every(c.loops, 0, [&] {
      const int64_t here = position++;
      if (c.guarded && !eval(c.parts[1]).i) return true;
      const Number v = eval(c.parts[0]);
      if (!positional) {
        acc = step(c.reducer, acc, v, value_type);
        return true;
      }
      const bool better = any && !is_nan(best, value_type) &&
                          (is_nan(v, value_type) ||
                           (c.reducer == Reducer::ArgMax ? less(best, v, value_type) : less(v, best, value_type)));
      if (!any || better) {
        best = v;
        best_at = here;
        any = true;
      }
      return true;
    });
    if (c.reducer == Reducer::Sum) return rounded(ScalarOp::Add, acc, c.type);
    if (c.reducer == Reducer::Prod) return rounded(ScalarOp::Mul, acc, c.type);
    return positional ? Number{best_at} : acc;
  }

  static Number step(Reducer r, const Number& a, const Number& b, DType type) {
    const Number both[2] = {a, b};
    return apply_number(step_of(r), both, type, type);
  }

  const Kernel& kernel_;
  OracleCall& call_;
  TensorShapes shapes_;
  const std::vector<std::vector<int64_t>>&dims_ = shapes_.dims, &strides_ = shapes_.strides;
  std::vector<int64_t> vars_;    ///< by slot
  std::vector<Number> running_;  ///< of folds, by slot
};

}  // namespace

namespace {

/// The value of an expression over sizes and attributes.
Number evaluate(const Expr& e, const OracleCall& call) {
  if (const auto* c = std::get_if<Constant>(&e->node)) return is_float(e->type) ? Number{0, c->f} : Number{c->i};
  if (const auto* s = std::get_if<SizeRef>(&e->node)) return {call.sizes.at(s->name)};
  if (const auto* a = std::get_if<AttrRef>(&e->node)) return call.attrs.at(a->name).at(static_cast<size_t>(a->element));
  if (const auto* s = std::get_if<Select>(&e->node)) return evaluate(evaluate(s->cond, call).i ? s->yes : s->no, call);
  const auto* a = std::get_if<Apply>(&e->node);
  TENON_CHECK(a, "not a size: {}", to_text(e));
  Number args[3];
  for (size_t i = 0; i < a->args.size(); ++i) args[i] = evaluate(a->args[i], call);
  return apply_number(a->op, args, a->args[0]->type, e->type);
}

}  // namespace

int64_t evaluate_size(const Expr& e, const OracleCall& call) {
  const Number n = evaluate(e, call);
  return is_float(e->type) ? static_cast<int64_t>(n.f) : n.i;
}

void take_bounds(const Kernel& kernel, OracleCall& call) {
  for (const FoundSize& f : kernel.found) call.sizes[f.name] = evaluate_size(f.bound, call);
}

namespace {

/// Runs the parts in order; later parts know the sizes that earlier ones found.
OracleStatus run_parts(const Kernel& kernel, OracleCall& call) {
  std::set<size_t> made;
  call.tensors.resize(kernel.tensors.size());
  take_bounds(kernel, call);
  for (size_t p = 0; p < kernel.parts.size(); ++p) {
    const Kernel& part = kernel.parts[p];
    if (const OracleStatus status = Runner(part, call, made).run(); status != OracleStatus::Done) return status;
    for (size_t t = 0; t < part.tensors.size(); ++t)
      if (part.tensors[t].role == Role::Output) made.insert(t);
    for (const FoundSize& f : kernel.found) {
      if (f.part != p) continue;
      const int64_t value = load_number(call.tensors[static_cast<size_t>(f.tensor)], 0).i;
      if (value < 0 || value > evaluate_size(f.bound, call)) return OracleStatus::Range;
      call.sizes[f.name] = value;
    }
  }
  return OracleStatus::Done;
}

}  // namespace

std::optional<int64_t> bytes_made(const Kernel& kernel, const OracleCall& given) {
  OracleCall call{given.sizes, given.attrs, {}, {}};
  take_bounds(kernel, call);
  int64_t total = 0;
  for (const Tensor& t : kernel.tensors) {
    if (t.role != Role::Output && t.role != Role::Temp) continue;
    const std::vector<int64_t> dims = mapped(t.dims, [&](const Expr& e) { return evaluate_size(e, call); });
    int64_t bytes = element_count(dims);
    if (bytes < 0 || __builtin_mul_overflow(bytes, int64_t{bytes_of(t.dtype)}, &bytes) ||
        __builtin_add_overflow(total, bytes, &total))
      return std::nullopt;
  }
  return total;
}

OracleStatus status_of(CheckStatus s) {
  constexpr OracleStatus statuses[] = {OracleStatus::Range, OracleStatus::Shape, OracleStatus::Attribute};
  return statuses[static_cast<size_t>(s)];
}

OracleStatus run_kernel(const Kernel& kernel, OracleCall& call) {
  try {
    return kernel.parts.empty() ? Runner(kernel, call).run() : run_parts(kernel, call);
  } catch (const OutsideOfTensor&) {
    return OracleStatus::Outside;
  }
}

}  // namespace tenon
