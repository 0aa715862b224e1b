// Each variable has the range of its first use.
#include "library/variable_ranges.h"

#include "support/ranges.h"

namespace tenon {

void VariableRanges::declare() {
  for (const IndexRange& r : def_.index) {
    if (r.pack) scope_.pack_ranges[r.name] = expr_.list(r.extent, 1);
    else scope_.ranges[r.name] = expr_.index(r.extent);
  }
  // The left sides of outputs come first: elsewhere their variables may run over a part of a dim.
  for (const Statement& s : def_.body)
    if (!s.is_call && def_.output(s.targets[0].text)) bare_uses(s.targets[0].text, s.subs);
  for (const Statement& s : def_.body) find(s);
}

void VariableRanges::find(const Statement& s) {
  if (!s.is_call && !s.targets.empty()) bare_uses(s.targets[0].text, s.subs);
  each_expression(s, [&](const Syntax& e) {
    each_within(e, [&](const Syntax& n) {
      if (!n.is(SyntaxKind::subscript)) return;
      bare_uses(n.text, n.children);
      if (const BoundAttr* list = find_value(scope_.binding.attrs, n.text);
          list && list->list && n.children.size() == 1)
        bare_name(n.children[0], expr_.length_of(*list), false);
    });
  });
}

void VariableRanges::bare_uses(const std::string& tensor, const std::vector<Syntax>& subs) {
  const auto t = scope_.tensors.find(tensor);
  if (t == scope_.tensors.end() || t->second.entries.size() != subs.size()) return;
  const TensorDef* declared = def_.input(tensor) ? def_.input(tensor) : def_.output(tensor);
  for (size_t i = 0; i < subs.size(); ++i) {
    const auto& entry = t->second.entries[i];
    if (subs[i].kind == SyntaxKind::pack) {
      if (scope_.pack_ranges.emplace(subs[i].text, entry).second && t->second.open)
        scope_.open_ranges.insert(subs[i].text);
      if (declared && i < declared->dims.size() && declared->dims[i].kind == DimKind::pack)
        scope_.pack_of.emplace(subs[i].text, declared->dims[i].name);
    } else if (subs[i].kind == SyntaxKind::group && entry.size() == 1) {
      const std::vector<Expr> parts = expr_.extents_of_parts(subs[i], t->second, i);
      for (size_t k = 0; k < parts.size(); ++k) bare_name(subs[i].children[k], parts[k], t->second.open);
    } else if (subs[i].kind == SyntaxKind::group) {
      for (size_t k = 0; k < subs[i].children.size() && k < entry.size(); ++k)
        bare_name(subs[i].children[k], entry[k], t->second.open);
    } else if (!entry.empty() && !(declared && declared->dims[i].kind == DimKind::pack)) {
      Expr extent = entry[0];  // of a split dim read by one index, the stored one
      for (size_t k = 1; k < entry.size(); ++k) extent = extent * entry[k];
      bare_name(subs[i], extent, t->second.open);
    }
  }
}

void VariableRanges::bare_name(const Syntax& s, const Expr& extent, bool open) {
  if (s.kind != SyntaxKind::name || scope_.binding.sizes.count(s.text) || scope_.binding.attrs.count(s.text)) return;
  if (scope_.ranges.emplace(s.text, extent).second && open) scope_.open_ranges.insert(s.text);
}

void VariableRanges::add_free(const Syntax& s, std::vector<std::string>& bound, std::vector<LoopVar>& out) {
  if (s.kind == SyntaxKind::reduce) {
    const size_t before = bound.size();
    for (const Syntax& v : s.variables())
      for (const Syntax& end : v.children) add_free(end, bound, out);
    for (const Syntax& v : s.variables()) bound.push_back(v.text);
    for (size_t i = 1; i < s.children.size(); ++i) add_free(s.children[i], bound, out);
    bound.resize(before);
    return;
  }
  const bool name = s.kind == SyntaxKind::name && scope_.ranges.count(s.text);
  const bool pack =
      (s.kind == SyntaxKind::pack || s.kind == SyntaxKind::name) && !name && scope_.pack_ranges.count(s.text);
  if ((name || pack) && !contains(bound, s.text)) {
    Syntax v = s;
    if (pack) v.kind = SyntaxKind::pack;
    for (LoopVar& lv : expr_.loop_vars(v))
      if (none_of(out, [&](const LoopVar& o) { return o.name == lv.name; })) out.push_back(std::move(lv));
  }
  for (const Syntax& c : s.children) add_free(c, bound, out);
}

}  // namespace tenon
