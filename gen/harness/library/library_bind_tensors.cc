// Shapes of a definition's inputs in the bind function.
#include <fmt/format.h>

#include "harness/library/library_bind.h"
#include "harness/library/library_input_shape.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/function_ref.h"
#include "support/joined.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Calls f with each dim of a tensor, where it begins, and how many dims it is, if it is a pack whose rank is not
/// known: one with `~`, or one that is `open`.
template <class F>
void each_extent(BindState& s, const TensorDef& t, const F& f, FunctionRef<bool(const Dim&)> open) {
  InputShape shape(s, t);
  StoredPlace at;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    const Dim& d = t.dims[i];
    const CExpr count = d.kind == DimKind::pack && (d.broadcast || open(d)) ? shape.rank_at(i, at) : nullptr;
    f(d, at, count);
    if (count) at.ranks.push_back(count);
    else InputShape::advance(at, d);
  }
}

template <class F>
void each_extent(BindState& s, const TensorDef& t, const F& f) {
  each_extent(s, t, f, [](const Dim&) { return false; });
}

/// Sizes that a tensor has without `~` next to others that have it: they are exact, whatever other inputs stretch to
/// them.
void write_exact_extents(BindState& s, const TensorDef& t, const CExpr& name) {
  each_extent(s, t, [&](const Dim& d, const StoredPlace& at, const CExpr&) {
    if (d.kind != DimKind::size || d.broadcast || s.knows(d)) return;
    s.assign(c_name(d.name), runtime_call("stored_extent", {name, at.value()}));
    s.bound_sizes.insert(d.name);
  });
}

/// A dim with `~` that no input has without it.
bool tells_extent(const BindState& s, const Dim& d) {
  return d.broadcast &&
         (d.kind == DimKind::pack ? !s.bound_packs.count(d.name) : d.kind == DimKind::size && !s.knows(d));
}

/// What all operands' extents broadcast to, for those dims that `tells` names.
template <class Tells>
void write_broadcast_extents(BindState& s, const TensorDef& t, const CExpr& name, const Tells& tells) {
  each_extent(s, t, [&](const Dim& d, const StoredPlace& at, const CExpr& count) {
    if (!tells(d)) return;
    if (count)
      return s.call("broadcast_pack", {c_number(position(s.signature->packs, d.name)), name, at.value(), count});
    s.assign(c_name(d.name),
             runtime_call("broadcast", {c_name(d.name), runtime_call("stored_extent", {name, at.value()})}));
  });
}

bool has_pack(const TensorDef& t) {
  return any_of(t.dims, [](const Dim& d) { return d.kind == DimKind::pack; });
}

/// Leading dims with `~` that the tensor may lack.
void write_missing_front(BindState& s, const TensorDef& t, const CExpr& name) {
  const auto lead = find_if(t.dims, [](const Dim& d) { return !d.broadcast; });
  s.call("pad_front", {name, c_count(t.dims.size()), c_number(lead - t.dims.begin())});
}

CExpr input_name(const TensorDef& t) { return c_text(operand_name(t, false)); }

/// Executes what `write` adds only if the tensor is given.
template <class Write>
void if_given(BindState& s, const TensorDef& t, Write write) {
  if (!t.optional) return write();
  if (CBlock then = s.block(write); !then.empty()) s.add(c_if(c_arrow(input_name(t), "is_given"), std::move(then)));
}

}  // namespace

CExpr StoredPlace::value() const {
  CExpr sum;
  for (const CExpr& r : ranks) sum = sum ? c_binary(sum, "+", r) : r;
  if (!sum) return c_number(fixed);
  return fixed == 0 ? sum : c_binary(sum, "+", c_number(fixed));
}

CExpr StoredPlace::subtracted_from(CExpr from) const {
  for (const CExpr& r : ranks) from = c_binary(from, "-", r);
  return fixed == 0 ? from : c_binary(from, "-", c_number(fixed));
}

bool StoredPlace::is(std::string_view variable) const {
  const auto* name = ranks.size() == 1 && fixed == 0 ? std::get_if<CText>(&ranks[0]->node) : nullptr;
  return name != nullptr && name->text == variable;
}

CExpr BindState::extent(const Dim& d) const {
  if (d.kind == DimKind::integer) return c_number(d.value);
  const Syntax name{SyntaxKind::name, d.name, 0, 0, {}, {}};
  return integer_value(name, scope);
}

CExpr BindState::extents(const std::vector<Dim>& parts) const {
  std::vector<CExpr> all = mapped(parts, [&](const Dim& p) { return extent(p); });
  return c_braces("const int64_t[]", std::move(all));
}

