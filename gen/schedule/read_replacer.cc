// Reads replaced by formulas: variables renamed, padding carried over.
#include "schedule/read_replacer.h"

#include <fmt/format.h>

#include <map>

#include "algebra/normal_fills.h"
#include "algebra/simplify.h"
#include "schedule/index_map.h"

namespace tenon {
namespace {

/// Gives reduction variables names that are not in `taken`. Equal reductions stay equal: what a value uses twice is
/// computed once.
class FreshReductions {
 public:
  explicit FreshReductions(std::set<std::string>& taken) : taken_(taken) {}

  Expr go(const Expr& e) {
    const auto* r = std::get_if<Reduce>(&e->node);
    if (!r) return map_children(e, [&](const Expr& c) { return go(c); });
    for (const auto& [before, after] : done_)
      if (same(before, e)) return after;
    Expr after = renamed(*r, e->type);
    done_.emplace_back(e, after);
    return after;
  }

 private:
  std::string fresh(const std::string& base) {
    std::string name = base;
    for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    return name;
  }

  Expr renamed(const Reduce& r, DType type) {
    std::map<std::string, Expr> names;
    std::vector<LoopVar> vars;
    for (const LoopVar& v : r.vars) {
      const std::string name = fresh(v.name);
      if (name != v.name) names[v.name] = var_ref(name);
      vars.push_back({name, v.extent});
    }
    const auto inside = [&](const Expr& x) { return x ? go(names.empty() ? x : substitute(x, names)) : x; };
    if (r.op != Reducer::Fold) return reduce(r.op, std::move(vars), inside(r.where), inside(r.value), type);
    const std::string running = fresh(r.running);
    names[r.running] = running_ref(running, type);
    return fold(std::move(vars), inside(r.where), inside(r.value), inside(r.start), running);
  }

  std::set<std::string>& taken_;
  std::vector<std::pair<Expr, Expr>> done_;
};

}  // namespace

Expr ReadReplacer::replace(const Expr& e) {
  const auto* r = std::get_if<Read>(&e->node);
  if (!r || r->tensor != tensor_) return map_children(e, [&](const Expr& c) { return replace(c); });
  for (const auto& [read, made] : done_)
    if (same(read, e)) return made;
  const auto at = reindex(read_, r->index, made_.shape);
  if (!at) {
    failed_ = true;
    return e;
  }
  const Expr made = made_at(*r, *at);
  done_.emplace_back(e, made);
  return made;
}

Expr ReadReplacer::formula_at(const Expr& formula, const std::vector<Expr>& at) const {
  std::map<std::string, Expr> bound;
  for (size_t k = 0; k < made_.vars.size(); ++k) bound[made_.vars[k]] = at[k];
  return substitute(formula, bound);
}

Expr ReadReplacer::made_at(const Read& read, const std::vector<Expr>& at) {
  const Expr made = formula_at(FreshReductions(taken_).go(made_.formula), at);
  if (!read.fill || already_filled(made, read)) return made;
  return normal_fills(consumer_, select(inside(read.index, read_.dims), made, read.fill), {});
}

/// The formula is itself a read that yields the same number outside of a tensor which is entirely inside: padding of
/// the padded read.
bool ReadReplacer::already_filled(const Expr& made, const Read& outer) const {
  const auto* inner = std::get_if<Read>(&made->node);
  if (!inner || !inner->fill || !same(inner->fill, outer.fill) || outer.index.size() != made_.vars.size()) return false;
  const auto* plain = std::get_if<Read>(&made_.formula->node);
  const Tensor& source = consumer_.tensor(plain->tensor);
  for (size_t d = 0; d < made_.vars.size(); ++d) {
    const auto by = affine_in(plain->index[d], made_.vars[d]);
    if (!by || !is_one(simplify(by->coefficient)) || !same(read_.dims[d], made_.shape.dims[d])) return false;
    // inside: 0 <= i + rest < source; that i itself is inside follows from -rest >= 0 and source - rest <= made
    if (!proves_le(by->rest, constant_int(0), {}) || !proves_le(source.dims[d] - by->rest, made_.shape.dims[d], {}))
      return false;
  }
  return true;
}

}  // namespace tenon
