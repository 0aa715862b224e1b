// Checks: loops that leave with a status where a condition does not hold.
#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"

namespace tenon {

Block Generator::run_checks() {
  Block body;
  out_ = &body;
  for (const CheckGroup& group : group_checks(k_.checks)) {
    const Ranges outside = ranges_;
    add_loops(ranges_, group.loops);
    for (const std::string& what : group.what) body.push_back(s_comment(what));
    ask(group, 0);
    ranges_ = outside;
  }
  return body;
}

/// Writes what is asked within the first `depth` loops of a group.
void Generator::ask(const CheckGroup& group, size_t depth) {
  SharedExprs shared;  // what a condition asks twice is one node, and gets a name
  if (depth == group.loops.size()) {
    std::vector<Expr> fails;
    start_leaf({});
    for (const Expr& e : group.fails) count_uses(fails.emplace_back(shared.share(e)));
    for (const Expr& e : fails) {
      const Operand condition = scalar(e, 0);
      out_->push_back(s_if(condition, {Stmt{SFail{group.status}}}));
    }
    return;
  }
  const LoopVar& v = group.loops[depth];
  const Expr around = shared.share(group.around[depth]);
  start_leaf({around});
  const Operand runs = around ? scalar(around, 0) : nullptr;
  const std::string name = take_name(letter_of(v.name));
  vars_[v.name] = {v_var(name)};
  Stmt loop = s_for(name, v_int(0), scalar(v.extent, 0), 1, block([&] { ask(group, depth + 1); }));
  out_->push_back(runs ? s_if(runs, {std::move(loop)}) : std::move(loop));
}

}  // namespace tenon
