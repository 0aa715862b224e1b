// Walks statements and values of a nest.
#include "algebra/nest_survey.h"

#include "support/ranges.h"

namespace tenon {
void NestSurvey::add(const Operand& v) {
  if (!v) return;
  if (const auto* x = std::get_if<VVar>(&v->node)) vars.insert(x->name);
  const auto memory = [this](int buffer) {
    buffers.insert(buffer);
    loads = true;
  };
  if (const auto* l = std::get_if<VLoad>(&v->node)) memory(l->buffer);
  if (const auto* g = std::get_if<VGather>(&v->node)) memory(g->buffer);
  each_child(v, [this](const Operand& c) { add(c); });
}

void NestSurvey::merge(const NestSurvey& inner) {
  vars.insert(inner.vars.begin(), inner.vars.end());
  assigned.insert(inner.assigned.begin(), inner.assigned.end());
  buffers.insert(inner.buffers.begin(), inner.buffers.end());
  stored.insert(inner.stored.begin(), inner.stored.end());
  loads = loads || inner.loads;
  parallel = parallel || inner.parallel;
}

/// Backwards, so that a declaration removes its name from the statements that follow it.
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

void NestSurvey::add(const Stmt& s) {
  each_operand(s, [this](const Operand& v) { add(v); });
  if (const auto* assign = std::get_if<SAssign>(&s.node)) vars.insert(assign->name), assigned.insert(assign->name);
  if (const auto* store = std::get_if<SStore>(&s.node)) buffers.insert(store->buffer), stored.insert(store->buffer);
  if (const auto* fetch = std::get_if<SPrefetch>(&s.node)) buffers.insert(fetch->buffer);
  if (const auto* call = std::get_if<SCall>(&s.node))
    for (const BufferArgument& b : call->buffers) buffers.insert(b.buffer);
  const auto* loop = std::get_if<SFor>(&s.node);
  if (!loop) return each_block(s, [this](const Block& inside) { add(inside); });
  parallel = parallel || loop->kind == LoopKind::Parallel;
  add_loop(*loop);
}

bool may_fail(const Stmt& s, const std::vector<InnerFunction>& functions) {
  if (std::holds_alternative<SFail>(s.node)) return true;
  const auto* call = std::get_if<SCall>(&s.node);
  bool fails = call && may_fail(functions[static_cast<size_t>(call->function)].body, functions);
  each_block(s, [&](const Block& inside) { fails = fails || may_fail(inside, functions); });
  return fails;
}

bool may_fail(const Block& block, const std::vector<InnerFunction>& functions) {
  return any_of(block, [&](const Stmt& s) { return may_fail(s, functions); });
}

std::vector<std::string> declared_names(const Block& block) {
  std::vector<std::string> names;
  for (const Stmt& s : block) {
    if (const auto* let = std::get_if<SLet>(&s.node)) names.push_back(let->name);
    if (const auto* var = std::get_if<SVar>(&s.node)) names.push_back(var->name);
  }
  return names;
}

void add_declared_names(const Block& block, std::set<std::string>& names) {
  for (const Stmt& s : block) {
    if (const auto* let = std::get_if<SLet>(&s.node)) names.insert(let->name);
    if (const auto* var = std::get_if<SVar>(&s.node)) names.insert(var->name);
    if (const auto* loop = std::get_if<SFor>(&s.node)) names.insert(loop->var);
    each_block(s, [&](const Block& inside) { add_declared_names(inside, names); });
  }
}

}  // namespace tenon
