// Two walks over a nest: the first counts positions, the second writes those that pay as lets.
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "algebra/nest_survey.h"
#include "lower/nest/nest_passes.h"
#include "support/check.h"
#include "support/pointer_map.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int kLeaves = 3;  ///< without constants; shorter positions read better in place
constexpr int kUses = 2;

enum Kind : int64_t { kConstant, kSize, kAttr, kVariable, kSelect, kApply };  ///< kApply + the operation

/// The operations of positions.
struct Position {
  bool valid = false;  ///< false: it reads memory, can fail, or is a value
  int id = 0;          ///< equal ones have equal numbers
  int home = 0;        ///< depth of the innermost block that declares one of its variables
  int leaves = 0;
  int height = 0;  ///< operations above one another
};

constexpr std::array kMovable{ScalarOp::Add,    ScalarOp::Sub, ScalarOp::Mul, ScalarOp::Min, ScalarOp::Max,
                              ScalarOp::BitAnd, ScalarOp::Lt,  ScalarOp::Le,  ScalarOp::Gt,  ScalarOp::Ge,
                              ScalarOp::Eq,     ScalarOp::Ne,  ScalarOp::And, ScalarOp::Or,  ScalarOp::Not};

bool may_move(const VApply& a) {
  if (a.op == ScalarOp::FloorDiv || a.op == ScalarOp::Mod) return constant_value(a.args[1]).value_or(0) > 0;
  if (a.op == ScalarOp::Cast) return a.args[0]->type == OperandType{DType::Bool, 1, 0};
  return contains(kMovable, a.op);
}

/// Plain arithmetic holds for what is within its dim: an offset, a bound and their terms, not for what a minimum or a
/// remainder in them is made of.
enum class Part : uint8_t { value, operand, position };

/// Children of loads and gathers are positions; children of an operation are what it is.
Part part_below(const Operand& v, Part here) {
  if (std::holds_alternative<VLoad>(v->node) || std::holds_alternative<VGather>(v->node)) return Part::position;
  if (std::holds_alternative<VSelect>(v->node)) return here;
  const auto* a = std::get_if<VApply>(&v->node);
  if (!a) return Part::value;
  const bool adds = a->op == ScalarOp::Add || a->op == ScalarOp::Sub || a->op == ScalarOp::Mul;
  return adds ? here : std::min(here, Part::operand);
}

/// One function of a nest. Both walks open the same blocks and meet the same operands in the same order.
class Namer {
 public:
  Namer(const std::vector<Buffer>& buffers, const std::vector<std::string>& params)
      : buffers_(buffers), params_(params) {}

  Block run(const Block& body) {
    walk([&] { count(body); });
    if (!name_found(body)) return body;
    writing_ = true;
    Block out;
    walk([&] { out = write(body); });
    return out;
  }

 private:
  struct Binding {
    int serial;
    int depth;
    bool position;
  };
  struct Open {
    int serial, statement, loop;  ///< `loop`: depth of the innermost loop's body, 0 outside of loops
    const std::string* variable;  ///< of the loop whose body it is
  };
  struct Seen {
    bool position = false;  ///< a let that declares a position
    bool changes = false;   ///< something in it has a name
  };
  struct Found {
    Operand value;
    int uses = 0, statement = 0, leaves = 0, height = 0, order = 0;
    Part part = Part::position;  ///< the least of all uses
    bool written = false;        ///< its let is written, so that it is known to the end of the block
    std::string hint, name;
  };

  template <class F>
  void walk(const F& block) {
    bound_.clear(), declared_.clear(), open_.clear();
    serials_ = blocks_ = 0, statement_ = -1;
    open_.push_back({blocks_++, 0, 0, nullptr});
    for (const std::string& p : params_) declare(p, true);
    block();
    open_.pop_back();
  }

  void declare(const std::string& name, bool position) {
    const auto at = bound_.try_emplace(name).first;
    at->second.push_back({serials_++, static_cast<int>(open_.size()) - 1, position});
    declared_.push_back(&at->second);
  }

