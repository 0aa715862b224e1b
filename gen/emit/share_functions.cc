// Merges functions that differ only in numbers; each number that differs becomes a parameter.
#include "emit/share_functions.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "ir/text/print_c99.h"
#include "support/c_names.h"
#include "support/function_ref.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t kSmall = 16;         ///< loops of fewer turns are unrolled by compilers
constexpr size_t kMostParameters = 4;  ///< a function with more parameters is hard to read

using OnNumber = FunctionRef<CExpr(const CExpr&)>;

/// Rewrites the numbers that may differ, in order of occurrence.
class NumberPass {
 public:
  explicit NumberPass(OnNumber on_number) : on_number_(on_number) {}

  CBlock block(const CBlock& b) {
    CBlock out;
    for (const CStmt& s : b) out.push_back(std::visit([&](const auto& n) { return CStmt{statement(n)}; }, s.node));
    return out;
  }

 private:
  /// `free`: a number here may differ.
  CExpr expr(const CExpr& e, bool free = true) {
    if (!e) return e;
    return std::visit([&](const auto& n) { return node(n, e, free); }, e->node);
  }
  std::vector<CExpr> all(const std::vector<CExpr>& list, bool free) {
    return mapped(list, [&](const CExpr& e) { return expr(e, free); });
  }

  CExpr node(const CText&, const CExpr& e, bool) { return e; }
  CExpr node(const CNumber& n, const CExpr& e, bool free) { return free && n.value >= kSmall ? on_number_(e) : e; }
  CExpr node(const CUnary& n, const CExpr&, bool free) { return c_unary(n.op, expr(n.operand, free)); }
  CExpr node(const CBinary& n, const CExpr&, bool free) {
    const bool divides = n.op == "/" || n.op == "%" || n.op == "<<" || n.op == ">>";
    CExpr left = expr(n.left, free);
    return c_binary(std::move(left), n.op, expr(n.right, free && !divides));
  }
  CExpr node(const CCall& n, const CExpr&, bool free) { return c_call(n.callee, all(n.args, free)); }
  CExpr node(const CRow& n, const CExpr&, bool) {
    return c_row(n.spelling, all(n.args, false));
  }  // instructions want constants
  CExpr node(const CIndex& n, const CExpr&, bool free) {
    CExpr base = expr(n.base, free);
    return c_index(std::move(base), expr(n.index));
  }
  CExpr node(const CMember& n, const CExpr&, bool free) {
    return n.pointer ? c_arrow(expr(n.base, free), n.field) : c_member(expr(n.base, free), n.field);
  }
  CExpr node(const CCast& n, const CExpr&, bool free) { return c_cast(n.type, expr(n.operand, free)); }
  CExpr node(const CConditional& n, const CExpr&, bool free) {
    CExpr cond = expr(n.cond, free), yes = expr(n.yes, free);
    return c_conditional(std::move(cond), std::move(yes), expr(n.no, free));
  }
  CExpr node(const CBraces& n, const CExpr&, bool) { return c_braces(n.type, all(n.items, false)); }

  CExpr node(const CInitializer&, const CExpr& e, bool) { return e; }

  CDeclaration statement(const CDeclaration& n) { return {n.type, n.name, n.suffix, expr(n.init)}; }
  CDeclarations statement(const CDeclarations& n) {
    CDeclarations out{n.type, {}};
    for (const CObject& v : n.variables) out.variables.push_back({v.declarator, expr(v.init)});
    return out;
  }
  CAssignment statement(const CAssignment& n) {
    CExpr to = expr(n.to);
    return {std::move(to), n.op, expr(n.value)};
  }
  CEvaluation statement(const CEvaluation& n) { return {expr(n.value)}; }
  CFor statement(const CFor& n) {
    const bool free = !is_innermost(n.body);
    CExpr begin = expr(n.begin, free), cond = expr(n.cond, free);
    return {n.type, n.var, std::move(begin), std::move(cond), n.step, block(n.body)};
  }
  CIf statement(const CIf& n) {
    CExpr cond = expr(n.cond);
    CBlock then = block(n.then);
    return {std::move(cond), std::move(then), block(n.otherwise)};
  }
  CSwitch statement(const CSwitch& n) {
    CSwitch out{expr(n.value), {}};
    for (const CCase& c : n.cases) out.cases.push_back({c.values, block(c.body)});
    return out;
  }
  CScope statement(const CScope& n) { return {block(n.body)}; }
  CReturn statement(const CReturn& n) { return {expr(n.value)}; }
  CBreak statement(const CBreak& n) { return n; }
  CComment statement(const CComment& n) { return n; }
  CBodyLines statement(const CBodyLines& n) { return n; }

