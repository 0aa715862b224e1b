// Walks a parallel phase and lists what its iterations read and write.
#include "algebra/nest_accesses.h"

#include <fmt/format.h>

#include <set>

#include "algebra/nest_polynomials.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A buffer of the nest from an element on, as an inner function sees it.
struct Place {
  int buffer = 0;
  Polynomial offset;
};

class Collector {
 public:
  Collector(const LoopNest& nest, LoopAccesses& out) : nest_(nest), out_(out), values_(*nest.kernel, out.known) {
    for (size_t b = 0; b < nest.buffers.size(); ++b) places_.push_back({static_cast<int>(b), {}});
    find_written(nest.body, places_);
  }

  /// `count`: declarations, and a loop with as many iterations as the parallel loop.
  void phase(const Block& count) {
    for (const Stmt& s : count)
      if (const auto* let = std::get_if<SLet>(&s.node)) values_.let(let->name, values_.of(let->value));
    if (!count.empty())
      if (const auto* loop = std::get_if<SFor>(&count.back().node)) values_.let("end", values_.of(loop->end));
    enter(nest_.body);
  }

 private:
  /// Descends to the shared loop, which is the last statement, possibly inside loops and branches.
  void enter(const Block& b) {
    for (size_t i = 0; i + 1 < b.size(); ++i) statement(b[i]);
    const auto* branch = b.empty() ? nullptr : std::get_if<SIf>(&b.back().node);
    if (branch) {
      const bool holds = !branch->then->empty();
      append(facts_, values_.facts_of(branch->cond, holds));
      return enter(holds ? *branch->then : *branch->otherwise);
    }
    const auto* loop = b.empty() ? nullptr : std::get_if<SFor>(&b.back().node);
    if (loop && loop->kind == LoopKind::Serial) {
      values_.open(*loop);
      return enter(*loop->body);
    }
    if (!loop || loop->kind != LoopKind::Parallel) return out_.faults.push_back("a phase without a parallel loop");
    values_.open_shared(*loop);
    block(*loop->body);
    append(out_.numbers, values_.numbers());
  }

  const LoopNest& nest_;
  LoopAccesses& out_;
  NestPolynomials values_;
  std::vector<Place> places_;  ///< per buffer of the function that is looked at
  std::set<int> written_;
  std::set<std::string> seen_;
  Facts facts_;

  /// Tensors that may share memory are one.
  int memory_of(int buffer) const {
    const auto is_shared = [&](size_t b) {
      const Buffer& x = nest_.buffers[b];
      return x.storage == Storage::Tensor && nest_.kernel->tensor(x.tensor).shared;
    };
    const auto at = static_cast<size_t>(buffer);
    for (size_t b = 0; b < at && is_shared(at); ++b)
      if (is_shared(b)) return static_cast<int>(b);
    return buffer;
  }
  bool is_own(int buffer) const {
    const Buffer& b = nest_.buffers[static_cast<size_t>(buffer)];
    return b.per_worker || b.storage == Storage::Stack;
  }

  void find_written(const Block& body, const std::vector<Place>& places) {
    const auto note = [&](int b) {
      if (!is_own(b)) written_.insert(memory_of(b));
    };
    for (const Stmt& s : body) {
      if (const auto* store = std::get_if<SStore>(&s.node)) note(places[static_cast<size_t>(store->buffer)].buffer);
      each_block(s, [&](const Block& inside) { find_written(inside, places); });
      if (const auto* call = std::get_if<SCall>(&s.node))
        for (size_t i = 0; i < call->buffers.size(); ++i)
          if (call->buffers[i].buffer >= 0 && function(*call).buffers[i].writable)
            note(places[static_cast<size_t>(call->buffers[i].buffer)].buffer);
    }
  }
  const InnerFunction& function(const SCall& c) const { return nest_.functions[static_cast<size_t>(c.function)]; }

  /// Lanes that a statement reads or writes: `stride` is 1 where null, `active` all of them.
  struct Lanes {
    int buffer = 0;
    bool writes = false;
    Operand offset, stride;
    int lanes = 1;
    Operand active;
  };

