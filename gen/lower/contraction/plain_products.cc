// Gives loops over the same rows one name, and the sides of products that are computed statements of their own.
#include "lower/contraction/plain_products.h"

#include <map>
#include <set>

#include "algebra/contraction.h"
#include "algebra/contraction_value.h"
#include "lower/kernel/kernel_passes.h"
#include "support/ranges.h"

namespace tenon {
namespace {

const LoopVar* find_var(const std::vector<LoopVar>& vars, const std::string& name) {
  return find_pointer(vars, [&](const LoopVar& v) { return v.name == name; });
}

/// Renames the loops of each statement to match the statements that write the tensors it reads. Loops that match none
/// are renamed to match the first reader of what they write.
class LoopRenamer {
 public:
  explicit LoopRenamer(Kernel& k) : k_(k) {}

  void run() {
    for (size_t i = 0; i < k_.body.size(); ++i) {
      KernelStatement& s = k_.body[i];
      matched_.clear();
      rename(s, names_of(s, false));
      name_open(s);
      rename(s, names_of(s, true));
      Written& w = written_[s.target] = {i, {}};
      for (const LoopVar& v : s.loops)
        if (!matched_.contains(v.name)) w.open.insert(v.name);
    }
  }

 private:
  struct Written {
    size_t at = 0;               ///< the last statement that writes it
    std::set<std::string> open;  ///< its loops that match none of others yet
  };

  /// For each index that is a loop of `s` and one of the statement that wrote what it reads.
  template <class F>
  void each_match(const KernelStatement& s, F f) {
    const std::vector<LoopVar> own = loops_and_depth(s);
    each_read(s.value, [&](const Read& r) {
      const auto w = written_.find(r.tensor);
      for (size_t d = 0; w != written_.end() && d < r.index.size(); ++d) {
        const KernelStatement& made = k_.body[w->second.at];
        const LoopVar *v = variable(r.index[d], own), *there = variable(made.index[d], made.loops);
        if (v && there && same(v->extent, there->extent)) f(*v, *there, w->second);
      }
    });
  }

  static std::set<std::string> taken_by(const KernelStatement& s) {
    std::set<std::string> taken;
    for (const LoopVar& v : loops_and_depth(s)) taken.insert(v.name);
    return taken;
  }

  /// The names of the loops of `s` that match open ones, or others.
  std::map<std::string, std::string> names_of(const KernelStatement& s, bool open) {
    std::map<std::string, std::string> names;
    std::set<std::string> taken = taken_by(s);
    each_match(s, [&](const LoopVar& v, const LoopVar& there, Written& w) {
      if (w.open.contains(there.name) != open || names.contains(v.name) || matched_.contains(v.name)) return;
      if (v.name != there.name && !taken.insert(there.name).second) return;
      if (v.name != there.name) names[v.name] = there.name;
      matched_.insert(there.name);
      w.open.erase(there.name);
    });
    return names;
  }

  /// Gives open loops the names of loops of `s` that match others.
  void name_open(const KernelStatement& s) {
    std::map<size_t, std::map<std::string, std::string>> names;
    each_match(s, [&](const LoopVar& v, const LoopVar& there, Written& w) {
      if (!matched_.contains(v.name) || !w.open.contains(there.name)) return;
      const bool free = v.name == there.name || !taken_by(k_.body[w.at]).contains(v.name);
      if (!free) return;
      names[w.at][there.name] = v.name;
      w.open.erase(there.name);
    });
    for (const auto& [at, by] : names) rename(k_.body[at], by);
  }

  static void rename(KernelStatement& s, const std::map<std::string, std::string>& names) {
    std::map<std::string, Expr> by;
    for (const auto& [from, to] : names) by[from] = var_ref(to);
    if (by.empty()) return;
    const auto renamed = [&](std::vector<LoopVar> vars) {
      for (LoopVar& v : vars)
        if (const auto at = names.find(v.name); at != names.end()) v.name = at->second;
      return vars;
    };
    if (const auto* r = std::get_if<Reduce>(&s.value->node))
      s.value = reduce_like(*r, renamed(r->vars), r->where ? substitute(r->where, by) : nullptr,
                            substitute(r->value, by), s.value->type);
    else s.value = substitute(s.value, by);
    for (Expr& e : s.index) e = substitute(e, by);
    s.loops = renamed(s.loops);
  }

