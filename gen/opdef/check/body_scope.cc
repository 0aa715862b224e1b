// Finds the ranges of index variables from their bare uses, in as many rounds as intermediates need.
#include "opdef/check/body_scope.h"

#include <fmt/format.h>

#include <utility>

#include "opdef/check/index_values.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// `name <= bound`
Syntax at_most(const std::string& name, const Syntax& bound) {
  return binary_node("<=", name_node(name), bound, bound.span);
}

Syntax extent_of(const Dim& d) {
  if (d.kind != DimKind::integer) return name_node(d.name);
  Syntax s;
  s.integer = d.value;
  return s;
}

void add_sizes(const Dim& d, std::set<std::string>& sizes, std::set<std::string>& packs) {
  if (d.kind == DimKind::size) sizes.insert(d.name);
  if (d.kind == DimKind::pack) packs.insert(d.name);
  for (const Dim& part : d.parts) add_sizes(part, sizes, packs);
}

/// A read of the first tensor that a call passes to an input of a type; nothing if it passes none.
std::optional<Syntax> read_of_type(const Syntax& call, const OpDef& callee, const std::string& type) {
  for (std::size_t k = 0; k < std::min(call.children.size(), callee.inputs.size()); ++k) {
    if (callee.inputs[k].dtype != type || !call.children[k].is(SyntaxKind::name)) continue;
    Syntax read = call.children[k];
    read.kind = SyntaxKind::subscript;
    return read;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Slot> slots_of(const TensorDef& tensor) {
  std::vector<Slot> slots;
  for (const Dim& d : tensor.dims) {
    Slot slot;
    slot.pack = d.kind == DimKind::pack;
    slot.at = d.at;
    if (d.kind == DimKind::split) {
      for (const Dim& part : d.parts) slot.extents.push_back(extent_of(part));
    } else {
      slot.extents.push_back(extent_of(d));
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

std::optional<Syntax> length_of(const AttrDef& list) {
  if (list.count != AttrCount::fixed && list.count != AttrCount::any) return std::nullopt;
  return list.count == AttrCount::fixed ? number_node(list.length) : call_node("count", {name_node(list.name)});
}

BodyScope::BodyScope(const OpDef& op, const OpLibrary& library, Diagnostics& diagnostics, TableRanges tables)
    : op_(op), library_(library), diagnostics_(diagnostics), formulas_(std::move(tables)), bounds_(BoundsContext()) {
  collect_sizes();
  for (const TensorDef& t : op.inputs) values_[t.name] = {&t, nullptr, slots_of(t)};
  for (const TableDef& t : op.tables) values_[t.tensor.name] = {&t.tensor, nullptr, slots_of(t.tensor)};
  for (const TensorDef& t : op.outputs) {
    values_[t.name] = {nullptr, &t, slots_of(t)};
    values_["d" + t.name].slots = slots_of(t);
  }
  for (const IndexRange& range : op.index) variables_[range.name] = {range.pack, true, false, range.extent, range.span};
  for (const Statement& s : op.body) {
    if (s.is_call) continue;
    for (const Syntax& sub : s.subs) claim(sub), collect_variables(sub);
    collect_variables(s.value);
    for (const Syntax& range : s.ranges) claim(range), collect_variables(range);
    if (s.where) collect_variables(*s.where);
  }
  for (const ClosedGrad& g : op.closed_grads) collect_variables(g.value);
  for (const TableDef& t : op.tables)
    if (t.formula && formulas_.count(t.tensor.name) == 0) evaluate(t);
  bounds_ = IndexBounds(context());
  resolve();
  bounds_ = IndexBounds(context());
}

/// The range that interval arithmetic gives to a formula. Those of the tables that it reads are not computed again.
void BodyScope::evaluate(const TableDef& table) {
  const OpDef formula = table_op(op_, table);
  Diagnostics reported_of_tables;
  const BodyScope scope(formula, library_, reported_of_tables, formulas_);
  formulas_[formula.name] = stored_range(formula, scope.context(), formula.body[0]);
}

void BodyScope::collect_sizes() {
  for (const auto* list : {&op_.inputs, &op_.outputs}) {
    for (const TensorDef& t : *list) {
      for (const Dim& d : t.dims) add_sizes(d, sizes_, packs_);
    }
  }
}

/// A sub that is a bare name makes the name an index variable, unless it is given or the accumulator of a fold.
void BodyScope::claim(const Syntax& sub) {
  if (sub.is(SyntaxKind::group)) {
    for (const Syntax& part : sub.children) claim(part);
  } else if ((sub.is(SyntaxKind::name) || sub.is(SyntaxKind::pack)) && !is_given(sub.text) &&
             !contains(accumulators_, sub.text)) {
    IndexVariable& v = variables_[sub.text];
    if (!v.first.known()) v = {sub.is(SyntaxKind::pack), false, false, std::nullopt, sub.span};
  }
}

void BodyScope::collect_variables(const Syntax& s) {
  if (s.is(SyntaxKind::subscript)) {
    for (const Syntax& sub : s.children) claim(sub);
  }
  if (s.is(SyntaxKind::reduce)) {
    for (const Syntax& v : s.variables()) claim(v);
  }
  const Syntax* start = s.is(SyntaxKind::reduce) ? s.start() : nullptr;
  if (start != nullptr) accumulators_.push_back(start->text);
  for (const Syntax& child : s.children) collect_variables(child);
  if (start != nullptr) accumulators_.pop_back();
}

void BodyScope::resolve() {
  // The left side of an output takes precedence: elsewhere its variables may run over a part of a dim.
  for (const Statement& s : op_.body) {
    const auto found = s.is_call ? values_.end() : values_.find(s.targets[0].text);
    if (found != values_.end() && found->second.output != nullptr) visit_subs(s.subs, found->second);
  }
  for (auto& [name, v] : variables_) v.fixed = v.extent.has_value();
  bool changed = true;
  for (std::size_t round = 0; changed && round < op_.body.size() + 2; ++round) {
    changed = false;
    for (const Statement& s : op_.body) changed |= visit_statement(s);
    for (const ClosedGrad& g : op_.closed_grads) changed |= visit_reads(g.value);
  }
}

bool BodyScope::visit_statement(const Statement& statement) {
  if (statement.is_call) return infer_call(statement);
  if (statement.is_extent) return visit_reads(statement.value);
  bool changed = false;
  const auto found = values_.find(statement.targets[0].text);
  if (found != values_.end() && found->second.slots) changed |= visit_subs(statement.subs, found->second);
  for (const Syntax& sub : statement.subs) changed |= visit_reads(sub);
  changed |= visit_reads(statement.value);
  for (const Syntax& range : statement.ranges) changed |= visit_reads(range);
  if (statement.where) changed |= visit_reads(*statement.where);
  return define(statement) || changed;
}

bool BodyScope::visit_reads(const Syntax& s) {
  bool changed = false;
  if (s.is(SyntaxKind::subscript)) {
    const AttrDef* list = op_.attr(s.text);
    if (list != nullptr && s.children.size() == 1) {
      if (const auto length = length_of(*list)) changed |= bind(s.children[0], false, *length);
    }
    if (const auto found = values_.find(s.text); found != values_.end())
      changed |= visit_subs(s.children, found->second);
  }
  for (const Syntax& child : s.children) changed |= visit_reads(child);
  return changed;
}

bool BodyScope::visit_subs(const std::vector<Syntax>& subs, const BodyValue& value) {
  bool changed = false;
  if (!value.slots) {
    for (const Syntax& sub : subs) {
      for (const Syntax& part : sub.is(SyntaxKind::group) ? sub.children : std::vector<Syntax>{sub}) {
        const bool bare = value.open && (part.is(SyntaxKind::name) || part.is(SyntaxKind::pack));
        const auto v = bare ? variables_.find(part.text) : variables_.end();
        if (v == variables_.end() || v->second.elsewhere) continue;
        v->second.elsewhere = changed = true;
      }
    }
    return changed;
  }
  if (subs.size() != value.slots->size()) return false;
  for (std::size_t i = 0; i < subs.size(); ++i) {
    const Slot& slot = (*value.slots)[i];
    if (slot.split() && subs[i].is(SyntaxKind::name)) {
      changed |= bind(subs[i], false, stored_extent(slot));
    } else if (slot.split()) {
      if (!subs[i].is(SyntaxKind::group) || subs[i].children.size() != slot.extents.size()) continue;
      for (std::size_t k = 0; k < slot.extents.size(); ++k)
        changed |= bind(subs[i].children[k], false, slot.extents[k]);
    } else {
      changed |= bind(subs[i], slot.pack, slot.extents[0]);
    }
  }
  return changed;
}

bool BodyScope::bind(const Syntax& sub, bool pack, const Syntax& extent) {
  if (!sub.is(pack ? SyntaxKind::pack : SyntaxKind::name)) return false;
  const auto found = variables_.find(sub.text);
  if (found == variables_.end() || found->second.declared || found->second.pack != pack) return false;
  IndexVariable& v = found->second;
  if (!v.extent) {
    v.extent = extent;
    return true;
  }
  if (v.fixed || bounds_.equal(*v.extent, extent)) return false;
  if (!pack && bounds_.at_most(*v.extent, extent)) return false;
  if (!pack && bounds_.at_most(extent, *v.extent)) {  // the part of a dim that all uses have
    v.extent = extent;
    return v.narrowed = true;
  }
  if (!reported_.insert(sub.span.begin).second) return false;
  diagnostics_.error(
      Code::E0411, sub.span,
      fmt::format("'{}' ranges over {} here, but over {} elsewhere", sub.text, print(extent), print(*v.extent)),
      {"use two variables, or make the two sizes one symbol"});
  return false;
}

/// An intermediate has the ranges of the variables on its left side; if these are the shape of an input, its axis too.
bool BodyScope::define(const Statement& statement) {
  BodyValue& value = values_[statement.targets[0].text];
  if (value.slots || statement.update != Update::Assign) return false;
  std::vector<Slot> slots;
  for (const Syntax& sub : statement.subs) {
    const std::vector<Syntax> parts = sub.is(SyntaxKind::group) ? sub.children : std::vector<Syntax>{sub};
    Slot slot;
    slot.pack = sub.is(SyntaxKind::pack);
    const Syntax* along = nullptr;
    if (const auto collected = collected_extent(sub, &along)) {
      const IndexVariable* v = along ? variable(along->text) : nullptr;
      const bool whole = along == nullptr || (v != nullptr && v->extent && same(*v->extent, collected->children[0]));
      if (!whole) return false;
      slot.extents.push_back(*collected);
      slots.push_back(std::move(slot));
      continue;
    }
    for (const Syntax& part : parts) {
      const IndexVariable* v = part.is(SyntaxKind::name) || part.is(SyntaxKind::pack) ? variable(part.text) : nullptr;
      if (v == nullptr || (!v->extent && !v->elsewhere)) return false;
      if (v->extent) slot.extents.push_back(*v->extent);
    }
    if (slot.extents.size() != parts.size()) slot.extents.clear();
    slots.push_back(std::move(slot));
  }
  if (!all_of(slots, [](const Slot& s) { return s.known(); })) return know_partly(value, std::move(slots));
  const auto like = find_if(op_.inputs, [&](const TensorDef& t) { return same_slots(slots_of(t), slots); });
  value.slots = like == op_.inputs.end() ? std::move(slots) : slots_of(*like);
  return true;
}

/// A shape some of whose extents are known only at expansion; true if that is new.
bool BodyScope::know_partly(BodyValue& value, std::vector<Slot> slots) {
  if (any_of(slots, [](const Slot& s) { return s.pack; })) return !std::exchange(value.open, true);
  if (value.open && value.partial && same_slots(*value.partial, slots)) return false;
  value.partial = std::move(slots);
  return value.open = true;
}

std::string BodyScope::first_tensor(const Syntax& s) const {
  const Syntax* found = first_within(
      s, [&](const Syntax& n) { return n.is(SyntaxKind::name) && values_.count(n.text) != 0 && !is_given(n.text); });
  return found ? found->text : "";
}

bool BodyScope::infer_call(const Statement& statement) {
  const OpDef* callee = library_.declared(statement.value.text);
  std::vector<const BodyValue*> arguments;
  for (const Syntax& argument : statement.value.children)
    arguments.push_back(argument.is(SyntaxKind::keyword) ? nullptr : value(first_tensor(argument)));
  std::vector<std::optional<std::vector<Slot>>> results(statement.targets.size());
  if (callee != nullptr) results = infer_results(*callee, statement.value, arguments);
  bool changed = false;
  for (std::size_t i = 0; i < statement.targets.size(); ++i) {
    BodyValue& value = values_[statement.targets[i].text];
    if (value.slots) continue;
    const bool counted = i < results.size() && results[i];
    if (counted && all_of(*results[i], [](const Slot& s) { return s.known(); })) {
      value.slots = results[i];
      changed = true;
    } else if (counted) {
      changed |= know_partly(value, *results[i]);
    } else {
      changed |= !std::exchange(value.open, true);
    }
  }
  return changed;
}

BoundsContext BodyScope::context() const {
  BoundsContext context;
  for (const auto& [name, v] : variables_) {
    if (v.extent) context.extents[name] = *v.extent;
  }
  context.sizes = sizes_;
  context.sizes.insert(packs_.begin(), packs_.end());
  for (const LetDef& let : op_.lets)
    if (let.written) context.sizes.insert(let.name);
    else context.lets[let.name] = let.value;
  for (const AttrDef& a : op_.attrs) {
    if (a.kind == AttrKind::boolean) context.booleans.insert(a.name);
    if (a.count != AttrCount::one) context.lists[a.name] = a.count == AttrCount::fixed ? a.length : 0;
  }
  context.functions = &library_.fns;
  context.requires_ = op_.requires_;
  for (const auto& [name, range] : formulas_)
    if (range) context.ranges[name] = *range;
  for (const LetDef& let : op_.lets)
    if (let.written && let.value.children.size() == 1)
      context.requires_.push_back(at_most(let.name, let.value.children[0]));
  for (const IndexRange& range : op_.index)  // each call refuses negative ones
    if (!range.pack && !range.extent.is(SyntaxKind::integer))
      context.requires_.push_back(binary_node(">=", range.extent, number_node(0), range.span));
  std::set<std::string> defined;
  const auto known = [&](const std::string& name) { return op_.input(name) != nullptr || defined.count(name) != 0; };
  for (const Statement& s : op_.body) {
    const OpDef* callee = s.is_call ? library_.declared(s.value.text) : nullptr;
    for (std::size_t i = 0; callee != nullptr && i < std::min(s.targets.size(), callee->outputs.size()); ++i) {
      const std::string& result = s.targets[i].text;
      if (holds_whole_numbers(callee->outputs[i], *callee)) context.whole_data.insert(result);
      else if (const auto read = read_of_type(s.value, *callee, callee->outputs[i].dtype);
               read && known(read->text) && defined.count(result) == 0)
        context.same_types[result] = *read;
    }
    for (const Word& target : s.targets) defined.insert(target.text);
  }
  add_index_values(op_, context);
  return context;
}

const IndexVariable* BodyScope::variable(const std::string& name) const { return find_value(variables_, name); }

const BodyValue* BodyScope::value(const std::string& name) const { return find_value(values_, name); }

std::vector<std::string> BodyScope::names() const {
  std::vector<std::string> names;
  for (const auto& [name, v] : variables_) names.push_back(name);
  append(names, sizes_);
  for (const AttrDef& a : op_.attrs) names.push_back(a.name);
  for (const LetDef& l : op_.lets) names.push_back(l.name);
  return names;
}

}  // namespace tenon
