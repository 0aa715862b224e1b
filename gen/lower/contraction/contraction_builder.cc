// Names, buffers and index arithmetic that the parts of a contraction's lowering share.
#include "lower/contraction/contraction_builder.h"

#include <fmt/format.h>

#include "support/ranges.h"

namespace tenon {

std::string ContractionBuilder::fresh(const std::string& word) {
  std::string name = word;
  for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", word, n);
  return name;
}

const std::string& ContractionBuilder::local(const std::string& word) {
  std::string& name = locals[word];
  if (name.empty()) name = fresh(word);
  return name;
}

int ContractionBuilder::add_buffer(const std::string& name, DType dtype, Storage storage, Operand elements) {
  if (constant_value(elements) == 0)
    elements = v_int(1);  // a dimension is empty: the loops that name the buffer do not run
  buffers.push_back({fresh(name), dtype, storage, -1, std::move(elements), true});
  return static_cast<int>(buffers.size()) - 1;
}

Operand ContractionBuilder::scalar(const Expr& e, const ValueScope& in) {
  ValueScope plain = in;
  plain.vector_var.clear();
  plain.lanes = 1;
  auto v = lower_value(e, plain);
  possible = possible && v.has_value();
  return v ? *v : v_int(0);
}

Operand ContractionBuilder::extent_of(const std::vector<LoopVar>& vars) {
  Operand n = v_int(1);
  for (const LoopVar& v : vars) n = n * extent(v);
  return n;
}

bool in_place(const ContractionBuilder& b) { return b.kernel.tensor(b.c.statement->target).shared; }

std::string unused_name(const Kernel& k, std::string word) {
  const auto has_name = [&](const auto& x) { return x.name == word; };
  while (any_of(k.tensors, has_name) || any_of(k.sizes, has_name) || any_of(k.attrs, has_name)) word += "_at";
  return word;
}

Operand floor_div(const Operand& a, const Operand& b) {
  return constant_value(b) == 1 ? a : v_apply(ScalarOp::FloorDiv, {a, b});
}
namespace {
/// A comparison of an extent with itself, for which compilers warn.
bool is_one_value(const Operand& a, const Operand& b) { return a == b || to_text(a) == to_text(b); }
}  // namespace

Operand smaller(const Operand& a, const Operand& b) { return is_one_value(a, b) ? a : v_apply(ScalarOp::Min, {a, b}); }
Operand larger(const Operand& a, const Operand& b) { return is_one_value(a, b) ? a : v_apply(ScalarOp::Max, {a, b}); }
Operand ceil_div(const Operand& a, int64_t b) { return floor_div(a + v_int(b - 1), v_int(b)); }
Operand ceil_div(const Operand& a, const Operand& b) {
  if (const auto n = constant_value(b)) return ceil_div(a, *n);
  return floor_div(a + b - v_int(1), b);
}

int64_t even_height(int64_t rows, int64_t tall) {
  const int64_t strips = (rows + tall - 1) / tall;
  return (rows + strips - 1) / strips;
}

Operand rows_cached(const ContractionBuilder& b, const Operand& depth) {
  const Operand fit = floor_div(v_int(b.blueprint.cache_m / b.blueprint.tile_rows), larger(depth, v_int(1)));
  return larger(fit, v_int(1)) * v_int(b.blueprint.tile_rows);
}

namespace {

/// Whether sums can be stored in parts. Panels of weights are in the order of the tiles, and only sums that are stored
/// as they are can be added to.
bool sums_in_parts(const ContractionBuilder& b) {
  const KernelStatement& s = *b.c.statement;
  const DType stored = b.kernel.tensor(s.target).dtype;
  const Read* right = plain_read(b.c.right);
  return right && b.kernel.tensor(right->tensor).role != Role::Constant && s.update == Update::Assign &&
         std::holds_alternative<Reduce>(s.value->node) && stored == b.c.accumulator && b.c.result == stored &&
         is_float(stored) && b.c.paired.empty();
}

}  // namespace

Operand depth_of_a_part(ContractionBuilder& b, const Operand& depth) {
  // the same on all levels, so that sums are the same; the second is in bytes
  constexpr int64_t kPart = 2048, kFar = 1 << 23;
  if (!sums_in_parts(b)) return nullptr;
  const Operand columns = b.extent_of(b.c.columns), all = b.extent_of(b.c.depth);
  const int64_t bytes = bytes_of(b.c.accumulator);
  const auto known = constant_value(all), width = constant_value(columns);
  if (known && (*known < 2 * kPart || (width && *known * *width * bytes < kFar))) return nullptr;
  if (known && width) return v_int(even_height(*known, kPart));
  if (b.c.depth.size() == 1) return nullptr;  // sums over several variables may be long, as those over pixels of images
  const Operand divided = v_apply(ScalarOp::And, {v_apply(ScalarOp::Ge, {depth, v_int(2 * kPart)}),
                                                  v_apply(ScalarOp::Ge, {depth * columns, v_int(kFar / bytes)})});
  return v_select(divided, ceil_div(depth, larger(ceil_div(depth, kPart), v_int(1))), larger(depth, v_int(1)));
}

/// Whether each block of rows reads weights again that exceed the second-level cache.
bool reads_far_weights(ContractionBuilder& b) {
  const Read* right = plain_read(b.c.right);
  const auto depth = constant_value(b.extent_of(b.c.depth)), columns = constant_value(b.extent_of(b.c.columns));
  return right && depth && columns && b.kernel.tensor(right->tensor).role == Role::Constant &&
         *depth * *columns * bytes_of(b.kernel.tensor(right->tensor).dtype) > kSecondLevel;
}

/// Whether the second-level cache holds all of the left side next to panels: the rows of convolutions have many
/// elements in common.
bool left_is_near(ContractionBuilder& b) {
  const Read* left = plain_read(b.c.left);
  if (!left) return false;
  int64_t bytes = bytes_of(b.c.accumulator);
  for (const Expr& d : b.kernel.tensor(left->tensor).dims) bytes *= constant_value(d).value_or(kSecondLevel);
  return bytes <= kSecondLevel / 2;
}

bool writes_along_rows(ContractionBuilder& b) {
  const Read* right = plain_read(b.c.right);
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns)),
             depth = constant_value(b.extent_of(b.c.depth));
  if (b.c.transposed || !right || !rows || !columns || !depth || b.kernel.tensor(right->tensor).role == Role::Constant)
    return false;
  return *depth * *columns * bytes_of(b.c.accumulator) <= kSecondLevel &&
         *rows * *columns * bytes_of(b.c.result) > kSecondLevel;
}

