// Runs of elements that are moved as they are: short ones at once, long ones by vectors of which the last overlaps.
// Where many short runs have one length, it is looked at before the loops over them.

#include <set>

#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kLongestPart = 16;  ///< bytes of one of two moves

/// The loop's only statement, if that copies elements of one tensor to another.
const TreeDefine* only_copy(const TreeLoop& l) {
  const auto* d = l.body.size() == 1 ? std::get_if<TreeDefine>(&l.body[0].node) : nullptr;
  const auto* r = d ? std::get_if<Read>(&d->value->node) : nullptr;
  const bool copies = r && !r->fill && !d->where && !d->in_place && d->update == Update::Assign;
  return copies && r->tensor != d->tensor ? d : nullptr;
}

bool is_plain(const TreeLoop& l) {
  return !l.needed && l.rows <= 1 && l.apart == 0 && l.shape.lanes * l.shape.parts == 1;
}

/// Whether a loop copies all of a line whose length is known before the loops around it.
bool is_run(const TreeLoop& l) {
  return only_copy(l) && !l.needed && !l.begin && !l.end && l.shape.lanes > 1 && !has_node<Read>(l.var.extent);
}

/// Whether a run of a loop reads what another one has written: both go over the elements of an iteration together.
bool read_each_other(const TreeLoop& l) {
  std::set<int> written, read;
  for (const TreeNode& n : l.body) {
    const TreeDefine* d = only_copy(std::get<TreeLoop>(n.node));
    written.insert(d->tensor);
    read.insert(std::get<Read>(d->value->node).tensor);
  }
  return any_of(read, [&](int t) { return written.contains(t); });
}

/// The run that is all there is in a loop, or in the only loop inside of it; null if there is none.
const TreeLoop* only_run(const TreeLoop& l, int depth) {
  const auto* inner = l.body.size() == 1 ? std::get_if<TreeLoop>(&l.body[0].node) : nullptr;
  if (!inner || !is_plain(l) || mentions(inner->var.extent, l.var.name)) return nullptr;
  if (depth == 1) return is_run(*inner) ? inner : nullptr;
  const TreeLoop* run = only_run(*inner, depth - 1);
  return run && !mentions(run->var.extent, l.var.name) ? run : nullptr;
}

/// Loops over short runs that have one length; `rest`: what is left of a loop over periods, whose last one may be cut.
struct ShortRuns {
  TreeLoop loops;
  const TreeLoop* run;
  Expr length;
  std::optional<TreeLoop> rest = {};
};

/// A loop over periods that begin with the first element: all but the last are whole.
std::optional<ShortRuns> whole_periods(const TreeLoop& l) {
  const auto* run = l.periods && l.body.size() == 1 ? std::get_if<TreeLoop>(&l.body[0].node) : nullptr;
  const auto begin = run && run->begin && run->end && run->shape.lanes > 1 && !l.begin && !l.end
                         ? affine_in(run->begin, l.var.name)
                         : std::nullopt;
  const Apply* end =
      begin && is_zero(simplify(begin->rest)) && only_copy(*run) ? as_apply(run->end, ScalarOp::Min) : nullptr;
  if (!end || has_node<Read>(begin->coefficient)) return std::nullopt;
  const Expr next = run->begin + begin->coefficient;
  for (size_t i = 0; i < end->args.size(); ++i) {
    if (end->args.size() != 2 || constant_difference(end->args[i], next) != 0) continue;
    const Expr cut = apply(ScalarOp::Lt, {end->args[1 - i], l.var.extent * begin->coefficient});
    ShortRuns out{l, run, begin->coefficient, l};
    std::get<TreeLoop>(out.loops.body[0].node).end = end->args[i];
    out.loops.end = out.rest->begin = l.var.extent - cast_to(cut, DType::I64);
    return out;
  }
  return std::nullopt;
}

std::optional<ShortRuns> find_short_runs(const TreeLoop& l) {
  for (const int depth : {2, 1})
    if (const TreeLoop* run = only_run(l, depth)) return ShortRuns{l, run, run->var.extent};
  return whole_periods(l);
}

}  // namespace

