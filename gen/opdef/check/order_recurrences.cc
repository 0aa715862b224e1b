// The order of a recurrence: variables are placed from the outside inwards, each as soon as no unsettled read is later
// along it; reads of strictly earlier elements along it are then settled.
#include <fmt/format.h>

#include <utility>

#include "opdef/check/statement_checks.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

/// An index variable of a left side: an entry, or a part of a split one.
struct Place {
  std::string variable;
  std::size_t entry = 0;
  std::optional<std::size_t> part = std::nullopt;
};

/// A read of the group's values, with the conditions under which it is read.
struct OpenRead {
  std::size_t reader = 0, member = 0;  ///< statements, counted within the group
  const Syntax* read = nullptr;
  std::vector<Syntax> conditions = {};
  std::set<std::string> bound = {};
};

/// The position of an index relative to the variable of the computed element.
enum class Relation { same, before, not_after, after, not_before, unknown };

Syntax binary(const std::string& sign, const Syntax& a, const Syntax& b) { return binary_node(sign, a, b, a.span); }

Syntax one_more(const Syntax& s) { return binary("+", s, number_node(1)); }

/// A guarded index counts as the element that it reaches when it is inside.
const Syntax& unguarded(const Syntax& s) { return is_guarded(s) ? unguarded(s.children[0]) : s; }

std::vector<Place> places_of(const Statement& statement) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < statement.subs.size(); ++i) {
    const Syntax& sub = statement.subs[i];
    if (!sub.is(SyntaxKind::group)) places.push_back({sub.text, i});
    for (std::size_t k = 0; sub.is(SyntaxKind::group) && k < sub.children.size(); ++k)
      places.push_back({sub.children[k].text, i, k});
  }
  return places;
}

const Syntax* index_at(const Syntax& read, const Place& place) {
  if (place.entry >= read.children.size()) return nullptr;
  const Syntax& sub = read.children[place.entry];
  if (!place.part) return &sub;
  return sub.is(SyntaxKind::group) && *place.part < sub.children.size() ? &sub.children[*place.part] : nullptr;
}

/// The reads of a group's values in one expression.
class ReadCollector {
 public:
  ReadCollector(std::map<std::string, std::size_t> members, std::vector<OpenRead>& out)
      : members_(std::move(members)), out_(out) {}

  void collect(std::size_t reader, const Statement& statement) {
    at_.reader = reader;
    at_.bound.clear();
    for (const Place& place : places_of(statement)) at_.bound.insert(place.variable);
    visit(statement.value);
  }

 private:
  void visit(const Syntax& s) {
    if (const auto member = members_.find(s.text); s.is(SyntaxKind::subscript) && member != members_.end()) {
      out_.push_back(at_);
      out_.back().member = member->second;
      out_.back().read = &s;
    }
    if (s.is(SyntaxKind::reduce)) return reduction(s);
    for (const Syntax& child : s.children) visit(child);
  }

  /// A condition holds for the reduced value, and its first parts for the parts after them.
  void reduction(const Syntax& s) {
    const OpenRead outside = at_;
    if (s.start() != nullptr) visit(s.start()->children[0]);
    for (const Syntax& v : s.variables()) {
      for (const Syntax& end : v.children) visit(end);
    }
    for (const Syntax& v : s.variables()) {
      at_.bound.insert(v.text);
      if (v.children.size() != 2) continue;
      at_.conditions.push_back(binary("<=", v.children[0], name_node(v.text)));
      at_.conditions.push_back(binary("<", name_node(v.text), v.children[1]));
    }
    if (s.predicate() != nullptr) condition(*s.predicate());
    visit(s.reduced());
    at_ = outside;
  }

  void condition(const Syntax& s) {
    if (s.is(SyntaxKind::binary) && s.text == "and") {
      condition(s.children[0]);
      condition(s.children[1]);
      return;
    }
    visit(s);
    at_.conditions.push_back(s);
  }

  std::map<std::string, std::size_t> members_;
  std::vector<OpenRead>& out_;
  OpenRead at_;
};