  static const LoopVar* variable(const Expr& index, const std::vector<LoopVar>& vars) {
    const auto* ref = std::get_if<VarRef>(&index->node);
    return ref ? find_var(vars, ref->name) : nullptr;
  }

  Kernel& k_;
  std::map<int, Written> written_;
  std::set<std::string> matched_;  ///< loops of the statement at hand
};

/// A sum as two sides: one holds the last loop, the other does not.
struct Sides {
  Expr with, without;
};

Expr times(const Expr& a, const Expr& b) { return a ? apply(ScalarOp::Mul, {a, b}) : b; }

/// Moves `cond` out of a sum whose other arm is 0.
struct Excluded {
  Expr cond;
  bool where = true;  ///< whether it is excluded where `cond` holds
};

bool is_nothing(const Expr& e) {
  const Constant* c = as_constant(e);
  return c && c->i == 0 && c->f == 0;
}

/// The factors of the summed products, and the conditions around them.
std::vector<Expr> factors_of(const Reduce& r, std::vector<Excluded>& excluded) {
  if (r.where) excluded.push_back({r.where, false});
  Expr value = r.value;
  while (const auto* s = std::get_if<Select>(&value->node)) {
    if (!is_nothing(s->yes) && !is_nothing(s->no)) break;
    excluded.push_back({s->cond, is_nothing(s->yes)});
    value = excluded.back().where ? s->no : s->yes;
  }
  std::vector<Expr> factors;
  collect_factors(value, factors);
  return factors;
}

Expr without(const Expr& side, const Excluded& x) {
  const Expr zero = constant_of(0, side->type);
  return x.where ? select(x.cond, zero, side) : select(x.cond, side, zero);
}

/// Puts statements of their own before products whose sides are computed.
class Separator {
 public:
  explicit Separator(Kernel& k) : k_(k), common_(common_loops(k, end_of_reductions(k))) {}

  void run() {
    for (size_t i = 0; !common_.empty() && i < k_.body.size(); ++i) {
      const auto sides = sides_of(k_.body[i]);
      if (!sides || !fits(sides->without) || !fits(sides->with)) continue;
      if (is_plain(sides->without) && is_plain(sides->with)) continue;
      KernelStatement s = k_.body[i];
      const auto& r = std::get<Reduce>(s.value->node);
      std::vector<KernelStatement> all;
      const Expr a = plain(s, sides->without, all), b = plain(s, sides->with, all);
      s.value = reduce(Reducer::Sum, r.vars, nullptr, apply(ScalarOp::Mul, {a, b}), s.value->type);
      k_.body[i] = std::move(s);
      k_.body.insert(k_.body.begin() + static_cast<std::ptrdiff_t>(i), all.begin(), all.end());
      i += all.size();
    }
  }

 private:
  std::optional<Sides> sides_of(const KernelStatement& s) const {
    const auto* r = std::get_if<Reduce>(&s.value->node);
    if (!r || r->op != Reducer::Sum || !is_float(s.value->type) || s.update != Update::Assign || s.loops.empty())
      return std::nullopt;
    std::vector<Excluded> excluded;
    const std::string last = s.loops.back().name;
    std::vector<Expr> free;
    Sides out;
    for (const Expr& f : factors_of(*r, excluded)) {
      if (mentions(f, last)) out.with = times(out.with, f);
      else if (mentions_any(f, s.loops) || mentions_any(f, r->vars)) out.without = times(out.without, f);
      else free.push_back(f);
    }
    if (!out.with || !out.without || (!excluded.empty() && !s.masks_by_zero)) return std::nullopt;
    for (const Expr& f : free) out.without = times(out.without, f);
    for (const Excluded& x : excluded) {
      const bool here = mentions(x.cond, last);
      Expr& side = here ? out.with : out.without;
      const Expr& other = here ? out.without : out.with;
      for (const LoopVar& v : s.loops)
        if (mentions(x.cond, v.name) && mentions(other, v.name) && !mentions(side, v.name)) return std::nullopt;
      side = tenon::without(side, x);
    }
    return out;
  }

