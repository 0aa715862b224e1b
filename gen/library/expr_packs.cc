// Syntax → typed expression: packs dimension by dimension if their rank is known only in a call.

#include "algebra/simplify.h"
#include "ir/kernel/library.h"
#include "library/expr_builder.h"
#include "library/type_rules.h"
#include "support/ranges.h"

namespace tenon {

/// The first pack of `s` whose rank is known only in a call, so that its kernel has kMaxRank dims; "" if none.
std::string ExprBuilder::open_pack(const Syntax& s) const {
  const auto is_open = [&](const std::string& pack) {
    const auto p = scope_.binding.packs.find(pack);
    return scope_.binding.pack_ranks.contains(pack) && p != scope_.binding.packs.end() && p->second.size() == kMaxRank;
  };
  if (s.kind == SyntaxKind::name || s.kind == SyntaxKind::pack) {
    if (const auto v = scope_.pack_of.find(s.text); v != scope_.pack_of.end() && is_open(v->second)) return v->second;
    if (is_open(s.text)) return s.text;
    const AttrDef* a = scope_.def ? scope_.def->attr(s.text) : nullptr;
    if (a && a->count == AttrCount::per_dim && is_open(a->pack)) return a->pack;
    if (!scope_.def || !scope_.pack_ranges.contains(s.text)) return "";
    const auto declared = find_if(scope_.def->index, [&](const IndexRange& r) { return r.pack && r.name == s.text; });
    return declared == scope_.def->index.end() ? "" : open_pack(declared->extent);
  }
  if (s.calls(Builtin::size)) return "";
  for (const Syntax& c : s.children)
    if (std::string found = open_pack(c); !found.empty()) return found;
  return "";
}

std::string ExprBuilder::elementwise_pack(const Syntax& s) const {
  const bool rearranged = s.calls(Builtin::permute, Builtin::unravel, Builtin::keep, Builtin::concat, Builtin::drop);
  return rearranged ? "" : open_pack(s);
}

/// Whether dim k is in front of those that the call gives the pack.
Expr ExprBuilder::is_front(const std::string& pack, size_t k) const {
  return apply(ScalarOp::Lt,
               {size_ref(scope_.binding.pack_ranks.at(pack)), constant_int(kMaxRank - static_cast<int64_t>(k))});
}

/// The value of a pack's extent or a list's element in a leading dim.
Typed ExprBuilder::front_element(const Syntax& s, const Typed& own) const {
  if (!front_.neutral) return own;
  const AttrDef* a = scope_.def ? scope_.def->attr(s.text) : nullptr;
  if (!a) return {constant_int(1), true};
  const bool given = a->value && (a->value->is(SyntaxKind::integer) || a->value->is(SyntaxKind::boolean));
  const bool number = a->kind != AttrKind::boolean;
  return {constant_int(given ? a->value->integer : front_.list, number ? DType::I64 : DType::Bool), number};
}

namespace {

/// The expression with reads at negative positions replaced by their fill.
Expr filled(const Expr& e) {
  const auto* r = std::get_if<Read>(&e->node);
  const auto below = [](const Expr& i) { return constant_value(i).value_or(0) < 0; };
  if (r && r->fill && any_of(r->index, below)) return filled(r->fill);
  return map_children(e, [](const Expr& c) { return filled(c); });
}

}  // namespace

/// The value of `s` for other values of packs, without its run-time checks.
Expr ExprBuilder::with_front(const Syntax& s, FrontDim front) {
  const size_t checks = kernel_.checks.size();
  front_ = front;
  const Expr e = simplify(filled(simplify(value(s).e)));
  front_ = {};
  kernel_.checks.resize(checks);
  return e;
}

/// Element k of `*(s)`, which is `at_front` in the dims that are in front of the pack's own.
Expr ExprBuilder::own_dim(const Syntax& s, const std::string& pack, size_t k, int64_t at_front) {
  const size_t checks = kernel_.checks.size();
  const Expr plain = index(s);
  const bool unchecked = kernel_.checks.size() == checks;
  // Dim k is in front at places k - kMaxRank to -1.
  bool neutral = true;
  for (int64_t place = static_cast<int64_t>(k) - kMaxRank; place < 0 && neutral; ++place)
    for (const int64_t list : {0, 1})
      neutral = neutral && constant_value(with_front(s, {true, true, list, place})) == at_front;
  if (unchecked && neutral) return plain;
  kernel_.checks.resize(checks);
  const Expr front = is_front(pack, k);
  path_.push_back(apply(ScalarOp::Not, {front}));
  const Expr e = index(s);
  path_.pop_back();
  if (neutral) return e;
  // Keeps the expression affine in the variables: the excess is subtracted.
  const Expr excess = convert({with_front(s, {true, false, 0}), true}, DType::I64) - constant_int(at_front);
  return e - cast_to(front, DType::I64) * excess;
}

}  // namespace tenon
