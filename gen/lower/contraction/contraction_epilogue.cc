// The processing of a finished tile of sums: the rest of the statement's expression, and the stores.
#include <fmt/format.h>

#include <algorithm>

#include "algebra/simplify.h"
#include "lower/contraction/contraction_builder.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The number of elements stored at once: 1 for complex numbers, which have no vectors here.
int stored_lanes(const ContractionBuilder& b) {
  bool complex = false;
  walk(b.c.statement->value, [&](const Expr& e) {
    return complex = complex || is_complex(e->type), !std::holds_alternative<Reduce>(e->node);
  });
  return complex ? 1 : b.lanes();
}

/// Whether the elements that are no whole vector are computed as one. Where parts of vectors have no instruction, that
/// pays for results of another type than the sums: they are scaled, rounded and converted.
bool stores_parts(const ContractionBuilder& b) {
  return b.isa.masked_memory || b.kernel.tensor(b.c.statement->target).dtype != b.c.accumulator;
}

/// Stores the statement's value for the elements that `scope` names, with `sums` standing for the reduction.
void store_value(ContractionBuilder& b, ValueScope scope, const Operand& sums, Block& out) {
  const KernelStatement& s = *b.c.statement;
  const Expr shared = SharedExprs().share(s.value);
  walk(shared, [&](const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return true;
    scope.given[e.get()] = v_cast(sums, b.c.result);
    return false;
  });
  const auto value = named_lanes(b, shared, scope, out);
  std::vector<LoopVar> over;
  if (!scope.vector_var.empty()) over.push_back({scope.vector_var, nullptr});
  const auto form = offset_form(s.target, s.index, over, scope);
  const bool unit = form && (over.empty() || constant_value(form->coefficient(scope.vector_var)) == 1);
  b.possible = b.possible && value && unit;
  if (!b.possible) return;
  const Operand at = over.empty() ? form->rest : form->rest + scope.vars.at(scope.vector_var);
  if (!b.first_part) {
    out.push_back(s_store(s.target, at, *value, scope.active));
    return;
  }
  const DType type = b.kernel.tensor(s.target).dtype;
  const Operand before = v_load(s.target, type, at, over.empty() ? 1 : scope.lanes, scope.active);
  out.push_back(s_if(b.first_part, {s_store(s.target, at, *value, scope.active)},
                     {s_store(s.target, at, before + *value, scope.active)}));
}

/// The scope of a vector of columns that begins at `column`, and the steps along it that must be 1.
ValueScope column_vector(ContractionBuilder& b, const ValueScope& row, const Operand& column,
                         std::vector<Operand>& steps) {
  ValueScope vector = row;
  bind_collapsed(b.c.columns, column, vector);
  vector.vector_var = b.c.columns.back().name;
  vector.lanes = b.lanes();
  steps = open_steps(b.c.statement->value, vector.vector_var, vector);
  for (const Operand& s : steps) vector.unit.insert(canonical(s));
  return vector;
}

/// The variables of a row by its number; without divisions where all that it reads and writes outside of the sums is
/// as far from that of the row before.
void bind_row(ContractionBuilder& b, const Operand& row, ValueScope& scope, Block& out) {
  if (flat_outside(b.kernel, b.c, b.c.rows)) bind_collapsed(b.c.rows, row, scope);
  else bind_flat(b, b.c.rows, row, scope, out);
}

/// The first sum of row `r` of a tile.
Operand sums_of_row(const ContractionBuilder& b, const TileExtent& t, const std::string& r) {
  const Operand row = v_var(r) * v_int(t.pitch > 0 ? t.pitch : b.panel_columns());
  return t.sums_at ? t.sums_at + row : row;
}

/// Rows of a tile whose vectors are all whole: no loop over the columns.
Block whole_rows(ContractionBuilder& b, const TileExtent& t, const std::string& r) {
  Block row;
  ValueScope scope = b.scope;
  bind_row(b, t.first_row + v_var(r), scope, row);
  for (int j = 0; j < b.blueprint.tile_vectors; ++j) {
    std::vector<Operand> steps;
    const ValueScope vector = column_vector(b, scope, t.first_column + v_int(j * b.lanes()), steps);
    store_value(b, vector, v_load(t.tile, b.c.accumulator, sums_of_row(b, t, r) + v_int(j * b.lanes()), b.lanes()),
                row);
  }
  return {s_for(r, v_int(0), t.rows, 1, std::move(row))};
}

