// Reductions that several statements of a gradient compute are computed once.
#include <map>

#include "algebra/simplify.h"
#include "differentiate/gradient_steps.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A reduction in a statement, for each element of the loops that it depends on.
struct Found {
  size_t statement = 0;
  Expr reduction, form;  ///< form: with the names of those loops replaced by their numbers
  std::vector<LoopVar> loops;

  bool computes(const Found& other) const {
    return loops.size() == other.loops.size() && same_reduction(form, other.form) &&
           std::equal(loops.begin(), loops.end(), other.loops.begin(),
                      [](const LoopVar& a, const LoopVar& b) { return same(a.extent, b.extent); });
  }
};

class ReductionSharer {
 public:
  ReductionSharer(Kernel& kernel, FreshNames& names) : k_(kernel), names_(names) {
    for (const KernelStatement& s : kernel.body) ++made_[s.target];
  }

  void run() {
    for (size_t i = 0; i < k_.body.size(); ++i)
      if (const KernelStatement& s = k_.body[i]; !is_in_recurrence(s) && !s.where) collect(s.value, i);
    std::vector<bool> done(found_.size());
    std::map<size_t, std::vector<KernelStatement>> front;  // of each statement
    for (size_t i = 0; i < found_.size(); ++i) {
      if (done[i]) continue;
      std::vector<size_t> copies{i};
      for (size_t j = i + 1; j < found_.size(); ++j)
        if (!done[j] && found_[i].computes(found_[j])) copies.push_back(j);
      if (found_[copies.back()].statement == found_[i].statement) continue;
      const KernelStatement s = statement_of(found_[i]);
      for (const size_t j : copies) {
        done[j] = true;
        take(found_[j], s.target);
      }
      front[found_[i].statement].push_back(s);
    }
    insert(front);
  }

 private:
  /// Reductions that are computed whatever a call chooses, of values that do not change later.
  void collect(const Expr& e, size_t statement) {
    if (std::holds_alternative<Select>(e->node) || std::holds_alternative<Read>(e->node)) return;
    const auto* r = std::get_if<Reduce>(&e->node);
    if (!r) {
      each_child(e, [&](const Expr& c) { collect(c, statement); });
      return;
    }
    if (r->op == Reducer::Fold || any_read(e, [&](const Read& read) { return value_or(made_, read.tensor, 0) > 1; }))
      return;
    Found f{statement, e, e, {}};
    std::map<std::string, Expr> numbers;
    for (const LoopVar& v : k_.body[statement].loops) {
      if (!mentions(e, v.name)) continue;
      numbers[v.name] = var_ref("#" + std::to_string(f.loops.size()));
      f.loops.push_back(v);
    }
    f.form = substitute(e, numbers);
    found_.push_back(std::move(f));
  }

  KernelStatement statement_of(const Found& f) {
    KernelStatement s;
    s.loops = f.loops;
    s.index = var_refs(s.loops);
    s.target = k_.add_temp(names_("r"), f.reduction->type, mapped(s.loops, &LoopVar::extent));
    s.value = f.reduction;
    s.masks_by_zero = true;
    s.formula = k_.tensor(s.target).name + " = " + to_text(s.value, tensor_names(k_));
    return s;
  }

  void take(const Found& f, int from) {
    Expr& value = k_.body[f.statement].value;
    value = with_expr(value, f.reduction, read_of(from, f.reduction->type, var_refs(f.loops)));
  }

  void insert(const std::map<size_t, std::vector<KernelStatement>>& front) {
    std::vector<KernelStatement> body;
    for (size_t i = 0; i < k_.body.size(); ++i) {
      if (const auto* statements = find_value(front, i)) append(body, *statements);
      body.push_back(std::move(k_.body[i]));
    }
    k_.body = std::move(body);
  }

  Kernel& k_;
  FreshNames& names_;
  std::map<int, int> made_;  ///< statements that write each tensor
  std::vector<Found> found_;
};

}  // namespace

void share_reductions(Kernel& kernel, FreshNames& names) { ReductionSharer(kernel, names).run(); }

}  // namespace tenon
