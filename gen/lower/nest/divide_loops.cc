// Inlines loops of one iteration, joins loops inside each other, and divides loops of few iterations into parts.
#include "lower/nest/divide_loops.h"

#include <fmt/format.h>

#include <set>

#include "algebra/nest_survey.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kEnough = 64;  ///< so many iterations keep any number of workers busy: no further loop is joined
constexpr int64_t kParts = 16;   ///< of an inner loop, where the outer one may have a single iteration
constexpr int64_t kUneven = 16;  ///< so many iterations are shared out evenly enough by themselves

Operand trips_of(const SFor& loop) {
  const Operand span = loop.end - loop.begin;
  return loop.step == 1 ? span : v_apply(ScalarOp::FloorDiv, {span + v_int(loop.step - 1), v_int(loop.step)});
}

/// The same as a number where it is known.
Operand trips_of(const SFor& loop, const KnownLets& known) {
  const Operand trips = trips_of(loop);
  const auto n = known_value(trips, known);
  return n ? v_int(*n) : trips;
}

/// The lets at the root so far: their values by name, as text, and those that are constants.
struct Opened {
  std::map<std::string, std::string> lets;
  KnownLets known;
};

/// Notes a let. False where another value has its name already: loops side by side may use a name again.
bool declare(const SLet& let, Opened& root) {
  const auto [at, fresh] = root.lets.emplace(let.name, to_text(let.value));
  if (!fresh && at->second != to_text(let.value)) return false;
  root.known.erase(let.name);
  if (let.value->type == OperandType{})
    if (const auto v = known_value(let.value, root.known)) root.known[let.name] = *v;
  return true;
}

/// The statements with loops of one iteration inlined, except those whose names would collide; false if lets of `from`
/// do.
bool open_single(const Block& from, Opened& root, Block& to) {
  for (const Stmt& s : from) {
    const auto* loop = std::get_if<SFor>(&s.node);
    if (loop && loop->kind != LoopKind::Unrolled && loop->step > 0 && known_value(trips_of(*loop), root.known) == 1) {
      Opened with = root;
      Block body;
      if (open_single({s_let(loop->var, loop->begin)}, with, body) && open_single(*loop->body, with, body)) {
        append(to, body);
        root = std::move(with);
        continue;
      }
    }
    const auto* let = std::get_if<SLet>(&s.node);
    if (let && !declare(*let, root)) return false;
    to.push_back(s);
  }
  return true;
}

/// One of several nested loops that are merged.
struct Level {
  const SFor* loop;
  Operand trips;
  Block lets;  ///< lets between this loop and the next
};

/// The loop inside `body` when nothing but lets precedes it; the lets go to `lets`.
const SFor* only_loop(const Block& body, Block& lets) {
  const SFor* found = nullptr;
  for (const Stmt& s : body) {
    if (std::holds_alternative<SComment>(s.node)) continue;
    if (std::holds_alternative<SLet>(s.node) && !found) {
      lets.push_back(s);
      continue;
    }
    if (found) return nullptr;
    found = std::get_if<SFor>(&s.node);
    if (!found) return nullptr;
  }
  return found && found->kind == LoopKind::Parallel && found->step > 0 ? found : nullptr;
}

/// True where the trips of `loop` do not depend on what `inside` declares.
bool invariant(const SFor& loop, const std::vector<Level>& inside) {
  NestSurvey used;
  used.add(loop.begin), used.add(loop.end);
  for (const Level& l : inside) {
    if (used.vars.count(l.loop->var)) return false;
    for (const Stmt& s : l.lets)
      if (used.vars.count(std::get<SLet>(s.node).name)) return false;
  }
  return !used.loads;
}

std::vector<Level> levels_of(const SFor& outer, const KnownLets& known) {
  std::vector<Level> out{{&outer, trips_of(outer, known), {}}};
  // an outermost loop with a run-time trip count, such as a batch, may have a single iteration
  int64_t total = known_value(out[0].trips, known).value_or(1);
  while (total < kEnough) {
    Block lets;
    const SFor* inner = only_loop(*out.back().loop->body, lets);
    if (!inner) break;
    out.back().lets = std::move(lets);
    if (!invariant(*inner, out)) {
      out.back().lets.clear();
      break;
    }
    out.push_back({inner, trips_of(*inner, known), {}});
    const auto n = known_value(out.back().trips, known);
    if (!n) break;
    total *= *n;
  }
  return out;
}

/// No other loop's iterations are shared with those of the first one.
bool stands_alone(const std::vector<Level>& levels) {
  return std::all_of(levels.begin() + 1, levels.end(), [](const Level& l) { return constant_value(l.trips) == 1; });
}

/// Whether its variable counts the iterations.
bool counts(const SFor& loop) { return loop.step == 1 && constant_value(loop.begin) == 0; }

/// The body of an outer loop: lets, statements that fill the worker's memory, and a final loop that reads it.
struct Staged {
  Block lets, made;
  const SFor* loop = nullptr;
  std::set<int> operands;  ///< tensors that `made` reads
};