bool BindState::knows(const Dim& d) const {
  return d.kind == DimKind::integer || bound_sizes.count(d.name) || bound_lets.count(d.name) ||
         def().attr(d.name) != nullptr;
}

std::string operand_name(const TensorDef& t, bool output) { return (output ? "out_" : "in_") + t.name; }

std::string shape_comment(const TensorDef& t) {
  const auto dim = [](const Dim& d) { return print(d); };
  std::string text = fmt::format("{}{}: {}[{}]", t.name, t.optional ? "?" : "", t.dtype, joined(t.dims, ", ", dim));
  for (const StorageRule& r : t.storage)
    text +=
        fmt::format(", stored as [{}]{}", joined(r.dims, ", ", dim), r.condition ? " if " + print(*r.condition) : "");
  return verbatim(comment_inside(text));
}

void write_gradient_output(BindState& s, const TensorDef& t, int k) {
  const CExpr name = c_text(operand_name(t, true)), like = input_name(*s.def().input(t.like));
  s.add(c_paragraph(shape_comment(t)));
  s.add(c_declare("tn_operand *const", operand_name(t, true),
                  runtime_call("gradient", {c_number(k), type_argument(s.def(), t.dtype), like})));
  const CBlock then = s.block([&] {
    if (has_broadcast(t) && !has_pack(t)) write_missing_front(s, t, name);
    InputShape(s, t).write();
    if (!s.op->permuted.empty()) write_permuted(s, name);
    s.call("close_gradient", {name, c_number(k)});
  });
  s.add(c_if(c_arrow(like, "is_given"), then));
}

void write_permuted(BindState& s, const CExpr& operand) {
  const std::string& name = s.op->permuted;
  s.call("permute", {operand, c_number(position(s.signature->packs, name)),
                     address_of(c_name(s.def().let(name)->value.children[1].text))});
}

namespace {

/// The dims of a tensor in the order in which a rule stores them.
CStmt stored_as(const BindState& s, const TensorDef& t, const StorageRule& r, bool output) {
  std::vector<CExpr> order;
  int pack = -1, packs = 0;
  for (const Dim& d : r.dims)
    for (size_t i = 0; i < t.dims.size(); ++i)
      if (print(t.dims[i]) == print(d)) order.push_back(c_count(i));
  for (size_t i = 0; i < t.dims.size(); ++i)
    if (t.dims[i].kind == DimKind::pack) pack = static_cast<int>(i), ++packs;
  TENON_CHECK(order.size() == t.dims.size() && packs <= 1, "{}: storage of {}", s.def().name, t.name);
  const CExpr count = c_count(order.size());
  return runtime_step(output ? "put_stored_as" : "stored_as",
                      {c_text(operand_name(t, output || !t.like.empty())),
                       c_braces("const uint8_t[]", std::move(order)), count, c_number(pack)});
}

}  // namespace

void write_storage_order(BindState& s, const TensorDef& t, bool output) {
  const auto last = find_if(t.storage, [](const auto& r) { return !r.condition; });
  CBlock otherwise;  // of the rules after the current one
  for (auto r = last == t.storage.end() ? last : last + 1; r != t.storage.begin();) {
    CBlock then = {stored_as(s, t, *--r, output)};
    if (!r->condition) otherwise = std::move(then);
    else otherwise = {c_if(condition_value(*r->condition, s.scope), std::move(then), std::move(otherwise))};
  }
  for (CStmt& statement : otherwise) s.add(std::move(statement));
}

bool can_bind(const BindState& s, const TensorDef& t) {
  int open_packs = 0;
  bool has_axis = false;
  for (const Dim& d : t.dims) {
    if (d.kind == DimKind::size && s.def().let(d.name) && !s.bound_lets.count(d.name)) return false;
    if (d.kind == DimKind::pack && !s.bound_packs.count(d.name) && (s.def().let(d.name) || s.def().attr(d.name)))
      return false;
    has_axis = has_axis || !d.at.empty();
    if (d.kind == DimKind::pack && !d.broadcast && !s.bound_packs.count(d.name)) ++open_packs;
    if (d.kind == DimKind::split && count_if(d.parts, [&](const Dim& p) { return !s.knows(p); }) > 1) return false;
  }
  return open_packs <= 1 || has_axis || added_dim(s.def(), t);
}

