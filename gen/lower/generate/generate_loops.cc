// Loops and stores: strip-mined vector loops with a partial remainder, plain loops elsewhere.

#include <numeric>

#include "algebra/nest_survey.h"
#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Temps that more than one variant of a kernel stores take the larger extent.
Operand larger_extent(const Operand& a, const Operand& b) {
  if (constant_value(a) == 0) return b;
  if (a == b || (constant_value(a) && constant_value(a) == constant_value(b)) || to_text(a) == to_text(b)) return a;
  return v_apply(ScalarOp::Max, {a, b});
}

/// What `stored` was before it was narrowed to integers of one or two bytes; null where it was not.
Operand before_narrowing(const Operand& stored, DType storage) {
  if (storage == DType::Bool) return stored->type.mask_bits > 8 * bytes_of(storage) ? stored : nullptr;
  const auto* cast = std::get_if<VApply>(&stored->node);
  if (!cast || cast->op != ScalarOp::Cast || !is_int(storage) || bytes_of(storage) > 2) return nullptr;
  const DType from = cast->args[0]->type.dtype;
  const bool plain = is_int(from) || from == DType::F32 || from == DType::F64;
  return plain && bytes_of(from) > bytes_of(storage) ? cast->args[0] : nullptr;
}

Operand end_to_end(const Operand& a, const Operand& b) {
  std::vector<int> pick(static_cast<size_t>(a->type.lanes + b->type.lanes));
  std::iota(pick.begin(), pick.end(), 0);
  return v_shuffle(a, b, std::move(pick));
}

}  // namespace

Generator::Generator(const Kernel& kernel, const LoopTree& tree, const Isa& isa, NestTarget to,
                     const std::vector<std::string>& taken)
    : k_(kernel),
      tree_(tree),
      isa_(isa),
      buffers_(to.buffers),
      functions_(to.functions),
      may_call_(!to.is_function),
      places_(place_temps(kernel, tree)),
      accumulators_(tree.accumulators.size()),
      ranges_(size_ranges(kernel)) {
  for (const std::string& name : taken) names_.take(name);
  for (const Size& s : k_.sizes) names_.take(s.name);
  for (const Attr& a : k_.attrs) names_.take(a.name);
  for (size_t t = 0; t < k_.tensors.size(); ++t) {
    const Tensor& tensor = k_.tensors[t];
    if (tensor.role != Role::Temp || places_[t].stored) names_.take(tensor.name);
    const auto it = find_if(buffers_, [&](const Buffer& b) { return b.name == tensor.name; });
    buffer_of_.push_back(it == buffers_.end() ? -1 : static_cast<int>(it - buffers_.begin()));
    if (tensor.role != Role::Temp || !places_[t].stored) continue;
    Expr elements = constant_int(1);
    for (const Expr& d : places_[t].dims) elements = elements * d;
    if (has_room(static_cast<int>(t))) elements = elements + constant_int(kRoom * isa_.lanes(tensor.dtype));
    if (buffer_of_[t] < 0) {
      buffer_of_[t] = static_cast<int>(buffers_.size());
      buffers_.push_back({tensor.name, tensor.dtype, Storage::Workspace, -1, v_int(0), true});
    }
    Operand& size = buffers_[static_cast<size_t>(buffer_of_[t])].elements;
    size = larger_extent(size, scalar(simplify(elements, ranges_), 0));
  }
}

/// Whether each loop that stores to the tensor does so once.
static bool stored_once_a_loop(const Tree& tree, int tensor) {
  const auto stores = [&](const TreeNode& n) {
    const auto* d = std::get_if<TreeDefine>(&n.node);
    return d && d->tensor == tensor;
  };
  return count_if(tree, stores) <= 1 && all_of(tree, [&](const TreeNode& n) {
           const auto* l = std::get_if<TreeLoop>(&n.node);
           return !l || stored_once_a_loop(l->body, tensor);
         });
}