class OrderFinder {
 public:
  OrderFinder(const RecurrentGroup& group, BodyScope& scope, Diagnostics& diagnostics)
      : scope_(scope), diagnostics_(diagnostics), between_(group.between) {
    std::map<std::string, std::size_t> members;
    for (std::size_t i = group.first; i <= group.last; ++i) {
      members[scope.op().body[i].targets[0].text] = statements_.size();
      statements_.push_back(&scope.op().body[i]);
      places_.push_back(places_of(*statements_.back()));
    }
    ReadCollector collector(members, reads_);
    for (std::size_t i = 0; i < statements_.size(); ++i) collector.collect(i, *statements_[i]);
  }

  /// Statements share as few loops as possible: inner loops run from end to end.
  std::vector<RunOrder> run() {
    orders_.resize(statements_.size());
    for (const OpenRead& r : reads_) open_.push_back(&r);
    const std::size_t most = statements_.size() == 1 ? places_[0].size() : shared({0, statements_.size()});
    if (share({0, statements_.size()}, 0, {}, open_)) return std::move(orders_);
    if (most == 0) report_nothing_shared();
    else report();
    return {};
  }

 private:
  using Reads = std::vector<const OpenRead*>;

  /// Statements first … last - 1 of the group.
  struct Members {
    std::size_t first = 0, last = 0;
    bool has(std::size_t i) const { return i >= first && i < last; }
  };

  /// How many of the leading variables these statements have in common.
  std::size_t shared(Members of) const {
    std::size_t n = 0;
    const std::vector<Place>& lead = places_[of.first];
    const auto same_at = [&](const std::vector<Place>& places) {
      return n < places.size() && places[n].variable == lead[n].variable && places[n].part == lead[n].part;
    };
    const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(of.first);
    while (n < lead.size() && std::all_of(begin, begin + static_cast<std::ptrdiff_t>(of.last - of.first), same_at)) ++n;
    return n;
  }

  /// Orders statements that share the first `n` variables already, placed as in `outer`, and that have these reads of
  /// one another still open.
  bool share(Members of, std::size_t n, const RunOrder& outer, Reads reads) {
    const bool alone = of.last - of.first == 1;
    const std::size_t most = alone ? places_[of.first].size() : shared(of);
    for (std::size_t more = alone ? most : n + 1; more <= most; ++more)
      if (try_sharing(of, n, more, outer, reads)) return true;
    return false;
  }

  bool try_sharing(Members of, std::size_t from, std::size_t n, const RunOrder& outer, const Reads& reads) {
    open_ = reads;
    const auto places = places_[of.first].begin();
    RunOrder common = outer;
    if (!place_all({places + static_cast<std::ptrdiff_t>(from), places + static_cast<std::ptrdiff_t>(n)}, common))
      return false;
    const Reads all = open_;
    for (Members part{of.first, of.first}; part.first < of.last; part.first = part.last) {
      part.last = end_of_part(part.first, all);
      if (of.last - of.first > 1 && part.first == of.first && part.last == of.last)
        return false;  // needs more in common
      // Values that an earlier part defines for the same values of these variables are complete.
      open_.clear();
      std::copy_if(all.begin(), all.end(), std::back_inserter(open_),
                   [&](auto* r) { return part.has(r->reader) && part.has(r->member); });
      if (!place_part(part, n, common)) return false;
      orders_[part.first].joined = part.first == of.first ? outer.variables.size() : n;
    }
    return true;
  }

  /// Statements that read what later ones define are parts of their own, which share more variables.
  static std::size_t end_of_part(std::size_t first, const Reads& reads) {
    std::size_t end = first + 1;
    for (bool grown = true; std::exchange(grown, false);)
      for (const OpenRead* r : reads)
        if (r->reader >= first && r->reader < end && r->member >= end) end = r->member + 1, grown = true;
    return end;
  }

  bool place_part(Members part, std::size_t n, const RunOrder& common) {
    if (part.last - part.first > 1) return share(part, n, common, open_);
    std::vector<Place> inner(places_[part.first].begin() + static_cast<std::ptrdiff_t>(n), places_[part.first].end());
    orders_[part.first] = common;
    return place_all(inner, orders_[part.first]) && open_.empty();
  }

