// Inlines loops of one iteration, groups the remaining root statements into phases, and makes a nest for each.
#include "lower/nest/parallel_phases.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "algebra/nest_survey.h"
#include "lower/nest/keep_lets.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kEnough = 64;  ///< so many iterations keep any number of workers busy: no further loop is joined
constexpr int64_t kParts = 16;   ///< of an inner loop, where the outer one may have a single iteration
constexpr int64_t kFewest = 2;   ///< of them that a worker takes at once, since it makes what they need for each time
constexpr int64_t kUneven = 16;  ///< so many iterations are shared out evenly enough by themselves

using Known = std::map<std::string, int64_t>;

std::optional<int64_t> value_of(const Operand& v, const Known& known) {
  if (const auto c = constant_value(v)) return c;
  if (const auto* x = std::get_if<VVar>(&v->node)) {
    return lookup(known, x->name);
  }
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a || a->args.size() != 2 || v->type != OperandType{}) return std::nullopt;
  const auto x = value_of(a->args[0], known), y = value_of(a->args[1], known);
  return x && y ? constant_value(v_apply(a->op, {v_int(*x), v_int(*y)})) : std::nullopt;
}

Operand trips_of(const SFor& loop) {
  const Operand span = loop.end - loop.begin;
  return loop.step == 1 ? span : v_apply(ScalarOp::FloorDiv, {span + v_int(loop.step - 1), v_int(loop.step)});
}

/// The same as a number where it is known.
Operand trips_of(const SFor& loop, const Known& known) {
  const Operand trips = trips_of(loop);
  const auto n = value_of(trips, known);
  return n ? v_int(*n) : trips;
}

/// The lets at the root so far: their values by name, as text, and those that are constants.
struct Opened {
  std::map<std::string, std::string> lets;
  Known known;
};

/// Notes a let. False where another value has its name already: loops side by side may use a name again.
bool declare(const SLet& let, Opened& root) {
  const auto [at, fresh] = root.lets.emplace(let.name, to_text(let.value));
  if (!fresh && at->second != to_text(let.value)) return false;
  root.known.erase(let.name);
  if (let.value->type == OperandType{})
    if (const auto v = value_of(let.value, root.known)) root.known[let.name] = *v;
  return true;
}