/// Whether the last vector of a line of the temp may be a whole one: what it stores beyond the end is stored again
/// later, as the lines are stored in order, and there is room behind the last line.
bool Generator::has_room(int tensor) const {
  if (isa_.vector_bits == 0 || isa_.masked_memory || !contains(tree_.lines, tensor)) return false;
  const std::vector<Expr>& dims = places_[static_cast<size_t>(tensor)].dims;
  if (dims.size() < 2) return false;
  const bool own = std::all_of(dims.begin(), dims.end() - 2, [](const Expr& d) { return is_one(d); });
  return own && !is_one(dims.back()) && stored_once_a_loop(tree_.body, tensor);
}

Block Generator::run() {
  Block body;
  out_ = &body;
  tree(tree_.body);
  return body;
}

void Generator::start_leaf(std::initializer_list<Expr> roots) {
  memo_.clear();
  uses_.clear();
  varies_.clear();
  for (const Expr& e : roots) count_uses(e);
  for (const auto& [e, known] : outside_)
    for (int u = ValueMemo::kAllParts; u < std::max(lanes_.parts, 1); ++u) memo_.put(e, u, {known});
}

void Generator::tree(const Tree& t) {
  for (const TreeNode& n : t) {
    if (const auto* l = std::get_if<TreeLoop>(&n.node)) loop(*l);
    else if (const auto* d = std::get_if<TreeDefine>(&n.node)) define(*d);
    else if (const auto* b = std::get_if<TreeBegin>(&n.node)) begin(*b);
    else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) accumulate(*a);
    else if (const auto* x = std::get_if<TreeTranspose>(&n.node)) transpose(*x);
    else end(std::get<TreeEnd>(n.node));
  }
}

/// Whether a condition holds in any lane, or in any active one.
Operand Generator::in_any_lane(const Expr& condition, bool active) {
  start_leaf({condition});
  if (!varies(condition)) return scalar(condition, 0);
  const Bundle each = spread(value(condition), lanes_.parts);
  Operand any = each[0];
  for (size_t u = 1; u < each.size(); ++u) any = v_apply(ScalarOp::Or, {any, each[u]});
  if (active) any = v_apply(ScalarOp::And, {any, lane_mask(any->type.mask_bits)});
  return lanes_.lanes > 1 ? v_fold(Reducer::Any, any) : any;
}

void Generator::loop(const TreeLoop& l) {
  if (l.needed) {
    TreeLoop always = l;
    always.needed = nullptr;
    const Operand needed = in_any_lane(l.needed);
    Block then = block([&] { loop(always); });
    out_->push_back(s_if(needed, std::move(then)));
    return;
  }
  if (short_runs(l) || simple_powers_apart(l)) return;
  start_leaf({});
  const auto outside = outside_;
  const auto inside = inside_;
  name_lookups_outside(l);
  if (lanes_.var.empty()) name_positions_outside(l);
  if (lanes_.var.empty() && !l.parallel && l.rows <= 1 && l.apart == 0) name_values_outside(l);
  ranges_.extents[l.var.name] = l.var.extent;
  if (l.interior) interior_.push_back(l.var.name);
  if (l.interior && lanes_.var.empty()) name_conditions_outside(l);
  if (l.shape.lanes * l.shape.parts > 1) vector_loop(l);
  else if (l.rows > 1) rows_loop(l);
  else if (l.apart > 0) carried_loop(l);
  else plain_loop(l, bound(l.begin, l, "_begin"));
  if (l.interior) interior_.pop_back();
  ranges_.extents.erase(l.var.name);
  outside_ = outside;
  inside_ = inside;
}

Operand Generator::bound(const Expr& e, const TreeLoop& l, const char* suffix) {
  if (!e) return v_int(0);
  const Operand v = scalar(e, 0);
  const bool computed = std::holds_alternative<VApply>(v->node) || std::holds_alternative<VSelect>(v->node);
  return computed ? named(letter_of(l.var.name) + suffix, v) : v;
}

