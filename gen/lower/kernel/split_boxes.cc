// split-boxes: max[r,s](x[i + r,j + s]) is found down the columns first and then along the line: M·N elements become
// M + N. Wide boxes along one dim are put together: sums of integers are differences of running sums; all others are
// made of boxes of 32 elements, those of boxes of 4, and the remainder.
#include <fmt/format.h>

#include "algebra/fresh_names.h"
#include "algebra/simplify.h"
#include "ir/kernel/expr.h"
#include "lower/kernel/kernel_passes.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/sliding_box.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Expr at_least_0(const Expr& e) { return apply(ScalarOp::Max, {e, constant_int(0)}); }
Expr divided(const Expr& e, int64_t by) { return apply(ScalarOp::FloorDiv, {e, constant_int(by)}); }
Expr rest_of(const Expr& e, int64_t by) { return apply(ScalarOp::Mod, {e, constant_int(by)}); }

class BoxSplitter {
 public:
  explicit BoxSplitter(const Kernel& k) : out_(k), sizes_(size_ranges(k)), fresh_(k) { out_.body.clear(); }

  Kernel run(const std::vector<KernelStatement>& body) {
    for (const KernelStatement& s : body) add(s);
    return std::move(out_);
  }

 private:
  /// Elements along one dim, of which a statement reduces `width` from place `loop` on; index of `values`: the places.
  struct Line {
    KernelStatement s;
    size_t loop = 0;
    Expr width, places;
    std::string place;
    Expr value;
  };

  void add(KernelStatement s) {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    const bool plain = r && s.update == Update::Assign && !is_in_recurrence(s) && r->value->type == s.value->type;
    if (!plain || !joins_parts(out_, *r)) return out_.body.push_back(std::move(s));
    if (const auto c = conditioned_box(s, *r)) return add_conditioned(std::move(s), *c);
    const std::string place = fresh_("h");
    const auto box = sliding_box(s, *r, place);
    if (!box) return out_.body.push_back(std::move(s));
    if (r->vars.size() > 1) return split(std::move(s), *box, place);
    Line line{s, box->loop, r->vars[0].extent, simplify(box->places, sizes_), place, box->value};
    if (!is_wide(*r, line.width)) return out_.body.push_back(std::move(s));
    join(std::move(line), *r);
  }

  bool is_wide(const Reduce& r, const Expr& width) const {
    return proves_le(constant_int(takes_away(r) ? kCountedBox : kWideBox), width, sizes_);
  }

  const std::string& name_of_target(const KernelStatement& s) const {
    return out_.tensors[static_cast<size_t>(s.target)].name;
  }

  void note(const KernelStatement& s, const std::string& how) {
    out_.notes.push_back(fmt::format("{}: {}", name_of_target(s), how));
  }

