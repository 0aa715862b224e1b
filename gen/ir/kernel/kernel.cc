// Strides, text form, verifier and cost of kernels.
#include "ir/kernel/kernel.h"

#include <fmt/format.h>

#include <set>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

std::string_view name_of(CheckStatus s) {
  constexpr std::string_view names[] = {"range", "shape", "attr"};
  return names[static_cast<size_t>(s)];
}

namespace {

std::string_view name_of(Role r) {
  constexpr std::string_view names[] = {"in", "out", "temp", "const"};
  return names[static_cast<size_t>(r)];
}

std::string values_text(const std::vector<Expr>& v, const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + to_text(v[i], names);
  return out;
}

std::string loops_text(const std::vector<LoopVar>& loops, const std::vector<std::string>& names) {
  constexpr std::string_view directions[] = {"", " up", " down"};
  return joined(loops, ", ", [&](const LoopVar& v) {
    return fmt::format("{} < {}{}", v.name, to_text(v.extent, names), directions[static_cast<size_t>(v.direction)]);
  });
}

/// Collects the errors in one expression: reads of the wrong rank, unbound variables.
class ExprVerifier {
 public:
  ExprVerifier(const Kernel& k, std::vector<std::string>& errors) : kernel_(k), errors_(errors) {
    for (const Size& s : k.sizes) sizes_.insert(s.name);
    for (const FoundSize& s : k.found) sizes_.insert(s.name);
    for (const Attr& a : k.attrs) attrs_.insert(a.name);
  }

  void check(const Expr& e, std::set<std::string> bound, const std::string& where) {
    if (!e) {
      errors_.push_back(where + ": an expression is missing");
      return;
    }
    if (const auto* v = std::get_if<VarRef>(&e->node); v && !bound.count(v->name))
      errors_.push_back(fmt::format("{}: variable {} is not bound", where, v->name));
    if (const auto* s = std::get_if<SizeRef>(&e->node); s && !sizes_.count(s->name))
      errors_.push_back(fmt::format("{}: unknown size {}", where, s->name));
    if (const auto* a = std::get_if<AttrRef>(&e->node); a && !attrs_.count(a->name))
      errors_.push_back(fmt::format("{}: unknown attribute {}", where, a->name));
    if (const auto* r = std::get_if<Read>(&e->node)) check_read(*r, e->type, where);
    if (const auto* r = std::get_if<Reduce>(&e->node))
      for (const LoopVar& v : r->vars)
        if (!bound.insert(v.name).second)
          errors_.push_back(fmt::format("{}: variable {} is bound twice", where, v.name));
    if (const auto* r = std::get_if<Reduce>(&e->node); r && r->op == Reducer::Fold) {
      if (!r->start || r->start->type != e->type || r->value->type != e->type)
        errors_.push_back(
            fmt::format("{}: a fold of {} with a start or value of another type", where, tenon::name_of(e->type)));
      bound.insert(r->running);
    }
    each_child(e, [&](const Expr& c) { check(c, bound, where); });
  }

 private:
  void check_read(const Read& r, DType type, const std::string& where) {
    if (r.tensor < 0 || static_cast<size_t>(r.tensor) >= kernel_.tensors.size()) {
      errors_.push_back(fmt::format("{}: no tensor {}", where, r.tensor));
      return;
    }
    const Tensor& t = kernel_.tensor(r.tensor);
    if (r.index.size() != t.dims.size())
      errors_.push_back(
          fmt::format("{}: {} has {} dimensions, read with {}", where, t.name, t.dims.size(), r.index.size()));
    if (type != t.dtype)
      errors_.push_back(
          fmt::format("{}: {} is {}, read as {}", where, t.name, tenon::name_of(t.dtype), tenon::name_of(type)));
    for (const Expr& i : r.index)
      if (i->type != DType::I64)
        errors_.push_back(fmt::format("{}: an index of {} is {}", where, t.name, tenon::name_of(i->type)));
  }

