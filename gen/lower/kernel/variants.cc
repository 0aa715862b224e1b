// Forks, in the order in which they are tried.
#include "lower/kernel/variants.h"

#include <algorithm>
#include <functional>
#include <set>

#include "algebra/fresh_names.h"
#include "algebra/linear.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/one_run.h"
#include "support/ranges.h"

namespace tenon {

Expr equals(const Expr& a, int64_t v) { return apply(ScalarOp::Eq, {a, constant_int(v, a->type)}); }

bool is_open(const Kernel& k, const std::string& size) {
  return std::any_of(k.sizes.begin(), k.sizes.end(), [&](const Size& s) { return s.name == size && s.lo < s.hi; });
}

std::string size_name(const Expr& e) {
  const auto* s = std::get_if<SizeRef>(&e->node);
  return s ? s->name : std::string();
}

bool ruled_out(const Kernel& k, const Expr& holds) {
  return std::any_of(k.facts.begin(), k.facts.end(), [&](const Expr& f) {
    const auto* a = std::get_if<Apply>(&f->node);
    return a && a->op == ScalarOp::Not && same(a->args[0], holds);
  });
}

Fork fork_on(const Expr& holds, Kernel then, const Kernel& otherwise) {
  Fork f{{.for_speed = true}, holds, std::move(then), otherwise};
  f.otherwise.facts.push_back(apply(ScalarOp::Not, {holds}));
  return f;
}

bool mentions_size(const Expr& e, const std::string& size) {
  return any_node(e, [&](const Expr& n) {
    const auto* s = std::get_if<SizeRef>(&n->node);
    return s && s->name == size;
  });
}

bool scatters_into_temps(const Kernel& k) {
  return std::any_of(k.body.begin(), k.body.end(), [&](const KernelStatement& s) {
    return s.update != Update::Assign && k.tensors[static_cast<size_t>(s.target)].role == Role::Temp;
  });
}

void each_reduction(const Kernel& k, const std::function<void(const Reduce&)>& visit) {
  std::set<const ExprNode*> seen;
  const std::function<void(const Expr&)> go = [&](const Expr& e) {
    if (!e || !seen.insert(e.get()).second) return;
    if (const auto* r = std::get_if<Reduce>(&e->node)) visit(*r);
    each_child(e, [&](const Expr& c) { go(c); });
  };
  for (const KernelStatement& s : k.body) go(s.value);
}

namespace {

Expr replaced(const Expr& e, const std::map<std::string, int64_t>& sizes) {
  if (const auto* s = std::get_if<SizeRef>(&e->node)) {
    const auto it = sizes.find(s->name);
    return it == sizes.end() ? e : constant_int(it->second);
  }
  return map_children(e, [&](const Expr& c) { return replaced(c, sizes); });
}

}  // namespace

Expr replaced_attr(const Expr& e, const std::string& name, int element, int64_t v) {
  const auto* a = std::get_if<AttrRef>(&e->node);
  if (a) return a->name == name && a->element == element ? constant_int(v, e->type) : e;
  return map_children(e, [&](const Expr& c) { return replaced_attr(c, name, element, v); });
}

Kernel with_sizes(const Kernel& k, const std::map<std::string, int64_t>& sizes) {
  Kernel out = map_exprs(k, [&](const Expr& e) { return replaced(e, sizes); });
  for (Size& s : out.sizes)
    if (const auto it = sizes.find(s.name); it != sizes.end()) s.lo = s.hi = it->second;
  return out;
}

namespace {

/// Run-time strides of last dimensions: sizes that are no extent.
struct StrideSize {
  std::string name;
  bool repeats;  ///< is often 0
};

/// Whether a statement takes one element of a tensor of fewer dimensions for all of its last loop, along which vectors
/// go: a term a channel.
bool is_one_a_row(const Read& r, const KernelStatement& s) {
  if (s.loops.empty() || r.index.size() >= s.index.size()) return false;
  return std::all_of(r.index.begin(), r.index.end(), [&](const Expr& e) {
    const auto* v = std::get_if<VarRef>(&e->node);
    if (!v) return constant_value(e).has_value();
    return std::any_of(s.loops.begin(), s.loops.end() - 1, [&](const LoopVar& l) { return l.name == v->name; });
  });
}

std::vector<StrideSize> stride_sizes(const Kernel& k) {
  std::set<std::string> extents;
  for (const Tensor& t : k.tensors)
    for (const Expr& d : t.dims) extents.insert(size_name(d));
  std::vector<bool> used(k.tensors.size());
  for (const KernelStatement& s : k.body) {
    used[static_cast<size_t>(s.target)] = true;
    const auto reads = [&](const Expr& e) {
      each_read(e, [&](const Read& r) {
        if (!is_one_a_row(r, s)) used[static_cast<size_t>(r.tensor)] = true;
      });
    };
    reads(s.value);
    if (s.where) reads(s.where);
    for (const Expr& e : s.index) reads(e);
  }
  std::vector<StrideSize> found;
  for (size_t i = 0; i < k.tensors.size(); ++i) {
    const Tensor& t = k.tensors[i];
    if (!used[i]) continue;
    const std::string name = t.strides.empty() ? "" : size_name(t.strides.back());
    if (name.empty() || extents.count(name) || !is_open(k, name)) continue;
    if (std::none_of(found.begin(), found.end(), [&](const StrideSize& f) { return f.name == name; }))
      found.push_back({name, t.repeats});
  }
  return found;
}

/// Combinations of strides that are 0, as bits: none, one that is often 0, two of these. At least one of three strides
/// is 1.
std::vector<unsigned> sets_of_zeros(const std::vector<StrideSize>& strides) {
  std::vector<unsigned> out = {0}, pairs;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (!strides[i].repeats) continue;
    out.push_back(1u << i);
    for (size_t j = 0; j < i; ++j)
      if (strides[j].repeats && strides.size() > 2) pairs.push_back(1u << i | 1u << j);
  }
  append(out, pairs);
  return out;
}

/// All strides 1; then one or two operands 0 and the others 1; else as they come.
std::optional<Fork> fork_strides(const Kernel& k) {
  const std::vector<StrideSize> strides = stride_sizes(k);
  if (strides.empty() || strides.size() > 4) return std::nullopt;
  for (const unsigned zeros : sets_of_zeros(strides)) {
    std::map<std::string, int64_t> sizes;
    Expr holds;
    for (size_t i = 0; i < strides.size(); ++i) {
      const int64_t v = (zeros >> i & 1u) != 0 ? 0 : 1;
      sizes.emplace(strides[i].name, v);
      holds = both(holds, equals(size_ref(strides[i].name), v));
    }
    if (!ruled_out(k, holds)) return fork_on(holds, with_sizes(k, sizes), k);
  }
  return std::nullopt;
}

/// An update along one line by blocks of its last loop: elements a power of two apart conflict in the cache.
void update_by_blocks(KernelStatement& s, FreshNames fresh) {
  constexpr int64_t kBlock = 32;
  const bool one_line = std::all_of(s.index.begin(), s.index.end() - 1, [](const Expr& e) {
    return std::holds_alternative<VarRef>(e->node) || constant_value(e).has_value();
  });
  if (s.loops.size() < 2 || !one_line) return;
  const LoopVar last = s.loops.back();
  const Expr blocks = apply(ScalarOp::FloorDiv, {last.extent + constant_int(kBlock - 1), constant_int(kBlock)});
  const LoopVar block{fresh(last.name + "_block"), blocks};
  const Expr whole = var_ref(block.name) * constant_int(kBlock) + var_ref(last.name);
  const Expr inside = apply(ScalarOp::Lt, {whole, last.extent});
  const auto in_block = [&](const Expr& e) { return substitute(e, {{last.name, whole}}); };
  for (Expr& e : s.index) e = in_block(e);
  s.value = in_block(s.value);
  s.where = both(s.where ? in_block(s.where) : nullptr, inside);
  s.loops.back().extent = constant_int(kBlock);
  s.loops.insert(s.loops.end() - 2, block);
}

/// Updates of floats along the last dimension, by steps that the call determines: steps of 1 get code of their own.
std::optional<Fork> fork_updates(const Kernel& k) {
  for (size_t i = 0; i < k.body.size(); ++i) {
    const KernelStatement& s = k.body[i];
    if (s.loops.empty() || s.index.empty() || s.update == Update::Assign || !is_float(s.value->type)) continue;
    const auto along = affine_in(s.index.back(), s.loops.back().name);
    const auto* a = along ? std::get_if<AttrRef>(&along->coefficient->node) : nullptr;
    const std::string size = along ? size_name(along->coefficient) : "";
    const Expr holds = a || !size.empty() ? equals(along->coefficient, 1) : nullptr;
    if (!holds || ruled_out(k, holds)) continue;
    const auto by_one = [&](const Expr& e) { return replaced_attr(e, a->name, a->element, 1); };
    Fork f = fork_on(holds, a ? map_exprs(k, by_one) : with_sizes(k, {{size, 1}}), k);
    update_by_blocks(f.otherwise.body[i], FreshNames(k));
    return f;
  }
  return std::nullopt;
}

/// The last extent of what a copy writes, or an update takes, along the dimension in front of it; "" if there is none.
std::string last_of_copy(const Kernel& k) {
  if (scatters_into_temps(k)) return "";  // the copy is the least of it
  for (const KernelStatement& s : k.body) {
    const auto* read = std::get_if<Read>(&s.value->node);
    if (!read || is_in_recurrence(s)) continue;
    const bool copies = s.update == Update::Assign;
    if (copies && s.loops.size() >= 2 &&
        go_over_one_run(k, s.loops[s.loops.size() - 2], s.loops.back(), {s.target, s.index, s.value}))
      continue;
    const Tensor& t = k.tensor(copies ? s.target : read->tensor);
    const std::vector<Expr>& index = copies ? s.index : read->index;
    const size_t rank = t.dims.size();
    if (rank < 2) continue;
    const std::string name = size_name(t.dims[rank - 1]);
    if (name.empty() || !is_open(k, name) || !same(t.strides[rank - 2], t.dims[rank - 1])) continue;
    const bool moves = any_of(s.loops, [&](const LoopVar& l) {
      const auto along = affine_in(index[rank - 2], l.name);
      return along && is_one(along->coefficient);
    });
    if (moves) return name;
  }
  return "";
}

/// A copy or an update whose indices are given by a tensor: without the loop over a single adjacent element, each
/// element is one load and one store.
bool is_gather(const Kernel& k) {
  const auto told = [](const std::vector<Expr>& index) { return any_of(index, has_node<Read>); };
  return any_of(k.body, [&](const KernelStatement& s) {
    const auto* r = std::get_if<Read>(&s.value->node);
    return r && (told(r->index) || told(s.index));
  });
}

/// Copies of operands that may be absent: with a single adjacent element each is a loop of its own.
bool has_presence_loops(const Kernel& k) {
  return any_of(k.body, [&](const KernelStatement& s) {
    return any_of(s.loops, [&](const LoopVar& l) { return is_presence(k, l.extent); });
  });
}

/// A flag that decides in which direction an index goes through the elements that are reduced; "" if there is none.
std::string direction_flag(const Expr& index, const Reduce& r) {
  const auto* s = std::get_if<Select>(&index->node);
  const auto* flag = s ? std::get_if<AttrRef>(&s->cond->node) : nullptr;
  const auto walks = [&](const Expr& e) {
    return std::any_of(r.vars.begin(), r.vars.end(), [&](const LoopVar& v) { return mentions(e, v.name); });
  };
  return flag && s->cond->type == DType::Bool && walks(s->yes) && walks(s->no) ? flag->name : "";
}

/// A copy or a reduction along the last dimension but one, or a reduction along the dimensions around that one: when
/// the last extent is 1 it runs over neighbours.
std::optional<Fork> fork_last_extent(const Kernel& k) {
  std::string last = last_of_copy(k);
  each_reduction(k, [&](const Reduce& r) {
    const auto reduced = [&](const Expr& e) {
      return any_of(r.vars, [&](const LoopVar& l) { return is_variable(e, l.name); });
    };
    each_read(r.value, [&](const Read& read) {
      const Tensor& t = k.tensor(read.tensor);
      for (size_t d = 0; d < read.index.size(); ++d) {
        const bool between = t.role != Role::Temp && r.vars.size() > 1 && reduced(read.index.back());
        const std::string name = size_name(t.strides[d]);
        if ((between || reduced(read.index[d]) || !direction_flag(read.index[d], r).empty()) && last.empty() &&
            is_open(k, name) && same(t.dims.back(), t.strides[d]))
          last = name;
      }
    });
  });
  const auto size = std::find_if(k.sizes.begin(), k.sizes.end(), [&](const Size& s) { return s.name == last; });
  if (last.empty() || size->lo > 1) return std::nullopt;
  const Expr holds = equals(size_ref(last), 1);
  if (ruled_out(k, holds)) return std::nullopt;
  Fork f = fork_on(holds, with_sizes(k, {{last, 1}}), k);
  f.for_speed = !is_gather(k) && !has_presence_loops(k);
  if (size->lo == 1) {
    f.for_speed = false;
    for (Size& s : f.otherwise.sizes)
      if (s.name == last) s.lo = 2;
  }
  return f;
}

/// Flags inside predicates and around reductions, and where they turn a reduction along a line.
std::optional<Fork> fork_flag(const Kernel& k) {
  std::string flag;
  const auto note = [&](const Expr& e) {
    walk(e, [&](const Expr& n) {
      const auto* a = std::get_if<AttrRef>(&n->node);
      if (a && n->type == DType::Bool && flag.empty()) flag = a->name;
      return flag.empty();
    });
  };
  each_reduction(k, [&](const Reduce& r) {
    if (r.where) note(r.where);
    each_read(r.value, [&](const Read& read) {
      const Tensor& t = k.tensors[static_cast<size_t>(read.tensor)];
      for (size_t d = 0; d < read.index.size(); ++d)
        if (flag.empty() && is_one(t.strides[d])) flag = direction_flag(read.index[d], r);
    });
  });
  std::set<const ExprNode*> seen;
  for (const KernelStatement& s : k.body)
    walk(s.value, [&](const Expr& n) {
      if (!seen.insert(n.get()).second || !flag.empty()) return false;
      const auto* c = std::get_if<Select>(&n->node);
      if (c && std::holds_alternative<AttrRef>(c->cond->node) && (has_node<Reduce>(c->yes) || has_node<Reduce>(c->no)))
        note(c->cond);
      return true;
    });
  if (flag.empty()) return std::nullopt;
  const auto with = [&](int64_t v) {
    return map_exprs(k, [&](const Expr& e) { return replaced_attr(e, flag, 0, v); });
  };
  return Fork{{}, attr_ref(flag, DType::Bool), with(1), with(0)};
}

}  // namespace

