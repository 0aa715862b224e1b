// Which products are thin: conditions over extents and strides.
#include <algorithm>

#include "lower/kernel/fork_parts.h"
#include "lower/kernel/variants.h"

namespace tenon {
namespace {

/// Rows or columns up to which sums of products along the depth are faster than tiles.
constexpr int64_t kFew = 4;

/// What a body takes for granted: the sizes that it replaces by numbers, and the condition that they are these.
class Assumptions {
 public:
  explicit Assumptions(const Kernel& k) : k_(k) {}

  void demand(const Expr& condition) { holds_ = holds_ ? apply(ScalarOp::And, {holds_, condition}) : condition; }

  /// `value` is `number`; false where it never is, or is neither a number nor a size of its own.
  bool equal(const Expr& value, int64_t number) {
    if (const auto known = constant_value(value)) return *known == number;
    const auto* size = std::get_if<SizeRef>(&value->node);
    if (!size) return false;
    if (!sizes_.emplace(size->name, number).second) return sizes_[size->name] == number;
    demand(apply(ScalarOp::Eq, {value, constant_int(number)}));
    return true;
  }

  /// Neighbours along `var` are adjacent in what the side reads.
  bool dense(const Expr& side, const std::string& var) {
    const Read* r = plain_read(side);
    return r && !r->fill && dense(*r, var);
  }

  bool dense(const Read& r, const std::string& var) {
    const std::vector<Expr>& strides = k_.tensors[static_cast<size_t>(r.tensor)].strides;
    bool found = false;
    for (size_t d = 0; d < r.index.size(); ++d) {
      if (!mentions(r.index[d], var)) continue;
      const auto* v = std::get_if<VarRef>(&r.index[d]->node);
      if (found || !v || v->name != var || !equal(strides[d], 1)) return false;
      found = true;
    }
    return found;
  }

  /// The same for everything that the statement reads in addition to the product.
  bool dense_epilogue(const Contraction& c, const std::string& var) {
    bool all = true;
    walk(c.statement->value, [&](const Expr& e) {
      if (e.get() == c.sum) return false;
      const auto* r = std::get_if<Read>(&e->node);
      if (r && mentions(e, var)) all = all && !r->fill && dense(*r, var);
      return all;
    });
    return all;
  }

  const std::map<std::string, int64_t>& sizes() const { return sizes_; }
  ThinProduct product() const { return {holds_, with_sizes(k_, sizes_), false}; }

 private:
  const Kernel& k_;
  std::map<std::string, int64_t> sizes_;
  Expr holds_;
};

/// Few rows or columns, and both sides dense along the depth: a sum of products each.
std::optional<ThinProduct> along_depth(const Kernel& k, const Contraction& c) {
  Assumptions a(k);
  const std::string& depth = c.depth[0].name;
  if (!a.dense(c.left, depth) || !a.dense(c.right, depth)) return std::nullopt;
  Expr few;
  for (const std::vector<LoopVar>* side : {&c.rows, &c.columns}) {
    if (side->empty()) return a.product();
    const auto known = constant_value(side->front().extent);
    if (known && *known <= kFew) return a.product();
    if (known) continue;
    const Expr is_few = apply(ScalarOp::Le, {side->front().extent, constant_int(kFew)});
    few = few ? apply(ScalarOp::Or, {few, is_few}) : is_few;
  }
  if (!few) return std::nullopt;
  a.demand(few);
  return a.product();
}

/// The same for sums of few vectors: those of neighbouring columns are folded together, into a vector of results.
std::optional<ThinProduct> short_sums(const Kernel& k, const Contraction& c, const ThinProduct& along_depth) {
  const std::string depth = size_name(c.depth[0].extent);
  Assumptions a(k);
  if (depth.empty() || c.columns.empty() || !a.dense_epilogue(c, c.columns.front().name)) return std::nullopt;
  const ThinProduct dense = a.product();
  ThinProduct out = along_depth;
  for (const Expr& more : {dense.holds, apply(ScalarOp::Lt, {size_ref(depth), constant_int(kLongRow)})})
    if (more) out.holds = out.holds ? apply(ScalarOp::And, {out.holds, more}) : more;
  out.kernel = with_sizes(out.kernel, a.sizes());
  for (Size& s : out.kernel.sizes)
    if (s.name == depth) s.hi = std::min(s.hi, kLongRow - 1);
  out.joins_rows = true;
  return out;
}

/// One row (or column), and the other side dense along the columns (or rows): multiples of its rows are added up.
std::optional<ThinProduct> along_other(const Kernel& k, const Contraction& c, bool one_row) {
  const std::vector<LoopVar>&one = one_row ? c.rows : c.columns, &many = one_row ? c.columns : c.rows;
  Assumptions a(k);
  if (many.empty() || (!one.empty() && !a.equal(one.front().extent, 1))) return std::nullopt;
  const std::string& var = many.front().name;
  if (!a.dense(one_row ? c.right : c.left, var) || !a.dense_epilogue(c, var)) return std::nullopt;
  return a.product();
}

/// Whether one of the conditions always holds: a matrix is dense along one of its dims.
bool is_certain(const Kernel& k, const Expr& a, const Expr& b) {
  return a && b &&
         std::any_of(k.facts.begin(), k.facts.end(),
                     [&, either = apply(ScalarOp::Or, {a, b})](const Expr& f) { return same(f, either); });
}

}  // namespace

std::vector<ThinProduct> thin_products(const Kernel& k, const Contraction& c) {
  std::vector<ThinProduct> out;
  const bool open = std::any_of(k.sizes.begin(), k.sizes.end(), [](const Size& s) { return s.lo < s.hi; });
  if (!open || !is_float(c.result) || !is_float(c.accumulator) || c.depth.size() != 1 || c.rows.size() > 1 ||
      c.columns.size() > 1 || (c.rows.empty() && c.columns.empty()) || c.transposed)
    return out;
  const auto sums = along_depth(k, c);
  if (const auto together = sums ? short_sums(k, c, *sums) : std::nullopt) out.push_back(*together);
  for (const auto& thin : {sums, along_other(k, c, true), along_other(k, c, false)}) {
    if (!thin) continue;
    const auto fork = thin->holds ? fork_columns(thin->kernel) : std::nullopt;
    if (fork) out.push_back({apply(ScalarOp::And, {thin->holds, fork->holds}), fork->then, true});
    out.push_back(fork ? ThinProduct{thin->holds, fork->otherwise, false} : *thin);
    if (sums && is_certain(k, sums->holds, thin->holds)) {
      out.back().holds = nullptr;
      break;
    }
  }
  return out;
}

}  // namespace tenon