/// Rows of a tile of fewer columns: whole vectors, then the remainder as a part of one or by elements.
Block partial_rows(ContractionBuilder& b, const TileExtent& t, const std::string& r) {
  const std::string q = b.local("q"), whole = b.local("whole");
  const DType acc = b.c.accumulator;
  Block row;
  ValueScope scope = b.scope;
  bind_row(b, t.first_row + v_var(r), scope, row);
  const Operand at = sums_of_row(b, t, r) + v_var(q);
  Operand from = v_int(0);
  if (stored_lanes(b) > 1) {
    std::vector<Operand> steps;
    ValueScope vector = column_vector(b, scope, t.first_column + v_var(q), steps);
    Block body;
    store_value(b, vector, v_load(t.tile, acc, at, b.lanes()), body);
    const Operand vectors = floor_div(t.columns, v_int(b.lanes())) * v_int(b.lanes());
    const Operand unit = all_unit(steps);
    row.push_back(s_let(whole, unit ? v_select(unit, vectors, v_int(0)) : vectors));
    from = v_var(whole);
    if (constant_value(vectors) != 0) row.push_back(s_for(q, v_int(0), from, b.lanes(), std::move(body)));
    if (stores_parts(b) && !unit) {
      vector.active = v_var(b.local("active"));
      Block last{s_let(b.local("active"), t.columns - v_var(q))};
      store_value(b, vector, v_load(t.tile, acc, at, b.lanes()), last);
      row.push_back(s_for(q, from, t.columns, b.lanes(), std::move(last)));
      return {s_for(r, v_int(0), t.rows, 1, std::move(row))};
    }
  }
  bind_collapsed(b.c.columns, t.first_column + v_var(q), scope);
  Block body;
  store_value(b, scope, v_load(t.tile, acc, at), body);
  row.push_back(s_for(q, from, t.columns, 1, std::move(body)));
  return {s_for(r, v_int(0), t.rows, 1, std::move(row))};
}

}  // namespace

namespace {

/// Recognises the operations on the sums: `max` and `min` with a constant after a number per row was added, or fewer of
/// these. False for anything else.
bool find_finish(const ContractionBuilder& b, const Expr& e, TileStore& out) {
  if (std::holds_alternative<Reduce>(e->node)) {
    out.sums = e.get();
    return true;
  }
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a || a->args.size() != 2 || !find_finish(b, a->args[0], out)) return false;
  if (const Constant* c = as_constant(a->args[1]); c && (a->op == ScalarOp::Max || a->op == ScalarOp::Min)) {
    const std::string number = is_float(e->type) ? fmt::format("{}", c->f) : fmt::format("{}", c->i);
    out.finish += (a->op == ScalarOp::Max ? "_least" : "_most") + number;
    return true;
  }
  const auto* bias = std::get_if<Read>(&a->args[1]->node);
  if (a->op != ScalarOp::Add || !bias || bias->fill || a->args[0].get() != out.sums || e->type != b.c.accumulator)
    return false;
  const auto form = offset_form(bias->tensor, bias->index, concat(b.c.rows, b.c.columns), b.scope);
  const bool of_row =
      form && collapses(*form, b.c.rows, b.scope) && constant_value(form->coefficient(b.c.rows.back().name)) == 1 &&
      all_of(b.c.columns, [&](const LoopVar& v) { return constant_value(form->coefficient(v.name)) == 0; });
  if (!of_row || a->args[1]->type != b.c.accumulator) return false;
  out.bias = a->args[1].get();
  out.biases = {bias->tensor, form->rest};
  out.finish += "_biased";
  return true;
}

/// In a name: 0.5 is 0p5, -1 is m1.
std::string in_name(std::string number) {
  for (char& c : number) c = c == '.' ? 'p' : c == '-' ? 'm' : c == '+' ? '_' : c;
  return number;
}

}  // namespace