/// How far apart the elements are that a loop copies to neighbours; null if it does something else.
Expr Generator::copied_stride(const TreeLoop& l) {
  const TreeDefine* d = only_copy(l);
  if (!d) return nullptr;
  const auto& r = std::get<Read>(d->value->node);
  const TempPlace& place = places_[static_cast<size_t>(d->tensor)];
  const auto affine = [&](const Expr& index) { return affine_in(index, l.var.name).has_value(); };
  if (!place.stored || place.forwarded || !all_of(d->index, affine) || !all_of(r.index, affine)) return nullptr;
  const std::string outer = std::exchange(lanes_.var, l.var.name);
  const bool moves = is_one(stride_over_lanes(d->tensor, d->index)) && !known_value(r.tensor, r.index);
  const Expr stride = moves ? stride_over_lanes(r.tensor, r.index) : nullptr;
  lanes_.var = outer;
  return stride;
}

/// The size of an element where a loop copies neighbours of words or smaller elements, or repeats one; else 0.
int Generator::run_bytes(const TreeLoop& l) {
  const Expr stride = copied_stride(l);
  const int bytes = stride ? bytes_of(k_.tensor(only_copy(l)->tensor).dtype) : kLongestPart;
  return 2 * bytes <= kLongestPart && std::abs(constant_value(stride).value_or(2)) <= 1 ? bytes : 0;
}

/// Rows made of several short runs, as of the operands of concat, are gone over once for each of these.
bool Generator::short_runs_side_by_side(const TreeLoop& l) {
  if (l.body.size() < 2 || !is_plain(l)) return false;
  Operand all;
  std::vector<Operand> some, single;
  for (const TreeNode& n : l.body) {
    const auto* run = std::get_if<TreeLoop>(&n.node);
    const bool open = run && is_run(*run) && !constant_value(run->var.extent) && !mentions(run->var.extent, l.var.name);
    const int bytes = open ? run_bytes(*run) : 0;
    if (bytes == 0) return false;
    start_leaf({});
    const Operand length = scalar(run->var.extent, 0);
    const Operand fits = v_apply(ScalarOp::Le, {length, v_int(2 * kLongestPart / bytes)});
    all = all ? v_apply(ScalarOp::And, {all, fits}) : fits;
    some.push_back(v_apply(ScalarOp::Gt, {length, v_int(0)}));
    single.push_back(v_apply(ScalarOp::Eq, {length, v_int(1)}));
  }
  if (read_each_other(l)) return false;
  all_short_ = true;
  Block apart;
  const auto loop_over = [&](size_t first, size_t count) {
    TreeLoop part = l;
    part.body.assign(l.body.begin() + first, l.body.begin() + first + count);
    return block([&] { loop(part); });
  };
  for (size_t i = 0; i < l.body.size(); i += 2) {
    Block each;
    for (size_t k = i; k < std::min(i + 2, l.body.size()); ++k) each.push_back(s_if(some[k], loop_over(k, 1)));
    if (i + 1 == l.body.size()) {
      append(apart, each);
      continue;
    }
    part_of_run_ = 1;  // columns of one element: two are as fast as one
    Block both = loop_over(i, 2);
    part_of_run_ = 0;
    apart.push_back(s_if(v_apply(ScalarOp::And, {single[i], single[i + 1]}), std::move(both), std::move(each)));
  }
  all_short_ = false;
  part_of_run_ = -1;
  Block together = block([&] { loop(l); });
  part_of_run_ = 0;
  out_->push_back(s_if(all, std::move(apart), std::move(together)));
  return true;
}

/// Writes loops over short runs of one length once for each length of their parts; two of these that may overlap are a
/// run. At levels with masks a run is one move anyway.
bool Generator::short_runs(const TreeLoop& l) {
  if (!lanes_.var.empty() || isa_.masked_memory || part_of_run_ != 0) return false;
  const auto runs = find_short_runs(l);
  if (!runs) return short_runs_side_by_side(l);
  const int bytes = constant_value(runs->length) ? 0 : run_bytes(*runs->run);
  if (bytes == 0) return false;
  start_leaf({});
  const Operand length = scalar(runs->length, 0);
  std::vector<std::pair<Operand, Block>> bodies;
  for (int size = kLongestPart; size >= 2 * bytes; size /= 2) {
    part_of_run_ = size / bytes;
    const Operand most = v_int(2 * part_of_run_ - (size == kLongestPart ? 0 : 1));
    const Operand fits = v_apply(
        ScalarOp::And, {v_apply(ScalarOp::Ge, {length, v_int(part_of_run_)}), v_apply(ScalarOp::Le, {length, most})});
    bodies.emplace_back(fits, block([&] { loop(runs->loops); }));
  }
  part_of_run_ = all_short_ ? 1 : -1;
  Block otherwise = block([&] { loop(runs->loops); });
  for (; !bodies.empty(); bodies.pop_back())
    otherwise = {s_if(bodies.back().first, std::move(bodies.back().second), std::move(otherwise))};
  append(*out_, otherwise);
  if (runs->rest) loop(*runs->rest);
  part_of_run_ = 0;
  return true;
}

