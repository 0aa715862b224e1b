// Checks indices against shapes: their number, packs on packs, groups on split dims, and that every one is proved in
// range.
#include <fmt/format.h>

#include "opdef/check/expression_checker.h"
#include "opdef/check/statement_checks.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

/// The product of a split dim's parts.
Syntax stored_extent(const Slot& slot) {
  Syntax all = slot.extents[0];
  for (std::size_t k = 1; k < slot.extents.size(); ++k) {
    all = binary_node("*", std::move(all), slot.extents[k], slot.extents[k].span);
  }
  return all;
}

namespace {

/// The entry of a shape, as it is written.
std::string print(const Slot& slot) {
  const std::string extents = joined(slot.extents, " ", [](const Syntax& extent) { return tenon::print(extent); });
  return slot.split() ? fmt::format("({})", extents) : slot.pack ? "*" + extents : extents;
}

/// Whether the statement that defines a value is in error itself.
bool value_is_unread(const OpDef& op, const std::string& name) {
  return any_of(op.body, [&](const Statement& s) {
    return is_unread(s) && any_of(s.targets, [&](const Word& target) { return target.text == name; });
  });
}

}  // namespace

bool reads_data(const Syntax& s, const BodyScope& scope) {
  return any_within(s, [&](const Syntax& n) { return n.is(SyntaxKind::subscript) && scope.value(n.text) != nullptr; });
}

void ExpressionChecker::check_subs(const Syntax& access, const std::vector<Syntax>& subs, const BodyValue& value,
                                   ExpressionPlace place) {
  ExpressionPlace within = place;
  within.index = true;
  within.optional = false;
  if (!value.slots) {
    within.guarded = within.guarded || !value.open;  // the variable whose range is not known is reported
    return check_unknown_shape(access, subs, value, within);
  }
  if (subs.size() != value.slots->size()) {
    const TensorDef* def = value.input != nullptr ? value.input : value.output;
    const std::string dims = def != nullptr ? joined(def->dims, ", ", [](const Dim& d) { return print(d); })
                                            : joined(*value.slots, ", ", [](const Slot& slot) { return print(slot); });
    diagnostics_.error(Code::E0404, access.span,
                       fmt::format("'{}' has {} {}, not {}", access.text, value.slots->size(),
                                   value.slots->size() == 1 ? "index" : "indices", subs.size()),
                       {fmt::format("its shape is {}[{}]", def != nullptr ? def->dtype : "", dims)});
    return;
  }
  for (std::size_t i = 0; i < subs.size(); ++i) {
    const Slot& slot = (*value.slots)[i];
    const Syntax& sub = subs[i];
    if (slot.pack) {
      check_pack_sub(access, sub, slot, within);
    } else if (slot.split() && !sub.is(SyntaxKind::group) && !sub.is(SyntaxKind::pack) && !sub.is(SyntaxKind::each)) {
      check_single_sub(access, sub, stored_extent(slot), within);
    } else if (slot.split() != sub.is(SyntaxKind::group) ||
               (slot.split() && sub.children.size() != slot.extents.size())) {
      const std::string parts = fmt::format("a split dim of {} parts", slot.extents.size());
      diagnostics_.error(Code::E0429, sub.span,
                         fmt::format("index {} of '{}' is on {}", i + 1, access.text,
                                     slot.split() ? parts : "a dim that is not split"),
                         {slot.split() ? "write one index per part: (g m)" : "write a single index"});
    } else if (slot.split()) {
      for (std::size_t k = 0; k < slot.extents.size(); ++k)
        check_single_sub(access, sub.children[k], slot.extents[k], within);
    } else {
      check_single_sub(access, sub, slot.extents[0], within);
    }
  }
}

/// The result of a call whose shape is known only at expansion, but for some of its dims: bare variables are compared
/// there, and so are parts that are numbers. Anything else cannot be proved here.
void ExpressionChecker::check_unknown_shape(const Syntax& access, const std::vector<Syntax>& subs,
                                            const BodyValue& value, const ExpressionPlace& place) {
  ExpressionPlace below = place;
  below.guarded = false;
  for (std::size_t i = 0; i < subs.size(); ++i) {
    const Syntax& sub = subs[i];
    const bool counted = value.partial && value.partial->size() == subs.size();
    const Slot slot = counted ? (*value.partial)[i] : Slot();
    if (slot.known() && !slot.pack && !slot.split() && !sub.is(SyntaxKind::group) && !sub.is(SyntaxKind::name)) {
      check_single_sub(access, sub, slot.extents[0], place);
      continue;
    }
    const std::vector<Syntax> parts = sub.is(SyntaxKind::group) ? sub.children : std::vector<Syntax>{sub};
    for (const Syntax& part : parts) {
      if (part.is(SyntaxKind::pack)) {
        check_pack_variable(part);
        continue;
      }
      check(part, below);
      const bool bare = part.is(SyntaxKind::name) && scope_.variable(part.text) != nullptr;
      const bool number = sub.is(SyntaxKind::group) && part.is(SyntaxKind::integer) && part.integer >= 0;
      if (bare || number || place.guarded || value_is_unread(scope_.op(), access.text)) continue;
      diagnostics_.error(
          Code::E0504, part.span,
          fmt::format("the shape of '{}' is not known here, so that this index cannot be proved to be within it",
                      access.text),
          {fmt::format("guard the read with padded, or copy it, v[i] = {}[i], by a variable whose range is known",
                       access.text)});
    }
  }
}