  /// Places the variables after those of `order`; false where none of those that are left can come next.
  bool place_all(std::vector<Place> left, RunOrder& order) {
    while (!left.empty()) {
      std::optional<Direction> direction;
      const auto next = find_if(left, [&](const Place& p) { return (direction = direction_of(p)).has_value(); });
      left_ = left;
      if (next == left.end()) return false;
      order.variables.emplace_back(next->variable, *direction);
      std::erase_if(open_, [&](const OpenRead* r) {
        const Relation relation = relation_of(*r, *next);
        return relation == (*direction == Direction::Up ? Relation::before : Relation::after) &&
               *direction != Direction::Any;
      });
      left.erase(next);
    }
    left_.clear();
    return true;
  }

  static bool fits(Relation relation, Direction direction) {
    if (relation == Relation::same) return true;
    if (direction == Direction::Up) return relation == Relation::before || relation == Relation::not_after;
    return direction == Direction::Down && (relation == Relation::after || relation == Relation::not_before);
  }

  std::optional<Direction> direction_of(const Place& place) {
    for (const Direction d : {Direction::Any, Direction::Up, Direction::Down})
      if (!offender(place, d)) return d;
    return std::nullopt;
  }

  /// The first open read that keeps the variable from running in a direction; null where none does.
  const OpenRead* offender(const Place& place, Direction direction) {
    for (const OpenRead* r : open_)
      if (!fits(relation_of(*r, place), direction)) return r;
    return nullptr;
  }

  Relation relation_of(const OpenRead& r, const Place& place) {
    // Of another statement of the group: the entry that its own left side has for the variable.
    const auto& theirs = places_[r.member];
    const auto there = find_if(theirs, [&](const Place& p) { return p.variable == place.variable; });
    const Syntax* at = there == theirs.end() ? nullptr : index_at(*r.read, *there);
    if (at == nullptr) return Relation::unknown;
    if (at->text == place.variable && (at->is(SyntaxKind::name) || at->is(SyntaxKind::pack))) return Relation::same;
    const auto key = std::pair(r.read, place.variable);
    if (const auto* known = find_value(relations_, key)) return *known;
    Relation relation = compare(r, unguarded(*at), name_node(place.variable));
    // A clamp may put the element before by its bounds alone: clamp(At[i], -1, i - 1).
    if (relation == Relation::unknown && at->calls(Builtin::clamp))
      relation = compare(r, *at, name_node(place.variable));
    return relations_[key] = relation;
  }

  Relation compare(const OpenRead& r, const Syntax& index, const Syntax& variable) {
    const IndexVariable* v = scope_.variable(variable.text);
    IndexBounds& bounds = scope_.bounds();
    if (v == nullptr || v->pack) return Relation::unknown;
    if (!bounds.follows(index)) return compare_data(r, index, variable);
    bounds.within(r.bound);
    if (bounds.at_most(one_more(index), variable, r.conditions)) return Relation::before;
    if (bounds.at_most(one_more(variable), index, r.conditions)) return Relation::after;
    if (bounds.equal(index, variable)) return Relation::same;
    if (bounds.at_most(index, variable, r.conditions)) return Relation::not_after;
    return bounds.at_most(variable, index, r.conditions) ? Relation::not_before : Relation::unknown;
  }

  /// An index from data is before where conditions or bounds say so: X[Col[e]] where Col[e] < m, G[n - max(T[k], 1)].
  Relation compare_data(const OpenRead& r, const Syntax& index, const Syntax& variable) {
    IndexBounds& bounds = scope_.bounds();
    if (!bounds.whole(index)) return Relation::unknown;
    const Syntax value = data_named(index);
    const std::vector<Syntax> conditions = mapped(r.conditions, [&](const Syntax& c) { return data_named(c); });
    bounds.within(r.bound);
    if (bounds.at_most(one_more(value), variable, conditions)) return Relation::before;
    if (bounds.at_most(one_more(variable), value, conditions)) return Relation::after;
    if (bounds.at_most(value, variable, conditions)) return Relation::not_after;
    return bounds.at_most(variable, value, conditions) ? Relation::not_before : Relation::unknown;
  }