void Generator::plain_loop(const TreeLoop& l, const Operand& from) {
  constexpr int64_t kUnrolled = 4;
  const Operand extent = bound(l.end ? l.end : l.var.extent, l, "_end");
  const bool opens = isa_.vector_bits > 0 && lanes_.var.empty() && !l.ordered && (!l.parallel || vars_.size() > 1);
  if (opens && !constant_value(extent) && copy_loop(l, from, extent)) return;
  const auto first = constant_value(from), last = constant_value(extent);
  const bool small = first && last && *last - *first <= kUnrolled, once = small && *last == *first + 1;
  const std::string outer = names_.take(letter_of(l.var.name));
  vars_[l.var.name] = {once ? from : v_var(outer)};
  if (!l.parallel && !small && ends_early(l)) return searching_loop(l, from, extent, outer);
  Block body = block([&] { tree(l.body); });
  names_.release(outer);
  const bool leaf = none_of(l.body, [](const TreeNode& n) { return std::holds_alternative<TreeLoop>(n.node); });
  out_->push_back(with_kind(l.parallel      ? LoopKind::Parallel
                            : small && leaf ? LoopKind::Unrolled
                                            : LoopKind::Serial,
                            s_for(outer, from, extent, 1, std::move(body))));
}

/// Whether the loop only searches for its first or last element under a condition or for one that decides `any` or
/// `all`, or repeatedly applies functions to integers.
bool Generator::ends_early(const TreeLoop& l) const {
  if (!lanes_.var.empty() || l.body.empty()) return false;
  return all_of(l.body, [&](const TreeNode& n) {
    const auto* a = std::get_if<TreeAccumulate>(&n.node);
    if (!a) return false;
    const Accumulator& acc = tree_.accumulators[static_cast<size_t>(a->accumulator)];
    const auto* v = std::get_if<VarRef>(&a->value->node);
    const bool alone = l.body.size() == 1;
    switch (acc.op) {
      case Reducer::Min:
      case Reducer::Max: return alone && v && v->name == l.var.name && a->where;
      case Reducer::Any:
      case Reducer::All: return alone;
      case Reducer::Fold: return is_int(acc.type) && !a->where && !mentions(a->value, l.var.name);
      default: return false;
    }
  });
}

/// The last element is the first from the end on.
void Generator::searching_loop(const TreeLoop& l, const Operand& from, const Operand& extent, const std::string& var) {
  const int first = std::get<TreeAccumulate>(l.body[0].node).accumulator;
  const bool down = tree_.accumulators[static_cast<size_t>(first)].op == Reducer::Max;
  if (down) vars_[l.var.name] = {extent - v_int(1) - v_var(var)};
  ends_early_ = true;
  Block body = block([&] {
    tree(l.body);
    Operand settled;
    for (const Operand& same : settled_) settled = settled ? v_apply(ScalarOp::And, {settled, same}) : same;
    if (settled) out_->push_back(s_if(settled, {Stmt{SLeave{}}}));
  });
  ends_early_ = false;
  settled_.clear();
  names_.release(var);
  out_->push_back(s_for(var, down ? v_int(0) : from, down ? extent - from : extent, 1, std::move(body)));
}

/// Whole groups of vectors, then the remainder one vector at a time, the last one partly.
void Generator::vector_loop(const TreeLoop& l) {
  if (padded_loop(l) || single_copy(l)) return;
  const Operand from = bound(l.begin, l, "_begin"), extent = bound(l.end ? l.end : l.var.extent, l, "_end");
  const int64_t lanes = l.shape.lanes, step = lanes * l.shape.parts;
  const auto first = constant_value(from), last = constant_value(extent);
  if (first && last) {
    const int64_t n = std::max<int64_t>(0, *last - *first), groups = *first + n / step * step,
                  vectors = *first + n / lanes * lanes;
    if (groups > *first) vector_part(l, from, v_int(groups), l.shape.parts, false);
    if (vectors > groups) vector_part(l, v_int(groups), v_int(vectors), 1, false);
    if (*last > vectors) vector_part(l, v_int(vectors), extent, 1, true);
    return;
  }
  const auto whole = [&](const Operand& begin, int64_t size, const char* suffix) {
    return named(letter_of(l.var.name) + suffix, begin + v_apply(ScalarOp::BitAnd, {extent - begin, v_int(-size)}));
  };
  if (l.overruns) {
    const Operand vectors = v_apply(ScalarOp::BitAnd, {extent - from + v_int(step - 1), v_int(-step)});
    return vector_part(l, from, named(letter_of(l.var.name) + "_whole", from + vectors), l.shape.parts, false);
  }
  if (copy_loop(l, from, extent)) return;
  Operand groups = whole(from, step, "_groups");
  vector_part(l, from, groups, l.shape.parts, false);
  constexpr int kMany = 8;
  if (l.shape.parts >= kMany) {  // the remainder of so many vectors is long
    const Operand halves = whole(groups, step / 2, "_halves");
    vector_part(l, groups, halves, l.shape.parts / 2, false);
    groups = halves;
  }
  vector_part(l, groups, extent, 1, lanes > 1);
}

