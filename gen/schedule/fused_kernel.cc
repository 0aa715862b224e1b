// Fusion of two kernels by substitution.
#include "schedule/fused_kernel.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "algebra/simplify.h"
#include "schedule/index_map.h"
#include "schedule/read_replacer.h"
#include "support/ranges.h"

namespace tenon {
namespace {

int tensor_of(const FusedKernel& k, ValueId value, Role role) {
  for (size_t i = 0; i < k.values.size(); ++i)
    if (k.values[i] == value && k.kernel.tensors[i].role == role) return static_cast<int>(i);
  return -1;
}

/// The next tensor after `after` that the consumer reads `value` by: one a shape.
int next_tensor_of(const FusedKernel& k, ValueId value, int after) {
  for (size_t i = static_cast<size_t>(after) + 1; i < k.values.size(); ++i)
    if (k.values[i] == value && k.kernel.tensors[i].role == Role::Input) return static_cast<int>(i);
  return -1;
}

/// Variables of a full definition: one bare variable a dimension, or an extent of 1.
std::optional<std::vector<std::string>> defined_variables(const KernelStatement& s) {
  std::vector<std::string> out;
  for (const Expr& e : s.index) {
    const auto* v = std::get_if<VarRef>(&e->node);
    if (!v || contains(out, v->name)) return std::nullopt;
    out.push_back(v->name);
  }
  return out;
}

/// Every name of a variable in a kernel, so that fresh ones can be made.
std::set<std::string> variable_names(const Kernel& k) {
  std::set<std::string> out;
  for (const KernelStatement& s : k.body) {
    for (const LoopVar& v : s.loops) out.insert(v.name);
    const auto note = [&](const Expr& e) {
      const auto* r = std::get_if<Reduce>(&e->node);
      if (!r) return true;
      for (const LoopVar& v : r->vars) out.insert(v.name);
      if (r->start) out.insert(r->running);
      return true;
    };
    walk(s.value, note);
    walk(s.where, note);
    for (const Expr& e : s.index) walk(e, note);
  }
  return out;
}

/// Adds the producer's tensors to the consumer's; the same value with the same shape is the same tensor.
std::vector<int> adopt_tensors(const FusedKernel& from, FusedKernel& into) {
  std::vector<int> ids;
  for (size_t i = 0; i < from.kernel.tensors.size(); ++i) {
    const Tensor& t = from.kernel.tensors[i];
    int found = -1;
    for (size_t k = 0; k < into.values.size() && found < 0; ++k) {
      const Tensor& o = into.kernel.tensors[k];
      if (from.values[i] == kNoValue || into.values[k] != from.values[i] || o.role != t.role ||
          o.dims.size() != t.dims.size())
        continue;
      bool equal = true;
      for (size_t d = 0; d < t.dims.size(); ++d)
        equal = equal && same(o.dims[d], t.dims[d]) && same(o.strides[d], t.strides[d]);
      if (equal) found = static_cast<int>(k);
    }
    if (found < 0) {
      found = static_cast<int>(into.kernel.tensors.size());
      Tensor copy = t;
      for (int n = 1; any_of(into.kernel.tensors, [&](const Tensor& o) { return o.name == copy.name; }); ++n)
        copy.name = fmt::format("{}{}", t.name, n);
      into.kernel.tensors.push_back(std::move(copy));
      into.values.push_back(from.values[i]);
    }
    ids.push_back(found);
  }
  return ids;
}

void drop_tensor(FusedKernel& k, int tensor) {
  drop_tensor(k.kernel, tensor);
  k.values.erase(k.values.begin() + tensor);
}

}  // namespace

bool is_pointwise(const Kernel& k) {
  return k.body.size() == 1 && k.body[0].update == Update::Assign && !is_in_recurrence(k.body[0]) &&
         !has_node<Reduce>(k.body[0].value);
}

bool is_movement(const Kernel& k) {
  if (!is_pointwise(k)) return false;
  Expr e = k.body[0].value;
  while (const auto* a = std::get_if<Apply>(&e->node)) {
    if (a->op != ScalarOp::Cast) return false;
    e = a->args[0];
  }
  return std::holds_alternative<Read>(e->node);
}

bool reads_in_step(const FusedKernel& k, ValueId value) {
  const int t = tensor_of(k, value, Role::Input);
  if (t < 0 || !is_pointwise(k.kernel)) return false;
  const KernelStatement& s = k.kernel.body[0];
  const Tensor& out = k.kernel.tensor(s.target);
  const Tensor& in = k.kernel.tensor(t);
  bool in_step = true;
  walk(s.value, [&](const Expr& e) {
    const auto* r = std::get_if<Read>(&e->node);
    if (!r || r->tensor != t) return in_step;
    const auto as_out = r->fill ? std::nullopt : reindex(in, r->index, out);
    in_step = in_step && as_out && as_out->size() == s.index.size();
    for (size_t d = 0; in_step && d < s.index.size(); ++d)
      in_step = same(simplify((*as_out)[d], ranges_of(s.loops)), s.index[d]) || is_one(out.dims[d]);
    return in_step;
  });
  return in_step;
}

bool fit_one_kernel(const FusedKernel& first, const FusedKernel& second) {
  return first.kernel.fused.size() + second.kernel.fused.size() <= kMostOperators;
}

std::string operators_of(const FusedKernel& kernel) {
  constexpr size_t kShown = 8;
  const std::vector<std::string>& all = kernel.kernel.fused;
  if (all.size() <= kShown) return fmt::format("{}", fmt::join(all, " + "));
  return fmt::format("{} + … ({} operators)", fmt::join(all.begin(), all.begin() + kShown, " + "), all.size());
}

void join_descriptions(const FusedKernel& first, const FusedKernel& second, FusedKernel& into) {
  into.origins = concat(first.origins, second.origins);
  into.notes = concat(first.notes, second.notes);
  into.kernel.fused = concat(first.kernel.fused, second.kernel.fused);
}

namespace {

/// The producer's last statement is its only output, the others make temps, each value once.
bool ends_in_output(const Kernel& k) {
  for (size_t i = 0; i < k.body.size(); ++i) {
    const bool last = i + 1 == k.body.size();
    if ((k.tensor(k.body[i].target).role == Role::Output) != last) return false;
  }
  return !k.body.empty() && k.body.back().update == Update::Assign;
}

/// Statements of the producer's temps, with the tensors' new numbers.
std::vector<KernelStatement> temp_statements(const Kernel& producer, const std::vector<int>& ids) {
  std::vector<KernelStatement> out(producer.body.begin(), producer.body.end() - 1);
  for (KernelStatement& s : out) renumber_tensors(s, ids);
  return out;
}

void join_rest(const FusedKernel& producer, const FusedKernel& consumer, const std::vector<int>& ids,
               FusedKernel& out) {
  for (Check c : producer.kernel.checks) {
    c.holds = with_tensors(c.holds, ids);
    out.kernel.checks.push_back(std::move(c));
  }
  for (const Size& s : producer.kernel.sizes)
    if (none_of(out.kernel.sizes, [&](const Size& o) { return o.name == s.name; })) out.kernel.sizes.push_back(s);
  append(out.kernel.facts, producer.kernel.facts);
  out.kernel.reassociate = consumer.kernel.reassociate && producer.kernel.reassociate;
  out.kernel.vectors = consumer.kernel.vectors;
  join_descriptions(producer, consumer, out);
}

}  // namespace

std::optional<FusedKernel> substitute_producer(const FusedKernel& producer, const FusedKernel& consumer,
                                               ValueId value) {
  const int made = tensor_of(producer, value, Role::Output);
  if (made < 0 || !ends_in_output(producer.kernel) || is_in_recurrence(producer.kernel.body.back()))
    return std::nullopt;
  const KernelStatement& definition = producer.kernel.body.back();
  const auto vars = defined_variables(definition);
  if (!vars) return std::nullopt;
  FusedKernel out = consumer;
  const std::vector<int> ids = adopt_tensors(producer, out);
  const Tensor shape = producer.kernel.tensor(made);
  std::set<std::string> taken = variable_names(consumer.kernel);
  taken.insert(vars->begin(),
               vars->end());  // arguments of the formula must not be captured by the variables of its sums
  std::vector<int> gone{ids[static_cast<size_t>(made)]};
  for (int read = tensor_of(consumer, value, Role::Input); read >= 0; read = next_tensor_of(consumer, value, read)) {
    ReadReplacer replacer(read, consumer.kernel.tensor(read),
                          MadeValue{with_tensors(definition.value, ids), *vars, shape}, out.kernel, taken);
    for (KernelStatement& s : out.kernel.body) {
      const Ranges ranges = ranges_of(s.loops);
      s.value = simplify(replacer.replace(s.value), ranges);
      if (s.where) s.where = simplify(replacer.replace(s.where), ranges);
      for (Expr& e : s.index) e = replacer.replace(e);
    }
    // Values that the consumer checks first cannot wait for the producer either; a sum is too expensive to compute
    // twice.
    for (Check& c : out.kernel.checks) {
      const Ranges ranges = ranges_of(c.loops);
      const Expr before = c.holds;
      c.holds = simplify(replacer.replace(c.holds), ranges);
      if (!same(before, c.holds) && (has_node<Reduce>(c.holds) || producer.kernel.body.size() > 1)) return std::nullopt;
    }
    if (replacer.failed()) return std::nullopt;
    gone.push_back(read);
  }
  // a consumer that reads a value by two of its operands has the producer's sums twice
  if (gone.size() > 2 && has_node<Reduce>(definition.value))
    for (KernelStatement& s : out.kernel.body) s.value = with_equal_sums_shared(s.value);
  std::vector<KernelStatement> temps = temp_statements(producer.kernel, ids);
  out.kernel.body.insert(out.kernel.body.begin(), temps.begin(), temps.end());
  join_rest(producer, consumer, ids, out);
  sort(gone);
  for (size_t i = gone.size(); i-- > 0;) drop_tensor(out, gone[i]);
  return out;
}

namespace {

class Sharer {
 public:
  Expr go(const Expr& e) {
    if (!std::holds_alternative<Reduce>(e->node)) return map_children(e, [&](const Expr& c) { return go(c); });
    for (const Expr& first : first_)
      if (same_reduction(e, first)) return first;
    first_.push_back(e);
    return e;
  }

 private:
  std::vector<Expr> first_;
};

}  // namespace

Expr with_equal_sums_shared(const Expr& e) { return Sharer().go(e); }

}  // namespace tenon
