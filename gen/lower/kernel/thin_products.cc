// Recognises thin products: conditions on extents and strides.
#include <fmt/format.h>

#include <array>

#include "algebra/simplify.h"
#include "lower/kernel/fork_parts.h"
#include "lower/kernel/variants.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Rows, columns or depth up to which sums of products along the depth are faster than tiles.
constexpr int64_t kFew = 4;
/// Columns that are several vectors, and results that stay in the caches: tiles request the lines of others.
constexpr int64_t kLeastColumns = 64, kNearResults = 1 << 20;

/// The assumptions of a body: the sizes that it replaces by constants, and the condition that they have these values.
class Assumptions {
 public:
  explicit Assumptions(const Kernel& k) : k_(k) {}

  void demand(const Expr& condition) { holds_ = both(holds_, condition); }

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
    const std::vector<Expr>& strides = k_.tensor(r.tensor).strides;
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

/// The kernel with the loop over `few` as the innermost: what the others read stays in the cache for all of these.
Kernel with_inner_loop(Kernel k, const std::vector<LoopVar>& few) {
  std::vector<LoopVar>& loops = k.body.front().loops;
  if (!few.empty())
    std::stable_partition(loops.begin(), loops.end(), [&](const LoopVar& v) { return v.name != few.front().name; });
  return k;
}

void limit(Kernel& k, const std::string& size, int64_t most) {
  for (Size& s : k.sizes)
    if (s.name == size) s.hi = std::min(s.hi, most);
}

/// Few rows (or columns), and both sides dense along the depth: a sum of products each.
std::optional<ThinProduct> along_depth(const Kernel& k, const Contraction& c, const std::vector<LoopVar>& few) {
  Assumptions a(k);
  const std::string& depth = c.depth[0].name;
  if (!a.dense(c.left, depth) || !a.dense(c.right, depth)) return std::nullopt;
  if (!few.empty()) {
    const auto known = constant_value(few.front().extent);
    if (known.value_or(0) > kFew) return std::nullopt;
    if (!known) a.demand(apply(ScalarOp::Le, {few.front().extent, constant_int(kFew)}));
  }
  ThinProduct out = a.product();
  out.kernel = with_inner_loop(std::move(out.kernel), few);
  if (!few.empty()) limit(out.kernel, size_name(few.front().extent), kFew);
  out.along_depth = !few.empty();
  out.what =
      few.empty()
          ? "contiguous along the depth: a dot product for each result"
          : fmt::format(
                "few {0}, contiguous along the depth: a dot product for each result, one of the {0} after another",
                !c.rows.empty() && few.front().name == c.rows.front().name ? "rows" : "columns");
  return out;
}

/// The cases of few rows and of few columns; one where there are none of these, whatever there is of the others.
std::vector<ThinProduct> all_along_depth(const Kernel& k, const Contraction& c) {
  std::vector<ThinProduct> out;
  const bool vector = c.rows.empty() || c.columns.empty();
  for (const std::vector<LoopVar>* few : {&c.rows, &c.columns})
    if (auto sums = along_depth(k, c, vector ? std::vector<LoopVar>() : *few); sums && (out.empty() || !vector))
      out.push_back(std::move(*sums));
  return out;
}

/// When plain loops are faster than tiles, which take longer to begin and to end than to add up: a depth of one, and
/// short ones where the vectors of columns are whole and the results stay in the cache.
Expr is_shallow(const Contraction& c) {
  const Expr &depth = c.depth[0].extent, &columns = c.columns.front().extent;
  const Expr results = c.rows.empty() ? columns : c.rows.front().extent * columns;
  const Expr one = apply(ScalarOp::Eq, {depth, constant_int(1)});
  const Expr few = apply(ScalarOp::Le, {depth, constant_int(kFew)});
  const Expr wide = apply(ScalarOp::Ge, {columns, constant_int(kLeastColumns)});
  const Expr near = apply(ScalarOp::Le, {results, constant_int(kNearResults)});
  return simplify(apply(ScalarOp::Or, {one, both(both(few, wide), near)}));
}

/// A short depth and dense columns: sums of few products.
std::optional<ThinProduct> shallow_products(const Kernel& k, const Contraction& c) {
  const std::string depth = size_name(c.depth[0].extent);
  Assumptions a(k);
  if (depth.empty() || c.columns.empty()) return std::nullopt;
  a.demand(is_shallow(c));
  const std::string& var = c.columns.front().name;
  if (!a.dense(c.right, var) || !a.dense_epilogue(c, var)) return std::nullopt;
  ThinProduct out = a.product();
  limit(out.kernel, depth, kFew);
  out.what = "a short depth: sums of few products";
  return out;
}

/// The same for sums of few vectors, or of one row: those of neighbouring columns are folded together, into a vector of
/// results.
std::optional<ThinProduct> short_sums(const Kernel& k, const Contraction& c, const std::vector<ThinProduct>& sums) {
  const std::string depth = size_name(c.depth[0].extent);
  Assumptions a(k);
  if (sums.empty() || depth.empty() || c.columns.empty() || !a.dense_epilogue(c, c.columns.front().name))
    return std::nullopt;
  const ThinProduct dense = a.product();
  ThinProduct out = sums.front();
  if (sums.size() > 1)
    out.holds = out.holds && sums.back().holds ? apply(ScalarOp::Or, {out.holds, sums.back().holds}) : nullptr;
  Expr brief = apply(ScalarOp::Lt, {size_ref(depth), constant_int(kLongRow)});
  Assumptions along(k);  // without the limit of few rows or columns
  along.dense(c.left, c.depth[0].name);
  along.dense(c.right, c.depth[0].name);
  out.kernel = with_inner_loop(with_sizes(with_sizes(k, along.sizes()), a.sizes()), c.columns);
  out.joins_rows = true;
  out.along_depth = false;
  out.what = "short sums: the sums of adjacent columns are reduced into one vector";
  if (!c.rows.empty() && is_open(k, size_name(c.rows.front().extent))) {
    brief = apply(ScalarOp::Or, {brief, equals(c.rows.front().extent, 1)});
    out.what = "short sums, or one row: the sums of adjacent columns are reduced into one vector";
  } else {
    limit(out.kernel, depth, kLongRow - 1);
  }
  for (const Expr& more : {dense.holds, brief}) out.holds = both(out.holds, more);
  return out;
}

/// Whether both sides have the type of their products: others would be too many bodies.
bool multiplies_as_stored(const Kernel& k, const Contraction& c) {
  return all_of(std::array{c.left, c.right}, [&](const Expr& side) {
    const Read* r = plain_read(side);
    return r && k.tensor(r->tensor).dtype == c.accumulator;
  });
}

/// One column, and both sides dense along the depth: the sums of adjacent rows are added up together.
std::optional<ThinProduct> column_along_depth(const Kernel& k, const Contraction& c) {
  const std::string& depth = c.depth[0].name;
  Assumptions a(k);
  if (c.rows.empty() || c.columns.empty() || !multiplies_as_stored(k, c) || !a.equal(c.columns.front().extent, 1) ||
      !a.dense(c.left, depth) || !a.dense(c.right, depth) || !a.dense_epilogue(c, c.rows.front().name))
    return std::nullopt;
  ThinProduct out = a.product();
  out.joins_rows = true;
  out.what = "one column, contiguous along the depth: several rows at a time";
  return out;
}

/// One row (or column), and the other side dense along the columns (or rows): multiples of its rows are added up.
std::optional<ThinProduct> along_other(const Kernel& k, const Contraction& c, bool one_row) {
  const std::vector<LoopVar>&one = one_row ? c.rows : c.columns, &many = one_row ? c.columns : c.rows;
  Assumptions a(k);
  if (many.empty() || (!one.empty() && !a.equal(one.front().extent, 1))) return std::nullopt;
  const std::string& var = many.front().name;
  if (!a.dense(one_row ? c.right : c.left, var) || !a.dense_epilogue(c, var)) return std::nullopt;
  ThinProduct out = a.product();
  if (multiplies_as_stored(k, c)) out.kernel = with_inner_loop(std::move(out.kernel), many);
  out.what = one_row ? "one row: a sum of scaled rows of the right side"
                     : "one column: a sum of scaled columns of the left side";
  return out;
}

/// Whether one of the conditions always holds: a matrix is dense along one of its dims.
bool is_certain(const Kernel& k, const Expr& a, const Expr& b) {
  return a && b &&
         any_of(k.facts, [&, either = apply(ScalarOp::Or, {a, b})](const Expr& f) { return same(f, either); });
}

}  // namespace

