// Walks statements and values of a nest.
#include "algebra/nest_survey.h"

namespace tenon {
namespace {

struct AddStatement {
  NestSurvey& s;

  void operator()(const SLet& n) const { s.add(n.value); }
  void operator()(const SVar& n) const { s.add(n.init); }
  void operator()(const SAssign& n) const {
    s.vars.insert(n.name);
    s.assigned.insert(n.name);
    s.add(n.value);
  }
  void operator()(const SStore& n) const {
    s.buffers.insert(n.buffer);
    s.stored.insert(n.buffer);
    s.add(n.offset), s.add(n.value), s.add(n.active);
  }
  void operator()(const SFor& n) const {
    s.parallel = s.parallel || n.kind == LoopKind::Parallel;
    s.add(n.begin), s.add(n.end), s.add_loop(n);
  }
  void operator()(const SIf& n) const {
    s.add(n.cond), s.add(*n.then);
    if (n.otherwise) s.add(*n.otherwise);
  }
  void operator()(const SPrefetch& n) const {
    s.buffers.insert(n.buffer);
    s.add(n.offset);
  }
  void operator()(const SFail&) const { s.fails = true; }
  void operator()(const SComment&) const {}
  void operator()(const SCall& n) const {
    for (const BufferArgument& b : n.buffers) {
      s.buffers.insert(b.buffer);
      s.add(b.offset);
    }
    for (const Operand& a : n.args) s.add(a);
  }
};

}  // namespace

void NestSurvey::add(const Operand& v) {
  if (!v) return;
  if (const auto* x = std::get_if<VVar>(&v->node)) vars.insert(x->name);
  const auto memory = [this](int buffer) {
    buffers.insert(buffer);
    loads = true;
  };
  if (const auto* l = std::get_if<VLoad>(&v->node)) memory(l->buffer);
  if (const auto* g = std::get_if<VGather>(&v->node)) memory(g->buffer);
  map_children(v, [this](const Operand& c) {
    add(c);
    return c;
  });
}

void NestSurvey::merge(const NestSurvey& inner) {
  vars.insert(inner.vars.begin(), inner.vars.end());
  assigned.insert(inner.assigned.begin(), inner.assigned.end());
  buffers.insert(inner.buffers.begin(), inner.buffers.end());
  stored.insert(inner.stored.begin(), inner.stored.end());
  loads = loads || inner.loads;
  parallel = parallel || inner.parallel;
  fails = fails || inner.fails;
}

/// Backwards, so that a declaration takes its name out of what follows it.
void NestSurvey::add(const Block& block) {
  NestSurvey inner;
  for (size_t i = block.size(); i-- > 0;) {
    if (const auto* let = std::get_if<SLet>(&block[i].node)) inner.vars.erase(let->name);
    if (const auto* var = std::get_if<SVar>(&block[i].node)) {
      inner.vars.erase(var->name);
      inner.assigned.erase(var->name);
    }
    inner.add(block[i]);
  }
  merge(inner);
}

void NestSurvey::add_loop(const SFor& loop) {
  NestSurvey inner;
  inner.add(*loop.body);
  inner.vars.erase(loop.var);
  merge(inner);
}

void NestSurvey::add(const Stmt& s) { std::visit(AddStatement{*this}, s.node); }

}  // namespace tenon
