// Shapes of a definition's tensors as lines of the bind function.
#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_bind.h"
#include "harness/library/library_dims.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/quoted.h"

namespace tenon {
namespace {

class InputShape {
 public:
  InputShape(BindState& state, const TensorDef& t)
      : s(state), t_(t), name_(operand_name(t, !t.like.empty())), out(*state.out) {
    added_ = added_dim(s.def(), t);
    tells_ = added_ && std::count_if(t.dims.begin(), t.dims.end(), [&](const Dim& d) { return unknown_pack(d); }) > 1;
  }

  void write() {
    write_storage_order(s, t_, false);
    listed_axes();
    axis();
    if (std::none_of(t_.dims.begin(), t_.dims.end(),
                     [&](const Dim& d) { return unknown_pack(d) || (d.kind == DimKind::pack && d.broadcast); }))
      check_rank();
    for (size_t i = 0; i < t_.dims.size(); ++i) {
      if (checks_ && !tells_ && i == added_->before) require_axis();
      dim(i);
    }
    if (checks_ && !tells_ && t_.dims.size() == added_->before) require_axis();
  }

  /// Rank of the pack at `i` as C, given what is before it.
  std::string pack_rank(size_t i, const StoredPlace& before) const {
    size_t end = i + 1;
    while (end < t_.dims.size() && !(tells_ && added_->before == end) &&
           (t_.dims[end].at.empty() || listed(t_.dims[end])))
      ++end;
    StoredPlace after;
    for (size_t k = i + 1; k < std::min(end, t_.dims.size()); ++k) advance(after, t_.dims[k]);
    const std::string upto = end == t_.dims.size() ? name_ + "->ndim" : axis_name(tells_ ? *added_->dim : t_.dims[end]);
    return upto + before.subtracted() + after.subtracted();
  }

  /// D@axis, *Q@axis: a variable says where the axis is; once, or in each block about an optional tensor.
  void declare_axes() {
    if (!t_.optional && !s.axes.insert(t_.name).second) return;
    for (const Dim& d : t_.dims)
      if (!d.at.empty() && !listed(d))
        out.print_line("const int32_t {} = tn_rt_axis(f, a->{}, {}->ndim, {}->ndim{});", axis_name(d),
                       c_identifier(d.at), name_, name_, d.kind == DimKind::pack ? "" : " - 1");
  }

  void advance(StoredPlace& c, const Dim& d) const {
    if (d.kind == DimKind::pack) c.ranks.push_back(c_identifier(d.name) + "->rank");
    else ++c.fixed;
  }

 private:
  bool listed(const Dim& d) const { return !d.at.empty() && s.def().attr(d.at)->count != AttrCount::one; }
  bool unknown_pack(const Dim& d) const {
    return d.kind == DimKind::pack && !d.broadcast && !s.bound_packs.count(d.name);
  }
  std::string axis_name(const Dim& d) const {
    return fmt::format("{}_of_{}", c_identifier(d.at), c_identifier(t_.name));
  }

  /// *R@axes: the listed axes are moved together, to where the definition writes them.
  void listed_axes() {
    const auto at = std::find_if(t_.dims.begin(), t_.dims.end(), [&](const Dim& d) { return listed(d); });
    if (at == t_.dims.end()) return;
    StoredPlace before, after;
    bool open_before = false, open_after = false;
    for (auto d = t_.dims.begin(); d != t_.dims.end(); ++d) {
      if (d == at) continue;
      const bool open = unknown_pack(*d);
      (d < at ? open_before : open_after) |= open;
      if (!open) advance(d < at ? before : after, *d);
    }
    const std::string attr = "a->" + c_identifier(at->at), rank = c_identifier(at->name) + "->rank";
    std::string lead = before.text();
    if (open_before && open_after) {
      const auto p = std::find_if(t_.dims.begin(), at, [&](const Dim& d) { return unknown_pack(d); });
      const std::string open = c_identifier(p->name) + "->rank";
      out.print_line("{} = tn_rt_pack_rank(f, tn_rt_lowest_axis(f, &{}, {}->ndim){});", open, attr, name_,
                     before.subtracted());
      s.bound_packs.insert(p->name);
      ranked_.insert(p->name);
      lead = before.text() + " + " + open;
    } else if (open_before) {
      lead = fmt::format("-1{}", after.subtracted());
    }
    const std::string moved = fmt::format("tn_rt_listed_axes(f, {}, &{}, {})", name_, attr, lead);
    if (s.bound_packs.insert(at->name).second) {
      out.print_line("{} = {};", rank, moved);
      ranked_.insert(at->name);
    } else {
      // Dims that a reduction did not keep are nowhere: the axes are not those of this tensor.
      if (s.def().let(at->name)) out.print_line("if ({} > 0)", rank).write("    ");
      out.print_line("tn_rt_require(f, {} == {}, TN_E_SHAPE);", moved, rank);
    }
  }