  /// Opens a block, lets `block` walk over it and closes it.
  template <class F>
  void inner(const std::string* loop_variable, const F& block) {
    const int depth = static_cast<int>(open_.size());
    const size_t before = declared_.size();
    open_.push_back({blocks_++, 0, loop_variable ? depth : open_.back().loop, loop_variable});
    if (loop_variable) declare(*loop_variable, true);
    block();
    open_.pop_back();
    for (; declared_.size() > before; declared_.pop_back()) declared_.back()->pop_back();
  }

  void begin(size_t index) {
    open_.back().statement = static_cast<int>(index);
    ++statement_;
  }

  // ---- the first walk
  void count(const Block& b) {
    for (size_t i = 0; i < b.size(); ++i) {
      begin(i);
      statements_.push_back({});
      std::visit([this](const auto& n) { count_statement(n); }, b[i].node);
    }
  }
  template <class S>
  void count_statement(const S& n) {
    if constexpr (std::is_same_v<S, SLet>)
      statements_.back().position = n.value->type == OperandType{} && of(n.value).valid;
    each_part(n, [this](const Operand& v, Part part, const std::string& hint) { visit(v, part, hint, innermost()); });
    declare_of(n, statements_.back());
    if constexpr (std::is_same_v<S, SFor>) inner(&n.var, [&] { count(*n.body); });
    if constexpr (std::is_same_v<S, SIf>) {
      if (n.then) inner(nullptr, [&] { count(*n.then); });
      if (n.otherwise) inner(nullptr, [&] { count(*n.otherwise); });
    }
  }

  // ---- the second walk: statements themselves, with positions replaced
  Block write(const Block& b) {
    Block out;
    for (size_t i = 0; i < b.size(); ++i) {
      begin(i);
      write_lets(out);
      out.push_back(b[i]);
      std::visit([this](auto& n) { write_statement(n); }, out.back().node);
    }
    return out;
  }
  template <class S>
  void write_statement(S& n) {
    const Seen seen = statements_[static_cast<size_t>(statement_)];
    if (seen.changes)
      each_part(n, [this](Operand& v, Part part, const std::string& hint) { v = visit(v, part, hint, innermost()); });
    declare_of(n, seen);
    const auto written = [this](const Block& b) { return std::make_shared<const Block>(write(b)); };
    if constexpr (std::is_same_v<S, SFor>) inner(&n.var, [&] { n.body = written(*n.body); });
    if constexpr (std::is_same_v<S, SIf>) {
      if (n.then) inner(nullptr, [&] { n.then = written(*n.then); });
      if (n.otherwise) inner(nullptr, [&] { n.otherwise = written(*n.otherwise); });
    }
  }

  // ---- statements
  template <class S>
  void declare_of(const S& n, const Seen& seen) {
    if constexpr (std::is_same_v<S, SLet>) declare(n.name, seen.position || n.place);
    if constexpr (std::is_same_v<S, SVar>) declare(n.name, false);
  }

  /// f(operand, its part, hint) for each operand of a statement.
  template <class S, class F>
  void each_part(S& n, const F& f) {
    const std::string none;
    using T = std::remove_const_t<S>;
    const auto if_valid = [](bool valid) { return valid ? Part::position : Part::value; };
    if constexpr (std::is_same_v<T, SLet>)
      f(n.value, if_valid(statements_[static_cast<size_t>(statement_)].position), none);
    if constexpr (std::is_same_v<T, SVar>) f(n.init, Part::value, none);
    if constexpr (std::is_same_v<T, SAssign>) f(n.value, Part::value, none);
    if constexpr (std::is_same_v<T, SFor>) f(n.begin, Part::position, none), f(n.end, Part::position, none);
    if constexpr (std::is_same_v<T, SIf>) f(n.cond, if_valid(of(n.cond).valid), none);
    if constexpr (std::is_same_v<T, SPrefetch>) f(n.offset, Part::position, buffer_name(n.buffer));
    if constexpr (std::is_same_v<T, SStore>) {
      const std::string& name = buffer_name(n.buffer);
      f(n.offset, Part::position, name), f(n.value, Part::value, name), f(n.active, Part::position, name);
    }
    if constexpr (std::is_same_v<T, SCall>) {
      for (auto& b : n.buffers) f(b.offset, Part::position, b.buffer < 0 ? none : buffer_name(b.buffer));
      for (auto& a : n.args) f(a, if_valid(a->type == OperandType{}), none);
    }
  }
  const std::string& buffer_name(int buffer) const { return buffers_[static_cast<size_t>(buffer)].name; }