std::optional<TileStore> stored_sums(const ContractionBuilder& b, const Operand& first_row,
                                     const Operand& first_column) {
  const KernelStatement& s = *b.c.statement;
  const DType type = b.kernel.tensor(s.target).dtype;
  if (b.c.transposed || b.c.rows.empty() || b.c.columns.empty() || s.update != Update::Assign ||
      type != b.c.accumulator || b.c.result != type || stored_lanes(b) == 1)
    return std::nullopt;
  TileStore out;
  // with 128-bit vectors, loops became slower with more values live at the end
  const bool known =
      b.isa.masked_memory && all_of(s.loops, [](const LoopVar& v) { return constant_value(v.extent).has_value(); });
  if (!find_finish(b, s.value, out) || (!out.finish.empty() && !known)) return std::nullopt;
  const auto form = offset_form(s.target, s.index, concat(b.c.rows, b.c.columns), b.scope);
  if (!form || !collapses(*form, b.c.rows, b.scope) || !collapses(*form, b.c.columns, b.scope) ||
      constant_value(form->coefficient(b.c.columns.back().name)) != 1)
    return std::nullopt;
  out.buffer = s.target;
  out.step = form->coefficient(b.c.rows.back().name);
  out.first = form->rest + first_row * out.step + first_column;
  out.finish = in_name(std::move(out.finish));
  if (out.bias) out.biases.offset = out.biases.offset + first_row;
  return out;
}

Operand finished(ContractionBuilder& b, const TileStore& store, const Operand& sums, const Operand& bias) {
  ValueScope scope;
  scope.kernel = &b.kernel;
  scope.lanes = b.lanes();
  scope.given[store.sums] = sums;
  if (store.bias) scope.given[store.bias] = bias;
  const auto value = lower_lanes(b.c.statement->value, scope);
  b.possible = b.possible && value;
  return value ? *value : sums;
}

Block epilogue(ContractionBuilder& b, const TileExtent& t) {
  const std::string r = b.local("r");
  const auto known = constant_value(t.columns);
  if (stored_lanes(b) == 1 || (known && *known != b.panel_columns())) return partial_rows(b, t, r);
  std::vector<Operand> steps;
  ValueScope row = b.scope;
  Block unused;
  bind_row(b, t.first_row, row, unused);
  column_vector(b, row, t.first_column, steps);
  const Operand unit = all_unit(steps);
  if (known && !unit) return whole_rows(b, t, r);
  const Operand full = v_apply(ScalarOp::Eq, {t.columns, v_int(b.panel_columns())});
  return {s_if(known  ? unit
               : unit ? v_apply(ScalarOp::And, {full, unit})
                      : full,
               whole_rows(b, t, r), partial_rows(b, t, r))};
}

Block epilogue_of_any_width(ContractionBuilder& b, const TileExtent& t) { return partial_rows(b, t, b.local("r")); }

Block epilogue_of_sums(ContractionBuilder& b, const Operand& first_row, const Operand& column,
                       const std::vector<Operand>& sums, const Operand& active) {
  Block out;
  for (size_t r = 0; r < sums.size(); ++r) {
    ValueScope scope = b.scope;
    bind_row(b, first_row + v_int(static_cast<int64_t>(r)), scope, out);
    std::vector<Operand> steps;
    ValueScope vector = column_vector(b, scope, column, steps);
    vector.active = active;
    b.possible = b.possible && steps.empty() && stored_lanes(b) > 1;
    store_value(b, vector, sums[r], out);
  }
  return out;
}

namespace {

/// Bytes of a tensor. Extents that are known at run time are taken for large.
double most_bytes(const Tensor& t) {
  constexpr double kLarge = 1 << 10;
  double bytes = bytes_of(t.dtype);
  for (const Expr& e : t.dims) {
    const auto known = constant_value(e);
    bytes *= known ? static_cast<double>(*known) : kLarge;
  }
  return bytes;
}

/// The tensors that the epilogue of a tile reads or writes line by line: the result, and what is read in its order.
struct LinesOfTile {
  struct Access {
    int tensor;
    const std::vector<Expr>* index;
  };
  std::vector<Access> accesses;
  double bytes = 0;  ///< of these tensors
};

LinesOfTile lines_of_tile(const ContractionBuilder& b) {
  const KernelStatement& s = *b.c.statement;
  LinesOfTile out{{{s.target, &s.index}}, most_bytes(b.kernel.tensor(s.target))};
  walk(s.value, [&](const Expr& e) {
    const auto* read = std::get_if<Read>(&e->node);
    const auto is_again = [&](const LinesOfTile::Access& a) {
      return a.tensor == read->tensor && same(*a.index, read->index);
    };
    if (read && !read->fill && none_of(out.accesses, is_again)) {
      out.accesses.push_back({read->tensor, &read->index});
      out.bytes += most_bytes(b.kernel.tensor(read->tensor));
    }
    return !std::holds_alternative<Reduce>(e->node);
  });
  return out;
}

/// Requests for the lines of one row of a tile, which `scope.vector_var` walks.
Block fetch_row(const ContractionBuilder& b, const LinesOfTile& lines, const ValueScope& scope) {
  constexpr int64_t kLine = 64;  // bytes
  Block out;
  for (const auto& [tensor, index] : lines.accesses) {
    const auto form = offset_form(tensor, *index, {{scope.vector_var, nullptr}}, scope);
    if (!form || constant_value(form->coefficient(scope.vector_var)) != 1) continue;
    const int64_t step = kLine / bytes_of(b.kernel.tensor(tensor).dtype);
    for (int64_t at = 0; at < b.panel_columns(); at += step)
      out.push_back({SPrefetch{tensor, form->rest + scope.vars.at(scope.vector_var) + v_int(at), 3}});
  }
  return out;
}

}  // namespace