  /// Other inputs determine the packs: the dim that only the output has must be between them.
  void require_axis() {
    out.print_line("tn_rt_require(f, {} == {}, TN_E_SHAPE);", axis_name(*added_->dim), at_.text());
  }

  /// D@axis, *Q@axis: where the axis is. A dim that only the output has counts in its rank.
  void axis() {
    checks_ = added_ && s.placed.insert(added_->dim->at + dims_text(t_, false)).second;
    if (checks_)
      out.print_line("const int32_t {} = tn_rt_axis(f, a->{}, {}->ndim + 1, {}->ndim);", axis_name(*added_->dim),
                     c_identifier(added_->dim->at), name_, name_);
    declare_axes();
  }

  void check_rank() {
    StoredPlace all;
    for (const Dim& d : t_.dims) advance(all, d);
    out.print_line("tn_rt_rank(f, {}, {});", name_, all.text());
  }

  void dim(size_t i) {
    const Dim& d = t_.dims[i];
    const std::string at = at_.text();
    const bool told = at == fmt::format("({})", axis_name(d));  // the pack in front goes up to the axis
    if (!d.at.empty() && !listed(d) && !told &&
        std::none_of(t_.dims.begin(), t_.dims.begin() + static_cast<long>(i),
                     [&](const Dim& p) { return ranked_.count(p.name) != 0; }))
      out.print_line("tn_rt_require(f, {} == {}, TN_E_SHAPE);", axis_name(d), at);
    switch (d.kind) {
      case DimKind::size: size(d, at); break;
      case DimKind::integer:
        out.print_line("tn_rt_{}(f, {}, {}, {});", d.broadcast ? "stretch" : "same", name_, at, d.value);
        break;
      case DimKind::split: split(d, at); break;
      case DimKind::pack: return pack(i, at);
    }
    advance(at_, d);
  }

  void size(const Dim& d, const std::string& at) {
    if (d.broadcast) return void(out.print_line("tn_rt_stretch(f, {}, {}, {});", name_, at, s.extent(d)));
    if (s.knows(d)) return void(out.print_line("tn_rt_same(f, {}, {}, {});", name_, at, s.extent(d)));
    out.print_line("{} = tn_rt_size(f, {}, {});", c_identifier(d.name), name_, at);
    s.bound_sizes.insert(d.name);
  }

  void split(const Dim& d, const std::string& at) {
    std::vector<std::string> known;
    const Dim* open = nullptr;
    for (const Dim& p : d.parts)
      if (s.knows(p)) known.push_back(s.extent(p));
      else open = &p;
    if (open != nullptr) {
      std::string product = known.empty() ? "1" : known[0];
      for (size_t k = 1; k < known.size(); ++k) product = fmt::format("tn_rt_mul(f, {}, {})", product, known[k]);
      out.print_line("{} = tn_rt_part(f, tn_rt_stored_extent(f, {}, {}), {});", c_identifier(open->name), name_, at,
                     product);
      s.bound_sizes.insert(open->name);
    }
    std::vector<std::string> parts;
    for (const Dim& p : d.parts) parts.push_back(s.extent(p));
    out.print_line("tn_rt_split(f, {}, {}, (const int64_t[]){{{}}}, {});", name_, at, joined(parts, ", "),
                   parts.size());
    for (const Dim& p : d.parts)
      if (is_let_part(s.def(), t_, p))
        out.print_line("tn_rt_require(f, f->dims == NULL || ((const tn_{}_dims *)f->dims)->{} == {}, TN_E_SHAPE);",
                       s.def().name, c_identifier(p.name), s.extent(p));
  }