  /// All variables but that of the box are reduced at each position, then the box is.
  void split(KernelStatement s, const SlidingBox& box, const std::string& place) {
    const auto& r = std::get<Reduce>(s.value->node);
    const LoopVar along = r.vars[box.var];
    std::vector<LoopVar> others = r.vars;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(box.var));
    if (!pays(along, others)) return out_.body.push_back(std::move(s));
    KernelStatement part = at_places(s, box.loop, place, simplify(box.places, sizes_), box.value);
    part.value = reduce(r.op, others, nullptr, box.value, s.value->type);
    part.target = temp_of(part, s, "_part");
    note(s, fmt::format("the box along {} is reduced by itself", s.loops[box.loop].name));
    std::vector<Expr> index = index_of(part, place, var_ref(s.loops[box.loop].name) + var_ref(along.name));
    s.value = reduce(r.op, {along}, nullptr, read_of(part.target, s.value->type, std::move(index)), s.value->type);
    add(std::move(part));
    add(std::move(s));
  }

  /// Elements and results of a part are read and stored besides.
  static bool pays(const LoopVar& along, const std::vector<LoopVar>& others) {
    constexpr int64_t kUnknown = 8, kPasses = 2;
    const int64_t one = constant_value(along.extent).value_or(kUnknown);
    int64_t other = 1;
    for (const LoopVar& v : others) other *= constant_value(v.extent).value_or(kUnknown);
    return one * other > one + other + kPasses;
  }

  /// The statement's loops with that of the box over its positions, as far as the value differs between them.
  KernelStatement at_places(const KernelStatement& s, size_t loop, const std::string& place, const Expr& places,
                            const Expr& value) const {
    KernelStatement part;
    part.formula = s.formula;
    for (size_t l = 0; l < s.loops.size(); ++l) {
      const LoopVar v = l == loop ? LoopVar{place, places} : s.loops[l];
      if (!mentions(value, v.name)) continue;
      part.loops.push_back(v);
      part.index.push_back(var_ref(v.name));
    }
    return part;
  }

  int temp_of(const KernelStatement& part, const KernelStatement& of, const char* suffix) {
    return add_temp(out_, name_of_target(of) + suffix, part.value->type, mapped(part.loops, &LoopVar::extent));
  }

  /// The element at position `at` of a part that has one for each position.
  static std::vector<Expr> index_of(const KernelStatement& part, const std::string& place, const Expr& at) {
    return mapped(part.index, [&](const Expr& e) { return is_variable(e, place) ? simplify(at) : e; });
  }

  /// The elements that a condition keeps, as a box over a line that has the identity around it. No more of it is looked
  /// at than the loop reaches.
  void add_conditioned(KernelStatement s, const ConditionedBox& c) {
    const auto& r = std::get<Reduce>(s.value->node);
    const LoopVar &loop = s.loops[c.loop], all = r.vars[0];
    if (!is_wide(r, c.before + c.after) || !always_defined(out_, s, r)) return out_.body.push_back(std::move(s));
    KernelStatement values = at_places(s, s.loops.size(), "", nullptr, r.value);
    values.loops.push_back(all);
    values.index.push_back(var_ref(all.name));
    values.value = r.value;
    values.target = temp_of(values, s, "_values");
    const Expr before = apply(ScalarOp::Min, {c.before, loop.extent}),
               after = apply(ScalarOp::Min, {c.after, all.extent});
    const std::string place = fresh_("h");
    Line line{s, c.loop, simplify(at_least_0(before + after), sizes_), nullptr, place, nullptr};
    line.places = simplify(at_least_0(loop.extent + line.width - constant_int(1)), sizes_);
    std::vector<Expr> index(values.index.begin(), values.index.end() - 1);
    index.push_back(simplify(var_ref(place) - before, sizes_));
    line.value = read_of(values.target, s.value->type, std::move(index), identity_of(r.op, s.value->type));
    const Reduce of = r;
    out_.body.push_back(std::move(values));
    join(std::move(line), of);
  }

  void join(Line line, const Reduce& r) {
    if (!std::holds_alternative<Read>(line.value->node)) keep_values(line);
    if (takes_away(r)) take_away(line, r.op);
    else put_together(line, r.op);
  }

  /// Values that are computed are computed once.
  void keep_values(Line& line) {
    KernelStatement values = at_places(line.s, line.loop, line.place, line.places, line.value);
    values.value = line.value;
    values.target = temp_of(values, line.s, "_values");
    line.value = read_of(values.target, line.value->type, values.index);
    out_.body.push_back(std::move(values));
  }

  Expr value_at(const Line& line, const Expr& place) const { return substitute(line.value, {{line.place, place}}); }

  void take_away(const Line& line, Reducer op) {
    const LoopVar& loop = line.s.loops[line.loop];
    const LoopVar before{fresh_("k"), line.places};
    KernelStatement sums = at_places(line.s, line.loop, line.place, line.places, line.value);
    const Expr where = apply(ScalarOp::Le, {var_ref(before.name), var_ref(line.place)});
    sums.value = reduce(op, {before}, where, value_at(line, var_ref(before.name)), line.value->type);
    sums.target = temp_of(sums, line.s, "_running");
    note(line.s, fmt::format("the box along {} is a difference of running {}s", loop.name, name_of(op)));
    const auto until = [&](const Expr& at) {
      return read_of(sums.target, line.value->type, index_of(sums, line.place, at), identity_of(op, line.value->type));
    };
    const Expr here = var_ref(loop.name), one = constant_int(1);
    KernelStatement s = line.s;
    s.value = apply(op == Reducer::Sum ? ScalarOp::Sub : ScalarOp::BitXor,
                    {until(here + (line.width - one)), until(here - one)});
    out_.body.push_back(std::move(sums));
    out_.body.push_back(std::move(s));
  }

  /// `count` values one after the other, `step` positions apart: a reduction at each position of a line.
  KernelStatement boxes_of(const Line& line, Reducer op, const Expr& value, int64_t count, int64_t step) {
    const Expr places = simplify(at_least_0(line.places - constant_int(count * step - 1)), sizes_);
    KernelStatement part = at_places(line.s, line.loop, line.place, places, value);
    const LoopVar each{fresh_("r"), constant_int(count)};
    const Expr at = var_ref(line.place) + var_ref(each.name) * constant_int(step);
    part.value = reduce(op, {each}, nullptr, substitute(value, {{line.place, simplify(at)}}), value->type);
    part.target = temp_of(part, line.s, "_box");
    return part;
  }

  void put_together(const Line& line, Reducer op) {
    KernelStatement few = boxes_of(line, op, line.value, kFewOfBox, 1);
    const Expr few_at = read_of(few.target, line.value->type, few.index);
    KernelStatement wide = boxes_of(line, op, few_at, kWideBox / kFewOfBox, kFewOfBox);
    const Expr wide_at = read_of(wide.target, line.value->type, wide.index);
    note(line.s, fmt::format("the box along {} is put together from boxes of {} and {}", line.s.loops[line.loop].name,
                             kFewOfBox, kWideBox));
    out_.body.push_back(std::move(few));
    out_.body.push_back(std::move(wide));
    const Expr rest = rest_of(line.width, kWideBox), left = rest_of(line.width, kFewOfBox);
    KernelStatement s = line.s;
    s.value = part_of_box(line, op, wide_at, {divided(line.width, kWideBox), kWideBox, constant_int(0)});
    const auto add_part = [&](const Expr& value, const Steps& steps) {
      if (constant_value(simplify(steps.count, sizes_)) != 0)
        s.value = apply(step_of(op), {s.value, part_of_box(line, op, value, steps)});
    };
    add_part(few_at, {divided(rest, kFewOfBox), kFewOfBox, line.width - rest});
    add_part(line.value, {left, 1, line.width - left});
    out_.body.push_back(std::move(s));
  }

  /// So many results, `step` positions apart, from so far after the position of the loop.
  struct Steps {
    Expr count;
    int64_t step;
    Expr from;
  };

  Expr part_of_box(const Line& line, Reducer op, const Expr& value, const Steps& steps) {
    const LoopVar each{fresh_("r"), simplify(steps.count, sizes_)};
    const Expr at = var_ref(line.s.loops[line.loop].name) + steps.from + var_ref(each.name) * constant_int(steps.step);
    const Expr here = substitute(value, {{line.place, simplify(at, sizes_)}});
    KernelStatement part = at_places(line.s, line.s.loops.size(), "", nullptr, here);
    part.value = reduce(op, {each}, nullptr, here, value->type);
    part.target = temp_of(part, line.s, "_of");
    const Expr read = read_of(part.target, value->type, part.index);
    out_.body.push_back(std::move(part));
    return read;
  }

  Kernel out_;
  Ranges sizes_;
  FreshNames fresh_;
};

}  // namespace

Kernel split_boxes(const Kernel& k) { return BoxSplitter(k).run(k.body); }

}  // namespace tenon