Block fetch_result(ContractionBuilder& b, const TileExtent& t) {
  constexpr double kFirstCache = 1 << 16;  // bytes
  const LinesOfTile lines = lines_of_tile(b);
  if (b.c.transposed || stored_lanes(b) == 1 || lines.bytes <= kFirstCache) return {};
  const std::string r = b.local("r");
  Block row;
  ValueScope scope = b.scope;
  bind_row(b, t.first_row + v_var(r), scope, row);
  bind_collapsed(b.c.columns, t.first_column, scope);
  scope.vector_var = b.c.columns.back().name;
  scope.lanes = b.lanes();
  Block fetches = fetch_row(b, lines, scope);
  if (fetches.empty()) return {};
  append(row, std::move(fetches));
  return {s_for(r, v_int(0), t.rows, 1, std::move(row))};
}

namespace {

/// One column of `transposed_rows` rows from `first` on, of which `rows` are there.
Block transposed_column(ContractionBuilder& b, const TileExtent& t, ValueScope scope, int first, const Operand& rows) {
  const std::string r = b.local("r");
  const DType acc = b.c.accumulator;
  const int height = b.transposed_rows;
  const Operand at = v_int(first * b.panel_columns()) + v_var(b.local("q")) * v_int(height);
  Block all;
  ValueScope vector = scope;
  bind_collapsed(b.c.rows, t.first_row + v_int(first), vector);
  if (stored_lanes(b) > 1) {
    vector.vector_var = b.c.rows.back().name;
    vector.lanes = height;
    store_value(b, vector, v_load(t.tile, acc, at, height), all);
  }
  const auto known = constant_value(rows);
  Block some;
  if (known == height && !all.empty()) return all;
  if (!all.empty() && stores_parts(b)) {
    vector.active = rows;
    store_value(b, vector, v_load(t.tile, acc, at, height), some);
  } else {
    bind_collapsed(b.c.rows, t.first_row + v_int(first) + v_var(r), scope);
    Block body;
    store_value(b, scope, v_load(t.tile, acc, at + v_var(r)), body);
    some.push_back(s_for(r, v_int(0), rows, 1, std::move(body)));
  }
  if (all.empty() || known) return some;
  return {s_if(v_apply(ScalarOp::Eq, {rows, v_int(height)}), std::move(all), std::move(some))};
}

}  // namespace

Block transposed_epilogue(ContractionBuilder& b, const TileExtent& t, int height) {
  const std::string q = b.local("q");
  const auto known = constant_value(t.rows);
  Block column;
  ValueScope scope = b.scope;
  bind_flat(b, b.c.columns, t.first_column + v_var(q), scope, column);
  for (int first = 0; first < height; first += b.transposed_rows) {
    Operand rows = first == 0 ? t.rows : larger(t.rows - v_int(first), v_int(0));
    if (height - first > b.transposed_rows) rows = smaller(rows, v_int(b.transposed_rows));
    if (known) rows = v_int(std::clamp<int64_t>(*known - first, 0, b.transposed_rows));
    append(column, transposed_column(b, t, scope, first, rows));
  }
  return {s_for(q, v_int(0), t.columns, 1, std::move(column))};
}

}  // namespace tenon