  const Kernel& kernel_;
  std::vector<std::string>& errors_;
  std::set<std::string> sizes_, attrs_;
};

/// Whether the loops that a statement shares are those of the one before.
bool joins(const std::vector<KernelStatement>& body, size_t at) {
  const size_t n = body[at].joined;
  if (n == 0) return true;
  if (at == 0 || body[at - 1].loops.size() < n || body[at].loops.size() < n) return false;
  return std::equal(body[at].loops.begin(), body[at].loops.begin() + static_cast<std::ptrdiff_t>(n),
                    body[at - 1].loops.begin(), [](const LoopVar& a, const LoopVar& b) {
                      return a.name == b.name && a.direction == b.direction && same(a.extent, b.extent);
                    });
}

std::string call_text(const FrameCall& call, const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    const std::string& name = call.frame->parameters[i].name;
    out += fmt::format("{}{} = {}", i ? ", " : "", name,
                       call.tensors[i] >= 0 ? names[static_cast<size_t>(call.tensors[i])]
                                            : "[" + values_text(call.values[i], names) + "]");
  }
  return fmt::format("call {}({})\n", call.frame->name, out);
}

/// Checks, the call and statements.
std::string steps_text(const Kernel& k, const std::vector<std::string>& names) {
  std::string out;
  for (const Check& c : k.checks)
    out += fmt::format("  check {} for {}\n", to_text(c.holds, names), loops_text(c.loops, names));
  if (k.call) out += "  " + call_text(*k.call, names);
  for (const KernelStatement& s : k.body)
    out += fmt::format(
        "  {}[{}] {} {}  for {}{}{}\n", names[static_cast<size_t>(s.target)], values_text(s.index, names),
        symbol_of(s.update), to_text(s.value, names), s.loops.empty() ? "once" : loops_text(s.loops, names),
        s.where ? " where " + to_text(s.where, names) : "", s.joined ? fmt::format(", {} joined", s.joined) : "");
  return out;
}

}  // namespace

std::optional<Reducer> reducer_of(Update update) {
  switch (update) {
    case Update::Assign:
    case Update::Last: break;
    case Update::Add: return Reducer::Sum;
    case Update::Mul: return Reducer::Prod;
    case Update::Max: return Reducer::Max;
    case Update::Min: return Reducer::Min;
    case Update::BitXor: return Reducer::BitXor;
    case Update::BitOr: return Reducer::BitOr;
    case Update::BitAnd: return Reducer::BitAnd;
  }
  return std::nullopt;
}

bool is_opaque(const Kernel& k) { return k.call || !k.parts.empty(); }

void for_each_statement(const Kernel& k, FunctionRef<void(const KernelStatement&)> f) {
  for (const KernelStatement& s : k.body) f(s);
  for (const Kernel& part : k.parts) for_each_statement(part, f);
}

bool may_fail(const Kernel& k) {
  return any_of(k.parts, may_fail) || any_of(k.checks, [](const Check& c) {
           return has_node<Read>(c.holds) || any_of(c.loops, [](const LoopVar& v) { return has_node<Read>(v.extent); });
         });
}

bool is_in_recurrence(const KernelStatement& s) {
  return s.joined > 0 || any_of(s.loops, [](const LoopVar& v) { return v.direction != Direction::Any; });
}

bool has_recurrence(const Kernel& k) {
  return any_of(k.body, [](const KernelStatement& s) { return is_in_recurrence(s); });
}

void erase_statement(std::vector<KernelStatement>& body, size_t at) {
  if (at + 1 < body.size()) body[at + 1].joined = std::min(body[at].joined, body[at + 1].joined);
  body.erase(body.begin() + static_cast<std::ptrdiff_t>(at));
}

size_t end_of_joined(const std::vector<KernelStatement>& body, size_t at) {
  size_t end = at + 1;
  while (end < body.size() && body[end].joined > 0) ++end;
  return end;
}

int Kernel::add(Tensor t) {
  tensors.push_back(std::move(t));
  return static_cast<int>(tensors.size()) - 1;
}