void ExpressionChecker::check_pack_sub(const Syntax& access, const Syntax& sub, const Slot& slot,
                                       const ExpressionPlace& place) {
  if (sub.is(SyntaxKind::pack)) {
    check_pack_variable(sub);
    const IndexVariable* v = scope_.variable(sub.text);
    if (v == nullptr || !v->pack || !v->extent || place.guarded) return;
    if (scope_.bounds().equal(*v->extent, slot.extents[0])) return;
    if (v->declared) return check_bounds(access, sub, slot.extents[0]);
    // Uses that disagree with each other have already been reported; a conflict with the left side of an output has
    // not.
    if (v->fixed)
      diagnostics_.error(Code::E0411, sub.span,
                         fmt::format("'*{}' ranges over *{} here, but over *{} elsewhere", sub.text,
                                     print(slot.extents[0]), print(*v->extent)),
                         {"use two variables, or make the two packs one"});
    return;
  }
  if (!sub.is(SyntaxKind::each)) {
    diagnostics_.error(
        Code::E0429, sub.span,
        fmt::format("the pack *{} of '{}' needs an index for all its dims", print(slot.extents[0]), access.text),
        {"write *p, or *(expression) over packs"});
    return;
  }
  ExpressionPlace each = place;
  each.packs = true;
  const ExpressionPlace unguarded = each;
  check(sub.children[0], unguarded);
  if (place.guarded) return;
  const Syntax& inner = sub.children[0];
  if (inner.calls(Builtin::unravel)) check_unravel(access, inner, slot);
  else if (inner.calls(Builtin::permute, Builtin::concat, Builtin::drop, Builtin::keep))
    check_pack_call(access, inner, slot);
  else check_bounds(access, inner, slot.extents[0]);
}

/// X[*permute(o, perm)]: the extents are rearranged as the variables are, and must come out as the dim's pack.
void ExpressionChecker::check_pack_call(const Syntax& access, const Syntax& call, const Slot& slot) {
  Syntax extents = call;
  for (Syntax& argument : extents.children) {
    const IndexVariable* v =
        argument.is(SyntaxKind::name) || argument.is(SyntaxKind::pack) ? scope_.variable(argument.text) : nullptr;
    if (v != nullptr && v->extent) argument = *v->extent;
  }
  if (scope_.bounds().equal(extents, slot.extents[0])) return;
  diagnostics_.error(
      Code::E0504, call.span,
      fmt::format("the indices of '{}' here run over {}, its dims are {}", access.text, print(extents),
                  print(slot.extents[0])),
      {fmt::format("define the pack by a let of the same form: {}: \"{}\"", print(slot.extents[0]), print(extents))});
}

/// X[*unravel(n, S)]: the indices of element n of a tensor of shape S; S must be the dims' own pack, and n < size(S).
void ExpressionChecker::check_unravel(const Syntax& access, const Syntax& call, const Slot& slot) {
  const Syntax& number = call.children[0];
  const Syntax& shape = call.children[1];
  if (!scope_.bounds().equal(shape, slot.extents[0])) {
    diagnostics_.error(Code::E0504, call.span,
                       fmt::format("the indices of '{}' here run over {}, its dims are {}", access.text, print(shape),
                                   print(slot.extents[0])),
                       {fmt::format("write unravel({}, {})", print(number), print(slot.extents[0]))});
    return;
  }
  if (same_size_of(number, shape)) return;
  check_bounds(access, number, call_node("size", {shape}, shape.span));
}

