// Syntax → typed expression: reads and subscripts.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "algebra/simplify.h"
#include "library/expr_builder.h"
#include "library/table_data.h"
#include "library/type_rules.h"
#include "oracle/number.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// Widens a signed number to the width of an unsigned type: it may be negative, like an index that counts from the end.
DType signed_like(DType d) { return bytes_of(d) == 8 ? DType::I64 : bytes_of(d) == 4 ? DType::I32 : DType::I16; }

}  // namespace

Typed ExprBuilder::subscript(const Syntax& s, Expr fill) {
  if (const auto a = scope_.binding.attrs.find(s.text); a != scope_.binding.attrs.end()) {
    const auto k = s.children.size() == 1 ? constant_value(value(s.children[0]).e) : std::nullopt;
    if (k && *k >= 0 && static_cast<size_t>(*k) < a->second.elements.size())
      return a->second.elements[static_cast<size_t>(*k)];
    const size_t n = a->second.elements.size();
    if (s.children.size() == 1 && !k) return chosen_element(s.text, a->second, index(s.children[0]));
    error(Code::E0432, s,
          n == 0 ? fmt::format("the call decides how many elements {} has, and a kernel is the same for any number",
                               s.text)
                 : fmt::format("{} has elements 0 to {}", s.text, n - 1),
          n == 0 ? std::vector<std::string>{"give it a number of elements, as in int[2]"} : std::vector<std::string>{});
    return zero();
  }
  const auto found = scope_.tensors.find(s.text);
  if (found == scope_.tensors.end() || found->second.tensor < 0) {
    error(Code::E0401, s, fmt::format("no tensor here is called '{}'", s.text));
    return zero();
  }
  const BoundTensor& t = found->second;
  const DType storage = kernel_.tensor(t.tensor).dtype;
  const bool outside = unsure_;
  unsure_ = false;
  std::vector<Expr> at = subscripts(s.children, t, &s);
  if (unsure_ && !fill) fill = constant_of(0, storage);
  if (!fill) keep_within(at, t);
  for (Expr& i : at) i = integers_.unsigned_where_wrapping(i);
  unsure_ = outside;
  const Expr read = read_of(t.tensor, storage, std::move(at), std::move(fill));
  return {cast_to(read, t.flexible ? dtype_row(storage).compute : type_of_read(storage)), t.flexible};
}

Expr ExprBuilder::length_of(const BoundAttr& list) const {
  return list.held.count ? list.held.count : constant_int(static_cast<int64_t>(list.elements.size()));
}

/// count(list), the number of its elements.
Typed ExprBuilder::count(const Syntax& s) {
  const auto a = scope_.binding.attrs.find(s.children[0].text);
  if (a == scope_.binding.attrs.end() || !a->second.list) {
    error(Code::E0434, s, "count takes the name of a list attribute");
    return zero();
  }
  const AttrDef* declared = scope_.def ? scope_.def->attr(s.children[0].text) : nullptr;
  if (declared && declared->count == AttrCount::per_dim) {
    Syntax pack = s.children[0];
    pack.text = declared->pack;
    return {rank_of(pack), true};
  }
  return {length_of(a->second), true};
}

/// An element of a list that is in the memory of the call.
Typed ExprBuilder::held_element(const HeldList& list, const Expr& at) {
  const auto is_list = [&](const Tensor& t) { return t.list == list.attr; };
  auto t = find_if(kernel_.tensors, is_list);
  if (t == kernel_.tensors.end()) {
    Tensor made{
        unused_tensor_name(kernel_, list.attr), Role::Input, list.held, {list.count}, {constant_int(list.stride)}};
    made.list = list.attr;
    kernel_.tensors.push_back(std::move(made));
    t = std::prev(kernel_.tensors.end());
  }
  const Expr read = read_of(static_cast<int>(t - kernel_.tensors.begin()), list.held, {at});
  return {cast_to(read, list.type), list.flexible};
}