/// Other workers make the same at the same time, so nothing of it may be shared.
std::optional<Staged> staged(const Block& body, const LoopNest& nest) {
  Staged out;
  const auto may_be_made_again = [&](int number) {
    const Buffer& b = nest.buffers[static_cast<size_t>(number)];
    return b.per_worker || b.storage == Storage::Stack || (b.storage == Storage::Tensor && !b.writable);
  };
  out.loop = body.empty() ? nullptr : std::get_if<SFor>(&body.back().node);
  if (!out.loop || out.loop->kind != LoopKind::Parallel || out.loop->step != 1) return std::nullopt;
  for (size_t i = 0; i + 1 < body.size(); ++i) {
    NestSurvey used;
    used.add(body[i]);
    const bool let = std::holds_alternative<SLet>(body[i].node),
               varies = std::holds_alternative<SVar>(body[i].node) || std::holds_alternative<SAssign>(body[i].node);
    if (varies || may_fail(body[i], nest.functions) || (let ? used.loads : !all_of(used.buffers, may_be_made_again)))
      return std::nullopt;
    (let ? out.lets : out.made).push_back(body[i]);
    for (const int b : used.buffers)
      if (nest.buffers[static_cast<size_t>(b)].storage == Storage::Tensor) out.operands.insert(b);
  }
  return out;
}

/// The number of parts into which the inner loop is divided: copying one operand is cheap and may be repeated to
/// balance few iterations, computation may not. 0: no division.
int64_t parts_of(const Staged& parts, const std::optional<int64_t>& iterations, const KnownLets& known) {
  if (!iterations) return kParts;
  const auto turns = known_value(trips_of(*parts.loop), known);
  return turns && *turns > 1 && parts.operands.size() == 1 ? std::min(*turns, kParts) : 0;
}

}  // namespace

std::optional<int64_t> known_value(const Operand& v, const KnownLets& known) {
  if (const auto c = constant_value(v)) return c;
  if (const auto* x = std::get_if<VVar>(&v->node)) {
    return lookup(known, x->name);
  }
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.size() != 2 || v->type != OperandType{}) return std::nullopt;
  const auto x = known_value(a->args[0], known), y = known_value(a->args[1], known);
  return x && y ? constant_value(v_apply(a->op, {v_int(*x), v_int(*y)})) : std::nullopt;
}

Block inline_single_loops(const Block& from, KnownLets& known) {
  Opened root;
  for (const Stmt& s : from)
    if (const auto* let = std::get_if<SLet>(&s.node)) root.lets.emplace(let->name, to_text(let->value));
  Block to;
  TENON_CHECK(open_single(from, root, to), "a name occurs twice at the root of a nest");
  known = std::move(root.known);
  return to;
}

SFor join_loops(const SFor& outer, const KnownLets& known) {
  const std::vector<Level> levels = levels_of(outer, known);
  if (levels.size() == 1 && counts(outer)) return outer;
  const bool named = counts(outer);  // its variable is the last quotient
  const std::string unit = named && stands_alone(levels) ? outer.var : "unit";
  Operand total = v_int(1), rest = v_var(unit);
  std::vector<Operand> index(levels.size());
  Block body;
  for (size_t i = levels.size(); i-- > 0;) {
    if (i > 0 && constant_value(levels[i].trips) == 1) {
      index[i] = v_int(0);
      continue;
    }
    total = levels[i].trips * total;
    index[i] = i > 0 ? v_apply(ScalarOp::Mod, {rest, levels[i].trips}) : rest;
    if (i == 0) break;
    const bool last = std::all_of(levels.begin() + 1, levels.begin() + static_cast<ptrdiff_t>(i),
                                  [](const Level& l) { return constant_value(l.trips) == 1; });
    const std::string name = named && last ? outer.var : fmt::format("unit_{}", i);
    body.push_back(s_let(name, v_apply(ScalarOp::FloorDiv, {rest, levels[i].trips})));
    rest = v_var(name);
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    const SFor& l = *levels[i].loop;
    if (i > 0 || !named) body.push_back(s_let(l.var, l.begin + index[i] * v_int(l.step)));
    append(body, levels[i].lets);
  }
  const Block& inner = *levels.back().loop->body;
  append(body, inner);
  SFor out{unit, v_int(0), total, 1, LoopKind::Parallel, nullptr};
  out.body = std::make_shared<const Block>(std::move(body));
  return out;
}

bool stays_alone(const SFor& loop, const KnownLets& known) { return stands_alone(levels_of(loop, known)); }

Block divide_loop(const SFor& outer, const KnownLets& known, const LoopNest& nest) {
  const auto iterations = known_value(trips_of(outer), known);
  if (iterations.value_or(0) >= kUneven || outer.step != 1 || constant_value(outer.begin) != 0) return {};
  Opened inside{{}, known};
  Block body;
  const auto parts = open_single(*outer.body, inside, body) ? staged(body, nest) : std::nullopt;
  const int64_t count = parts ? parts_of(*parts, iterations, known) : 0;
  if (count == 0) return {};
  const Operand unit = v_var("unit"), part = v_var("unit_part"), iteration = v_var(outer.var), of = v_int(count),
                turns = parts->loop->end - parts->loop->begin;
  Block out, shared{s_count(outer.var, v_apply(ScalarOp::FloorDiv, {unit, of})),
                    s_count("unit_part", v_apply(ScalarOp::Mod, {unit, of}))};
  append(shared, parts->lets);
  if (!parts->made.empty()) {
    Block made = parts->made;
    made.push_back(s_assign("unit_made", iteration));
    out.push_back(s_var("unit_made", v_int(-1)));
    shared.push_back(s_if(v_apply(ScalarOp::Ne, {v_var("unit_made"), iteration}), std::move(made)));
  }
  const auto end_of = [&](const Operand& p) {
    return parts->loop->begin + v_apply(ScalarOp::FloorDiv, {turns * p, of});
  };
  shared.push_back(s_for(parts->loop->var, end_of(part), end_of(part + v_int(1)), 1, *parts->loop->body));
  out.push_back(with_kind(LoopKind::Parallel, s_for("unit", v_int(0), outer.end * of, 1, std::move(shared))));
  return out;
}

}  // namespace tenon