int Kernel::add_temp(std::string tensor_name, DType type, std::vector<Expr> dims) {
  std::vector<Expr> strides = contiguous_strides(dims);
  return add({std::move(tensor_name), Role::Temp, type, std::move(dims), std::move(strides)});
}

std::vector<Expr> contiguous_strides(const std::vector<Expr>& dims) {
  std::vector<Expr> strides(dims.size());
  Expr s = constant_int(1);
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = s;
    const auto a = constant_value(s), b = constant_value(dims[i]);
    s = a && b ? constant_int(*a * *b) : s * dims[i];
  }
  return strides;
}

bool has_type(const Kernel& k, DType type) {
  const auto has = [&](const Expr& e) { return any_node(e, [&](const Expr& part) { return part->type == type; }); };
  return any_of(k.tensors, [&](const Tensor& t) { return t.dtype == type; }) ||
         any_of(k.body, [&](const KernelStatement& s) { return has(s.value) || has(s.where); }) ||
         any_of(k.checks, [&](const Check& c) { return has(c.holds); }) ||
         any_of(k.parts, [&](const Kernel& part) { return has_type(part, type); });
}

std::vector<std::string> tensor_names(const Kernel& k) { return mapped(k.tensors, &Tensor::name); }

std::string to_text(const Kernel& k) {
  const std::vector<std::string> names = tensor_names(k);
  std::string out = fmt::format("kernel {}\n", k.name);
  if (!k.op.empty()) out += fmt::format("  op {}\n", k.op);
  if (!k.fused.empty()) out += fmt::format("  fused {}\n", joined(k.fused, " + "));
  for (const Size& s : k.sizes)
    out +=
        fmt::format("  size {}: {}..{}\n", s.name, s.lo, s.hi == INT64_MAX ? std::string("") : fmt::format("{}", s.hi));
  for (const Attr& a : k.attrs)
    out += fmt::format("  attr {}: {}{}\n", a.name, tenon::name_of(a.dtype),
                       a.count > 1 ? fmt::format("[{}]", a.count) : "");
  for (const Tensor& t : k.tensors)
    out += fmt::format("  {} {}: {}[{}] strides [{}]\n", name_of(t.role), t.name, tenon::name_of(t.dtype),
                       values_text(t.dims, names), values_text(t.strides, names));
  for (const Expr& f : k.facts) out += fmt::format("  fact {}\n", to_text(f, names));
  out += steps_text(k, names);
  for (size_t i = 0; i < k.parts.size(); ++i) {
    out += fmt::format("  part {}\n{}", i, steps_text(k.parts[i], names));
    for (const FoundSize& s : k.found)
      if (s.part == i)
        out += fmt::format("  found {} <= {} in {}\n", s.name, to_text(s.bound), names[static_cast<size_t>(s.tensor)]);
  }
  return out;
}

