// Decides which temporaries need memory, and how much.
#include "lower/tree/place_temps.h"

#include <map>
#include <set>

#include "support/ranges.h"

namespace tenon {
namespace {

class Placer {
 public:
  Placer(const Kernel& k, const LoopTree& tree)
      : k_(k), stored_(k.tensors.size(), false), forwards_(k.tensors.size(), false), accesses_(k.tensors.size()) {
    visit(tree.body);
  }

  TempUses uses() const {
    TempUses out{{}, std::vector<std::vector<std::string>>(k_.tensors.size()), vector_vars_, !carried_.empty()};
    for (size_t t = 0; t < k_.tensors.size(); ++t) {
      const Tensor& tensor = k_.tensors[t];
      const bool temp = tensor.role == Role::Temp;
      out.places.push_back({!temp || stored_[t], forwards_[t], tensor.dims, {}});
      if (!temp) out.places.back().strides = tensor.strides;
      if (temp && carried_.count(t)) keep_few(t, out.places.back());
      for (size_t d = 0; temp && d < tensor.dims.size(); ++d)
        out.walked_by[t].push_back(carried_.count(t) ? "" : only_walker(t, d));
    }
    return out;
  }

 private:
  /// What a recurrence makes: as many elements as it needs at a time.
  void keep_few(size_t tensor, TempPlace& p) const {
    TempAccesses a = carried_.at(tensor);
    a.indices = accesses_[tensor];
    p.turns = kept_elements(p.dims.size(), a);
    for (size_t d = 0; d < p.dims.size(); ++d) {
      const auto extent = constant_value(p.dims[d]);
      if (extent && *extent <= p.turns[d]) p.turns[d] = 0;
      if (p.turns[d] > 0) p.dims[d] = constant_int(p.turns[d]);
    }
  }

  void visit(const Tree& tree) {
    for (const TreeNode& n : tree) {
      if (const auto* l = std::get_if<TreeLoop>(&n.node)) {
        for (const Expr& bound : {l->begin, l->end})
          if (bound) reads(bound);
        forwarded_.enter();
        const bool vector = l->shape.lanes * l->shape.parts > 1;
        if (vector) vector_vars_.insert(l->var.name);
        around_.push_back({l->var, l->carried, vector});
        visit(l->body);
        around_.pop_back();
        forwarded_.leave();
      } else if (const auto* d = std::get_if<TreeDefine>(&n.node)) {
        define(*d);
      } else if (const auto* t = std::get_if<TreeTranspose>(&n.node)) {
        reads(t->copy.value);
      } else if (const auto* a = std::get_if<TreeAccumulate>(&n.node)) {
        reads(a->value);
        if (a->where) reads(a->where);
      } else if (const auto* b = std::get_if<TreeBegin>(&n.node); b && b->start) {
        reads(b->start);
      }
    }
  }

  void define(const TreeDefine& d) {
    reads(d.value);
    if (d.where) reads(d.where);
    for (const Expr& e : d.index) reads(e);
    accesses_[static_cast<size_t>(d.tensor)].push_back(&d.index);
    note_definition(d);
    if (d.update == Update::Assign) return forwarded_.write(d.tensor, d.index, true);
    stored_[static_cast<size_t>(d.tensor)] = true;
    forwarded_.forget(d.tensor);
  }

  void note_definition(const TreeDefine& d) {
    const auto tensor = static_cast<size_t>(d.tensor);
    const std::vector<Expr>* first = defined_.try_emplace(tensor, &d.index).first->second;
    const bool alone = std::equal(first->begin(), first->end(), d.index.begin(), d.index.end(),
                                  [](const Expr& a, const Expr& b) { return same(a, b); });
    const bool within = any_of(around_, [](const SurroundingLoop& l) { return l.carried; });
    if (!within && !carried_.count(tensor)) return;
    std::vector<SurroundingLoop> around = around_;
    if (const auto before = carried_.find(tensor); before != carried_.end()) {
      const std::vector<SurroundingLoop>& other = before->second.around;
      for (size_t i = 0; i < std::min(around.size(), other.size()); ++i) around[i].vector |= other[i].vector;
    }
    carried_[tensor] = {{}, alone ? &d.index : nullptr, std::move(around), d.in_place};
  }

  void reads(const Expr& e) {
    each_read(e, [&](const Read& r) {
      const auto t = static_cast<size_t>(r.tensor);
      accesses_[t].push_back(&r.index);
      if (r.fill || !forwarded_.find(r.tensor, r.index)) stored_[t] = true;
      else forwards_[t] = true;
    });
  }

  /// The loop by whose variable every access indexes dimension `d`: its iterations can share the memory. "" if none.
  std::string only_walker(size_t tensor, size_t d) const {
    const VarRef* first = nullptr;
    for (const std::vector<Expr>* index : accesses_[tensor]) {
      const auto* v = std::get_if<VarRef>(&(*index)[d]->node);
      if (!v || (first && first->name != v->name)) return {};
      first = v;
    }
    return first ? first->name : "";
  }

  const Kernel& k_;
  std::vector<bool> stored_, forwards_;
  std::vector<std::vector<const std::vector<Expr>*>> accesses_;  ///< in the tree, which outlives this
  std::set<std::string> vector_vars_;
  std::vector<SurroundingLoop> around_;                 ///< the loops at hand
  std::map<size_t, TempAccesses> carried_;              ///< temps that are defined within a recurrence
  std::map<size_t, const std::vector<Expr>*> defined_;  ///< by their first definition
  Forwarding<bool> forwarded_;
};

}  // namespace

bool TempUses::walked(const std::string& loop) const {
  return any_of(walked_by, [&](const std::vector<std::string>& loops) { return contains(loops, loop); });
}

TempUses uses_of_temps(const Kernel& k, const LoopTree& tree) { return Placer(k, tree).uses(); }

std::vector<TempPlace> place_temps(const TempUses& uses, const std::set<std::string>& vectors) {
  std::vector<TempPlace> places = uses.places;
  for (size_t t = 0; t < places.size(); ++t) {
    TempPlace& p = places[t];
    const std::vector<std::string>& walkers = uses.walked_by[t];
    if (walkers.empty()) continue;
    for (size_t d = 0; d < walkers.size(); ++d)
      if (!walkers[d].empty() && !vectors.count(walkers[d])) p.dims[d] = constant_int(1);
    p.strides = contiguous_strides(p.dims);
    for (size_t d = 0; d < p.dims.size(); ++d)
      if (is_one(p.dims[d])) p.strides[d] = constant_int(0);
  }
  return places;
}

std::vector<TempPlace> place_temps(const Kernel& k, const LoopTree& tree) {
  const TempUses uses = uses_of_temps(k, tree);
  return place_temps(uses, uses.vectors);
}

}  // namespace tenon