/// Copies `parts` times `lanes` elements from `base` on, or as many of them as are active.
void Generator::move(const TreeLoop& l, const Operand& base, LoopShape shape, const Operand& active) {
  const Lanes outer = std::exchange(
      lanes_, {l.var.name, base, shape.lanes, shape.parts, active, active ? 0 : shape.prefetch_bytes, l.cached});
  fetched_.clear();
  tree(l.body);
  lanes_ = outer;
  start_leaf({});
}

/// Writes a loop that copies elements or, if its line is outside, padding: which of both is asked before the loop.
bool Generator::padded_loop(const TreeLoop& l) {
  const auto* d = l.body.size() == 1 ? std::get_if<TreeDefine>(&l.body[0].node) : nullptr;
  const auto* r = d && !d->where && d->update == Update::Assign ? std::get_if<Read>(&d->value->node) : nullptr;
  const auto known = r && r->fill ? inside_.find(d->value.get()) : inside_.end();
  if (known == inside_.end() || mentions(r->fill, l.var.name) || constant_value(l.var.extent)) return false;
  const auto with = [&](Expr value) {
    TreeLoop arm = l;
    std::get<TreeDefine>(arm.body[0].node).value = std::move(value);
    return block([&] { vector_loop(arm); });
  };
  Block copies = with(read_of(r->tensor, d->value->type, r->index));
  out_->push_back(s_if(known->second, std::move(copies), with(r->fill)));
  return true;
}

/// Writes a loop over one element that is moved.
bool Generator::single_copy(const TreeLoop& l) {
  if (part_of_run_ != 1 || !copied_stride(l)) return false;
  move(l, bound(l.begin, l, "_begin"), {1, 1}, nullptr);
  return true;
}

/// Writes the loop if it moves elements, of which some may be moved twice.
bool Generator::copy_loop(const TreeLoop& l, const Operand& from, const Operand& extent) {
  const Expr stride = copied_stride(l);
  if (!stride || (l.shape.lanes == 1 && constant_value(stride))) return false;
  constexpr int kScalars = 4;
  const bool scalars = !constant_value(stride);  // vectors would be put together element by element
  LoopShape group = l.shape, one{l.shape.lanes, 1};
  if (scalars) group = {1, kScalars}, one = {1, 1};
  const Operand lanes = v_int(one.lanes), count = extent - from;
  if (part_of_run_ > 0) {
    const int bytes = part_of_run_ * bytes_of(k_.tensor(only_copy(l)->tensor).dtype);
    const Operand part = v_int(part_of_run_);
    // gcc 12 fails on copies of 16 bytes whose two moves are one
    if (bytes == kLongestPart) one.lanes = part_of_run_;
    for (const Operand& first : {from, extent - part}) move(l, first, one, bytes == kLongestPart ? nullptr : part);
    return true;
  }
  const std::string letter = letter_of(l.var.name);
  const auto over = [&](const Operand& begin, const Operand& end, LoopShape shape, bool overlaps) {
    const std::string var = names_.take(letter);
    Block body = block([&] {
      const Operand last = v_apply(ScalarOp::Min, {v_var(var), extent - lanes});
      move(l, overlaps ? named("at", last) : v_var(var), shape, nullptr);
    });
    names_.release(var);
    out_->push_back(s_for(var, begin, end, int64_t{shape.lanes} * shape.parts, std::move(body)));
  };
  Block many = block([&] {
    const int64_t step = int64_t{group.lanes} * group.parts;
    const Operand groups = named(letter + "_groups", from + v_apply(ScalarOp::BitAnd, {count, v_int(-step)}));
    over(from, groups, group, false);
    over(groups, extent, one, !scalars);
  });
  if (scalars) return append(*out_, many), true;
  Block few = block([&] { move(l, from, one, count); });
  Block some = {s_if(v_apply(ScalarOp::Gt, {count, v_int(0)}), std::move(few))};
  out_->push_back(s_if(v_apply(ScalarOp::Ge, {count, lanes}), std::move(many), std::move(some)));
  return true;
}

}  // namespace tenon