  /// The expression with each element that it reads replaced by a name.
  Syntax data_named(const Syntax& s) const {
    if (s.is(SyntaxKind::subscript) && scope_.value(s.text) != nullptr) return name_node(print(s));
    Syntax named = s;
    for (Syntax& child : named.children) child = data_named(child);
    return named;
  }

  void report_nothing_shared() {
    const auto needs_later = find_if(reads_, [](auto& r) { return r.member > r.reader; });
    if (between_ != nullptr)
      return report_between(*needs_later->read, needs_later->read->text, *between_, diagnostics_);
    diagnostics_.error(Code::E0439, needs_later->read->span,
                       fmt::format("'{}' and '{}' need each other, but share no index variable",
                                   statements_[needs_later->reader]->targets[0].text, needs_later->read->text),
                       {"the left sides of statements that need each other begin with the same variables"});
  }

  /// After the last attempt: reports the obstacle.
  void report() {
    if (left_.empty()) return report_same_element();
    const OpenRead* culprit = offender(left_[0], Direction::Up);
    std::vector<std::string> notes;
    for (const Place& place : left_) {
      const OpenRead *up = offender(place, Direction::Up), *down = offender(place, Direction::Down);
      notes.push_back(up->read == down->read ? fmt::format("whichever way {} runs, '{}' is not proved to come before",
                                                           place.variable, print(*up->read))
                                             : fmt::format("{} cannot run up because of '{}', nor down because of '{}'",
                                                           place.variable, print(*up->read), print(*down->read)));
    }
    diagnostics_.error(Code::E0439, culprit->read->span,
                       fmt::format("no order of the elements of '{}' has '{}' before it is read",
                                   statements_[culprit->reader]->targets[0].text, print(*culprit->read)),
                       notes);
  }

  /// Whether all variables that the reader shares with a later statement are the same in what it reads of it.
  bool in_same_element(const OpenRead& r) {
    if (r.member <= r.reader) return false;
    const auto places = places_[r.reader].begin();
    const auto end = places + static_cast<std::ptrdiff_t>(shared({r.reader, r.member + 1}));
    return std::all_of(places, end, [&](const Place& p) { return relation_of(r, p) == Relation::same; });
  }

  void report_same_element() {
    // Prefers a read that sharing more variables could not settle.
    auto later = find_if(open_, [&](auto* r) { return in_same_element(*r); });
    if (later == open_.end()) later = find_if(open_, [](auto* r) { return r->member > r->reader; });
    const OpenRead& r = later == open_.end() ? *open_.front() : **later;
    const std::string& reader = statements_[r.reader]->targets[0].text;
    if (r.member > r.reader) {
      diagnostics_.error(
          Code::E0439, r.read->span,
          fmt::format("'{}' is read before it is defined within the same element", print(*r.read)),
          {fmt::format("the statement of '{}' comes before that of '{}': within an element they are done "
                       "in order",
                       reader, r.read->text)});
      return;
    }
    diagnostics_.error(Code::E0439, r.read->span,
                       fmt::format("'{}' may be the element that is being computed", print(*r.read)),
                       {"a recurrence reads elements that come strictly before, such as h[t - 1]"});
  }

  BodyScope& scope_;
  Diagnostics& diagnostics_;
  const Statement* between_;
  std::vector<const Statement*> statements_;
  std::vector<std::vector<Place>> places_;
  std::vector<OpenRead> reads_;
  std::vector<const OpenRead*> open_;  ///< reads that no variable placed so far puts before
  std::vector<Place> left_;            ///< variables that were not placed when an attempt failed
  std::vector<RunOrder> orders_;
  std::map<std::pair<const Syntax*, std::string>, Relation> relations_;
};

}  // namespace

bool is_guarded(const Syntax& index) {
  return index.calls(Builtin::clamp, Builtin::wrap, Builtin::reflect, Builtin::mirror);
}

std::vector<RunOrder> order_of(const RecurrentGroup& group, BodyScope& scope, Diagnostics& diagnostics) {
  return OrderFinder(group, scope, diagnostics).run();
}

}  // namespace tenon