std::vector<ThinProduct> thin_products(const Kernel& k, const Contraction& c) {
  std::vector<ThinProduct> out;
  const bool open = any_of(k.sizes, [](const Size& s) { return s.lo < s.hi; });
  const bool floats = is_float(c.result) && is_float(c.accumulator), integers = c.result == DType::I32;
  if (!open || !(floats || integers) || c.depth.size() != 1 || c.rows.size() > 1 || c.columns.size() > 1 ||
      (c.rows.empty() && c.columns.empty()) || c.transposed)
    return out;
  const std::vector<ThinProduct> sums = all_along_depth(k, c);
  if (floats) {  // there would be too many bodies for all integer types
    if (const auto shallow = shallow_products(k, c)) out.push_back(*shallow);
    if (const auto column = column_along_depth(k, c)) out.push_back(*column);
    if (const auto together = short_sums(k, c, sums)) out.push_back(*together);
  }
  std::vector<std::optional<ThinProduct>> cases(sums.begin(), sums.end());
  cases.insert(cases.end(), {along_other(k, c, true), along_other(k, c, false)});
  for (const auto& thin : cases) {
    if (!thin) continue;
    const auto fork = thin->holds && floats ? fork_columns(thin->kernel) : std::nullopt;
    if (fork)
      out.push_back({apply(ScalarOp::And, {thin->holds, fork->holds}), fork->then, true, false,
                     thin->what + ", a block of rows at a time"});
    out.push_back(fork ? ThinProduct{thin->holds, fork->otherwise, false, false, thin->what} : *thin);
    if (!sums.empty() && is_certain(k, sums.front().holds, thin->holds)) {
      out.back().holds = nullptr;
      break;
    }
  }
  return out;
}

}  // namespace tenon