/// lin(*o) of variables over O is below size(S) where `require` says that size(O) == size(S), or O is S.
bool ExpressionChecker::same_size_of(const Syntax& number, const Syntax& shape) {
  if (!number.calls(Builtin::lin) || number.children.size() != 1 || !number.children[0].is(SyntaxKind::pack))
    return false;
  const IndexVariable* v = scope_.variable(number.children[0].text);
  if (v == nullptr || !v->extent) return false;
  if (scope_.bounds().equal(*v->extent, shape)) return true;
  const auto is_size_of = [](const Syntax& s, const Syntax& pack) {
    return s.calls(Builtin::size) && s.children[0].text == pack.text;
  };
  return any_of(op_.requires_, [&](const Syntax& r) {
    if (!r.is(SyntaxKind::binary) || r.text != "==") return false;
    const Syntax &a = r.children[0], &b = r.children[1];
    return (is_size_of(a, *v->extent) && is_size_of(b, shape)) || (is_size_of(b, *v->extent) && is_size_of(a, shape));
  });
}

void ExpressionChecker::check_single_sub(const Syntax& access, const Syntax& sub, const Syntax& extent,
                                         const ExpressionPlace& place) {
  if (sub.is(SyntaxKind::pack) || sub.is(SyntaxKind::each)) {
    diagnostics_.error(Code::E0429, sub.span,
                       fmt::format("a pack is on the single dim {} of '{}'", print(extent), access.text),
                       {"write a single index"});
    return;
  }
  ExpressionPlace below = place;
  below.guarded = false;
  const std::size_t before = diagnostics_.size();
  check(sub, below);
  if (place.guarded || diagnostics_.size() != before) return;
  const IndexVariable* v = sub.is(SyntaxKind::name) ? scope_.variable(sub.text) : nullptr;
  // Bare: the range is the dim's own. (Uses that disagree have been reported.)
  if (v != nullptr && (!v->fixed || !v->extent || same(*v->extent, extent))) return;
  if (v != nullptr && !v->declared && !proved_within(sub, extent)) {
    diagnostics_.error(
        Code::E0411, sub.span,
        fmt::format("'{}' ranges over {} here, but over {} elsewhere", sub.text, print(extent), print(*v->extent)),
        {fmt::format("use two variables, or make the two sizes one symbol; under `require` {} <= {} makes this read a "
                     "part of the dim",
                     print(*v->extent), print(extent))});
    return;
  }
  if (v == nullptr || v->declared) check_bounds(access, sub, extent);
}

/// "where i runs over N": the variables of an index with their ranges.
std::string ExpressionChecker::where(const Syntax& sub) {
  std::vector<std::string> ranges;
  each_within(sub, [&](const Syntax& s) {
    const IndexVariable* v = s.is(SyntaxKind::name) ? scope_.variable(s.text) : nullptr;
    if (v == nullptr || !v->extent) return;
    std::string text = fmt::format("0 <= {} < {}", s.text, print(*v->extent));
    if (!contains(ranges, text)) ranges.push_back(std::move(text));
  });
  return ranges.empty() ? "" : fmt::format(" where {}", joined(ranges, ", "));
}

/// Advice for Ptr[m + 1] if only Ptr[m] determines the range of m.
std::string ExpressionChecker::smaller_range(const Syntax& sub, const Syntax& extent) {
  if (!sub.is(SyntaxKind::binary) || sub.text != "+" || !sub.children[1].is(SyntaxKind::integer)) return "";
  const IndexVariable* v = sub.children[0].is(SyntaxKind::name) ? scope_.variable(sub.children[0].text) : nullptr;
  if (v == nullptr || !v->extent) return "";
  const bool sizes = v->extent->is(SyntaxKind::name) && extent.is(SyntaxKind::name);
  if (sizes && !same(*v->extent, extent))
    return fmt::format(
        "state under `require` that {} + {} <= {}, or guard it with padded, clamp, wrap, reflect or mirror",
        v->extent->text, sub.children[1].integer, extent.text);
  if (v->declared || v->fixed || !same(*v->extent, extent)) return "";
  return fmt::format(
      "'{0}' runs over all of {1} because nothing else gives it a range: write index: {{{0}: {1} - {2}}}",
      sub.children[0].text, print(extent), sub.children[1].integer);
}

bool ExpressionChecker::proved_within(const Syntax& sub, const Syntax& extent) {
  IndexBounds& bounds = scope_.bounds();
  bounds.within(bound);
  return bounds.nonnegative(sub) && bounds.below(sub, extent);
}

