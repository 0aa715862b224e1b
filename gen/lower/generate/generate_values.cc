// Expressions → bundles of vectors, where a value differs between the iterations that are written together.
#include <bit>

#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/tree/lane_survey.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
// ---- which values differ between lanes, and which are worth a name

bool Generator::varies(const Expr& e) {
  if (lanes_.var.empty()) return false;
  if (const auto* known = varies_.find(e.get())) return known->second;
  const auto spread_out = [](const Bundle& b) { return b.size() > 1 || b[0]->type.lanes > 1; };
  bool result = false;
  if (const auto* v = std::get_if<VarRef>(&e->node)) {
    const auto it = vars_.find(v->name);
    result = v->name == lanes_.var || (it != vars_.end() && spread_out(it->second));
  } else if (const auto* r = std::get_if<Read>(&e->node)) {
    const Bundle* known = r->fill ? nullptr : known_value(r->tensor, r->index);
    const std::vector<Expr>& strides = places_[static_cast<size_t>(r->tensor)].strides;
    result = known && spread_out(*known);
    // a dimension that repeats one element is the same for all lanes
    for (size_t d = 0; d < r->index.size() && !known && !result; ++d)
      result = !(is_zero(strides[d]) && !r->fill) && varies(r->index[d]);
    if (r->fill) result = result || varies(r->fill);
  } else {
    each_child(e, [&](const Expr& c) { result = result || varies(c); });
  }
  varies_[e.get()] = {e, result};
  return result;
}

void Generator::count_uses(const Expr& e) {
  if (!e || uses_[e.get()]++ > 0) return;
  each_child(e, [&](const Expr& c) { count_uses(c); });
  if (const auto* a = std::get_if<Apply>(&e->node); a && a->op == ScalarOp::Sq) ++uses_[a->args[0].get()];  // x*x
}

bool Generator::deserves_name(const Expr& e) const {
  const int* uses = uses_.find(e.get());
  if (!uses || *uses < 2 || lazy_ > 0) return false;
  if (std::holds_alternative<Read>(e->node) || std::holds_alternative<Select>(e->node)) return true;
  const auto* a = std::get_if<Apply>(&e->node);
  if (!a) return false;
  if (e->type == DType::I64 && a->op == ScalarOp::Cast)
    return std::holds_alternative<Read>(a->args[0]->node) || is_float(a->args[0]->type);
  if (e->type == DType::I64) return a->op != ScalarOp::Add && a->op != ScalarOp::Sub && a->op != ScalarOp::Mul;
  return a->op != ScalarOp::Cast ||
         !(std::holds_alternative<Constant>(a->args[0]->node) || std::holds_alternative<VarRef>(a->args[0]->node));
}