std::vector<std::string> verify(const Kernel& k) {
  std::vector<std::string> errors;
  ExprVerifier v(k, errors);
  std::set<std::string> names;
  for (const Tensor& t : k.tensors) {
    if (!names.insert(t.name).second) errors.push_back(fmt::format("two tensors are called {}", t.name));
    if (t.dims.size() != t.strides.size())
      errors.push_back(fmt::format("{}: {} dims, {} strides", t.name, t.dims.size(), t.strides.size()));
    for (const Expr& e : t.dims) v.check(e, {}, t.name);
    for (const Expr& e : t.strides) v.check(e, {}, t.name);
  }
  std::set<std::string> numbers;
  const auto number = [&](const std::string& name) {
    if (!numbers.insert(name).second) errors.push_back(fmt::format("two sizes or attributes are called {}", name));
  };
  for (const Size& s : k.sizes) number(s.name);
  for (const Attr& a : k.attrs) number(a.name);
  for (const KernelStatement& s : k.body) {
    const std::string where = fmt::format("statement '{}'", s.formula);
    std::set<std::string> bound;
    for (const LoopVar& l : s.loops)
      if (!bound.insert(l.name).second) errors.push_back(fmt::format("{}: variable {} is bound twice", where, l.name));
    const Tensor& t = k.tensor(s.target);
    if (s.index.size() != t.dims.size())
      errors.push_back(
          fmt::format("{}: {} has {} dimensions, written with {}", where, t.name, t.dims.size(), s.index.size()));
    for (const Expr& e : s.index) v.check(e, bound, where);
    v.check(s.value, bound, where);
    if (s.where) v.check(s.where, bound, where);
    if (s.where && s.update == Update::Assign) errors.push_back(where + ": a full definition has a condition");
    if (s.value && s.value->type != t.dtype)
      errors.push_back(
          fmt::format("{}: value is {}, target {}", where, tenon::name_of(s.value->type), tenon::name_of(t.dtype)));
  }
  for (size_t i = 0; i < k.body.size(); ++i) {
    const KernelStatement& s = k.body[i];
    if (!joins(k.body, i))
      errors.push_back(fmt::format("statement '{}': its first {} loops are not those before it", s.formula, s.joined));
    if (is_in_recurrence(s) && s.update != Update::Assign)
      errors.push_back(fmt::format("statement '{}': a recurrence is a full definition", s.formula));
  }
  if (k.call) {
    if (!k.body.empty()) errors.push_back("both statements and a call of " + k.call->frame->name);
    for (const std::vector<Expr>& values : k.call->values)
      for (const Expr& e : values) v.check(e, {}, "call of " + k.call->frame->name);
  }
  for (const Check& c : k.checks) {
    std::set<std::string> bound;
    for (const LoopVar& l : c.loops) bound.insert(l.name);
    v.check(c.holds, bound, "check '" + c.what + "'");
  }
  for (size_t i = 0; i < k.parts.size(); ++i) {
    if (k.parts[i].tensors.size() != k.tensors.size()) errors.push_back(fmt::format("part {}: other tensors", i));
    for (const std::string& e : verify(k.parts[i])) errors.push_back(fmt::format("part {}: {}", i, e));
  }
  return errors;
}

void map_exprs(KernelStatement& s, FunctionRef<Expr(const Expr&)> f) {
  s.value = f(s.value);
  if (s.where) s.where = f(s.where);
  for (Expr& e : s.index) e = f(e);
}

void renumber_tensors(KernelStatement& s, const std::vector<int>& to) {
  s.target = to[static_cast<size_t>(s.target)];
  map_exprs(s, [&](const Expr& e) { return with_tensors(e, to); });
}

void drop_tensor(Kernel& k, int tensor) {
  std::vector<int> to;
  for (int t = 0; t < static_cast<int>(k.tensors.size()); ++t) to.push_back(t - (t > tensor ? 1 : 0));
  k.tensors.erase(k.tensors.begin() + tensor);
  for (KernelStatement& s : k.body) renumber_tensors(s, to);
  for (Check& c : k.checks) c.holds = with_tensors(c.holds, to);
}

Kernel map_exprs(const Kernel& k, FunctionRef<Expr(const Expr&)> f) {
  Kernel out = k;
  const auto each = [&](std::vector<Expr>& v) {
    for (Expr& e : v) e = f(e);
  };
  const auto loops = [&](std::vector<LoopVar>& v) {
    for (LoopVar& l : v) l.extent = f(l.extent);
  };
  for (Tensor& t : out.tensors) {
    each(t.dims);
    each(t.strides);
  }
  each(out.facts);
  for (Check& c : out.checks) {
    loops(c.loops);
    c.holds = f(c.holds);
  }
  for (KernelStatement& s : out.body) {
    loops(s.loops);
    map_exprs(s, f);
  }
  for (Kernel& part : out.parts) part = map_exprs(part, f);
  for (FoundSize& s : out.found) s.bound = f(s.bound);
  return out;
}

bool is_presence(const Kernel& k, const Expr& extent) {
  const auto* size = std::get_if<SizeRef>(&extent->node);
  return size && any_of(k.tensors, [&](const Tensor& t) { return size->name == presence_of(t.name); });
}

}  // namespace tenon
