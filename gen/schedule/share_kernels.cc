// Finds kernels that are equal except for names, by a text in which names are numbers.
#include <fmt/format.h>

#include <map>

#include "schedule/plan_passes.h"

namespace tenon {
namespace {

/// Writes expressions with every type, variables by the order in which they are bound.
class StructureText {
 public:
  std::string run(const Kernel& k) {
    for (const Size& s : k.sizes) out_ += fmt::format("size {} {} {};", s.name, s.lo, s.hi);
    for (const Attr& a : k.attrs) out_ += fmt::format("attr {} {} {};", a.name, name_of(a.dtype), a.count);
    for (const Tensor& t : k.tensors) {
      out_ += fmt::format("tensor {} {} {} ", static_cast<int>(t.role), name_of(t.dtype), t.shared);
      list(t.dims);
      list(t.strides);
      if (t.data) out_.append(t.data->bytes.begin(), t.data->bytes.end());  // elements of a table may be in the code
    }
    for (const Expr& f : k.facts) add(f);
    steps(k);
    for (const Kernel& part : k.parts) {
      out_ += "part ";
      for (const Tensor& t : part.tensors) out_ += fmt::format("{} ", static_cast<int>(t.role));
      steps(part);
    }
    for (const FoundSize& f : k.found) out_ += fmt::format("found {} {} {} ", f.name, f.tensor, f.part), add(f.bound);
    return out_ + (k.reassociate ? "r" : "s");
  }

 private:
  void steps(const Kernel& k) {
    for (const Check& c : k.checks) {
      out_ += fmt::format("check {} ", static_cast<int>(c.status));
      loops(c.loops);
      add(c.holds);
    }
    for (const KernelStatement& s : k.body) statement(s);
    if (k.call) call(*k.call);
  }
  void statement(const KernelStatement& s) {
    out_ += fmt::format("statement {} {} {} {} ", s.target, static_cast<int>(s.update), s.joined, s.masks_by_zero);
    loops(s.loops);
    list(s.index);
    add(s.value);
    if (s.where) add(s.where);
  }
  void call(const FrameCall& c) {
    out_ += fmt::format("call {} ", c.frame->name);
    for (const int t : c.tensors) out_ += fmt::format("{} ", t);
    for (const std::vector<Expr>& v : c.values) list(v);
  }
  void list(const std::vector<Expr>& all) {
    out_ += '[';
    for (const Expr& e : all) add(e);
    out_ += ']';
  }
  void loops(const std::vector<LoopVar>& vars) {
    for (const LoopVar& v : vars) {
      add(v.extent);
      if (v.direction != Direction::Any) out_ += v.direction == Direction::Up ? "up " : "down ";
      names_[v.name] = bound_++;
    }
  }

  void add(const Expr& e) {
    if (!e) {
      out_ += '-';
      return;
    }
    out_ += fmt::format("({}", name_of(e->type));
    if (const auto* r = std::get_if<Reduce>(&e->node)) {
      out_ += fmt::format("reduce {} ", static_cast<int>(r->op));
      loops(r->vars);
      if (r->start) {
        add(r->start);
        names_[r->running] = bound_++;
      }
      add(r->where);
      add(r->value);
    } else {
      std::visit([&](const auto& n) { leaf(n); }, e->node);
      each_child(e, [&](const Expr& c) { add(c); });
    }
    out_ += ')';
  }
  void leaf(const Constant& c) { out_ += fmt::format("#{} {}", c.i, c.f); }
  void leaf(const VarRef& v) { out_ += fmt::format("v{}", names_[v.name]); }
  void leaf(const SizeRef& s) { out_ += "s" + s.name; }
  void leaf(const AttrRef& a) { out_ += fmt::format("a{}.{}", a.name, a.element); }
  void leaf(const Read& r) { out_ += fmt::format("t{}{}", r.tensor, r.fill ? "f" : ""); }
  void leaf(const Apply& a) { out_ += fmt::format("o{} ", static_cast<int>(a.op)); }
  void leaf(const Reduce&) {}
  void leaf(const Select&) { out_ += "?"; }

  std::string out_;
  std::map<std::string, int> names_;
  int bound_ = 0;
};

}  // namespace

std::string structure_of(const Kernel& kernel) { return StructureText().run(kernel); }

void share_kernels(ExecutionPlan& plan) {
  std::map<std::string, int> known;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const auto [at, fresh] = known.emplace(structure_of(plan.steps[s].kernel), static_cast<int>(s));
    plan.steps[s].twin = fresh ? -1 : at->second;
  }
}

}  // namespace tenon