/// An element of a list whose elements are constants: a table. Nothing for others.
std::optional<Typed> ExprBuilder::known_element(const std::string& name, const BoundAttr& list, const Expr& at) {
  auto data = std::make_shared<TensorData>();
  const bool loose = list.elements[0].flexible && is_float(list.elements[0].e->type);
  data->dtype = loose ? statement_.real : list.elements[0].e->type;
  data->dims = {static_cast<int64_t>(list.elements.size())};
  data->bytes.assign(list.elements.size() * static_cast<size_t>(bytes_of(data->dtype)), 0);
  for (size_t k = 0; k < list.elements.size(); ++k) {
    const Expr e = simplify(convert(list.elements[k], data->dtype));
    const Constant* c = as_constant(e);
    if (!c || e->type != data->dtype || is_complex(e->type)) return std::nullopt;
    store_number(*data, static_cast<int64_t>(k), {c->i, c->f});
  }
  const int tensor = constant_tensor(kernel_, name, data);
  return Typed{read_of(tensor, data->dtype, {at}), list.elements[0].flexible};
}

/// An element of a list that a variable chooses. The checks of the definition prove that there is one.
Typed ExprBuilder::chosen_element(const std::string& name, const BoundAttr& list, const Expr& index) {
  const Expr at = kept_within(index, length_of(list));
  if (!list.held.attr.empty()) return held_element(list.held, at);
  if (list.elements.empty()) return zero();  // nothing is read
  if (const auto known = known_element(name, list, at)) return *known;
  Typed all = list.elements.back();
  for (size_t k = list.elements.size() - 1; k-- > 0;) {
    Typed one = list.elements[k];
    unify(one, all);
    all.e = select(apply(ScalarOp::Eq, {at, constant_int(static_cast<int64_t>(k))}), one.e, all.e);
    all.flexible = all.flexible && one.flexible;
  }
  return all;
}

/// The type in which a number of this type is computed: narrow integers in the type to which the statement widens them.
DType ExprBuilder::type_of_read(DType storage) const {
  if (!is_int(storage) || bytes_of(statement_.widest) < bytes_of(storage)) return dtype_row(storage).compute;
  const DType to = bytes_of(statement_.widest) > bytes_of(storage) ? statement_.widest : storage;
  return is_unsigned_int(storage) || !is_unsigned_int(to) ? to : signed_like(to);
}

std::vector<Expr> ExprBuilder::subscripts(const std::vector<Syntax>& subs, const BoundTensor& t, const Syntax* place) {
  std::vector<Expr> out;
  if (subs.size() != t.entries.size()) {
    if (place)
      error(Code::E0404, *place,
            fmt::format("'{}' has {} {}, not {}", place->text, t.entries.size(),
                        t.entries.size() == 1 ? "index" : "indices", subs.size()),
            {fmt::format("its shape is [{}]", joined(t.entries, ", ", [](const std::vector<Expr>& entry) {
                           return joined(entry, ", ", [](const Expr& extent) { return to_text(extent); });
                         }))});
    for (const auto& e : t.entries) out.insert(out.end(), e.size(), constant_int(0));
    return out;
  }
  const DType widest = statement_.widest;
  for (size_t i = 0; i < subs.size(); ++i) {
    statement_.widest = DType::I64;  // the type of an index: narrower operands are widened, so that sums do not wrap
    if (subs[i].kind == SyntaxKind::group && t.open && t.entries[i].size() == 1) {
      out.push_back(joined_parts(subs[i], t, i));
      continue;
    }
    append_subscript(subs[i], t.entries[i], out);
    if (t.open && t.parts.empty()) match_open(subs[i], t.entries[i]);
  }
  statement_.widest = widest;
  return out;
}

/// The checks of the definition prove that the index is within its dim if integers do not wrap; where they may, it is
/// brought there.
Expr ExprBuilder::kept_within(const Expr& index, const Expr& extent) {
  if (integers_.stays_within(index, extent)) return index;
  const Expr from_0 = apply(ScalarOp::Max, {index, constant_int(0)});
  return apply(ScalarOp::Min, {from_0, extent - constant_int(1)});
}

