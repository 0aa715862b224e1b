// Names, types and the walk over operands.
#include "emit/emitter.h"

#include <fmt/format.h>

#include "support/c_names.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon::emit {
namespace {

/// A C identifier from any name.
std::string identifier(const std::string& name) {
  std::string s;
  for (const char c : name) s += is_word(c) ? c : '_';
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) s.insert(s.begin(), 'v');
  return s;
}

}  // namespace

std::string type_tag(const OperandType& t) {
  std::string s =
      t.dtype == DType::Bool && t.lanes > 1 ? fmt::format("m{}", t.mask_bits) : std::string(name_of(t.dtype));
  if (t.lanes > 1) s += fmt::format("x{}", t.lanes);
  return s;
}

std::string target_macro(const Isa& isa, const EmitOptions& options) {
  return upper_case(options.prefix + "_target_" + std::string(isa.suffix));
}

Emitter::Emitter(const Isa& isa_in, const EmitOptions& options_in, EmitNeeds& needs_in, const LoopNest* nest_in)
    : isa(isa_in), options(options_in), needs(needs_in), nest(nest_in) {
  if (options.shares_loops)
    for (const char* own :
         {"arg", "captured", "free_memory", "own", "own_bytes", "own_memory", "part", "share", "worker"})
      ++visible_[own];
  if (nest) name_everything();
  open_scope();
}

void Emitter::name_everything() {
  const Kernel& k = *nest->kernel;
  std::set<int> in_memory;
  for (const Buffer& b : nest->buffers)
    if (b.storage == Storage::Tensor) in_memory.insert(b.tensor);
  for (size_t i = 0; i < k.tensors.size(); ++i) {
    const Tensor& t = k.tensors[i];
    tensor_names_.push_back(t.role == Role::Temp && !in_memory.count(static_cast<int>(i)) ? t.name : reserve(t.name));
  }
  const auto in_registers = [](const Buffer& b) {
    return b.storage == Storage::Workspace && constant_value(b.elements) == 0;
  };
  for (const Buffer& b : nest->buffers)
    buffer_names_.push_back(b.storage == Storage::Tensor ? tensor_names_[static_cast<size_t>(b.tensor)]
                            : in_registers(b)            ? b.name
                                                         : reserve(b.name));
  for (const Size& s : k.sizes)
    sizes_[s.name] = {reserve(s.name), s.lo == s.hi ? std::optional(s.lo) : std::nullopt, s.lo >= 0, IndexPart::Value};
  for (const Tensor& t : k.tensors)
    for (const Expr& d : t.dims)
      if (const auto* s = std::get_if<SizeRef>(&d->node)) sizes_[s->name].nonnegative = true;
  for_each_part(k, [&](const Expr& e, IndexPart part) {
    if (const auto* s = std::get_if<SizeRef>(&e->node)) sizes_[s->name].limit = std::max(sizes_[s->name].limit, part);
  });
  for (const Attr& a : k.attrs)
    for (int i = 0; i < a.count; ++i) {
      const std::string key = a.count > 1 ? fmt::format("{}_{}", a.name, i) : a.name;
      attr_names_[{a.name, i}] = reserve(key);
    }
}

std::string Emitter::free_name(const std::string& name) const {
  const auto taken = [&](const std::string& s) {
    const auto at = visible_.find(s);
    return at != visible_.end() && at->second > 0;
  };
  const std::string base = unreserved(identifier(name), NamesOf::kernel);
  if (!taken(base)) return base;
  for (int i = 2;; ++i)
    if (std::string s = unreserved(fmt::format("{}_{}", base, i), NamesOf::kernel); !taken(s)) return s;
}

std::string Emitter::reserve(const std::string& name) {
  std::string s = free_name(name);
  ++visible_[s];
  return s;
}

std::string Emitter::declare(const std::string& name, Binding binding) {
  if (binding.c_name.empty()) binding.c_name = reserve(name);
  else ++visible_[binding.c_name];
  std::string c_name = binding.c_name;
  bindings_[name].push_back(std::move(binding));
  declared_.push_back({name, c_name});
  return c_name;
}

const Binding& Emitter::lookup(const std::string& name) const {
  const auto at = bindings_.find(name);
  TENON_CHECK(at != bindings_.end() && !at->second.empty(), "variable {} is not declared{}", name,
              nest ? " in " + nest->name : "");
  return at->second.back();
}

void Emitter::close_scope() {
  for (; declared_.size() > scopes_.back(); declared_.pop_back()) {
    const Declared& d = declared_.back();
    --visible_[d.c_name];
    if (!d.name.empty()) bindings_[d.name].pop_back();
  }
  scopes_.pop_back();
}

void Emitter::close_spliced() {
  for (size_t i = declared_.size(); i-- > scopes_.back();) {
    std::string& name = declared_[i].name;
    if (!name.empty()) bindings_[name].pop_back();
    name.clear();
  }
  scopes_.pop_back();
}