Operand rows_a_block(ContractionBuilder& b, const Operand& depth, int64_t panel) {
  const Operand part = depth_of_a_part(b, depth);
  const bool far = reads_far_weights(b);
  // reading a part of a panel from memory pays off only for many rows
  const int64_t parts = part || far ? 8 : 32;
  const auto known = constant_value(b.extent_of(b.c.depth));
  const Operand fit = rows_cached(b, part ? part : known ? v_int(*known) : depth);
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns));
  if (!rows || !columns || *rows < 1) return fit;
  const int64_t outer = constant_value(b.extent_of(b.c.outer_right) * b.extent_of(b.c.outer_left)).value_or(1);
  const int64_t tall = b.blueprint.tile_rows, panels = std::max<int64_t>(1, (*columns + panel - 1) / panel * outer);
  const int64_t shares = (parts + panels - 1) / panels, share = (*rows + shares - 1) / shares;
  const int64_t share_rows = std::max<int64_t>(2, (share + tall - 1) / tall) * tall;
  const auto cached = constant_value(fit);
  if (!cached) return smaller(fit, v_int(share_rows));
  // equal blocks, of all rows or up to twice the size where that saves reading the weights again
  const int64_t twice = known.value_or(0) > 0 ? 2 * int64_t{b.blueprint.cache_m} / *known / tall * tall : 0,
                far_rows = left_is_near(b) ? share_rows : std::max(*cached, twice);
  const int64_t most = std::min(share_rows, far ? far_rows : *cached);
  const int64_t block = (even_height(*rows, most) + tall - 1) / tall * tall;
  // whole tiles may leave few rows to the last block: half of the workers would wait for those with the first
  const bool uneven = *rows > block && *rows < block + block / 2;
  return v_int(uneven && *rows <= *cached ? (*rows + tall - 1) / tall * tall : block);
}

Operand most_rows_a_block(ContractionBuilder& b, const Operand& depth) {
  return larger(rows_cached(b, depth), rows_a_block(b, depth, b.panel_columns()));
}

Operand all_unit(const std::vector<Operand>& steps) {
  Operand all;
  for (const Operand& s : steps) {
    const Operand one = v_apply(ScalarOp::Eq, {s, v_int(1)});
    all = all ? v_apply(ScalarOp::And, {all, one}) : one;
  }
  return all;
}

void bind_flat(ContractionBuilder& b, const std::vector<LoopVar>& vars, const Operand& flat, ValueScope& scope,
               Block& block) {
  if (vars.size() == 1) {
    scope.vars[vars[0].name] = flat;
    return;
  }
  Operand rest = flat;
  for (size_t i = vars.size(); i-- > 0;) {
    const Operand n = b.extent(vars[i]);
    const std::string name = b.fresh(vars[i].name);
    const std::string above = i > 0 ? b.fresh(vars[i].name + "_above") : "";
    if (i > 0) block.push_back(s_let(above, floor_div(rest, n)));
    block.push_back(s_let(name, i > 0 ? rest - v_var(above) * n : rest));
    scope.vars[vars[i].name] = v_var(name);
    if (i > 0) rest = v_var(above);
  }
}

void bind_collapsed(const std::vector<LoopVar>& vars, const Operand& flat, ValueScope& scope) {
  for (size_t i = 0; i < vars.size(); ++i) scope.vars[vars[i].name] = i + 1 == vars.size() ? flat : v_int(0);
}

Block loops_over(ContractionBuilder& b, const std::vector<LoopVar>& vars, Block body, LoopKind kind) {
  for (size_t i = vars.size(); i-- > 0;) {
    Block one;
    one.push_back(with_kind(kind, s_for(vars[i].name, v_int(0), b.extent(vars[i]), 1, std::move(body))));
    body = std::move(one);
  }
  return body;
}

Operand flat_index(ContractionBuilder& b, const std::vector<LoopVar>& vars, const ValueScope& scope) {
  Operand flat = v_int(0);
  for (const LoopVar& v : vars) flat = flat * b.extent(v) + scope.vars.at(v.name);
  return flat;
}

}  // namespace tenon