  void pack(size_t i, const std::string& at) {
    const Dim& d = t_.dims[i];
    const int k = position(s.signature->packs, d.name);
    const std::string rank = c_identifier(d.name) + "->rank";
    if (d.broadcast) {
      const std::string count = pack_rank(i, at_);
      out.print_line("tn_rt_stretch_pack(f, {}, {}, {}, {});", name_, at, count, k);
      return at_.ranks.push_back(at_.ranks.empty() && at_.fixed == 0 && i + 1 == t_.dims.size()
                                     ? name_ + "->ndim"
                                     : fmt::format("({})", count));
    }
    const bool ranked = ranked_.count(d.name) != 0;
    if (unknown_pack(d)) {
      out.print_line("{} = tn_rt_pack_rank(f, {});", rank, pack_rank(i, at_));
      s.bound_packs.insert(d.name);
      ranked_.insert(d.name);
      out.print_line("tn_rt_pack(f, {}, {}, {});", name_, at, k);
    } else {
      out.print_line("tn_rt_{}(f, {}, {}, {});", ranked ? "pack" : "same_pack", name_, at, k);
    }
    advance(at_, d);
  }

  BindState& s;
  const TensorDef& t_;
  const std::string name_;
  TextWriter& out;
  StoredPlace at_;
  std::optional<AddedDim> added_;
  bool tells_ = false;            ///< whether its axis separates this input's packs
  bool checks_ = false;           ///< whether this is the first input of the shape
  std::set<std::string> ranked_;  ///< packs whose rank this tensor determines
};

/// Sizes that a tensor has without `~` next to others that have it: they are exact, whatever other inputs stretch to
/// them.
void write_exact_extents(BindState& s, const TensorDef& t, const std::string& name) {
  InputShape shape(s, t);
  StoredPlace at;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    const Dim& d = t.dims[i];
    if (d.kind == DimKind::pack && d.broadcast) {
      at.ranks.push_back(fmt::format("({})", shape.pack_rank(i, at)));
      continue;
    }
    if (d.kind == DimKind::size && !d.broadcast && !s.knows(d)) {
      s.out->print_line("{} = tn_rt_stored_extent(f, {}, {});", c_identifier(d.name), name, at.text());
      s.bound_sizes.insert(d.name);
    }
    shape.advance(at, d);
  }
}

/// A dim with `~` that no input has without it.
bool tells_extent(const BindState& s, const Dim& d) {
  return d.broadcast &&
         (d.kind == DimKind::pack ? !s.bound_packs.count(d.name) : d.kind == DimKind::size && !s.knows(d));
}

/// Sizes and packs that no input has without `~`: what all operands' extents broadcast to.
void write_broadcast_extents(BindState& s, const TensorDef& t, const std::string& name) {
  InputShape shape(s, t);
  StoredPlace at;
  for (size_t i = 0; i < t.dims.size(); ++i) {
    const Dim& d = t.dims[i];
    if (d.kind == DimKind::pack && d.broadcast) {
      const std::string count = shape.pack_rank(i, at);
      if (tells_extent(s, d))
        s.out->print_line("tn_rt_broadcast_pack(f, {}, {}, {}, {});", position(s.signature->packs, d.name), name,
                          at.text(), count);
      at.ranks.push_back(fmt::format("({})", count));
      continue;
    }
    if (tells_extent(s, d))
      s.out->print_line("{0} = tn_rt_broadcast(f, {0}, tn_rt_stored_extent(f, {1}, {2}));", c_identifier(d.name), name,
                        at.text());
    shape.advance(at, d);
  }
}

bool has_pack(const TensorDef& t) {
  return std::any_of(t.dims.begin(), t.dims.end(), [](const Dim& d) { return d.kind == DimKind::pack; });
}

/// Leading dims with `~` that the tensor may lack.
void write_missing_front(const BindState& s, const TensorDef& t, const std::string& name) {
  const auto lead = std::find_if(t.dims.begin(), t.dims.end(), [](const Dim& d) { return !d.broadcast; });
  s.out->print_line("tn_rt_pad_front(f, {}, {}, {});", name, t.dims.size(), lead - t.dims.begin());
}

void open_optional(const BindState& s, const TensorDef& t) {
  if (!t.optional) return;
  s.out->print_line("if ({}->is_given) {{", operand_name(t, false));
  s.out->indent();
}

void close_optional(const BindState& s, const TensorDef& t) {
  if (!t.optional) return;
  s.out->dedent();
  s.out->line("}");
}

}  // namespace

