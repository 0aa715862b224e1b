// Reductions over every second element of lines: their lanes are put in order once, where they are used, not at each
// step.
#include <algorithm>

#include "lower/nest/even_lanes.h"
#include "lower/nest/nest_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A variable that is reduced lane by lane from even elements of two vectors, and its uses in the rest of a block.
class LateOrder {
 public:
  LateOrder(const SVar& v, const Isa& isa) : name_(v.name), type_(v.init->type) {
    const int bytes = bytes_of(type_.dtype);
    if (type_.lanes == 1 || type_.lanes != isa.lanes(type_.dtype) || (bytes != 4 && bytes != 8)) return;
    for (const int distance : {type_.lanes - 1, type_.lanes}) evens_.push_back(even_lanes(isa, type_.dtype, distance));
    possible_ = !evens_[0].order.empty() && is_same_in_all_lanes(v.init);
  }

  /// Changes the statements from `first` on, where that saves shuffles.
  void run(Block& block, size_t first) {
    for (size_t i = first; possible_ && i < block.size(); ++i) survey(block[i], 1);
    if (!possible_ || picks_ <= uses_) return;
    for (size_t i = first; i < block.size(); ++i) change(block[i]);
  }

 private:
  static bool is_same_in_all_lanes(const Operand& v) {
    return std::holds_alternative<VConst>(v->node) || std::holds_alternative<VSplat>(v->node);
  }
  bool is_variable(const Operand& v) const {
    const auto* var = std::get_if<VVar>(&v->node);
    return var && var->name == name_;
  }
  const EvenLanes* even(const Operand& v) const {
    const auto* s = std::get_if<VShuffle>(&v->node);
    const bool fits = s && bytes_of(v->type.dtype) == bytes_of(type_.dtype);
    return fits ? find_pointer(evens_, [&](const EvenLanes& e) { return e.in_order == s->pick; }) : nullptr;
  }

  /// Whether each lane of the value depends on the same lane of the variable and of the picks alone.
  bool is_by_lanes(const Operand& v, int64_t times) {
    if (is_variable(v) || is_same_in_all_lanes(v)) return true;
    if (even(v)) return picks_ += times, true;
    if (!std::holds_alternative<VApply>(v->node) && !std::holds_alternative<VSelect>(v->node)) return false;
    bool all = v->type.lanes == type_.lanes;
    each_child(v, [&](const Operand& c) { all = all && is_by_lanes(c, times); });
    return all;
  }
  void count_uses(const Operand& v, int64_t times) {
    if (!v) return;
    uses_ += is_variable(v) ? times : 0;
    each_child(v, [&](const Operand& c) { count_uses(c, times); });
  }
  static int64_t iterations(const SFor& loop) {
    constexpr int64_t kSome = 4;
    const auto begin = constant_value(loop.begin), end = constant_value(loop.end);
    return begin && end ? std::max<int64_t>(0, (*end - *begin + loop.step - 1) / loop.step) : kSome;
  }
  void survey(const Stmt& s, int64_t times) {
    const auto* assign = std::get_if<SAssign>(&s.node);
    const auto* let = std::get_if<SLet>(&s.node);
    const auto* var = std::get_if<SVar>(&s.node);
    const auto* loop = std::get_if<SFor>(&s.node);
    if ((let && let->name == name_) || (var && var->name == name_) || (loop && loop->var == name_)) possible_ = false;
    if (assign && assign->name == name_) possible_ = possible_ && is_by_lanes(assign->value, times);
    else each_operand(s, [&](const Operand& v) { count_uses(v, times); });
    each_block(s, [&](const Block& b) {
      for (const Stmt& inner : b) survey(inner, loop ? times * iterations(*loop) : times);
    });
  }

  Operand picked(const Operand& v) const {
    const EvenLanes* e = even(v);
    if (!e) return map_children(v, [&](const Operand& c) { return picked(c); });
    const auto& s = std::get<VShuffle>(v->node);
    return v_shuffle(s.a, s.b, e->pick);
  }
  Operand ordered(const Operand& v) const {
    if (is_variable(v)) return v_shuffle(v, v, evens_[0].order);
    return map_children(v, [&](const Operand& c) { return ordered(c); });
  }
  void change(Stmt& s) const {
    auto* assign = std::get_if<SAssign>(&s.node);
    if (assign && assign->name == name_) {
      assign->value = picked(assign->value);
      return;
    }
    std::visit([&](auto& n) { for_operands(n, [&](Operand& v) { v = v ? ordered(v) : v; }); }, s.node);
    map_blocks(s, [&](const Block& b) {
      Block inner = b;
      for (Stmt& one : inner) change(one);
      return inner;
    });
  }

  std::string name_;
  OperandType type_;
  std::vector<EvenLanes> evens_;
  bool possible_ = false;
  int64_t picks_ = 0, uses_ = 0;  ///< while the program runs
};

Block ordered_late(const Block& in, const Isa& isa) {
  Block out = in;
  for (Stmt& s : out) map_blocks(s, [&](const Block& b) { return ordered_late(b, isa); });
  for (size_t i = 0; i < out.size(); ++i)
    if (const auto* v = std::get_if<SVar>(&out[i].node)) LateOrder(*v, isa).run(out, i + 1);
  return out;
}

}  // namespace

LoopNest order_late(LoopNest nest, const Isa& isa) {
  if (!picks_within_units(isa)) return nest;
  nest.body = ordered_late(nest.body, isa);
  for (InnerFunction& f : nest.functions) f.body = ordered_late(f.body, isa);
  return nest;
}

}  // namespace tenon