  /// Has neither loops nor calls of functions for their side effects.
  static bool is_innermost(const CBlock& b) {
    return none_of(b, [](const CStmt& s) {
      if (const auto* c = std::get_if<CEvaluation>(&s.node)) return std::holds_alternative<CCall>(c->value->node);
      if (const auto* i = std::get_if<CIf>(&s.node)) return !is_innermost(i->then) || !is_innermost(i->otherwise);
      if (const auto* x = std::get_if<CScope>(&s.node)) return !is_innermost(x->body);
      return std::holds_alternative<CFor>(s.node);
    });
  }

  OnNumber on_number_;
};

/// A function and its numbers.
struct Member {
  size_t place = 0;  ///< in the list of all
  std::vector<CNumber> numbers;
};

/// The text without the parts that may differ; the numbers are added to `numbers`.
std::string form_of(const CFunction& f, std::vector<CNumber>& numbers) {
  CFunction bare = f;
  bare.comment.clear();
  bare.name = "f";
  bare.body = NumberPass([&](const CExpr& e) {
                numbers.push_back(std::get<CNumber>(e->node));
                return c_text("#");
              }).block(f.body);
  return print_c99(bare);
}

/// All words of a text: names that a parameter must not have.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : text + " ") {
    if (is_word(c)) word += c;
    else if (!word.empty()) out.insert(std::exchange(word, {}));
  }
  return out;
}

/// The numbers of a group that become parameters: positions with the same values in all members are one parameter.
class Parameters {
 public:
  explicit Parameters(const std::vector<Member>& members) {
    for (size_t k = 0; k < members[0].numbers.size(); ++k) {
      const std::vector<int64_t> column = mapped(members, [&](const Member& m) { return m.numbers[k].value; });
      const bool differs = any_of(column, [&](int64_t v) { return v != column[0]; });
      of_number_.push_back(differs ? add(column, members[0].numbers[k].name) : -1);
    }
  }

  size_t size() const { return columns_.size(); }
  std::vector<int64_t> values(size_t member) const {
    return mapped(columns_, [&](const std::vector<int64_t>& c) { return c[member]; });
  }

  /// The first member with parameters instead of numbers.
  CFunction function(const CFunction& first) {
    name_all(first);
    CFunction out = first;
    size_t at = 0;
    out.body = NumberPass([&](const CExpr& e) {
                 const int p = of_number_[at++];
                 return p < 0 ? e : c_text(names_[static_cast<size_t>(p)]);
               }).block(first.body);
    for (const std::string& n : names_) out.params.push_back("int64_t " + n);
    return out;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  int add(const std::vector<int64_t>& column, const std::string& name) {
    const auto known = std::find(columns_.begin(), columns_.end(), column);
    const auto place = static_cast<size_t>(known - columns_.begin());
    if (known == columns_.end()) columns_.push_back(column), names_.emplace_back();
    if (names_[place].empty()) names_[place] = name;
    return static_cast<int>(place);
  }
  void name_all(const CFunction& first) {
    std::set<std::string> taken = words_of(print_c99(first));
    for (std::string& n : names_) {
      const std::string base = n.empty() ? "n" : n;
      n = base;
      for (int i = 2; !taken.insert(n).second; ++i) n = fmt::format("{}_{}", base, i);
    }
  }

  std::vector<int> of_number_;                 ///< parameter of each number, -1 for none
  std::vector<std::vector<int64_t>> columns_;  ///< of each parameter, by member
  std::vector<std::string> names_;
};

/// Whether one function can serve the members and this one.
bool fits(std::vector<Member> members, const Member& more) {
  members.push_back(more);
  return Parameters(members).size() <= kMostParameters;
}

std::string sharing_note(size_t kernels, const std::vector<std::string>& names) {
  const std::string said = names.empty() ? "" : fmt::format("; the call says {}", joined(names, ", "));
  return fmt::format("\nserves {} kernels, of which this is the first{}", kernels, said);
}

}  // namespace

SharedFunctions share_functions(std::vector<CFunction> functions) {
  std::map<std::string, std::vector<std::vector<Member>>>
      groups;  // by form; several groups of one form if the numbers differ too much
  for (size_t i = 0; i < functions.size(); ++i) {
    Member m{i, {}};
    std::vector<std::vector<Member>>& alike = groups[form_of(functions[i], m.numbers)];
    auto group = find_if(alike, [&](const std::vector<Member>& g) { return fits(g, m); });
    if (group == alike.end()) group = alike.insert(group, std::vector<Member>{});
    group->push_back(std::move(m));
  }
  std::map<size_t, const std::vector<Member>*> by_first;
  for (const auto& [form, alike] : groups)
    for (const std::vector<Member>& group : alike) by_first[group[0].place] = &group;
  SharedFunctions out;
  for (const auto& [first, group] : by_first) {
    Parameters parameters(*group);
    CFunction f = parameters.function(functions[first]);
    if (group->size() > 1) f.comment += sharing_note(group->size(), parameters.names());
    for (size_t k = 0; k < group->size(); ++k)
      out.calls[functions[(*group)[k].place].name] = {f.name, parameters.values(k)};
    out.functions.push_back(std::move(f));
  }
  return out;
}

}  // namespace tenon