bool Emitter::uses(int buffer) const { return used_buffers.count(buffer) != 0; }
std::string Emitter::buffer_name(int buffer) {
  used_buffers.insert(buffer);
  return buffer_names_[static_cast<size_t>(buffer)];
}
const std::string& Emitter::size_name(const std::string& size) const { return sizes_.at(size).c_name; }
const std::string& Emitter::attr_name(const std::string& attr, int element) const {
  return attr_names_.at({attr, element});
}

std::string Emitter::storage_type(DType d) const {
  if (is_complex(d)) return fmt::format("{}_{}", options.prefix, name_of(d));
  return std::string(dtype_row(d).c_type);
}

std::string Emitter::vector_type(DType d, int lanes) {
  TENON_CHECK(!portable(), "a vector of {} at level {}", name_of(d), isa.name);
  d = moved_type(d);
  std::string& name = vector_types_[{d, lanes}];
  if (!name.empty()) return name;
  name = fmt::format("{}_{}x{}", options.prefix, name_of(d), lanes);
  const std::string_view element = dtype_row(is_complex(d) ? real_of(d) : d).c_type;
  needs.add_type(name,
                 fmt::format("typedef {} {} __attribute__((vector_size({})));", element, name, bytes_of(d) * lanes));
  return name;
}

std::string Emitter::memory_type(DType d, int lanes) {
  std::string name = vector_type(d, lanes) + "_at";
  if (needs.has_type(name)) return name;
  const DType element = is_complex(d) ? real_of(d) : d;
  needs.add_type(name, fmt::format("typedef {} {} __attribute__((vector_size({}), aligned({}), may_alias));",
                                   dtype_row(element).c_type, name, bytes_of(d) * lanes, bytes_of(element)));
  return name;
}

std::string Emitter::c_type(const OperandType& t) {
  if (t.lanes > 1)
    return t.dtype == DType::Bool ? vector_type(signed_of(t.mask_bits), t.lanes) : vector_type(t.dtype, t.lanes);
  return t.dtype == DType::Bool ? "int" : storage_type(t.dtype);
}

std::string Emitter::piece_name(std::string_view op, const OperandType& t) const {
  return fmt::format("{}_{}_{}_{}{}", options.prefix, type_tag(t), op, isa.unfused ? "unfused_" : "", isa.suffix);
}
std::string Emitter::piece_specifiers() const {
  return isa.target.empty() ? "static inline" : "static inline " + target_macro(isa, options);
}

std::string Emitter::apart_specifiers() const {
  const std::string target = isa.target.empty() ? "" : ' ' + target_macro(isa, options);
  return "static" + target + (portable() ? "" : " __attribute__((noinline))");
}

std::optional<int64_t> Emitter::fixed_size(const std::string& size) const {
  const auto at = sizes_.find(size);
  return at == sizes_.end() ? std::nullopt : at->second.fixed;
}

std::optional<int64_t> Emitter::known(const Operand& v) const {
  if (const auto c = constant_value(v)) return c;
  if (const auto* var = std::get_if<VVar>(&v->node)) return lookup(var->name).constant;
  if (const auto* s = std::get_if<VSize>(&v->node)) return fixed_size(s->name);
  if (const auto* a = std::get_if<VApply>(&v->node); a && v->type == OperandType{} && a->args.size() == 2) {
    const auto x = known(a->args[0]);
    if (!x) return std::nullopt;
    if (const auto y = known(a->args[1])) return constant_value(v_apply(a->op, {v_int(*x), v_int(*y)}));
  }
  return std::nullopt;
}

const Emitter::NamedSize* Emitter::number_named(const std::string& size) const {
  const auto at = sizes_.find(size);
  return at == sizes_.end() || at->second.nonnegative ? nullptr : &at->second;
}

bool Emitter::is_index(const Operand& v, Attributes attributes) const {
  if (v->type != OperandType{}) return false;
  if (std::holds_alternative<VConst>(v->node)) return true;
  if (const auto* s = std::get_if<VSize>(&v->node)) {
    const NamedSize* number = number_named(s->name);
    return !number || attributes == Attributes::all ||
           (attributes == Attributes::limited) == (number->limit >= IndexPart::Term);
  }
  if (std::holds_alternative<VAttr>(v->node)) return attributes != Attributes::limited;
  if (const auto* var = std::get_if<VVar>(&v->node)) {
    const Binding& b = lookup(var->name);
    return attributes == Attributes::alone ? (b.index || b.of_attributes) && b.most <= kUsualMemory
                                           : b.index || (attributes == Attributes::all && b.of_attributes);
  }
  if (const auto* s = std::get_if<VSelect>(&v->node))
    return is_index(s->yes, attributes) && is_index(s->no, attributes);
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->op == ScalarOp::Cast || a->op == ScalarOp::Bits) return false;
  return all_of(a->args, [&](const Operand& x) { return is_index(x, attributes); });
}

