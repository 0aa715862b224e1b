// Groups the statements at the root of a nest into phases, and makes a nest for each.
#include <fmt/format.h>

#include <map>
#include <set>

#include "algebra/nest_survey.h"
#include "lower/nest/divide_loops.h"
#include "lower/nest/nest_passes.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Parts that a worker takes at once, since it makes what they need for each time; but one where there are few, as two
/// workers have more to wait for at the end.
constexpr int64_t kFewest = 2, kMany = 48;

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
void share_parts(Group& g, const KnownLets& known, const LoopNest& nest) {
  const Block parts = g.alone ? divide_loop(*g.alone, known, nest) : Block{};
  if (parts.empty()) return;
  g.body.pop_back();
  append(g.body, parts);
  if (parts.size() == 1) return;
  const auto units = known_value(std::get<SFor>(g.body.back().node).end, known);
  g.grain = units && *units < kMany ? 1 : kFewest;
}

/// The groups of the nest's root; empty where it has statements that phases cannot share. Buffers from `kept` on hold
/// values of lets: no phase may use them as loop bounds, since iterations are counted without memory.
std::vector<Group> groups_of(const LoopNest& nest, const KnownLets& known, int kept) {
  std::vector<Group> out;
  std::set<std::string> read;
  const auto depends = [&](const NestSurvey& used) {
    return any_of(read, [&](const std::string& name) { return used.vars.count(name) != 0; });
  };
  for (size_t i = 0; i < nest.body.size(); ++i) {
    const Stmt& s = nest.body[i];
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
    const bool parallel =
        loop && loop->kind == LoopKind::Parallel && loop->step > 0 && !depends(bounds) && !may_fail(s, nest.functions);
    if (out.empty() || parallel || out.back().parallel) out.push_back({parallel, {}, i, 1, nullptr});
    out.back().body.push_back(parallel ? Stmt{join_loops(*loop, known)} : s);
    if (parallel && stays_alone(*loop, known)) out.back().alone = loop;
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
std::set<int> stored_alone(const Group& group, const std::vector<InnerFunction>& functions) {
  std::set<int> alone, others;
  for (const Stmt& s : group.body) {
    NestSurvey used;
    used.add(s);
    const bool one = used.buffers.size() == 1 && used.stored == used.buffers && !used.loads && !may_fail(s, functions);
    (one ? alone : others).insert(used.buffers.begin(), used.buffers.end());
  }
  for (const int b : others) alone.erase(b);
  return alone;
}

/// Serial statements that prepare the memory of each worker move into the parallel group that they prepare it for,
/// whichever groups are between.
void move_preparations(std::vector<Group>& groups, const LoopNest& nest) {
  const std::vector<BufferUse> uses = uses_of(groups, nest.buffers.size());
  for (size_t g = groups.size(); g-- > 0;) {
    if (groups[g].parallel) continue;
    std::map<int, size_t> targets;
    for (const int b : stored_alone(groups[g], nest.functions))
      if (const auto to = prepared_for(b, g, groups, uses, nest.buffers)) targets[b] = *to;
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

void count_iterations(const Block& root, const Group& group, const KnownLets& known, Phase& p) {
  SFor loop = std::get<SFor>(group.body.back().node);
  p.iterations = known_value(loop.end, known);
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
  KnownLets known;
  LoopNest from = nest;
  std::vector<Buffer>& buffers = from.buffers;
  from.body = keep_lets(inline_single_loops(nest.body, known), buffers);
  std::vector<Group> groups = groups_of(from, known, static_cast<int>(nest.buffers.size()));
  if (none_of(groups, [](const Group& g) { return g.parallel; })) return {};
  move_preparations(groups, from);
  const std::vector<BufferUse> uses = uses_of(groups, buffers.size());
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].storage == Storage::Stack && uses[b].groups > 1) return {};
    buffers[b].per_worker =
        buffers[b].storage == Storage::Workspace && uses[b].groups == 1 && groups[uses[b].last].parallel;
  }
  for (Group& g : groups) share_parts(g, known, from);
  std::vector<Phase> out;
  for (const Group& g : groups) {
    Phase p;
    p.nest = from;
    p.nest.name += fmt::format("_phase{}", out.size() + 1);
    for (size_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].per_worker && uses[b].last != out.size()) p.nest.buffers[b].elements = v_int(0);
    p.parallel = g.parallel;
    p.grain = g.grain;
    if (g.parallel) count_iterations(from.body, g, known, p);
    p.nest.body = g.parallel ? parallel_body(from.body, g, p.iterations) : with_lets(from.body, g);
    out.push_back(std::move(p));
  }
  return out;
}

}  // namespace tenon