void ExprBuilder::keep_within(std::vector<Expr>& at, const BoundTensor& t) {
  const std::vector<Expr>& dims = kernel_.tensor(t.tensor).dims;
  for (size_t k = 0; k < at.size() && k < dims.size(); ++k) at[k] = kept_within(at[k], dims[k]);
}

std::vector<Expr> ExprBuilder::place(const std::vector<Syntax>& subs, const BoundTensor& t) {
  std::vector<Expr> at = subscripts(subs, t, nullptr);
  keep_within(at, t);
  for (Expr& i : at) i = integers_.unsigned_where_wrapping(i);
  return at;
}

void ExprBuilder::append_subscript(const Syntax& sub, const std::vector<Expr>& entry, std::vector<Expr>& out) {
  const size_t before = out.size();
  if (sub.kind == SyntaxKind::pack) {
    for (const LoopVar& v : loop_vars(sub)) {
      out.push_back(value_or(renamed_, v.name, var_ref(v.name)));
    }
  } else if (sub.kind == SyntaxKind::each) {
    append(out, list(sub));
  } else if (sub.kind == SyntaxKind::group) {
    for (const Syntax& part : sub.children) out.push_back(index(part));
  } else if (entry.size() > 1) {  // a split dim by one index into the stored dim
    const Expr at = index(sub);
    const std::vector<Expr> strides = contiguous_strides(entry);
    for (size_t k = 0; k < entry.size(); ++k) {
      const Expr part = is_one(strides[k]) ? at : apply(ScalarOp::FloorDiv, {at, strides[k]});
      out.push_back(k == 0 ? part : apply(ScalarOp::Mod, {part, entry[k]}));
    }
  } else {
    if (entry.size() == 1) match_found(sub, entry[0]);
    out.push_back(index(sub));
  }
  const size_t given = out.size() - before;
  if (given == entry.size()) return;
  error(Code::E0429, sub, fmt::format("{} indices for {} dimensions", given, entry.size()));
  out.resize(before + entry.size(), constant_int(0));
}

size_t ExprBuilder::each_rank(const Syntax& s) const {
  if (s.kind == SyntaxKind::name || s.kind == SyntaxKind::pack) {
    if (const auto p = scope_.pack_ranges.find(s.text); p != scope_.pack_ranges.end()) return p->second.size();
    if (const auto p = scope_.binding.packs.find(s.text); p != scope_.binding.packs.end()) return p->second.size();
    if (const auto a = scope_.binding.attrs.find(s.text); a != scope_.binding.attrs.end() && a->second.list)
      return a->second.elements.size();
    return SIZE_MAX;
  }
  // The product of a pack's extents is one number.
  if (s.calls(Builtin::size)) return SIZE_MAX;
  for (const Syntax& c : s.children) {
    if (s.kind == SyntaxKind::subscript && c.kind == SyntaxKind::pack) continue;  // all dims of another pack at once
    const size_t n = each_rank(c);
    if (n != SIZE_MAX) return n;
  }
  return SIZE_MAX;
}

std::vector<Expr> ExprBuilder::conditions(const Syntax& s) {
  const size_t rank = each_rank(s);
  if (rank == SIZE_MAX) return {condition(s)};
  std::vector<Expr> all;
  const std::string open = open_pack(s);
  for (element_ = 0; element_ < static_cast<int>(rank); ++element_) {
    const Expr holds = condition(s);
    const Expr front = open.empty() ? nullptr : with_front(s, {true, true, 0});
    const bool always = !front || (is_one(front) && is_one(with_front(s, {true, true, 1})));
    all.push_back(always ? holds : apply(ScalarOp::Or, {is_front(open, static_cast<size_t>(element_)), holds}));
  }
  element_ = -1;
  return all;
}