namespace {

bool divides(const Syntax& s) {
  return any_within(s, [](const Syntax& n) { return n.is(SyntaxKind::binary) && n.text == "/"; });
}

/// The index to compare with the first or the last element: for a clamp, its own bound.
const Syntax& end_of(const Syntax& sub, std::size_t end) { return sub.calls(Builtin::clamp) ? sub.children[end] : sub; }

/// extent - 1, as one writes it.
std::string last_of(const Syntax& extent) {
  if (extent.is(SyntaxKind::integer)) return fmt::format("{}", extent.integer - 1);
  const bool sum = extent.is(SyntaxKind::binary) && extent.text != "*";
  return sum ? fmt::format("({}) - 1", print(extent)) : fmt::format("{} - 1", print(extent));
}

/// The index inside of a guard: of the data, if the arguments are in another order.
const Syntax& unguarded(const Syntax& sub, const BodyScope& scope) {
  if (!sub.calls(Builtin::clamp, Builtin::wrap, Builtin::reflect, Builtin::mirror)) return sub;
  const auto data = find_if(sub.children, [&](const Syntax& argument) { return reads_data(argument, scope); });
  return data == sub.children.end() ? sub.children[0] : *data;
}

/// How an index is brought into a dim.
std::string guard_note(const Syntax& sub, const Syntax& extent, const BodyScope& scope) {
  const Syntax& index = unguarded(sub, scope);
  if (&index == &sub && !reads_data(sub, scope))
    return "guard it with padded, clamp, wrap, reflect or mirror, or state under `require` what makes it true";
  return fmt::format("write wrap({0}, {1}) or clamp({0}, 0, {2}){3}", print(index), print(extent), last_of(extent),
                     reads_data(sub, scope) ? "" : ", or state under `require` what makes it true");
}

}  // namespace

/// Whether the range of a variable is not known, which is reported of the variable itself.
bool ExpressionChecker::has_open_range(const Syntax& s) const {
  return any_within(s, [&](const Syntax& n) {
    const bool named = n.is(SyntaxKind::name) || n.is(SyntaxKind::pack);
    const IndexVariable* v = named ? scope_.variable(n.text) : nullptr;
    return v != nullptr && !v->extent && !v->elsewhere;
  });
}

namespace {

bool divides_by_zero(const Syntax& s) {
  return any_within(s, [](const Syntax& n) {
    return n.is(SyntaxKind::binary) && (n.text == "//" || n.text == "%") && n.children[1].is(SyntaxKind::integer) &&
           n.children[1].integer == 0;
  });
}

}  // namespace

void ExpressionChecker::check_bounds(const Syntax& access, const Syntax& sub, const Syntax& extent) {
  if (has_open_range(sub) || divides_by_zero(sub)) return;  // reported of the variable, or of the divisor
  IndexBounds& bounds = scope_.bounds();
  bounds.within(bound);
  const bool data = reads_data(sub, scope_);
  const std::string guard = guard_note(sub, extent, scope_);
  if (!bounds.follows(sub)) {
    diagnostics_.error(
        data ? Code::E0503 : Code::E0504, sub.span,
        data ? fmt::format("this index of '{}' comes from data and may be outside of {}", access.text, print(extent))
             : fmt::format("this index of '{}' cannot be proved to be within {}", access.text, print(extent)),
        {!data && divides(sub) ? "an index is an integer: // divides integers" : guard});
    return;
  }
  const bool begins = bounds.nonnegative(sub), ends = bounds.below(sub, extent);
  if ((!begins && bounds.always_negative(sub)) || (!ends && bounds.always_at_least(sub, extent))) {
    diagnostics_.error(Code::E0505, sub.span,
                       fmt::format("this index of '{}' always is outside of {}", access.text, print(extent)),
                       {fmt::format("indices run from 0 to {}", last_of(extent))});
    return;
  }
  if (!begins) {
    // The sign of its divisor decides where a remainder is.
    const bool rest = sub.is(SyntaxKind::binary) && sub.text == "%" && !bounds.nonnegative(sub.children[1]);
    const Syntax& start = rest ? sub.children[1] : end_of(sub, 1);
    diagnostics_.error(Code::E0502, sub.span,
                       fmt::format("'{}' may read before the start of its dim {}", print(access), print(extent)),
                       {fmt::format("not proved: {} >= 0{}", bounds.describe(start), where(start)),
                        rest ? fmt::format("state under `require` that {} >= 0", print(start)) : guard});
    if (rest) return;
  }
  if (!ends) {
    const std::string range = smaller_range(sub, extent);
    const std::string last =
        extent.is(SyntaxKind::integer) ? last_of(extent) : fmt::format("{} - 1", bounds.describe(extent));
    diagnostics_.error(
        Code::E0501, sub.span, fmt::format("'{}' may read past the end of its dim {}", print(access), print(extent)),
        {fmt::format("not proved: {} <= {}{}", bounds.describe(end_of(sub, 2)), last, where(end_of(sub, 2))),
         range.empty() ? guard : range});
  }
}

}  // namespace tenon