std::string StoredPlace::text() const {
  std::string out = joined(ranks, " + ");
  if (out.empty()) return fmt::format("{}", fixed);
  return fixed == 0 ? out : fmt::format("{} + {}", out, fixed);
}

std::string StoredPlace::subtracted() const {
  std::string out;
  for (const std::string& r : ranks) out += " - " + r;
  return fixed == 0 ? out : out + fmt::format(" - {}", fixed);
}

std::string BindState::extent(const Dim& d) const {
  if (d.kind == DimKind::integer) return fmt::format("{}", d.value);
  const Syntax name{SyntaxKind::name, d.name, 0, 0, {}, {}};
  return integer_text(name, scope);
}

bool BindState::knows(const Dim& d) const {
  return d.kind == DimKind::integer || bound_sizes.count(d.name) || bound_lets.count(d.name) ||
         def().attr(d.name) != nullptr;
}

std::string operand_name(const TensorDef& t, bool output) { return (output ? "out_" : "in_") + t.name; }

std::string shape_comment(const TensorDef& t) {
  std::vector<std::string> dims;
  for (const Dim& d : t.dims) dims.push_back(print(d));
  std::string text = fmt::format("{}{}: {}[{}]", t.name, t.optional ? "?" : "", t.dtype, joined(dims, ", "));
  for (const StorageRule& r : t.storage) {
    std::vector<std::string> as;
    for (const Dim& d : r.dims) as.push_back(print(d));
    text += fmt::format(", stored as [{}]{}", joined(as, ", "), r.condition ? " if " + print(*r.condition) : "");
  }
  return verbatim(comment_inside(text));
}

void write_gradient_output(BindState& s, const TensorDef& t, int k) {
  const std::string name = operand_name(t, true), like = operand_name(*s.def().input(t.like), false);
  const int variable = type_variable(s.def(), t.dtype);
  s.out->line().print_line("/* {} */", shape_comment(t));
  s.out->print_line(
      "tn_operand *const {} = tn_rt_gradient(f, {}, {}, {});", name, k,
      variable >= 0 ? fmt::format("TN_TYPE_VARIABLE + {}", variable) : dtype_constant(*dtype_from_name(t.dtype)), like);
  s.out->print_line("if ({}->is_given) {{", like);
  {
    const auto in = s.out->indented();
    if (has_broadcast(t) && !has_pack(t)) write_missing_front(s, t, name);
    InputShape(s, t).write();
    if (!s.op->permuted.empty())
      s.out->print_line("tn_rt_permute(f, {}, {}, {});", name, position(s.signature->packs, s.op->permuted),
                        "&" + c_identifier(s.def().let(s.op->permuted)->value.children[1].text));
    s.out->print_line("tn_rt_close_gradient(f, {}, {});", name, k);
  }
  s.out->line("}");
}