std::optional<Fork> fork_stored(const Kernel& k) {
  // With more dimensions the elements may be adjacent along neither of the last two.
  if (k.body.size() != 1 || k.tensor(k.body[0].target).dims.size() != 2) return std::nullopt;
  const Tensor& t = k.tensor(k.body[0].target);
  const std::string row = size_name(t.strides.end()[-2]), column = size_name(t.strides.back());
  if (!is_open(k, row) || !is_open(k, column)) return std::nullopt;
  Fork f{{}, equals(size_ref(column), 1), with_sizes(k, {{column, 1}}), with_sizes(k, {{row, 1}})};
  return find_contraction(f.then) && find_contraction(f.otherwise) ? std::optional(std::move(f)) : std::nullopt;
}

std::optional<Fork> next_fork(const Kernel& k, const Isa& isa) {
  using Finder = std::optional<Fork> (*)(const Kernel&);
  constexpr Finder at_all_levels[] = {fork_repeated, fork_last_repeated, fork_flag, fork_boxes};
  constexpr Finder for_vectors[] = {fork_operands,   fork_strides,    fork_clamped,     fork_period,
                                    fork_copy_step,  fork_transposed, fork_last_extent, fork_rows,
                                    fork_short_rows, fork_questions,  fork_columns,     fork_windows};
  for (const Finder find : at_all_levels)
    if (auto f = find(k)) return f;
  if (isa.vector_bits == 0) return is_gather(k) ? fork_last_extent(k) : std::nullopt;
  for (const Finder find : for_vectors)
    if (auto f = find(k)) return f;
  if (auto f = fork_long_positions(k)) return f;
  if (has_long_windows(k)) return fork_positions(k);
  if (auto f = fork_steps(k)) return f;
  if (auto f = fork_inside_windows(k)) return f;
  if (auto f = fork_updates(k)) return f;
  return fork_positions(k);
}

}  // namespace tenon
