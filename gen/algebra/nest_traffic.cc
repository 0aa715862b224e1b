// Counts loads and stores times the iterations around them.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "algebra/nest_survey.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class TrafficCounter {
 public:
  explicit TrafficCounter(const LoopNest& nest) : nest_(nest), moved_(nest.buffers.size(), 0.0) {
    for (size_t i = 0; i < nest.buffers.size(); ++i) buffers_.push_back(static_cast<int>(i));
  }

  std::vector<double> run() {
    block(nest_.body);
    return std::move(moved_);
  }

 private:
  using Number = std::optional<double>;

  void touch(int buffer, const OperandType& type) {
    if (buffer < 0 || static_cast<size_t>(buffer) >= buffers_.size()) return;
    moved_[static_cast<size_t>(buffers_[static_cast<size_t>(buffer)])] +=
        times_ * static_cast<double>(type.lanes) * static_cast<double>(bytes_of(type.dtype));
  }

  void value(const Operand& v) {
    if (!v) return;
    if (const auto* l = std::get_if<VLoad>(&v->node)) touch(l->buffer, v->type);
    if (const auto* g = std::get_if<VGather>(&v->node)) touch(g->buffer, v->type);
    each_child(v, [this](const Operand& c) { value(c); });
  }

  Number number(const Operand& v) const {
    if (const auto* c = std::get_if<VConst>(&v->node)) return static_cast<double>(c->i);
    if (const auto* x = std::get_if<VVar>(&v->node)) {
      return value_or(vars_, x->name, std::nullopt);
    }
    if (const auto* s = std::get_if<VSize>(&v->node)) {
      for (const Size& size : nest_.kernel->sizes)
        if (size.name == s->name && size.hi != INT64_MAX) return static_cast<double>(size.hi);
      return std::nullopt;
    }
    if (const auto* s = std::get_if<VSelect>(&v->node)) {
      const Number yes = number(s->yes);
      return yes ? yes : number(s->no);
    }
    const auto* a = std::get_if<VApply>(&v->node);
    if (!a || a->args.size() != 2) return std::nullopt;
    const Number x = number(a->args[0]), y = number(a->args[1]);
    return x && y ? combined(a->op, *x, *y) : std::nullopt;
  }

  static Number combined(ScalarOp op, double x, double y) {
    switch (op) {
      case ScalarOp::Add: return x + y;
      case ScalarOp::Sub: return x - y;
      case ScalarOp::Mul: return x * y;
      case ScalarOp::Min: return std::min(x, y);
      case ScalarOp::Max: return std::max(x, y);
      case ScalarOp::FloorDiv: return y > 0 ? Number(std::floor(x / y)) : std::nullopt;
      case ScalarOp::Mod: return y > 0 ? Number(x - y * std::floor(x / y)) : std::nullopt;
      default: return std::nullopt;
    }
  }

  void block(const Block& b) {
    for (const Stmt& s : b) std::visit([this](const auto& node) { statement(node); }, s.node);
  }
  void statement(const SLet& l) {
    value(l.value);
    vars_[l.name] = number(l.value);
  }
  void statement(const SVar& v) {
    value(v.init);
    vars_[v.name] = number(v.init);
  }
  void statement(const SAssign& a) { value(a.value); }
  void statement(const SStore& s) {
    value(s.offset), value(s.value);
    touch(s.buffer, s.value->type);
  }
  void statement(const SFor& l) {
    value(l.begin), value(l.end);
    const Number begin = number(l.begin), end = number(l.end);
    const double trip = begin && end ? std::max(0.0, std::ceil((*end - *begin) / static_cast<double>(l.step))) : 1.0;
    // Bounds of inner loops that depend on this variable are evaluated at its midpoint.
    vars_[l.var] = begin ? Number(*begin + std::floor(trip / 2) * static_cast<double>(l.step)) : std::nullopt;
    repeated(trip, *l.body);
  }
  void statement(const SIf& i) {
    value(i.cond);
    const double share = i.otherwise ? 0.5 : 1.0;
    repeated(share, *i.then);
    if (i.otherwise) repeated(share, *i.otherwise);
  }
  void statement(const SPrefetch&) {}
  void statement(const SFail&) {}
  void statement(const SLeave&) {}
  void statement(const SComment&) {}
  void statement(const SCall& c) {
    const InnerFunction& f = nest_.functions[static_cast<size_t>(c.function)];
    for (const Operand& a : c.args) value(a);
    if (f.frame) return;
    std::map<std::string, Number> inside;
    for (size_t i = 0; i < f.params.size() && i < c.args.size(); ++i) inside[f.params[i]] = number(c.args[i]);
    std::vector<int> buffers;
    for (const BufferArgument& b : c.buffers)
      buffers.push_back(b.buffer < 0 ? b.buffer : buffers_[static_cast<size_t>(b.buffer)]);
    std::swap(inside, vars_), std::swap(buffers, buffers_);
    block(f.body);
    std::swap(inside, vars_), std::swap(buffers, buffers_);
  }

  void repeated(double times, const Block& body) {
    const double around = times_;
    times_ *= times;
    block(body);
    times_ = around;
  }

  const LoopNest& nest_;
  std::vector<double> moved_;
  std::vector<int> buffers_;  ///< of the function that is being walked: their positions in the nest
  std::map<std::string, Number> vars_;
  double times_ = 1;
};

}  // namespace

std::vector<double> bytes_moved(const LoopNest& nest) { return TrafficCounter(nest).run(); }

}  // namespace tenon