void Generator::vector_part(const TreeLoop& l, Operand begin, Operand end, int parts, bool partial) {
  const std::string var = names_.take(letter_of(l.var.name));
  const Lanes outer = lanes_;
  Block body = block([&] {
    lanes_ = {l.var.name, v_var(var), l.shape.lanes, parts, nullptr, partial ? 0 : l.shape.prefetch_bytes, l.cached};
    fetched_.clear();
    if (!partial) fetch_next_row(l);
    if (partial) lanes_.active = named("active", v_apply(ScalarOp::Min, {v_int(l.shape.lanes), end - lanes_.base}));
    tree(l.body);
  });
  // Lines that end with whole vectors do not ask how many lanes are active.
  if (partial && !tree_.lines.empty()) body = without_unread(body);
  lanes_ = outer;
  start_leaf({});
  names_.release(var);
  out_->push_back(s_for(var, std::move(begin), std::move(end), int64_t{l.shape.lanes} * parts, std::move(body)));
}

/// Fetches the lines that the first pass over the next row reads.
void Generator::fetch_next_row(const TreeLoop& l) {
  start_leaf({});
  for (const Expr& e : l.next_row) {
    const auto& r = std::get<Read>(e->node);
    const int buffer = buffer_of_[static_cast<size_t>(r.tensor)];
    for (int u = 0; u < lanes_.parts; ++u) prefetch(buffer, offset_of(r.tensor, r.index, u), u, 0);
  }
}

/// The value to store: the new one, or the stored one combined with it.
Bundle Generator::combined(const TreeDefine& d, const Bundle& v) {
  if (d.update == Update::Assign || d.update == Update::Last) return v;
  constexpr ScalarOp ops[] = {ScalarOp::Cast, ScalarOp::Add,    ScalarOp::Mul,   ScalarOp::Max,   ScalarOp::Min,
                              ScalarOp::Cast, ScalarOp::BitXor, ScalarOp::BitOr, ScalarOp::BitAnd};
  const DType storage = k_.tensor(d.tensor).dtype;
  const DType compute = dtype_row(storage).compute;
  const int buffer = buffer_of_[static_cast<size_t>(d.tensor)];
  Bundle out;
  for (size_t u = 0; u < v.size(); ++u) {
    const Operand old =
        v_load(buffer, storage, offset_of(d.tensor, d.index, static_cast<int>(u)), lanes_.lanes, lanes_.active);
    ScalarOp op = ops[static_cast<size_t>(d.update)];
    if (storage == DType::Bool && d.update != Update::BitXor)
      op = op == ScalarOp::Add || op == ScalarOp::Max || op == ScalarOp::BitOr ? ScalarOp::Or : ScalarOp::And;
    out.push_back(v_cast(v_apply(op, {v_cast(old, compute), v_cast(v[u], compute)}), storage));
  }
  return out;
}