/// The statements with loops of one iteration inlined, except those whose names would collide; false if lets of `from`
/// do.
bool open_single(const Block& from, Opened& root, Block& to) {
  for (const Stmt& s : from) {
    const auto* loop = std::get_if<SFor>(&s.node);
    if (loop && loop->kind != LoopKind::Unrolled && loop->step > 0 && value_of(trips_of(*loop), root.known) == 1) {
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

/// The root of a nest with loops of one iteration inlined, and the constant lets.
Block opened(const Block& from, Known& known) {
  Opened root;
  for (const Stmt& s : from)
    if (const auto* let = std::get_if<SLet>(&s.node)) root.lets.emplace(let->name, to_text(let->value));
  Block to;
  TENON_CHECK(open_single(from, root, to), "a name occurs twice at the root of a nest");
  known = std::move(root.known);
  return to;
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

std::vector<Level> levels_of(const SFor& outer, const Known& known) {
  std::vector<Level> out{{&outer, trips_of(outer, known), {}}};
  // an outermost loop with a run-time trip count, such as a batch, may have a single iteration
  int64_t total = value_of(out[0].trips, known).value_or(1);
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
    const auto n = value_of(out.back().trips, known);
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

/// A loop over all combinations of the levels' iterations, from 0 in steps of 1.
SFor joined(const SFor& outer, const Known& known) {
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

/// The body of an outer loop: lets, statements that fill the worker's memory, and a final loop that reads it.
struct Staged {
  Block lets, made;
  const SFor* loop = nullptr;
  std::set<int> operands;  ///< tensors that `made` reads
};

/// `buffers`: with the known owners of their memory. Other workers make the same at the same time, so nothing of
/// it may be shared.
std::optional<Staged> staged(const Block& body, const std::vector<Buffer>& buffers) {
  Staged out;
  const auto may_be_made_again = [&](int number) {
    const Buffer& b = buffers[static_cast<size_t>(number)];
    return b.per_worker || b.storage == Storage::Stack || (b.storage == Storage::Tensor && !b.writable);
  };
  out.loop = body.empty() ? nullptr : std::get_if<SFor>(&body.back().node);
  if (!out.loop || out.loop->kind != LoopKind::Parallel || out.loop->step != 1) return std::nullopt;
  for (size_t i = 0; i + 1 < body.size(); ++i) {
    NestSurvey used;
    used.add(body[i]);
    const bool let = std::holds_alternative<SLet>(body[i].node),
               varies = std::holds_alternative<SVar>(body[i].node) || std::holds_alternative<SAssign>(body[i].node);
    if (used.fails || varies || (let ? used.loads : !all_of(used.buffers, may_be_made_again))) return std::nullopt;
    (let ? out.lets : out.made).push_back(body[i]);
    for (const int b : used.buffers)
      if (buffers[static_cast<size_t>(b)].storage == Storage::Tensor) out.operands.insert(b);
  }
  return out;
}

/// The number of parts into which the inner loop is divided: copying one operand is cheap and may be repeated to
/// balance few iterations, computation may not. 0: no division.
int64_t parts_of(const Staged& parts, const std::optional<int64_t>& iterations, const Known& known) {
  if (!iterations) return kParts;
  const auto turns = value_of(trips_of(*parts.loop), known);
  return turns && *turns > 1 && parts.operands.size() == 1 ? std::min(*turns, kParts) : 0;
}

/// A loop of few iterations, or as many as run time says, perhaps one, is shared out with parts of the loop inside of
/// it. Each worker executes the preparation of an iteration once, before its first part. Empty where the loop is not of
/// this kind.
Block parted(const SFor& outer, const Known& known, const std::vector<Buffer>& buffers) {
  const auto iterations = value_of(trips_of(outer), known);
  if (iterations.value_or(0) >= kUneven || outer.step != 1 || constant_value(outer.begin) != 0) return {};
  Opened inside{{}, known};
  Block body;
  const auto parts = open_single(*outer.body, inside, body) ? staged(body, buffers) : std::nullopt;
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

/// The statements of one phase; the loop of a parallel phase is the last. `before` is the number of root statements
/// before it.
struct Group {
  bool parallel = false;
  Block body;
  size_t before = 0;
  int64_t grain = 1;
  const SFor* alone = nullptr;  ///< of the root: a loop that no other one was joined with
};

/// If the loop is the only statement, parts of its iterations replace it.
void share_parts(Group& g, const Known& known, const std::vector<Buffer>& buffers) {
  const Block parts = g.alone ? parted(*g.alone, known, buffers) : Block{};
  if (parts.empty()) return;
  g.body.pop_back();
  append(g.body, parts);
  if (parts.size() > 1) g.grain = kFewest;
}

/// The groups of the root; empty where it has statements that phases cannot share. Buffers from `kept` on hold values
/// of lets: no phase may use them as loop bounds, since iterations are counted without memory.
std::vector<Group> groups_of(const Block& root, const Known& known, int kept) {
  std::vector<Group> out;
  std::set<std::string> read;
  const auto depends = [&](const NestSurvey& used) {
    return any_of(read, [&](const std::string& name) { return used.vars.count(name) != 0; });
  };
  for (size_t i = 0; i < root.size(); ++i) {
    const Stmt& s = root[i];
    if (std::holds_alternative<SComment>(s.node)) continue;
    NestSurvey used;
    used.add(s);
    if (std::holds_alternative<SLet>(s.node)) {
      if (any_of(used.buffers, [&](int b) { return b < kept; })) return {};
      if (used.loads || depends(used)) read.insert(std::get<SLet>(s.node).name);
      continue;
    }
    if (std::holds_alternative<SVar>(s.node) || std::holds_alternative<SAssign>(s.node)) return {};
    const auto* loop = std::get_if<SFor>(&s.node);
    NestSurvey bounds;
    if (loop) bounds.add(loop->begin), bounds.add(loop->end);
    const bool parallel = loop && loop->kind == LoopKind::Parallel && loop->step > 0 && !used.fails && !depends(bounds);
    if (out.empty() || parallel || out.back().parallel) out.push_back({parallel, {}, i, 1, nullptr});
    out.back().body.push_back(parallel ? Stmt{joined(*loop, known)} : s);
    if (parallel && stands_alone(levels_of(*loop, known))) out.back().alone = loop;
    out.back().before = i;
  }
  return out;
}

/// The lets of the root that a group uses, in the order of the root.
Block lets_of(const Block& root, const Group& group) {
  NestSurvey used;
  used.add(group.body);
  Block lets;
  for (size_t i = group.before; i-- > 0;) {
    const auto* let = std::get_if<SLet>(&root[i].node);
    if (!let || !used.vars.erase(let->name)) continue;
    used.add(let->value);
    lets.push_back(root[i]);
  }
  std::reverse(lets.begin(), lets.end());
  return lets;
}

/// The group with its lets: first, but for those that read what the group itself stores, which come after that.
Block with_lets(const Block& root, const Group& group) {
  Block out = group.body;
  size_t place = 0;
  for (Stmt& let : lets_of(root, group)) {
    NestSurvey read;
    read.add(let);
    for (size_t i = place; i < out.size(); ++i) {
      NestSurvey done;
      done.add(out[i]);
      if (any_of(read.buffers, [&](int b) { return done.stored.count(b) != 0; })) place = i + 1;
    }
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place++), std::move(let));
  }
  return out;
}

/// How many groups use each buffer, and the last of those.
struct BufferUse {
  int groups = 0;
  size_t last = 0;
};

std::vector<BufferUse> uses_of(const std::vector<Group>& groups, size_t buffers) {
  std::vector<BufferUse> out(buffers);
  for (size_t g = 0; g < groups.size(); ++g) {
    NestSurvey used;
    used.add(groups[g].body);
    for (const int b : used.buffers) {
      ++out[static_cast<size_t>(b)].groups;
      out[static_cast<size_t>(b)].last = g;
    }
  }
  return out;
}

/// The group that a serial group's buffer of the workspace is prepared for: the only other one that uses it, a parallel
/// one whose iterations store to it. Stores before it are the preparation of a worker, not of all of them.
std::optional<size_t> prepared_for(int buffer, size_t from, const std::vector<Group>& groups,
                                   const std::vector<BufferUse>& uses, const std::vector<Buffer>& buffers) {
  const BufferUse& use = uses[static_cast<size_t>(buffer)];
  const bool theirs = buffers[static_cast<size_t>(buffer)].storage == Storage::Workspace && use.groups == 2 &&
                      use.last > from && groups[use.last].parallel;
  if (!theirs) return std::nullopt;
  NestSurvey later;
  later.add(groups[use.last].body);
  return later.stored.count(buffer) ? std::optional(use.last) : std::nullopt;
}

/// The buffers that statements of a group store to, each on its own, and that no other statement of it touches.
std::set<int> stored_alone(const Group& group) {
  std::set<int> alone, others;
  for (const Stmt& s : group.body) {
    NestSurvey used;
    used.add(s);
    const bool one = used.buffers.size() == 1 && used.stored == used.buffers && !used.loads && !used.fails;
    (one ? alone : others).insert(used.buffers.begin(), used.buffers.end());
  }
  for (const int b : others) alone.erase(b);
  return alone;
}

/// Serial statements that prepare the memory of each worker move into the parallel group that they prepare it for,
/// whichever groups are between.
void move_preparations(std::vector<Group>& groups, const std::vector<Buffer>& buffers) {
  const std::vector<BufferUse> uses = uses_of(groups, buffers.size());
  for (size_t g = groups.size(); g-- > 0;) {
    if (groups[g].parallel) continue;
    std::map<int, size_t> targets;
    for (const int b : stored_alone(groups[g]))
      if (const auto to = prepared_for(b, g, groups, uses, buffers)) targets[b] = *to;
    Block stays;
    std::map<size_t, Block> moves;
    for (const Stmt& s : groups[g].body) {
      NestSurvey used;
      used.add(s);
      const auto to = used.buffers.empty() ? targets.end() : targets.find(*used.buffers.begin());
      (to != targets.end() ? moves[to->second] : stays).push_back(s);
    }
    for (auto& [to, block] : moves) groups[to].body.insert(groups[to].body.begin(), block.begin(), block.end());
    groups[g].body = std::move(stays);
  }
  groups.erase(std::remove_if(groups.begin(), groups.end(), [](const Group& g) { return g.body.empty(); }),
               groups.end());
}

void count_iterations(const Block& root, const Group& group, const Known& known, Phase& p) {
  SFor loop = std::get<SFor>(group.body.back().node);
  p.iterations = value_of(loop.end, known);
  if (p.iterations) return;
  loop.body = std::make_shared<const Block>();
  p.count = p.nest;
  p.count.buffers.clear();
  p.count.body = with_lets(root, {true, {{std::move(loop)}}, group.before, group.grain, nullptr});
}

/// The loop with a constant or the caller's value as its end, so that no let is needed only for the end: a kernel let
/// with the name of the caller's number is a different value.
Block parallel_body(const Block& root, Group g, const std::optional<int64_t>& iterations) {
  std::get<SFor>(g.body.back().node).end = v_int(iterations.value_or(0));
  Block out = with_lets(root, g);
  if (!iterations) std::get<SFor>(out.back().node).end = v_var("end");
  return out;
}

}  // namespace

std::vector<Phase> parallel_phases(const LoopNest& nest) {
  Known known;
  std::vector<Buffer> buffers = nest.buffers;
  const Block root = keep_lets(opened(nest.body, known), buffers);
  std::vector<Group> groups = groups_of(root, known, static_cast<int>(nest.buffers.size()));
  if (none_of(groups, [](const Group& g) { return g.parallel; })) return {};
  move_preparations(groups, buffers);
  const std::vector<BufferUse> uses = uses_of(groups, buffers.size());
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].storage == Storage::Stack && uses[b].groups > 1) return {};
    buffers[b].per_worker =
        buffers[b].storage == Storage::Workspace && uses[b].groups == 1 && groups[uses[b].last].parallel;
  }
  for (Group& g : groups) share_parts(g, known, buffers);
  std::vector<Phase> out;
  for (const Group& g : groups) {
    Phase p;
    p.nest = nest;
    p.nest.name += fmt::format("_phase{}", out.size() + 1);
    p.nest.buffers = buffers;
    for (size_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].per_worker && uses[b].last != out.size()) p.nest.buffers[b].elements = v_int(0);
    p.parallel = g.parallel;
    p.grain = g.grain;
    if (g.parallel) count_iterations(root, g, known, p);
    p.nest.body = g.parallel ? parallel_body(root, g, p.iterations) : with_lets(root, g);
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace tenon