bool Emitter::nonnegative(const Operand& v) const {
  if (const auto c = known(v)) return *c >= 0;
  if (const auto* s = std::get_if<VSize>(&v->node)) return !number_named(s->name);
  if (const auto* var = std::get_if<VVar>(&v->node)) return lookup(var->name).nonnegative;
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.size() != 2) return false;
  const bool x = nonnegative(a->args[0]), y = nonnegative(a->args[1]);
  switch (a->op) {
    case ScalarOp::Add:
    case ScalarOp::Mul:
    case ScalarOp::FloorDiv:
    case ScalarOp::Min: return x && y;
    case ScalarOp::Max: return x || y;
    case ScalarOp::Mod: return y;
    case ScalarOp::Sub: return leaves_some(a->args[0], a->args[1]);
    default: return false;
  }
}

bool Emitter::leaves_some(const Operand& from, const Operand& less) const {
  const auto taken = known(less);
  const auto* sum = std::get_if<VApply>(&from->node);
  if (!taken || !sum || sum->op != ScalarOp::Add) return false;
  const auto enough = [&](const Operand& part) { return known(part).value_or(-1) >= *taken; };
  return (nonnegative(sum->args[0]) && enough(sum->args[1])) || (nonnegative(sum->args[1]) && enough(sum->args[0]));
}

CExpr Emitter::index(const Operand& v) {
  const bool before = in_index_;
  in_index_ = true;
  CExpr r = operand(v);
  in_index_ = before;
  return r;
}

namespace {

class OperandToC {
 public:
  OperandToC(Emitter& emitter, const OperandNode& operand) : e(emitter), node(operand) {}

  CExpr operator()(const VConst& n) {
    return e.in_index() && node.type == OperandType{} ? c_number(n.i) : literal(e, n, node.type);
  }
  CExpr operator()(const VVar& n) { return c_text(e.lookup(n.name).c_name); }
  CExpr operator()(const VSize& n) {
    if (const auto fixed = e.fixed_size(n.name)) return c_number(*fixed, n.name);
    e.used_sizes.insert(n.name);
    return c_text(e.size_name(n.name));
  }
  CExpr operator()(const VAttr& n) {
    e.used_attrs.emplace(n.name, n.element);
    return c_text(e.attr_name(n.name, n.element));
  }
  CExpr operator()(const VLoad& n) { return load_value(e, node, n); }
  CExpr operator()(const VGather& n) { return gather_value(e, node, n); }
  CExpr operator()(const VApply& n) {
    const bool to_u64 = n.op == ScalarOp::Cast && node.type == OperandType{DType::U64, 1, 0};
    if (to_u64 && e.in_index()) return e.as_data(node);
    if (n.op == ScalarOp::Cast) return cast_value(e, node.type, n.args[0]);
    if (n.op == ScalarOp::Bits) return bits_value(e, node.type, n.args[0]);
    return node.type.lanes == 1 ? apply_scalar(e, node, n) : apply_vector(e, node, n);
  }
  CExpr operator()(const VSelect& n) { return select_value(e, node, n); }
  CExpr operator()(const VSplat& n) {
    if (node.type.lanes == 1) return e.operand(n.scalar);
    return splat_value(e, e.operand(n.scalar), node.type);
  }
  CExpr operator()(const VRamp& n) { return ramp_value(e, node, n); }
  CExpr operator()(const VFold& n) { return fold_value(e, node, n); }
  CExpr operator()(const VLane& n) {
    CExpr lane = c_index(e.operand(n.vector), c_text(std::to_string(n.lane)));
    return node.type.dtype == DType::Bool ? c_binary(lane, "!=", c_text("0")) : lane;
  }
  CExpr operator()(const VShuffle& n) { return shuffle_value(e, node, n); }
  CExpr operator()(const VLookup& n) { return lookup_value(e, node, n); }

 private:
  Emitter& e;
  const OperandNode& node;
};

}  // namespace

CExpr Emitter::as_data(const OperandNode& v) {
  const bool before = std::exchange(in_index_, false);
  OperandToC visitor{*this, v};
  CExpr r = std::visit(visitor, v.node);
  in_index_ = before;
  return r;
}

CExpr Emitter::operand(const Operand& v) {
  TENON_CHECK(v, "an operand is missing{}", nest ? " in " + nest->name : "");
  if (in_index_ && v->type == OperandType{})
    if (const auto c = known(v)) {
      const auto* var = std::get_if<VVar>(&v->node);
      return c_number(*c, var ? var->name : "");
    }
  OperandToC visitor{*this, *v};
  return std::visit(visitor, v->node);
}

}  // namespace tenon::emit