void write_storage_order(const BindState& s, const TensorDef& t, bool output) {
  bool first = true;
  for (const StorageRule& r : t.storage) {
    std::vector<size_t> order;
    int pack = -1, packs = 0;
    for (const Dim& d : r.dims)
      for (size_t i = 0; i < t.dims.size(); ++i)
        if (print(t.dims[i]) == print(d)) order.push_back(i);
    for (size_t i = 0; i < t.dims.size(); ++i)
      if (t.dims[i].kind == DimKind::pack) pack = static_cast<int>(i), ++packs;
    TENON_CHECK(order.size() == t.dims.size() && packs <= 1, "{}: storage of {}", s.def().name, t.name);
    const std::string call =
        fmt::format("tn_rt_{}stored_as(f, {}, (const uint8_t[]){{{}}}, {}, {});", output ? "put_" : "",
                    operand_name(t, output || !t.like.empty()), fmt::join(order, ", "), order.size(), pack);
    const std::string otherwise = first ? "" : "else ";
    if (r.condition) s.out->print_line("{}if ({})", otherwise, bare_condition(*r.condition, s.scope));
    else if (!first) s.out->line("else");
    const auto in = s.out->indented();
    if (!r.condition && first) s.out->dedent();
    s.out->line(call);
    if (!r.condition && first) s.out->indent();
    first = false;
    if (!r.condition) break;
  }
}

bool can_bind(const BindState& s, const TensorDef& t) {
  int open_packs = 0;
  bool has_axis = false;
  for (const Dim& d : t.dims) {
    if (d.kind == DimKind::size && s.def().let(d.name) && !s.bound_lets.count(d.name)) return false;
    if (d.kind == DimKind::pack && !s.bound_packs.count(d.name) && (s.def().let(d.name) || s.def().attr(d.name)))
      return false;
    has_axis = has_axis || !d.at.empty();
    if (d.kind == DimKind::pack && !d.broadcast && !s.bound_packs.count(d.name)) ++open_packs;
    if (d.kind == DimKind::split &&
        std::count_if(d.parts.begin(), d.parts.end(), [&](const Dim& p) { return !s.knows(p); }) > 1)
      return false;
  }
  return open_packs <= 1 || has_axis || added_dim(s.def(), t);
}

void write_plain_input(BindState& s, const TensorDef& t) {
  s.out->line().print_line("/* {} */", shape_comment(t));
  open_optional(s, t);
  if (t.follows && t.optional) {
    const auto at = std::find_if(s.def().inputs.begin(), s.def().inputs.end(),
                                 [&](const TensorDef& other) { return other.name == t.name; });
    s.out->print_line("tn_rt_require(f, {}->is_given, TN_E_NULL); /* the last ones may lack */",
                      operand_name(*(at - 1), false));
  }
  InputShape(s, t).write();
  if (t.follows && t.optional) {
    s.out->dedent();
    s.out->line("} else {");
    write_absent_extents(s, t, "nothing is read");
    s.out->indent();
  }
  close_optional(s, t);
}

namespace {

std::vector<const TensorDef*> stretching_inputs(const OpDef& def) {
  std::vector<const TensorDef*> out;
  for (const TensorDef& t : def.inputs)
    if (has_broadcast(t)) out.push_back(&t);
  return out;
}

}  // namespace

void write_exact_sizes(BindState& s) {
  const auto tensors = stretching_inputs(s.def());
  if (!tensors.empty()) s.out->line();
  for (const TensorDef* t : tensors) {
    s.out->print_line("/* {} */", shape_comment(*t));
    if (!has_pack(*t)) {
      open_optional(s, *t);
      write_missing_front(s, *t, operand_name(*t, false));
      close_optional(s, *t);
    }
    if (t->optional) continue;
    InputShape(s, *t).declare_axes();
    write_exact_extents(s, *t, operand_name(*t, false));
  }
}

void write_broadcast_inputs(BindState& s) {
  const auto tensors = stretching_inputs(s.def());
  for (const TensorDef* t : tensors) {
    if (std::none_of(t->dims.begin(), t->dims.end(), [&](const Dim& d) { return tells_extent(s, d); })) continue;
    open_optional(s, *t);
    InputShape(s, *t).declare_axes();
    write_broadcast_extents(s, *t, operand_name(*t, false));
    close_optional(s, *t);
  }
  for (const TensorDef* t : tensors)
    for (const Dim& d : t->dims)
      if (d.broadcast && d.kind != DimKind::integer)
        (d.kind == DimKind::pack ? s.bound_packs : s.bound_sizes).insert(d.name);
  for (const TensorDef* t : tensors) {
    open_optional(s, *t);
    InputShape(s, *t).write();
    close_optional(s, *t);
  }
}

}  // namespace tenon