  // ---- operands
  int innermost() const { return static_cast<int>(open_.size()) - 1; }

  /// An expression in block `depth`.
  Operand visit(const Operand& v, Part part, const std::string& hint, int depth) {
    if (!v || is_leaf(v)) return v;
    if (v->type == OperandType{}) {
      const Position p = of(v);
      const bool rests = p.home == 0 || p.home < open_[static_cast<size_t>(depth)].loop;
      if (p.valid && p.leaves >= kLeaves) {
        if (rests || part == Part::value) return found(v, p, part, hint);
        if (writing_)
          if (const auto at = found_.find(key_of(p)); at != found_.end() && at->second.written)
            return v_var(at->second.name);
      }
    }
    const auto* load = std::get_if<VLoad>(&v->node);
    return below(v, {part_below(v, part), load ? buffer_name(load->buffer) : hint, depth});
  }

  struct Place {
    Part part;
    const std::string& hint;
    int depth;
  };
  std::pair<int, int> key_of(const Position& p) const { return {open_[static_cast<size_t>(p.home)].serial, p.id}; }

  /// Its base name: a step of a buffer, an offset in one or, as a part of a value, a position along a loop.
  std::string name_of(const Position& p, bool position, const std::string& hint) const {
    const Open& home = open_[static_cast<size_t>(p.home)];
    if (!position && home.variable) return "at_" + *home.variable;
    return hint.empty() || !position ? "span" : hint + (p.home == 0 ? "_step" : "_at");
  }

  Operand found(const Operand& v, const Position& p, Part part, const std::string& hint) {
    Found& f = found_[key_of(p)];
    const Place inside{part_below(v, part), hint, p.home};
    if (writing_) return f.name.empty() ? below(v, inside) : v_var(f.name);
    met_.emplace_back(statement_, &f);
    const std::string name = name_of(p, part != Part::value, hint);
    if (part == Part::value && f.part != Part::value) f.hint = name;
    f.part = std::min(f.part, part);
    if (f.uses++ > 0) {
      if (f.part != Part::value && f.hint != name) f.hint = p.home == 0 ? "step" : "at";  // of several buffers
      return v;
    }
    f.value = v, f.hint = name, f.statement = open_[static_cast<size_t>(p.home)].statement, f.leaves = p.leaves,
    f.height = p.height, f.order = static_cast<int>(found_.size());
    return below(v, inside);
  }

  /// The same with its children visited; itself while positions are counted.
  Operand below(const Operand& v, const Place& at) {
    if (writing_)
      return map_children(v, [this, &at](const Operand& c) { return visit(c, at.part, at.hint, at.depth); });
    each_child(v, [this, &at](const Operand& c) { visit(c, at.part, at.hint, at.depth); });
    return v;
  }

  // ---- what positions are
  Position of(const Operand& v) {
    const auto examined = [&] { return std::visit([&](const auto& n) { return examine(n, v); }, v->node); };
    if (is_leaf(v) || v->type.lanes > 1) return examined();
    if (const auto* at = known_.find(v.get()); at && at->first == statement_) return at->second;
    const Position p = examined();
    known_[v.get()] = {statement_, p};
    return p;
  }
  using Key = std::array<int64_t, 4>;  ///< what it is, and its parts
  struct HashKey {
    size_t operator()(const Key& key) const {
      uint64_t h = 0;
      for (const int64_t part : key) h = (h ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15u, h ^= h >> 32;
      return static_cast<size_t>(h);
    }
  };
  int number(const Key& key) { return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second; }
  int64_t name(const std::string& s) {
    return names_.try_emplace(s, static_cast<int64_t>(names_.size())).first->second;
  }

