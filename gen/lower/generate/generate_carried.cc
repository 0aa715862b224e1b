// Recurrences along a loop: the first iterations compute the values before the first element; after them each iteration
// finds in variables what the ones before it made, so that the chain from one to the next does not go through memory.

#include "algebra/nest_survey.h"
#include "algebra/simplify.h"
#include "lower/generate/generate.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {

/// The value of an element that is in a variable; null where none is known to be.
const Bundle* Generator::known_value(int tensor, const std::vector<Expr>& index) const {
  if (const Bundle* written = forwarded_.find(tensor, index)) return written;
  const auto equal = [](const Expr& a, const Expr& b) { return constant_difference(a, b) == 0; };
  const auto at = find_if(carried_, [&](const CarriedValue& c) {
    return c.tensor == tensor && std::equal(c.index.begin(), c.index.end(), index.begin(), index.end(), equal);
  });
  return at == carried_.end() ? nullptr : &at->value;
}

void Generator::carried_loop(const TreeLoop& l) {
  first_part(l);
  later_part(l);
}

void Generator::first_part(const TreeLoop& l) {
  TreeLoop first = l;
  first.apart = 0;
  first.body = first_iterations(k_, l, ranges_);
  first.end = simplify(apply(ScalarOp::Min, {constant_int(l.apart), l.var.extent}), ranges_);
  // Elements before the first one differ between iterations; reads that serve only those are skipped.
  const auto last = constant_value(first.end);
  Block iterations = block([&] {
    if (!last) return plain_loop(first, v_int(0));
    for (int64_t i = 0; i < *last; ++i) {
      first.end = constant_int(i + 1);
      plain_loop(first, v_int(i));
    }
  });
  for (Stmt& s : without_unread(iterations)) out_->push_back(std::move(s));
}

/// Variables are loaded before the loop, which therefore has to run at all.
void Generator::later_part(const TreeLoop& l) {
  TreeLoop later = l;
  later.apart = 0;
  later.body = later_iterations(k_, l, ranges_);
  const std::vector<HandedOn> values = handed_on(l, later.body);
  if (values.empty()) return plain_loop(later, v_int(l.apart));
  const Operand extent = bound(l.var.extent, l, "_end");
  const auto outer = carried_;
  const std::string var = names_.take(letter_of(l.var.name));
  Block body = block([&] {
    for (const HandedOn& h : values) declare_carried(l, h);
    vars_[l.var.name] = {v_var(var)};
    Block iteration = block([&] {
      tree(later.body);
      hand_on(values);
    });
    out_->push_back(s_for(var, v_int(l.apart), extent, 1, std::move(iteration)));
  });
  names_.release(var);
  carried_ = outer;
  const Expr runs = simplify(apply(ScalarOp::Gt, {l.var.extent, constant_int(l.apart)}), ranges_);
  body = without_unread(body);
  if (constant_value(runs) == 1)
    for (Stmt& s : body) out_->push_back(std::move(s));
  else out_->push_back(s_if(v_apply(ScalarOp::Gt, {extent, v_int(l.apart)}), std::move(body)));
}

/// Variables that begin with what the first iterations left in memory.
void Generator::declare_carried(const TreeLoop& l, const HandedOn& h) {
  const DType type = k_.tensor(h.tensor).dtype;
  const std::string base = base_name(read_of(h.tensor, type, h.made), k_) + "_";
  vars_[l.var.name] = {v_int(l.apart)};
  start_leaf({});
  for (int64_t ago = 1; ago <= h.most; ++ago) {
    CarriedValue value{h.tensor, ago, index_back(h, l.var.name, ago), {}};
    const int parts = std::max(1, lanes_.parts);
    for (int u = 0; u < parts; ++u) {
      const std::string name = take_name(base + std::to_string(ago) + (parts > 1 ? "_" + std::to_string(u) : ""));
      const Operand offset = offset_of(h.tensor, value.index, u);
      out_->push_back({SVar{name, v_load(buffer_of_[static_cast<size_t>(h.tensor)], type, offset)}});
      value.value.push_back(v_var(name, {type, 1, 0}));
    }
    carried_.push_back(std::move(value));
  }
}

/// The results of an iteration under constant names, while the variables change.
Bundle Generator::made_here(const HandedOn& h) {
  const Bundle* made = forwarded_.find(h.tensor, h.made);
  TENON_CHECK(made, "the value of a recurrence is not known at the end of its iteration");
  Bundle out = *made;
  for (Operand& v : out) {
    const auto* var = std::get_if<VVar>(&v->node);
    const bool changes =
        var && any_of(carried_, [&](const CarriedValue& c) {
          return any_of(c.value, [&](const Operand& o) { return std::get<VVar>(o->node).name == var->name; });
        });
    if (!changes) continue;
    const std::string name = take_name(var->name + "_now");
    out_->push_back(s_let(name, v));
    v = v_var(name, v->type);
  }
  return out;
}

/// At the end of an iteration each variable takes the value that is one iteration younger.
void Generator::hand_on(const std::vector<HandedOn>& values) {
  std::vector<Bundle> made;
  for (const HandedOn& h : values) made.push_back(made_here(h));
  for (size_t i = 0; i < values.size(); ++i) {
    Bundle younger = std::move(made[i]);
    std::vector<CarriedValue*> mine;  // the youngest last
    for (CarriedValue& c : carried_)
      if (c.tensor == values[i].tensor) mine.insert(mine.begin(), &c);
    for (size_t n = 0; n < mine.size(); ++n) {
      const Bundle& from = n + 1 < mine.size() ? mine[n + 1]->value : younger;
      for (size_t u = 0; u < mine[n]->value.size(); ++u)
        out_->push_back(s_assign(std::get<VVar>(mine[n]->value[u]->node).name, from[from.size() > 1 ? u : 0]));
    }
  }
}

}  // namespace tenon