  static bool is_plain(const Expr& side) {
    const Read* read = plain_read(side);
    return read && !read->fill;
  }
  /// A side that does not depend on the rows is the same for all of them and does not become a temporary per row.
  bool fits(const Expr& side) const { return is_plain(side) || mentions(side, common_.back().name); }

  /// The side as a read; where it is computed, the statement is added to `before`.
  Expr plain(const KernelStatement& s, const Expr& side, std::vector<KernelStatement>& before) {
    if (is_plain(side)) return side;
    KernelStatement out;
    out.loops = common_;
    for (const LoopVar& v : loops_and_depth(s))
      if (!find_var(common_, v.name) && mentions(side, v.name)) out.loops.push_back(v);
    out.index = var_refs(out.loops);
    out.value = side;
    out.formula = s.formula;
    out.target = add_temp(k_, k_.tensor(s.target).name + "_side", side->type, mapped(out.loops, &LoopVar::extent));
    before.push_back(out);
    return read_of(out.target, side->type, out.index);
  }

  Kernel& k_;
  const std::vector<LoopVar> common_;  ///< the rows and the loops around them
};

}  // namespace

std::vector<LoopVar> loops_and_depth(const KernelStatement& s) {
  std::vector<LoopVar> out = s.loops;
  if (const auto* r = std::get_if<Reduce>(&s.value->node)) append(out, r->vars);
  return out;
}

std::vector<LoopVar> common_loops(const Kernel& k, size_t end) {
  std::vector<LoopVar> common = end == 0 ? std::vector<LoopVar>{} : k.body[0].loops;
  for (size_t i = 0; i < end; ++i) {
    const auto* r = std::get_if<Reduce>(&k.body[i].value->node);
    const bool of_products = r && r->op == Reducer::Sum && !std::holds_alternative<Read>(r->value->node);
    const std::vector<LoopVar> own = of_products ? loops_and_depth(k.body[i]) : k.body[i].loops;
    std::erase_if(common, [&](const LoopVar& v) {
      const LoopVar* there = find_var(own, v.name);
      return !there || !same(there->extent, v.extent);
    });
  }
  return common;
}

size_t end_of_reductions(const Kernel& k) {
  size_t end = k.body.size();
  while (end > 0 && !std::holds_alternative<Reduce>(k.body[end - 1].value->node)) --end;
  return end;
}

Kernel with_plain_products(const Kernel& kernel) {
  Kernel k = kernel;
  LoopRenamer(k).run();
  Separator(k).run();
  return k;
}

namespace {

/// Whether the statement makes a result of its own from what reductions made.
bool is_conclusion(const Kernel& k, const KernelStatement& s) {
  return k.tensor(s.target).role == Role::Output && s.update == Update::Assign &&
         !std::holds_alternative<Reduce>(s.value->node) && !is_in_recurrence(s) &&
         none_of(k.body, [&](const KernelStatement& o) { return reads_tensor(o.value, s.target); });
}

}  // namespace

Kernel with_conclusions_last(Kernel k) {
  Kernel others = k;
  std::erase_if(others.body, [&](const KernelStatement& s) { return is_conclusion(k, s); });
  const std::vector<LoopVar> rows = common_loops(others, others.body.size());
  std::vector<KernelStatement> last;
  for (size_t i = 0; i < k.body.size();) {
    const KernelStatement& s = k.body[i];
    const bool has_rows = all_of(rows, [&](const LoopVar& v) { return has_loop(s.loops, v.name); });
    if (!is_conclusion(k, s) || has_rows) {
      ++i;
      continue;
    }
    last.push_back(s);
    erase_statement(k.body, i);
  }
  append(k.body, std::move(last));
  return k;
}

}  // namespace tenon