Typed ExprBuilder::each_element(const Syntax& s, size_t k) {
  const std::vector<LoopVar> vars = loop_vars([&] {
    Syntax p = s;
    p.kind = SyntaxKind::pack;
    return p;
  }());
  if (k >= vars.size()) {
    error(Code::E0429, s, fmt::format("*{} has {} dimensions", s.text, vars.size()));
    return zero();
  }
  return {value_or(renamed_, vars[k].name, var_ref(vars[k].name)), true};
}

std::vector<Expr> ExprBuilder::permuted(const Syntax& call) {
  const std::vector<Expr> from = list(call.children[0]), perm = list(call.children[1]);
  std::vector<Expr> out;
  std::set<int64_t> taken;
  for (const Expr& p : perm) {
    const auto k = constant_value(p);
    if (!k || *k < 0 || static_cast<size_t>(*k) >= from.size()) {
      error(Code::E0432, call, "the permutation is not known here, or names a dimension that there is not");
      return from;
    }
    if (!taken.insert(*k).second) {
      error(Code::E0432, call, fmt::format("the permutation names dimension {} twice", *k));
      return from;
    }
    out.push_back(from[static_cast<size_t>(*k)]);
  }
  return out;
}

/// Index lists of the element with linear index `i` in a shape.
std::vector<Expr> ExprBuilder::unravelled(const Syntax& call) {
  const Expr i = index(call.children[0]);
  const std::vector<Expr> extents = list(call.children[1]), strides = contiguous_strides(extents);
  std::vector<Expr> out;
  for (size_t k = 0; k < extents.size(); ++k) {
    Expr e = is_one(strides[k]) ? i : apply(ScalarOp::FloorDiv, {i, strides[k]});
    out.push_back(k == 0 ? e : apply(ScalarOp::Mod, {e, extents[k]}));
  }
  return out;
}

std::optional<std::vector<Expr>> ExprBuilder::list_call(const Syntax& call) {
  switch (call.function) {
    case Builtin::permute: return permuted(call);
    case Builtin::unravel: return unravelled(call);
    case Builtin::keep: {
      // A kernel takes extents of 1 that only a call keeps, or not, for what is kept.
      const auto kept = constant_value(condition(call.children[1]));
      return std::vector<Expr>(kept.value_or(1) ? list(call.children[0]).size() : 0, constant_int(1));
    }
    case Builtin::concat: {
      std::vector<Expr> out = list(call.children[0]);
      append(out, list(call.children[1]));
      return out;
    }
    case Builtin::drop: {
      std::vector<Expr> out = list(call.children[0]);
      const int64_t k = constant_value(index(call.children[1])).value_or(0);
      out.erase(out.begin(), out.begin() + std::clamp<int64_t>(k, 0, static_cast<int64_t>(out.size())));
      return out;
    }
    default: return std::nullopt;
  }
}

std::vector<Expr> ExprBuilder::list(const Syntax& s, int64_t at_front) {
  const Syntax& inner = s.kind == SyntaxKind::each ? s.children[0] : s;
  std::vector<Expr> out;
  if (inner.kind == SyntaxKind::call)
    if (auto rearranged = list_call(inner)) return std::move(*rearranged);
  const std::string open = open_pack(inner);
  if (open.empty() && (inner.kind == SyntaxKind::name || inner.kind == SyntaxKind::pack)) {
    if (const auto a = scope_.binding.attrs.find(inner.text); a != scope_.binding.attrs.end()) {
      for (const Typed& t : a->second.elements) out.push_back(convert(t, DType::I64));
      return out;
    }
  }
  const size_t rank = each_rank(inner);
  if (rank == SIZE_MAX) {
    error(Code::E0435, s, "nothing here has a number of dimensions");
    return out;
  }
  const int outer = element_;
  for (size_t k = 0; k < rank; ++k) {
    element_ = static_cast<int>(k);
    Syntax one = inner;
    if (one.kind == SyntaxKind::pack) one.kind = SyntaxKind::name;
    out.push_back(open.empty() ? index(one) : own_dim(one, open, k, at_front));
  }
  element_ = outer;
  return out;
}

}  // namespace tenon
