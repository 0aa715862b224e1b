// The right side of a contraction: panels of columns as the register tiles read them, or the tensor itself.
#include <fmt/format.h>

#include "algebra/normal_fills.h"
#include "lower/contraction/contraction_builder.h"

namespace tenon {
namespace {

ValueScope depth_scope(ContractionBuilder& b) {
  ValueScope scope = b.scope;
  for (const LoopVar& v : b.c.depth) scope.vars[v.name] = v_var(v.name);
  return scope;
}

/// Panels that are copied by whole vectors.
struct WholePanels {
  Operand first;  ///< column
  Operand count;  ///< of panels
  std::vector<Operand> unit;
};

/// The store of vector `j` of the columns to the panel at `to`; nothing where the right side has no vectors.
std::optional<Stmt> store_vector(ContractionBuilder& b, int packed, const Operand& to, const ValueScope& scope, int j) {
  const auto value = lower_lanes(b.c.right, scope);
  b.possible = b.possible && value.has_value();
  if (!value) return std::nullopt;
  const Operand at = to + flat_index(b, b.c.depth, scope) * v_int(b.panel_columns()) + v_int(j * b.lanes());
  return s_store(packed, at, v_cast(*value, b.c.accumulator));
}

/// Of the loop that fills a panel: a block of columns of run-time sizes may have too few panels for all workers.
LoopKind filling_kind(ContractionBuilder& b) {
  return constant_value(b.extent_of(b.c.depth)) ? LoopKind::Serial : LoopKind::Parallel;
}

/// Requests lines of a few rows further on, from `column` of adjacent panels, at the end of the depth those of the next
/// panels. Each row is in another page, where no hardware prefetcher expects it. Few rows are copied faster without.
Block request_rows_ahead(ContractionBuilder& b, const Operand& column) {
  constexpr int64_t kRowsAhead = 8, kManyRows = 64;
  const Operand rows = b.extent_of(b.c.depth);
  if (constant_value(rows) || b.c.depth.size() != 1 || has_fill(b.c.right)) return {};
  const RightAccess right = access_right(b);
  if (right.buffer < 0 || right.panel > 0) return {};
  const int64_t line = kLineBits / 8 / bytes_of(b.c.accumulator), all = kPanelsTogether * b.panel_columns();
  const Operand row = v_var(b.c.depth[0].name) + v_int(kRowsAhead), next = row - rows;
  const std::string at = b.local("ahead");
  const Operand offset =
      v_select(v_apply(ScalarOp::Lt, {row, rows}), row * right.depth_step, next * right.depth_step + v_int(all));
  Block out{s_let(at, right.base + column + offset)};
  for (int64_t i = 0; i < all; i += line) out.push_back({SPrefetch{right.buffer, v_var(at) + v_int(i), 3}});
  return {s_if(v_apply(ScalarOp::Ge, {rows, v_int(kManyRows)}), std::move(out))};
}

/// Panels by whole vectors: the right side has unit stride along the columns. A few adjacent panels are copied
/// together, so that each row of the depth is read in runs of several cache lines: each row is in a different page.
Block pack_vectors(ContractionBuilder& b, int packed, const WholePanels& panels) {
  const std::string group = b.local("panel_group"), p = b.local("panel_together"), at = b.local("panel_column");
  const Operand start = v_var(p) * b.extent_of(b.c.depth) * v_int(b.panel_columns());
  ValueScope scope = depth_scope(b);
  for (const Operand& s : panels.unit) scope.unit.insert(canonical(s));
  Block body{s_let(at, panels.first + v_var(p) * v_int(b.panel_columns()))};
  for (int j = 0; j < b.blueprint.tile_vectors; ++j) {
    bind_collapsed(b.c.columns, v_var(at) + v_int(j * b.lanes()), scope);
    scope.vector_var = b.c.columns.back().name;
    scope.lanes = b.lanes();
    std::optional<Stmt> store = store_vector(b, packed, start, scope, j);
    if (!store) return {};
    body.push_back(*std::move(store));
  }
  const Operand from = v_var(group) * v_int(kPanelsTogether);
  Block together = request_rows_ahead(b, panels.first + from * v_int(b.panel_columns()));
  together.push_back(s_for(p, from, smaller(from + v_int(kPanelsTogether), panels.count), 1, std::move(body)));
  Block rows = loops_over(b, b.c.depth, std::move(together));
  if (!rows.empty()) rows[0] = with_kind(filling_kind(b), std::move(rows[0]));
  return {with_kind(LoopKind::Parallel,
                    s_for(group, v_int(0), ceil_div(panels.count, kPanelsTogether), 1, std::move(rows)))};
}

/// Panels element by element, those of fewer columns than a panel's into zeros. All columns of a line of the depth are
/// copied before the next line, so that the written part of the panel stays in the cache.
Block pack_elements(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel,
                    const Operand& count) {
  const std::string at = b.local("lane");
  ValueScope scope = depth_scope(b);
  bind_collapsed(b.c.columns, column + v_var(at), scope);
  const Operand to = panel + flat_index(b, b.c.depth, scope) * v_int(b.panel_columns()) + v_var(at);
  Block copy{s_store(packed, to, v_cast(b.scalar(b.c.right, scope), b.c.accumulator))};
  Block zeros{s_store(packed, panel + v_var(at), v_const(0, {b.c.accumulator, b.lanes(), 0}))};
  Block clear{s_for(at, v_int(0), b.extent_of(b.c.depth) * v_int(b.panel_columns()), b.lanes(), std::move(zeros))};
  std::vector<LoopVar> lines = b.c.depth, line;
  if (!lines.empty()) {
    line.push_back(lines.back());
    lines.pop_back();
  }
  Block out{s_if(v_apply(ScalarOp::Lt, {count, v_int(b.panel_columns())}), std::move(clear))};
  append(out, loops_over(b, lines, {s_for(at, v_int(0), count, 1, loops_over(b, line, std::move(copy)))}));
  return out;
}

/// Whether every read of the right side has a step along the variable of which `holds` is true.
bool all_steps(ContractionBuilder& b, const LoopVar& along, FunctionRef<bool(const Read&, const Operand&)> holds) {
  ValueScope scope = depth_scope(b);
  for (const LoopVar& v : b.c.columns) scope.vars[v.name] = v_var(v.name);
  return !any_read(b.c.right, [&](const Read& r) {
    const auto form = offset_form(r.tensor, r.index, {along}, scope);
    return !form || !holds(r, form->coefficient(along.name));
  });
}

/// Whether every read steps by 0, 1 or a value known at run time only along the columns.
bool may_be_unit(ContractionBuilder& b) {
  return b.lanes() > 1 && all_steps(b, b.c.columns.back(), [](const Read&, const Operand& step) {
           const int64_t known = constant_value(step).value_or(1);
           return known == 0 || known == 1;
         });
}

/// Steps along the columns that are 1 where the right side has unit stride.
std::vector<Operand> steps_of_columns(ContractionBuilder& b) {
  ValueScope scope = depth_scope(b);
  for (const LoopVar& v : b.c.columns) scope.vars[v.name] = v_var(v.name);
  return open_steps(b.c.right, b.c.columns.back().name, scope);
}

/// A panel of fewer columns by partial vectors, whose other lanes are 0; the right side has unit stride along the
/// columns.
Block pack_partial_vectors(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel,
                           const Operand& count) {
  ValueScope scope = depth_scope(b);
  for (const Operand& s : steps_of_columns(b)) scope.unit.insert(canonical(s));
  scope.vector_var = b.c.columns.back().name;
  scope.lanes = b.lanes();
  Block out, row;
  for (int j = 0; j < b.blueprint.tile_vectors; ++j) {
    const std::string active = b.local(fmt::format("active_{}", j));
    const Operand left = larger(count - v_int(j * b.lanes()), v_int(0));
    out.push_back(s_let(active, smaller(left, v_int(b.lanes()))));
    bind_collapsed(b.c.columns, column + v_int(j * b.lanes()), scope);
    scope.active = v_var(active);
    std::optional<Stmt> store = store_vector(b, packed, panel, scope, j);
    if (!store) return {};
    row.push_back(*std::move(store));
  }
  append(out, loops_over(b, b.c.depth, std::move(row)));
  return out;
}

/// Columns that are no whole panel, or are no vectors.
Block pack_rest(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel, const Operand& count) {
  constexpr int kMasks = 256;  // bits of vectors whose loads can be partial without a call
  Block elements = pack_elements(b, packed, column, panel, count);
  if (b.isa.vector_bits < kMasks || !may_be_unit(b)) return elements;
  Block vectors = pack_partial_vectors(b, packed, column, panel, count);
  const Operand unit = all_unit(steps_of_columns(b));
  return unit ? Block{s_if(unit, std::move(vectors), std::move(elements))} : vectors;
}

/// A way to fill a panel, and the condition under which it applies; without a condition, always.
struct PanelFill {
  Block body;
  Operand holds;
};

/// The first variable from which on the depth is one line of memory.
size_t start_of_line(const ContractionBuilder& b, const AffineForm& form) {
  size_t from = 0;
  while (!collapses(form, {b.c.depth.begin() + static_cast<std::ptrdiff_t>(from), b.c.depth.end()}, b.scope)) ++from;
  return from;
}

/// What the right side reads, number by number where it consists of words; null where it is no plain read, or one that
/// is converted to something other than what is summed.
const Read* numbers_read(const Contraction& c) {
  const Expr& side = c.right_numbers ? c.right_numbers : c.right;
  if (c.right_numbers && c.depth.size() != 1) return nullptr;
  return side->type == c.accumulator || std::holds_alternative<Read>(side->node) ? plain_read(side) : nullptr;
}

/// Depth indices of which all numbers are there.
Operand filled_depth(ContractionBuilder& b, const std::vector<LoopVar>& line) {
  if (!b.c.right_numbers || !b.c.pair_last) return b.extent_of(line);
  return floor_div(b.scalar(b.c.pair_last, b.scope) + v_int(1), v_int(b.c.word_numbers));
}

/// Whole panels of a side whose depth, in dense lines, not its columns, is at unit stride: squares of vectors are
/// transposed. Empty where it never is.
PanelFill pack_transposed(ContractionBuilder& b, int packed, const Operand& column, const Operand& panel) {
  const Read* read = numbers_read(b.c);
  if (b.lanes() < 2 || !read || b.c.depth.empty() || b.c.columns.size() != 1) return {};
  std::vector<LoopVar> vars = b.c.depth;
  vars.push_back(b.c.columns[0]);
  const auto form = offset_form(read->tensor, read->index, vars, b.scope);
  if (!form) return {};
  const Operand unit = form->coefficient(b.c.depth.back().name);
  const auto known = constant_value(unit);
  if (known.value_or(1) != 1) return {};
  const auto cut = b.c.depth.begin() + static_cast<std::ptrdiff_t>(start_of_line(b, *form));
  const std::vector<LoopVar> lines(b.c.depth.begin(), cut), line(cut, b.c.depth.end());
  const std::string d = b.local("depth_at"), rest = b.local("depth_whole"), lane = b.local("lane"),
                    late = b.local("depth_rest");
  const Operand step = form->coefficient(b.c.columns[0].name), depth = b.extent_of(line);
  const int lanes = b.lanes(), numbers = b.c.right_numbers ? b.c.word_numbers : 1;
  const Operand pitch = v_int(b.panel_columns());
  ValueScope scope = b.scope;
  Operand start = form->rest;
  for (const LoopVar& v : lines) {
    scope.vars[v.name] = v_var(v.name);
    start = start + v_var(v.name) * form->coefficient(v.name);
  }
  const Operand before = flat_index(b, lines, scope) * depth;
  const auto to = [&](const Operand& k, const Operand& c) { return panel + (before + k) * pitch + c; };
  Block squares;
  for (int j = 0; j < b.blueprint.tile_vectors; ++j) {
    const Operand from = start + (column + v_int(j * lanes)) * step + v_var(d) * v_int(numbers);
    squares.push_back(
        transpose_square(b, {{read->tensor, from}, step}, {{packed, to(v_var(d), v_int(j * lanes))}, pitch}, numbers));
  }
  bind_collapsed(line, v_var(late), scope);
  bind_collapsed(b.c.columns, column + v_var(lane), scope);
  Block one{s_store(packed, to(v_var(late), v_var(lane)), v_cast(b.scalar(b.c.right, scope), b.c.accumulator))};
  Block last{s_for(lane, v_int(0), v_int(b.panel_columns()), 1, std::move(one))};
  Block all{s_let(rest, floor_div(filled_depth(b, line), v_int(lanes)) * v_int(lanes)),
            with_kind(filling_kind(b), s_for(d, v_int(0), v_var(rest), lanes, std::move(squares))),
            s_for(late, v_var(rest), depth, 1, std::move(last))};
  return {loops_over(b, lines, std::move(all), LoopKind::Parallel), known ? nullptr : all_unit({unit})};
}

/// n/w and n%w of the column: w, or 0.
int64_t panel_width(const Read& read, const std::string& column) {
  if (read.index.size() != 4 && read.index.size() != 5) return 0;
  int64_t width = 0;
  for (const size_t d : {size_t{1}, size_t{3}}) {
    const auto* a = std::get_if<Apply>(&read.index[d]->node);
    if (!a || a->op != (d == 1 ? ScalarOp::FloorDiv : ScalarOp::Mod)) return 0;
    const auto* v = std::get_if<VarRef>(&a->args[0]->node);
    const auto w = constant_value(a->args[1]);
    if (!v || v->name != column || !w || (width != 0 && *w != width)) return 0;
    width = *w;
  }
  return width;
}

/// Whether the panels of pairs have words of four after them, and which of both `b` takes.
void find_quads(const ContractionBuilder& b, const Tensor& t, RightAccess& out) {
  int64_t rows = 1;
  for (const LoopVar& v : b.c.depth) rows *= constant_value(v.extent).value_or(0);
  const auto all = constant_value(t.dims[2]);
  if (b.c.word_numbers == 4) {
    out.bytes = BytePanel{*all - 2 * (rows + 1), rows};
    out.halves = 4;
    out.panel = BytePanel::kHalf;
  } else if (all && *all > rows) {
    out.bytes = BytePanel{rows, (*all - rows) / 2 - 1};
  }
}

int64_t known_bytes(const Tensor& t) {
  int64_t bytes = bytes_of(t.dtype);
  for (const Expr& d : t.dims) bytes *= constant_value(d).value_or(0);
  return bytes;
}

/// Whether there are so many weights that they exceed the first-level cache and should be prefetched. The hardware
/// prefetcher stops at the end of each page and starts again in the next. If a weight is used for few rows, or the same
/// weights are read repeatedly, prefetching costs more than waiting for the second-level cache.
bool are_far(ContractionBuilder& b, const Tensor& t) {
  constexpr int64_t kFewRows = 4, kNear = 1 << 16;  // the last in bytes
  const bool waits = b.repeats || constant_value(b.extent_of(b.c.rows)).value_or(kFewRows + 1) <= kFewRows;
  return known_bytes(t) >= (waits ? kSecondLevel : kNear);
}

/// Panels that were laid out at generation: [outer][column / w][depth][column % w].
RightAccess packed_beforehand(ContractionBuilder& b, const Read& read, int64_t width) {
  RightAccess out;
  const Tensor& t = b.kernel.tensor(read.tensor);
  out.buffer = read.tensor;
  out.base = b.scalar(read.index[0], b.scope) * b.scalar(t.strides[0], b.scope);
  out.column_step = v_int(1);
  out.halves = read.index.size() == 5 ? 2 : 1;
  out.depth_step = v_int(width * out.halves);
  out.panel = width;
  if (out.halves == 2) find_quads(b, t, out);
  out.whole_panels = b.panel_columns() % out.panel == 0;
  b.right_type = t.dtype;
  b.right_panel = out.panel;
  b.fetches_right = b.lanes() > 1 && are_far(b, t);
  b.right_is_far = b.fetches_right && known_bytes(t) >= kSecondLevel;
  return out;
}

}  // namespace

Operand RightAccess::at(const Operand& column, const Operand& depth) const {
  if (panel == 0) return base + column;
  if (bytes) {
    const Operand whole = floor_div(column, v_int(BytePanel::kColumns)) * v_int(bytes->rows() * BytePanel::kRowBytes);
    const Operand in_panel = v_apply(ScalarOp::Mod, {column, v_int(BytePanel::kColumns)});
    if (halves == 2) return base + whole + in_panel * v_int(halves);
    const Operand half = floor_div(in_panel, v_int(panel));
    return base + whole + v_int(bytes->pair_rows * BytePanel::kRowBytes) +
           half * v_int((bytes->quad_rows + 1) * BytePanel::kRowBytes) +
           v_apply(ScalarOp::Mod, {in_panel, v_int(panel)}) * v_int(halves);
  }
  if (whole_panels) return base + column * depth * v_int(halves);
  return base + floor_div(column, v_int(panel)) * depth * v_int(panel * halves) +
         v_apply(ScalarOp::Mod, {column, v_int(panel)}) * v_int(halves);
}

RightAccess access_right(ContractionBuilder& b) {
  RightAccess out;
  const Read* read = plain_read(b.c.right);
  const bool panels =
      read && b.c.columns.size() == 1 &&
      (read->index.size() == 5 ? b.c.word_numbers == 4 || (!b.c.paired.empty() && paired_panels(b.c.right, b.c.paired))
                               : b.c.paired.empty());
  if (panels)
    if (const int64_t width = panel_width(*read, b.c.columns[0].name); width > 0 && width % b.lanes() == 0)
      return packed_beforehand(b, *read, width);
  if (!read || b.kernel.tensor(read->tensor).dtype != b.c.accumulator) return out;
  const auto form = offset_form(read->tensor, read->index, concat(b.c.columns, b.c.depth), b.scope);
  if (!form || !collapses(*form, b.c.depth, b.scope)) return out;
  const Operand step = form->coefficient(b.c.columns.back().name);
  if (constant_value(step).value_or(1) != 1) return out;
  out.buffer = read->tensor;
  out.base = form->rest;
  out.column_step = step;
  out.depth_step = b.c.depth.empty() ? v_int(0) : form->coefficient(b.c.depth.back().name);
  return out;
}

bool computes_right(ContractionBuilder& b) {
  constexpr int64_t kNear = 1024;  // bytes from one line to the next that the hardware prefetcher handles
  const auto rows = constant_value(b.extent_of(b.c.rows)), columns = constant_value(b.extent_of(b.c.columns)),
             depth = constant_value(b.extent_of(b.c.depth));
  if (b.c.transposed || !b.c.paired.empty() || b.c.depth.empty() || !rows || !columns || !depth) return false;
  if (constant_value(b.extent_of(b.c.outer_left)) != 1) return false;  // their iterations share the panels
  if (*rows < 1 || *rows > b.blueprint.tile_rows || *columns % b.panel_columns() != 0) return false;
  if (!may_be_unit(b) || !steps_of_columns(b).empty()) return false;
  return all_steps(b, b.c.depth.back(), [&](const Read& r, const Operand& step) {
    const auto known = constant_value(step);
    return known && *known * bytes_of(b.kernel.tensor(r.tensor).dtype) <= kNear;
  });
}

Block pack_last(ContractionBuilder& b, int packed, const Operand& first, const Operand& count) {
  const std::string column = b.local("column"), width = b.local("width");
  const Operand whole = floor_div(count, v_int(b.panel_columns())) * v_int(b.panel_columns());
  Block fill{s_let(column, first + whole)};
  append(fill, pack_rest(b, packed, v_var(column), v_int(0), v_var(width)));
  return {s_count(width, count - whole), s_if(v_apply(ScalarOp::Gt, {v_var(width), v_int(0)}), std::move(fill))};
}

Block pack_right(ContractionBuilder& b, int packed, const Operand& first, const Operand& count, const Operand& full) {
  const std::string p = b.local("panel"), column = b.local("column"), width = b.local("width");
  const int64_t columns = b.panel_columns();
  const Operand start = v_var(p) * b.extent_of(b.c.depth) * v_int(columns);
  Block out, fill = pack_rest(b, packed, v_var(column), start, v_var(width));
  if (PanelFill transposed = pack_transposed(b, packed, v_var(column), start); !transposed.body.empty()) {
    const Operand whole = v_apply(ScalarOp::Eq, {v_var(width), v_int(columns)});
    const Operand holds = transposed.holds ? v_apply(ScalarOp::And, {whole, transposed.holds}) : whole;
    Block choice{s_if(holds, std::move(transposed.body), std::move(fill))};
    fill = std::move(choice);
  }
  Operand from = v_int(0);
  if (may_be_unit(b)) {
    const std::string whole = b.local("whole_panels");
    const std::vector<Operand> steps = steps_of_columns(b);
    const Operand unit = all_unit(steps), fast = !unit ? full : full ? v_apply(ScalarOp::And, {full, unit}) : unit;
    const auto known = fast ? std::nullopt : constant_value(count);
    if (known && *known % columns == 0) return pack_vectors(b, packed, {first, v_int(*known / columns), steps});
    from = v_var(whole);
    out.push_back(s_let(
        whole, fast ? v_select(fast, floor_div(count, v_int(columns)), v_int(0)) : floor_div(count, v_int(columns))));
    append(out, pack_vectors(b, packed, {first, from, steps}));
  }
  Block body{s_let(column, first + v_var(p) * v_int(columns)),
             s_count(width, smaller(count - v_var(p) * v_int(columns), v_int(columns)))};
  if (full)
    body.push_back(
        s_if(v_apply(ScalarOp::Or, {full, v_apply(ScalarOp::Lt, {v_var(width), v_int(columns)})}), std::move(fill)));
  else append(body, std::move(fill));
  out.push_back(with_kind(LoopKind::Parallel, s_for(p, from, ceil_div(count, columns), 1, std::move(body))));
  return out;
}

}  // namespace tenon