  Position examine(const VConst& n, const Operand& v) {
    return v->type == OperandType{} ? Position{true, number({kConstant, n.i}), 0, 0} : Position{};
  }
  Position examine(const VSize& n, const Operand&) { return {true, number({kSize, name(n.name)}), 0, 1}; }
  Position examine(const VAttr& n, const Operand& v) {
    if (v->type != OperandType{}) return {};
    return {true, number({kAttr, name(n.name), n.element}), 0, 1};
  }
  Position examine(const VVar& n, const Operand&) {
    const auto at = bound_.find(n.name);
    if (at == bound_.end() || at->second.empty() || !at->second.back().position) return {};
    return {true, number({kVariable, at->second.back().serial}), at->second.back().depth, 1};
  }
  Position examine(const VApply& n, const Operand& v) {
    if (!may_move(n) || v->type.lanes > 1) return {};
    return joined(kApply + static_cast<int64_t>(n.op), n.args);
  }
  Position examine(const VSelect& n, const Operand& v) {
    return v->type == OperandType{} ? joined(kSelect, std::array<Operand, 3>{n.cond, n.yes, n.no}) : Position{};
  }
  template <class Other>
  Position examine(const Other&, const Operand&) {
    return {};
  }

  template <class Args>
  Position joined(int64_t kind, const Args& args) {
    Position out{true, 0, 0, 0};
    Key key{kind, -1, -1, -1};
    if (args.size() >= key.size()) return {};
    size_t at = 1;
    for (const Operand& a : args) {
      const Position p = of(a);
      if (!p.valid) return {};
      key[at++] = p.id;
      out.home = std::max(out.home, p.home);
      out.leaves += p.leaves;
      out.height = std::max(out.height, p.height + 1);
    }
    out.id = number(key);
    return out;
  }

  // ---- names
  /// Names the positions for which it pays off; false if there are none.
  bool name_found(const Block& body) {
    std::vector<std::pair<int, Found*>> pays;  ///< with the block that they are in
    for (auto& [key, f] : found_)
      if (f.uses >= kUses) pays.emplace_back(key.first, &f);
    if (pays.empty()) return false;
    add_declared_names(body, taken_);
    taken_.insert(params_.begin(), params_.end());
    sort(pays, [](const auto& a, const auto& b) { return a.second->order < b.second->order; });
    for (auto& [block, f] : pays) {
      f->name = f->hint;
      for (int i = 2; !taken_.insert(f->name).second; ++i) f->name = fmt::format("{}_{}", f->hint, i);
      lets_[{block, f->statement}].push_back(f);
    }
    for (const auto& [statement, f] : met_)
      if (!f->name.empty()) statements_[static_cast<size_t>(statement)].changes = true;
    // a part is shorter than what it is part of or, where the rest is constants, lower
    const auto shorter = [](const Found* a, const Found* b) {
      return std::pair(a->leaves, a->height) < std::pair(b->leaves, b->height);
    };
    for (auto& [at, list] : lets_) stable_sort(list, shorter);
    return true;
  }

  void write_lets(Block& out) {
    const auto at = lets_.find({open_.back().serial, open_.back().statement});
    if (at == lets_.end()) return;
    for (Found* f : at->second) {
      const std::string none;
      const Place inside{part_below(f->value, f->part), none, innermost()};
      const bool any = f->part == Part::value, operand = f->part != Part::position;
      out.push_back({SLet{f->name, below(f->value, inside), false, any, false, operand}});
      f->written = true;
    }
  }

  const std::vector<Buffer>& buffers_;
  const std::vector<std::string>& params_;
  bool writing_ = false;
  std::unordered_map<std::string, std::vector<Binding>> bound_;
  std::vector<std::vector<Binding>*> declared_;  ///< whose last entry goes when the blocks at hand end
  std::vector<Open> open_;
  int serials_ = 0, blocks_ = 0;
  int statement_ = -1;                             ///< counts them
  std::vector<Seen> statements_;                   ///< by the first walk
  std::vector<std::pair<int, const Found*>> met_;  ///< with the statement that it is in
  PointerMap<std::pair<int, Position>> known_;     ///< with the statement that it holds for
  std::unordered_map<Key, int, HashKey> numbers_;
  std::unordered_map<std::string, int64_t> names_;
  std::map<std::pair<int, int>, Found> found_;               ///< by block and position
  std::map<std::pair<int, int>, std::vector<Found*>> lets_;  ///< by block and statement
  std::set<std::string> taken_;
};

}  // namespace

LoopNest name_repeated(const LoopNest& nest) {
  LoopNest out = nest;
  out.body = Namer(nest.buffers, {}).run(nest.body);
  for (InnerFunction& f : out.functions)
    if (!f.frame) f.body = Namer(f.buffers, f.params).run(Block(f.body));
  return out;
}

}  // namespace tenon