namespace {

std::vector<const TensorDef*> stretching_inputs(const OpDef& def) {
  std::vector<const TensorDef*> out;
  for (const TensorDef& t : def.inputs)
    if (has_broadcast(t)) out.push_back(&t);
  return out;
}

/// The extents that an absent input would have told, where others have them with `~`: what these broadcast to.
void write_extents_without(BindState& s, const TensorDef& absent, const std::set<std::string>& known) {
  const auto tells = [&](const Dim& d) {
    return d.broadcast && any_of(absent.dims, [&](const Dim& own) {
             return own.kind == d.kind && own.name == d.name && !own.broadcast && known.count(d.name) == 0;
           });
  };
  std::set<std::string> sizes;
  const std::vector<const TensorDef*> tensors = stretching_inputs(s.def());
  for (const TensorDef* t : tensors)
    for (const Dim& d : t->dims)
      if (tells(d) && d.kind == DimKind::size && sizes.insert(d.name).second) s.assign(c_name(d.name), c_number(1));
  for (const TensorDef* t : tensors) {
    if (none_of(t->dims, tells)) continue;
    if_given(s, *t, [&] {
      InputShape(s, *t).declare_axes();
      write_broadcast_extents(s, *t, input_name(*t), tells);
    });
  }
}

/// The same of extents that other optional inputs have: those given tell them, and their shapes are compared later.
void write_extents_of_others(BindState& s, const TensorDef& absent, const std::set<std::string>& known) {
  const auto tells = [&](const Dim& d) {
    return !d.broadcast && (d.kind == DimKind::size || d.kind == DimKind::pack) && known.count(d.name) == 0 &&
           !s.def().let(d.name) && !s.def().attr(d.name) &&
           any_of(absent.dims, [&](const Dim& own) { return own.kind == d.kind && own.name == d.name; });
  };
  for (const TensorDef& t : s.def().inputs) {
    if (t.name == absent.name || !t.optional || t.follows || !t.storage.empty() || none_of(t.dims, tells)) continue;
    if_given(s, t, [&] {
      InputShape(s, t).declare_axes();
      const auto tell = [&](const Dim& d, const StoredPlace& at, const CExpr& count) {
        if (!tells(d)) return;
        const CExpr name = input_name(t);
        if (count)
          return s.call("broadcast_pack", {c_number(position(s.signature->packs, d.name)), name, at.value(), count});
        s.assign(c_name(d.name), runtime_call("stored_extent", {name, at.value()}));
      };
      each_extent(s, t, tell, [&](const Dim& d) { return known.count(d.name) == 0; });
    });
  }
}

}  // namespace

void write_plain_input(BindState& s, const TensorDef& t) {
  s.add(c_paragraph(shape_comment(t)));
  const bool last_ones = t.follows && t.optional;
  std::set<std::string> known = s.bound_sizes;
  known.insert(s.bound_packs.begin(), s.bound_packs.end());
  const CBlock shape = s.block([&] {
    if (last_ones) {
      const auto at = find_if(s.def().inputs, [&](const TensorDef& other) { return other.name == t.name; });
      s.add(c_comment("the last ones may lack"));
      s.add(require(c_arrow(input_name(*(at - 1)), "is_given"), "NULL"));
    }
    InputShape(s, t).write();
  });
  const CBlock absent = s.block([&] {
    if (last_ones) write_absent_extents(s, t, "nothing is read");
    else if (t.optional) write_extents_without(s, t, known), write_extents_of_others(s, t, known);
  });
  if (t.optional) return s.add(c_if(c_arrow(input_name(t), "is_given"), shape, absent));
  for (const CStmt& statement : shape) s.add(statement);
}

void write_exact_sizes(BindState& s) {
  bool first = true;
  for (const TensorDef* t : stretching_inputs(s.def())) {
    s.add(std::exchange(first, false) ? c_paragraph(shape_comment(*t)) : c_comment(shape_comment(*t)));
    if (!has_pack(*t)) if_given(s, *t, [&] { write_missing_front(s, *t, input_name(*t)); });
    if (t->optional) continue;
    InputShape(s, *t).declare_axes();
    write_exact_extents(s, *t, input_name(*t));
  }
}

void write_broadcast_inputs(BindState& s) {
  const auto tensors = stretching_inputs(s.def());
  for (const TensorDef* t : tensors) {
    if (none_of(t->dims, [&](const Dim& d) { return tells_extent(s, d); })) continue;
    if_given(s, *t, [&] {
      InputShape(s, *t).declare_axes();
      write_broadcast_extents(s, *t, input_name(*t), [&](const Dim& d) { return tells_extent(s, d); });
    });
  }
  for (const TensorDef* t : tensors)
    for (const Dim& d : t->dims)
      if (d.broadcast && d.kind != DimKind::integer)
        (d.kind == DimKind::pack ? s.bound_packs : s.bound_sizes).insert(d.name);
  for (const TensorDef* t : tensors) if_given(s, *t, [&] { InputShape(s, *t).write(); });
}

}  // namespace tenon
