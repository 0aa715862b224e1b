// How the packs of a definition are passed to library kernels.
#include "library/pack_plan.h"

#include <set>

#include "support/ranges.h"

namespace tenon {
namespace {

/// The uses of packs in the text of an op.
struct PackUses {
  std::set<std::string> names;      ///< all packs
  std::set<std::string> broadcast;  ///< ~*S of an input
  std::set<std::string> by_dim;     ///< needed dimension by dimension: *( … ), int[*S], list lets
  std::set<std::string> reduced;    ///< a variable of the pack is reduced
  std::set<std::string> measured;   ///< size(S)
  std::set<std::string> counted;    ///< lin(s): how many elements are before the current one
  std::map<std::string, std::string> of_variable;
  std::map<std::string, std::vector<std::string>> of_value;  ///< an intermediate: the pack of each dim, "" of others
};

const TensorDef* tensor_of(const OpDef& def, const std::string& name) {
  return def.input(name) ? def.input(name) : def.output(name);
}

/// The packs of a tensor's dims.
std::vector<std::string> packs_of(const OpDef& def, const std::string& tensor, const PackUses& uses) {
  if (const TensorDef* t = tensor_of(def, tensor))
    return mapped(t->dims, [](const Dim& d) { return d.kind == DimKind::pack ? d.name : std::string(); });
  const auto* known = find_value(uses.of_value, tensor);
  return known ? *known : std::vector<std::string>();
}

void collect_variables(const OpDef& def, const std::string& tensor, const std::vector<Syntax>& subs, PackUses& uses) {
  const std::vector<std::string> packs = packs_of(def, tensor, uses);
  if (packs.size() != subs.size()) return;
  for (size_t i = 0; i < subs.size(); ++i)
    if (subs[i].is(SyntaxKind::pack) && !packs[i].empty()) uses.of_variable.emplace(subs[i].text, packs[i]);
}

/// The pack of each pack variable: that of a tensor's dim that it indexes, or of an intermediate's.
void collect_variables(const OpDef& def, PackUses& uses) {
  for (size_t known = 0, before = 1; known != before;) {
    before = known;
    for (const Statement& s : def.body) {
      if (s.is_call || s.is_extent) continue;
      collect_variables(def, s.targets[0].text, s.subs, uses);
      each_expression(s, [&](const Syntax& e) {
        each_within(e, [&](const Syntax& n) {
          if (n.is(SyntaxKind::subscript)) collect_variables(def, n.text, n.children, uses);
        });
      });
      if (s.update != Update::Assign) continue;
      const auto pack_of = [&](const Syntax& sub) {
        const std::string* pack = sub.is(SyntaxKind::pack) ? find_value(uses.of_variable, sub.text) : nullptr;
        return pack ? *pack : std::string();
      };
      for (const Word& target : s.targets) uses.of_value[target.text] = mapped(s.subs, pack_of);
    }
    known = uses.of_variable.size();
  }
}

void collect_dims(const std::vector<TensorDef>& tensors, PackUses& uses) {
  for (const TensorDef& t : tensors)
    for (const Dim& d : t.dims)
      if (d.kind == DimKind::pack) {
        uses.names.insert(d.name);
        if (d.broadcast) uses.broadcast.insert(d.name);
      }
}

void collect_by_dim(const Syntax& s, PackUses& uses) {
  each_within(s, [&](const Syntax& n) {
    if (n.kind == SyntaxKind::each && !n.children[0].calls(Builtin::unravel))
      each_within(n, [&](const Syntax& m) {
        if (!m.is(SyntaxKind::name)) return;
        if (const std::string* pack = find_value(uses.of_variable, m.text)) uses.by_dim.insert(*pack);
        if (uses.names.count(m.text)) uses.by_dim.insert(m.text);
      });
    if (n.kind == SyntaxKind::reduce)
      for (const Syntax& v : n.variables())
        if (const auto p = uses.of_variable.find(v.text); p != uses.of_variable.end()) uses.reduced.insert(p->second);
    if (n.calls(Builtin::size)) uses.measured.insert(n.children[0].text);
    if (n.calls(Builtin::lin))
      if (const auto p = uses.of_variable.find(n.children[0].text); p != uses.of_variable.end())
        uses.counted.insert(p->second);
  });
}

/// An update combines the elements along packs that do not index its target.
void collect_combined(const Statement& s, PackUses& uses) {
  each_expression(s, [&](const Syntax& e) {
    each_within(e, [&](const Syntax& n) {
      const std::string* pack = n.is(SyntaxKind::pack) ? find_value(uses.of_variable, n.text) : nullptr;
      if (pack && none_of(s.subs, [&](const Syntax& sub) { return sub.is(SyntaxKind::pack) && sub.text == n.text; }))
        uses.reduced.insert(*pack);
    });
  });
}

/// Lists of sizes that are not packs of a tensor but ranges of index variables: `{"*k": K}` with K a let.
void collect_ranges(const OpDef& def, PackUses& uses) {
  for (const IndexRange& r : def.index) {
    if (!r.pack) continue;
    each_within(r.extent, [&](const Syntax& n) {
      if (n.kind != SyntaxKind::name && n.kind != SyntaxKind::pack) return;
      if (const LetDef* l = def.let(n.text); l && l->pack) uses.names.insert(n.text);
      if (uses.names.count(n.text)) uses.by_dim.insert(n.text);
    });
  }
}

PackUses uses_of(const OpDef& def) {
  PackUses uses;
  collect_dims(def.inputs, uses);
  collect_dims(def.outputs, uses);
  collect_ranges(def, uses);
  collect_variables(def, uses);
  for (const Statement& s : def.body) {
    each_expression(s, [&](const Syntax& e) { collect_by_dim(e, uses); });
    if (s.update != Update::Assign) collect_combined(s, uses);
  }
  for (const LetDef& l : def.lets) {
    if (l.pack && l.value.calls(Builtin::keep)) continue;  // all 1, regardless of their number
    each_within(l.value, [&](const Syntax& n) {
      if (l.pack && (n.kind == SyntaxKind::name || n.kind == SyntaxKind::pack) && uses.names.count(n.text)) {
        uses.by_dim.insert(n.text);
        uses.by_dim.insert(l.name);
      }
      if (n.calls(Builtin::size)) uses.measured.insert(n.children[0].text);
    });
  }
  for (const AttrDef& a : def.attrs)
    if (a.count == AttrCount::per_dim) uses.by_dim.insert(a.pack);
  return uses;
}

/// Every tensor is exactly [*S].
bool one_pack_only(const OpDef& def, const std::string& pack) {
  const auto is = [&](const TensorDef& t) {
    return t.dims.size() == 1 && t.dims[0].kind == DimKind::pack && t.dims[0].name == pack && t.dims[0].at.empty();
  };
  return !def.inputs.empty() && all_of(def.inputs, is) && all_of(def.outputs, is);
}

/// Whether the steps of an output's other dimensions do not depend on how far a call walks the pack: it is in front
/// of them.
bool leads_outputs(const OpDef& def, const std::string& pack) {
  return all_of(def.outputs, [&](const TensorDef& t) {
    const auto has = [&](const Dim& d) { return d.kind == DimKind::pack && d.name == pack; };
    return none_of(t.dims, has) || has(t.dims.front());
  });
}

}  // namespace

bool asks_for_rank(const OpDef& def, const std::string& pack) {
  return any_of(def.body, [&](const Statement& s) {
    return any_within(
        s, [&](const Syntax& n) { return n.calls(Builtin::rank, Builtin::dim) && n.children[0].text == pack; });
  });
}

bool takes_dims_apart(const OpDef& def, const Frame* frame, const std::string& pack) {
  if (!frame) return uses_of(def).by_dim.contains(pack) || asks_for_rank(def, pack);
  const FrameParameter* parameter = frame->parameter(pack);
  return parameter && parameter->kind == FrameParameterKind::pack;
}

std::map<std::string, PackPlan> plan_packs(const OpDef& def, const Frame* frame) {
  const PackUses uses = uses_of(def);
  const bool calls = any_of(def.body, [](const Statement& s) { return s.is_call; });
  std::map<std::string, PackPlan> plan;
  for (const std::string& p : uses.names) {
    const bool pointwise = !uses.reduced.count(p) && !uses.measured.count(p) && !calls;
    if (frame) plan[p] = takes_dims_apart(def, frame, p) ? PackPlan::Fixed : PackPlan::Collapsed;
    else if (uses.by_dim.count(p)) plan[p] = PackPlan::Fixed;
    else if (uses.broadcast.count(p))
      plan[p] = pointwise && one_pack_only(def, p) && !uses.counted.count(p) ? PackPlan::Plane
                : pointwise && leads_outputs(def, p)                         ? PackPlan::Odometer
                : calls || asks_for_rank(def, p)                             ? PackPlan::Fixed
                                                                             : PackPlan::Merged;
    else if (one_pack_only(def, p) && pointwise) plan[p] = uses.counted.count(p) ? PackPlan::Odometer : PackPlan::Plane;
    else plan[p] = PackPlan::Collapsed;
  }
  return plan;
}

}  // namespace tenon