std::string Generator::base_name(const Expr& e, const Kernel& k) {
  const auto* r = std::get_if<Read>(&e->node);
  const auto* a = std::get_if<Apply>(&e->node);
  if (a && a->op == ScalarOp::Cast && std::holds_alternative<Read>(a->args[0]->node)) return base_name(a->args[0], k);
  if (!r) return "t";
  std::string name = k.tensor(r->tensor).name;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

Operand Generator::named(const std::string& base, Operand v) {
  if (is_leaf(v) || lazy_ > 0) return v;
  const std::string name = take_name(base);
  const OperandType type = v->type;
  out_->push_back(s_let(name, std::move(v)));
  return v_var(name, type);
}

// ---- values for all lanes

Bundle Generator::value(const Expr& e) {
  if (lanes_.var.empty()) return {scalar(e, 0)};
  if (const Bundle* known = memo_.find(e, ValueMemo::kAllParts)) return *known;
  Bundle b;
  if (varies(e)) {
    b = value_of(e);
    if (deserves_name(e))
      for (Operand& v : b) v = named(base_name(e, k_), v);
  } else {
    b = {named(base_name(e, k_), scalar(e, 0))};
  }
  memo_.put(e, ValueMemo::kAllParts, b);
  return b;
}

Bundle Generator::value_of(const Expr& e) {
  if (const auto* v = std::get_if<VarRef>(&e->node)) return variable_value(e, *v);
  if (const auto* r = std::get_if<Read>(&e->node)) return read_value(e, *r);
  if (const auto* a = std::get_if<Apply>(&e->node)) return apply_value(e, *a);
  if (const auto* s = std::get_if<Select>(&e->node)) return select_value(e, *s);
  TENON_UNREACHABLE("this value has no vector form: {}", to_text(e, tensor_names(k_)));
}

Bundle Generator::variable_value(const Expr&, const VarRef& v) {
  if (v.name != lanes_.var) return vars_.at(v.name);
  Bundle b;
  for (int u = 0; u < lanes_.parts; ++u) {
    const Operand first = lanes_.base + v_int(u * lanes_.step());
    b.push_back(lanes_.lanes > 1 ? v_ramp(first, lanes_.lanes) : first);
  }
  return b;
}

Bundle Generator::spread(Bundle b, int parts) const {
  if (b.size() == 1 && b[0]->type.lanes == 1 && lanes_.lanes > 1) b[0] = v_splat(b[0], lanes_.lanes);
  while (static_cast<int>(b.size()) < parts) b.push_back(b[0]);
  return b;
}

Operand Generator::mask_as(const Operand& mask, int bits) const {
  if (mask->type.lanes == 1 || mask->type.mask_bits == bits) return mask;
  return v_apply_as(ScalarOp::Cast, {mask}, {DType::Bool, mask->type.lanes, bits});
}

Operand Generator::lane_mask(int bits) const {
  const DType t = bits == 8 ? DType::I8 : bits == 16 ? DType::I16 : bits == 32 ? DType::I32 : DType::I64;
  return v_apply(ScalarOp::Lt, {v_ramp(v_int(0, t), lanes_.lanes), v_splat(v_cast(lanes_.active, t), lanes_.lanes)});
}

Bundle Generator::apply_value(const Expr& e, const Apply& a) {
  const auto differs = [&](const Expr& x) { return varies(x); };
  if (a.op == ScalarOp::Philox)
    if (const auto run = find_random_run(a, lanes_.var, differs)) return random_words(e, a, *run);
  if (const auto compared = lanes_.lanes > 1 ? find_compared_number(a, lanes_.var, differs) : std::nullopt)
    return compared_number(a.op, *compared);
  const bool all = a.op == ScalarOp::And, any = a.op == ScalarOp::Or;
  if ((all || any) && !varies(a.args[0]) && !defined_by_facts(k_, a.args[1], ranges_)) {
    const Operand first = scalar(a.args[0], 0);
    return all ? guarded_select(first, a.args[1], constant_int(0, DType::Bool))
               : guarded_select(first, constant_int(1, DType::Bool), a.args[1]);
  }
  std::vector<Bundle> args;
  for (const Expr& x : a.args) args.push_back(spread(value(x), lanes_.parts));
  Bundle out;
  for (int u = 0; u < lanes_.parts; ++u) {
    Few<Operand> at;
    int bits = 0;
    for (const Bundle& b : args) {
      at.push_back(b[static_cast<size_t>(u)]);
      if (at.back()->type.dtype == DType::Bool) bits = std::max(bits, at.back()->type.mask_bits);
    }
    if (a.op == ScalarOp::Cast && e->type != DType::Bool) bits = dtype_row(e->type).bits;
    for (Operand& v : at)
      if (v->type.dtype == DType::Bool) v = mask_as(v, bits);
    if (a.op == ScalarOp::Cast) out.push_back(v_cast(at[0], e->type));
    else if (scalar_op_row(a.op).result == ResultRule::Explicit)
      out.push_back(v_apply_as(a.op, at, {e->type, lanes_.lanes, 0}));
    else out.push_back(v_apply(a.op, at));
  }
  return out;
}

Bundle Generator::select_value(const Expr&, const Select& s) {
  if (!varies(s.cond)) return guarded_select(value(s.cond)[0], s.yes, s.no);
  const Bundle cond = spread(value(s.cond), lanes_.parts), yes = spread(value(s.yes), lanes_.parts),
               no = spread(value(s.no), lanes_.parts);
  Bundle out;
  for (size_t u = 0; u < cond.size(); ++u) {
    const int bits = s.yes->type == DType::Bool ? std::max(yes[u]->type.mask_bits, no[u]->type.mask_bits)
                                                : dtype_row(s.yes->type).bits;
    const bool masks = s.yes->type == DType::Bool;
    out.push_back(
        v_select(mask_as(cond[u], bits), masks ? mask_as(yes[u], bits) : yes[u], masks ? mask_as(no[u], bits) : no[u]));
  }
  return out;
}

/// A condition that is the same in all lanes: only the arm taken is computed.
Bundle Generator::guarded_select(const Operand& cond, const Expr& yes, const Expr& no) {
  const int bits = yes->type == DType::Bool ? isa_.vector_bits / std::max(1, lanes_.lanes) : 0;
  const OperandType type{yes->type, lanes_.lanes, lanes_.lanes > 1 ? bits : 0};
  std::vector<std::string> names;
  for (int u = 0; u < lanes_.parts; ++u) names.push_back(take_name(base_name(yes, k_)));
  Bundle first, second;
  Block then = block([&] { first = spread(value(yes), lanes_.parts); });
  Block otherwise = block([&] { second = spread(value(no), lanes_.parts); });
  const bool plain = then.empty() && otherwise.empty() && type.dtype != DType::Bool;
  const auto arm = [&](const Operand& v) { return type.dtype == DType::Bool ? mask_as(v, type.mask_bits) : v; };
  Bundle out;
  for (size_t u = 0; u < names.size(); ++u) {
    out_->push_back(plain ? s_let(names[u], v_select(v_splat(cond, type.lanes), first[u], second[u]))
                          : s_var(names[u], v_const(0, type)));
    then.push_back(s_assign(names[u], arm(first[u])));
    otherwise.push_back(s_assign(names[u], arm(second[u])));
    out.push_back(v_var(names[u], type));
  }
  if (!plain) out_->push_back(s_if(cond, std::move(then), std::move(otherwise)));
  return out;
}

Bundle Generator::read_value(const Expr& e, const Read& r) {
  if (!r.fill) {
    const Bundle* known = known_value(r.tensor, r.index);
    return known ? *known : load(e, r);
  }
  if (const auto known = inside_.find(e.get()); known != inside_.end())
    return guarded_select(known->second, read_of(r.tensor, e->type, r.index), r.fill);
  const auto [cond, bare] = padded_read(e, r, 0);
  if (const auto c = constant_value(cond)) return *c ? value(bare) : value(r.fill);
  TENON_CHECK(!varies(cond), "a padded read that differs between lanes");
  return guarded_select(scalar(cond, 0), bare, r.fill);
}

/// An element of a table at a place that is known: the number itself.
std::optional<Operand> Generator::table_element(int tensor, const Operand& offset) const {
  const TensorData* data = k_.tensor(tensor).data.get();
  const auto at = constant_value(offset);
  if (!data || !at || *at < 0 || *at >= element_count(data->dims)) return std::nullopt;
  if (is_complex(data->dtype) || is_small(data->dtype) || dtype_row(data->dtype).compute != data->dtype)
    return std::nullopt;
  if (is_float(data->dtype)) return v_constant({0, real_element(*data, *at)}, {data->dtype, 1, 0});
  return v_int(int_element(*data, *at), data->dtype);
}

Expr Generator::stride_over_lanes(int tensor, const std::vector<Expr>& index) const {
  Expr stride = constant_int(0);
  for (size_t d = 0; d < index.size(); ++d) {
    const auto a = affine_in(index[d], lanes_.var);
    TENON_CHECK(a, "an index that is not affine in the vector variable");
    if (!is_zero(a->coefficient)) stride = stride + a->coefficient * places_[static_cast<size_t>(tensor)].strides[d];
  }
  return simplify(stride, ranges_);
}

Bundle Generator::load(const Expr& e, const Read& r) {
  const int buffer = buffer_of_[static_cast<size_t>(r.tensor)];
  const bool scalars = lanes_.lanes == 1 && lanes_.prefetch_bytes == 0;
  if (lanes_.lanes > 1) {
    const IndexInLoop in_loop{r.index, places_[static_cast<size_t>(r.tensor)].strides, lanes_.var};
    const auto differs = [&](const Expr& x) { return varies(x); };
    const auto count = repeats(in_loop, differs, ranges_);
    const auto turns = count ? std::nullopt : takes_turns(in_loop, differs, ranges_);
    std::vector<Expr> index = r.index;  // vectors begin with the first run
    for (Expr& i : index)
      if (turns && differs(i) && as_apply(i, ScalarOp::Mod)) i = constant_int(0);
    Bundle divided;
    for (int u = 0; u < (count || turns ? lanes_.parts : 0); ++u) {
      const Operand at = offset_of(r.tensor, index, u);
      divided.push_back(count ? each_repeated(buffer, e->type, at, *count)
                              : in_turns({buffer, at, scalar(turns->step, u), nullptr}, e->type, turns->count));
    }
    if (!divided.empty()) return divided;
  }
  const Expr stride = scalars ? constant_int(0) : stride_over_lanes(r.tensor, r.index);
  const bool once = lanes_.rows && !differs_between_rows(r);
  const int64_t apart = constant_value(stride).value_or(0);
  const bool whole = lanes_.active && (apart == 1 || apart == 2) && has_room(r.tensor);
  const Operand active = lanes_.active;
  if (whole) lanes_.active = nullptr;
  Bundle b;
  for (int u = 0; u < (once ? 1 : lanes_.parts); ++u) {
    const Operand offset = offset_of(r.tensor, r.index, u);
    if (is_one(stride)) prefetch(buffer, offset, u, lanes_.prefetch_of(r.tensor));
    if (lanes_.lanes == 1) b.push_back(v_load(buffer, e->type, offset));
    else if (is_one(stride)) b.push_back(v_load(buffer, e->type, offset, lanes_.lanes, lanes_.active));
    else if (constant_value(stride) == 2) b.push_back(every_other(buffer, e->type, offset));
    else if (constant_value(stride) == -1 && !lanes_.active) b.push_back(backwards(buffer, e->type, offset));
    else b.push_back(v_gather(e->type, lanes_.lanes, {buffer, offset, scalar(stride, u), lanes_.active}));
  }
  lanes_.active = active;
  return once ? spread({named(base_name(e, k_), b[0])}, lanes_.parts) : b;
}

/// Of rows that go together: whether each reads elements of its own.
bool Generator::differs_between_rows(const Read& r) const {
  return any_of(r.index, [&](const Expr& index) {
    bool found = false;
    walk(index, [&](const Expr& e) {
      const auto* v = std::get_if<VarRef>(&e->node);
      const auto known = v ? vars_.find(v->name) : vars_.end();
      found = found || std::holds_alternative<Read>(e->node) || (known != vars_.end() && known->second.size() > 1);
      return !found;
    });
    return found;
  });
}

/// Whether all of a tensor is within so many bytes. Dims that repeat elements have a stride of 0.
static bool within_bytes(const Tensor& t, int bytes) {
  int64_t size = bytes_of(t.dtype);
  for (size_t k = 0; k < t.dims.size(); ++k) {
    if (k < t.strides.size() && is_zero(t.strides[k])) continue;
    const auto extent = constant_value(t.dims[k]);
    if (!extent || *extent > bytes || size > bytes) return false;
    size *= *extent;
  }
  return size <= bytes;
}

/// Fetches the cache line `ahead` bytes from the offset, once per line; nothing without a distance, or where
/// the tensor ends before.
void Generator::prefetch(int buffer, const Operand& offset, int part, std::optional<int> ahead) {
  constexpr int kLine = 64;
  const Buffer& b = buffers_[static_cast<size_t>(buffer)];
  const int bytes = bytes_of(b.dtype);
  if (!ahead || part * lanes_.lanes * bytes % kLine != 0) return;
  if (*ahead > 0 && b.tensor >= 0 && within_bytes(k_.tensor(b.tensor), *ahead)) return;
  const Operand at = offset + v_int(*ahead / bytes);
  if (fetched_.insert({buffer, to_text(at)}).second) out_->push_back({SPrefetch{buffer, at, 3}});
}

/// Elements 0, -1, -2, … from one load.
Operand Generator::backwards(int buffer, DType type, const Operand& offset) {
  const int n = lanes_.lanes;
  std::vector<int> pick;
  for (int l = n; l-- > 0;) pick.push_back(l);
  const Operand run = named("run", v_load(buffer, type, offset - v_int(n - 1), n));
  return v_shuffle(run, run, pick);
}

/// Elements 0, 2, 4, … from two loads, of which neither reaches past the last element.
Operand Generator::every_other(int buffer, DType type, const Operand& offset) const {
  const int n = lanes_.lanes;
  Operand low_active, high_active;
  if (lanes_.active) {
    const Operand reach = v_int(2) * lanes_.active;
    low_active = v_apply(ScalarOp::Min, {v_int(n), reach - v_int(1)});
    high_active = v_apply(ScalarOp::Max, {v_int(0), reach - v_int(n)});
  }
  return v_shuffle(v_load(buffer, type, offset, n, low_active),
                   v_load(buffer, type, offset + v_int(n - 1), n, high_active), even_elements(n, n - 1));
}

/// How many of the lanes first, first + count, … are active; null where all are.
Operand Generator::active_of_every(int64_t count, int64_t first) const {
  if (!lanes_.active) return nullptr;
  const int64_t up = count - 1 - first;
  if (const auto known = constant_value(lanes_.active)) return v_int((*known + up) / count);
  return v_apply(ScalarOp::Shr, {lanes_.active + v_int(up), v_int(std::countr_zero(static_cast<uint64_t>(count)))});
}

/// Elements of `count` runs in turns, a power of two: vectors of fewer lanes, put together by shuffles.
Operand Generator::in_turns(const VGather& runs, DType type, int64_t count) const {
  const int n = lanes_.lanes, elements = static_cast<int>(n / count);
  std::vector<Operand> parts;
  for (int64_t r = 0; r < count; ++r)
    parts.push_back(
        v_load(runs.buffer, type, runs.offset + v_int(r) * runs.stride, elements, active_of_every(count, r)));
  while (parts.size() > 1) {
    const size_t half = parts.size() / 2;
    const int lanes = parts[0]->type.lanes;
    std::vector<int> pick;
    for (int l = 0; l < 2 * lanes; ++l) pick.push_back(l % 2 * lanes + l / 2);
    for (size_t r = 0; r < half; ++r) parts[r] = v_shuffle(parts[r], parts[r + half], pick);
    parts.resize(half);
  }
  return parts[0];
}

/// Each element `count` times, a power of two: from a vector of fewer lanes, or one element for all.
Operand Generator::each_repeated(int buffer, DType type, const Operand& offset, int64_t count) const {
  const int n = lanes_.lanes, elements = static_cast<int>(n / count);
  if (elements < 2) return v_splat(v_load(buffer, type, offset), n);
  const Operand active = active_of_every(count, 0);
  std::vector<int> pick;
  for (int l = 0; l < n; ++l) pick.push_back(static_cast<int>(l / count));
  const Operand loaded = v_load(buffer, type, offset, elements, active);
  return v_shuffle(loaded, loaded, pick);
}

}  // namespace tenon