  void access(const Lanes& l) {
    const Place& place = places_[static_cast<size_t>(l.buffer)];
    if (is_own(place.buffer) || !written_.count(memory_of(place.buffer))) return;
    Polynomial at = place.offset + values_.of(l.offset);
    const Polynomial by = l.stride ? values_.of(l.stride) : Polynomial::constant(1);
    std::string key = fmt::format("{} {} {} {} {}", memory_of(place.buffer), l.writes, print(at), l.lanes, print(by));
    if (l.active) key += " " + print(values_.of(l.active));
    for (const Polynomial& f : facts_) key += " " + print(f);
    if (!seen_.insert(std::move(key)).second) return;
    if (l.lanes > 1 || l.active) at = at + by * values_.lane(l.lanes, l.active);
    out_.accesses.push_back({place.buffer, l.writes, std::move(at), facts_});
  }

  /// The reads in a value.
  void value(const Operand& v) {
    if (!v) return;
    if (const auto* l = std::get_if<VLoad>(&v->node))
      access({l->buffer, false, l->offset, nullptr, v->type.lanes, l->active});
    if (const auto* g = std::get_if<VGather>(&v->node))
      access({g->buffer, false, g->offset, g->stride, v->type.lanes, g->active});
    each_child(v, [this](const Operand& c) { value(c); });
  }

  void block(const Block& b) {
    const auto names = values_.names();
    for (const Stmt& s : b) statement(s);
    values_.names() = names;
  }
  void statement(const Stmt& s) {
    std::visit([this](const auto& n) { on(n); }, s.node);
  }

  void on(const SLet& n) {
    value(n.value);
    values_.let(n.name, values_.of(n.value));
  }
  void on(const SVar& n) {
    value(n.init);
    values_.forget(n.name);
  }
  void on(const SAssign& n) { value(n.value); }
  void on(const SStore& n) {
    value(n.value), value(n.offset), value(n.active);
    access({n.buffer, true, n.offset, nullptr, n.value->type.lanes, n.active});
  }
  void on(const SFor& n) {
    value(n.begin), value(n.end);
    values_.open(n);
    block(*n.body);
  }
  void on(const SIf& n) {
    value(n.cond);
    branch(n.cond, true, *n.then);
    if (n.otherwise) branch(n.cond, false, *n.otherwise);
  }
  void branch(const Operand& cond, bool holds, const Block& body) {
    const size_t before = facts_.size();
    for (Polynomial& f : values_.facts_of(cond, holds)) {
      append(facts_, out_.known.consequences(f));
      facts_.push_back(std::move(f));
    }
    const bool never = any_of(facts_, [](const Polynomial& f) { return f.is_constant() && f.constant_value() < 0; });
    if (!never) block(body);
    facts_.resize(before);
  }
  void on(const SPrefetch&) {}
  void on(const SFail&) {}
  void on(const SLeave&) {}
  void on(const SComment&) {}
  void on(const SCall& n) {
    const InnerFunction& f = function(n);
    for (const Operand& a : n.args) value(a);
    std::vector<Place> inner;
    std::map<std::string, Polynomial> params;
    for (const BufferArgument& b : n.buffers) {
      const Place none{-1, {}};
      const Place& at = b.buffer < 0 ? none : places_[static_cast<size_t>(b.buffer)];
      inner.push_back({at.buffer, b.buffer < 0 ? Polynomial{} : at.offset + values_.of(b.offset)});
      if (f.frame && b.buffer >= 0 && written_.count(memory_of(at.buffer)))
        out_.faults.push_back(fmt::format("{}: {} is a text that cannot be followed",
                                          nest_.buffers[static_cast<size_t>(at.buffer)].name, f.name));
    }
    if (f.frame) return;
    for (size_t i = 0; i < f.params.size(); ++i) params[f.params[i]] = values_.of(n.args[i]);
    std::swap(places_, inner);
    std::swap(values_.names(), params);
    block(f.body);
    std::swap(places_, inner);
    std::swap(values_.names(), params);
  }
};

}  // namespace

LoopAccesses accesses_of(const LoopNest& nest, const Block& count) {
  LoopAccesses out;
  Collector(nest, out).phase(count);
  return out;
}

}  // namespace tenon