/// Vectors that are stored narrower than they are computed, joined to as many lanes as fill a register, where the level
/// packs two registers into one.
Bundle Generator::joined(const Bundle& v, DType storage) const {
  const bool packs = isa_.vector_bits > 0 && isa_.row("pack", DType::I32, isa_.lanes(DType::I32));
  Bundle wide;
  for (const Operand& x : v)
    if (Operand w = packs ? before_narrowing(x, storage) : nullptr) wide.push_back(std::move(w));
  if (wide.size() != v.size() || lanes_.active || lanes_.rows || lanes_.lanes == 1) return v;
  const DType from = wide[0]->type.dtype;
  const int bytes = bytes_of(storage), wider = from == DType::Bool ? wide[0]->type.mask_bits / 8 : bytes_of(from);
  for (int left = wider / bytes; left > 1 && wide.size() % 2 == 0; left /= 2) {
    for (size_t i = 0; i < wide.size() / 2; ++i) wide[i] = end_to_end(wide[2 * i], wide[2 * i + 1]);
    wide.resize(wide.size() / 2);
  }
  for (Operand& x : wide) x = from == DType::Bool ? mask_as(x, 8 * bytes) : v_cast(x, storage);
  return wide;
}

/// A position that reads determine, under a name.
Operand Generator::position(const Expr& e) {
  const Expr shared = SharedExprs().share(e);  // the read is named too if both its sign and its value are used
  count_uses(shared);
  Operand place = scalar(shared, 0);
  const size_t before = out_->size();
  place = named("at", std::move(place));
  if (out_->size() > before) std::get<SLet>(out_->back().node).place = place->type == OperandType{};
  return place;
}

/// The position of a store that reads determine is the same for all lanes: it is computed once.
void Generator::name_positions(const TreeDefine& d) {
  for (size_t dim = 0; dim < d.index.size(); ++dim) {
    if (is_zero(places_[static_cast<size_t>(d.tensor)].strides[dim])) continue;
    const Expr& e = d.index[dim];
    const auto known = outside_.find(e);
    bool reads = false;
    each_read(e, [&](const Read&) { reads = true; });
    if (known == outside_.end() && (!reads || varies(e))) continue;
    const Bundle at{known == outside_.end() ? position(e) : known->second};
    for (int u = 0; u < lanes_.parts; ++u) memo_.put(e, u, at);
  }
}

void Generator::define(const TreeDefine& d) {
  if (d.where) {
    start_leaf({d.where});
    const Operand holds = scalar(d.where, 0);
    TreeDefine always = d;
    always.where = nullptr;
    Block then = block([&] { define(always); });
    out_->push_back(s_if(holds, std::move(then)));
    forwarded_.forget(d.tensor);
    return;
  }
  start_leaf({d.value});
  const TempPlace& place = places_[static_cast<size_t>(d.tensor)];
  if (place.stored) name_positions(d);
  const Tensor& tensor = k_.tensor(d.tensor);
  Bundle v = value(d.value);
  if (place.stored && !lanes_.var.empty()) v = spread(v, lanes_.parts);
  v = combined(d, v);
  const bool carried = any_of(carried_, [&](const CarriedValue& c) { return c.tensor == d.tensor; });
  if (place.forwarded || carried || !place.stored) {
    const std::string base = base_name(read_of(d.tensor, tensor.dtype, d.index), k_);
    for (Operand& x : v) x = named(base, x);
  }
  if (place.stored) {
    const int buffer = buffer_of_[static_cast<size_t>(d.tensor)];
    const Bundle all = joined(v, tensor.dtype);
    for (size_t u = 0; u < all.size(); ++u) {
      const int part = static_cast<int>(u * (v.size() / all.size()));
      const Operand offset = offset_of(d.tensor, d.index, part);
      if (!lanes_.var.empty()) prefetch(buffer, offset, part, lanes_.prefetch_of(d.tensor));
      const Operand stored = all[u]->type.dtype == DType::Bool ? mask_as(all[u], 8) : all[u];
      const bool whole = lanes_.var.empty() || has_room(d.tensor);
      out_->push_back(s_store(buffer, offset, stored, whole ? nullptr : lanes_.active));
    }
  }
  if (d.update == Update::Assign) forwarded_.write(d.tensor, d.index, v);
  else forwarded_.forget(d.tensor);
}

}  // namespace tenon
