// Deciding which temps need memory, and how much of it.
#include "lower/tree/place_temps.h"

#include <algorithm>
#include <set>

#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/kept_elements.h"

namespace tenon {
namespace {

class Placer {
 public:
  Placer(const Kernel& k, const LoopTree& tree)
      : k_(k), stored_(k.tensors.size(), false), forwards_(k.tensors.size(), false), accesses_(k.tensors.size()) {
    visit(tree.body);
  }

  TempPlace place_of(size_t tensor) const {
    const Tensor& t = k_.tensors[tensor];
    if (t.role != Role::Temp) return {true, forwards_[tensor], t.dims, t.strides};
    TempPlace p{stored_[tensor], forwards_[tensor], t.dims, {}};
    if (carried_.count(tensor)) keep_few(tensor, p);
    else
      for (size_t d = 0; d < p.dims.size(); ++d)
        if (walked_by_one_loop(tensor, d)) p.dims[d] = constant_int(1);
    p.strides = contiguous_strides(p.dims);
    for (size_t d = 0; d < p.dims.size(); ++d)
      if (is_one(p.dims[d])) p.strides[d] = constant_int(0);
    return p;
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
    const bool only = defined_.insert(tensor).second;
    const bool within = std::any_of(around_.begin(), around_.end(), [](const SurroundingLoop& l) { return l.carried; });
    if (!within && !carried_.count(tensor)) return;
    carried_[tensor] = {{}, only ? &d.index : nullptr, around_};
  }

  void reads(const Expr& e) {
    each_read(e, [&](const Read& r) {
      const auto t = static_cast<size_t>(r.tensor);
      accesses_[t].push_back(&r.index);
      if (r.fill || !forwarded_.find(r.tensor, r.index)) stored_[t] = true;
      else forwards_[t] = true;
    });
  }

  /// Every access indexes dimension `d` by the variable of one and the same loop, whose iterations therefore can share
  /// the memory.
  bool walked_by_one_loop(size_t tensor, size_t d) const {
    const VarRef* first = nullptr;
    for (const std::vector<Expr>* index : accesses_[tensor]) {
      const auto* v = std::get_if<VarRef>(&(*index)[d]->node);
      if (!v || (first && first->name != v->name) || vector_vars_.count(v->name)) return false;
      first = v;
    }
    return first != nullptr;
  }

  const Kernel& k_;
  std::vector<bool> stored_, forwards_;
  std::vector<std::vector<const std::vector<Expr>*>> accesses_;  ///< in the tree, which outlives this
  std::set<std::string> vector_vars_;
  std::vector<SurroundingLoop> around_;     ///< the loops at hand
  std::map<size_t, TempAccesses> carried_;  ///< temps that are defined within a recurrence
  std::set<size_t> defined_;
  Forwarding<bool> forwarded_;
};

}  // namespace

std::vector<TempPlace> place_temps(const Kernel& k, const LoopTree& tree) {
  const Placer placer(k, tree);
  std::vector<TempPlace> places;
  for (size_t t = 0; t < k.tensors.size(); ++t) places.push_back(placer.place_of(t));
  return places;
}

}  // namespace tenon
