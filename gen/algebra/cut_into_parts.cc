// Splits a body between its calls, after statements that find extents, and where checks depend on statements.
#include <fmt/format.h>

#include <set>

#include "algebra/body_steps.h"
#include "algebra/simplify.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A statement or a call.
struct Item {
  const KernelStatement* statement = nullptr;
  const FrameCall* call = nullptr;
};

void note_reads(const Expr& e, std::set<int>& out) {
  each_node<Read>(e, [&](const Read& r) { out.insert(r.tensor); });
}

class PartCutter {
 public:
  PartCutter(const BodySteps& steps, Kernel& kernel) : steps_(steps), kernel_(kernel), checks_(kernel.checks) {}

  void run() {
    number_items();
    for (size_t i = 0; i < checks_.size(); ++i) after_.push_back(ready(checks_[i], steps_.check_makers[i]));
    ask_for_bounds();
    store_late();
    const std::set<size_t> cuts = cut_places();
    std::vector<Kernel> parts;
    size_t begin = 0;
    for (const size_t end : cuts) {
      if (end > begin) add_part(begin, end, parts);
      for (const FoundSize& f : steps_.found)
        if (f.part + 1 == end) kernel_.found.push_back({f.name, f.tensor, parts.size() - 1, f.bound});
      begin = end;
    }
    kernel_.body.clear();
    kernel_.checks.clear();
    kernel_.parts = std::move(parts);
    give_roles();
  }

 private:
  void number_items() {
    items_.clear();
    size_t call = 0;
    for (size_t i = 0; i <= kernel_.body.size(); ++i) {
      for (; call < steps_.calls.size() && steps_.calls[call].at == i; ++call)
        items_.push_back({nullptr, &steps_.calls[call].call});
      if (i < kernel_.body.size()) items_.push_back({&kernel_.body[i], nullptr});
    }
  }

  /// Tensors that an item writes.
  static std::set<int> written(const Item& item) {
    if (item.statement) return {item.statement->target};
    return written_by(*item.call);
  }

  static std::set<int> read(const Item& item) {
    if (item.call) return read_by(*item.call);
    std::set<int> out;
    note_reads(item.statement->value, out);
    note_reads(item.statement->where, out);
    for (const Expr& e : item.statement->index) note_reads(e, out);
    return out;
  }

  /// The index after the statements that are joined with item `at`.
  size_t after_joined(size_t at) const {
    while (at + 1 < items_.size() && items_[at + 1].statement && items_[at + 1].statement->joined > 0) ++at;
    return at + 1;
  }

  /// The number of items that must run before the check of item `maker` can be evaluated.
  size_t ready(const Check& check, size_t maker) const {
    std::set<int> reads;
    std::set<std::string> sizes;
    const auto note = [&](const Expr& e) {
      note_reads(e, reads);
      each_node<SizeRef>(e, [&](const SizeRef& s) { sizes.insert(s.name); });
    };
    note(check.holds);
    for (const LoopVar& v : check.loops) note(v.extent);
    size_t after = 0;
    for (size_t i = 0; i < std::min(maker, items_.size()); ++i)
      for (const int t : written(items_[i]))
        if (reads.count(t)) after = std::max(after, after_joined(i));
    for (const FoundSize& f : steps_.found)
      if (sizes.count(f.name)) after = std::max(after, f.part + 1);
    return after;
  }

  /// 0 <= M <= bound, as soon as M is known. A template enforces its bound itself.
  void ask_for_bounds() {
    std::vector<Check> asked;
    std::vector<size_t> after;
    for (const FoundSize& f : steps_.found) {
      if (items_[f.part].call) continue;
      const Expr value = read_of(f.tensor, DType::I64, {});
      asked.push_back(
          {{},
           apply(ScalarOp::And, {apply(ScalarOp::Ge, {value, constant_int(0)}), apply(ScalarOp::Le, {value, f.bound})}),
           CheckStatus::Range,
           fmt::format("0 <= {} <= {}", f.name, to_text(f.bound))});
      after.push_back(f.part + 1);
    }
    checks_.insert(checks_.begin(), asked.begin(), asked.end());
    after_.insert(after_.begin(), after.begin(), after.end());
  }

  /// An output that is written before the last check is computed in a temporary and copied after the last check.
  void store_late() {
    const size_t last = after_.empty() ? 0 : *std::max_element(after_.begin(), after_.end());
    std::set<int> early;
    for (size_t i = 0; i < std::min(last, items_.size()); ++i)
      for (const int t : written(items_[i]))
        if (kernel_.tensor(t).role == Role::Output) early.insert(t);
    for (const int t : early) make_elsewhere(t);
    if (!early.empty()) number_items();
  }

  void make_elsewhere(int output) {
    Tensor made = kernel_.tensor(output);
    const std::string name = made.name;
    made.role = Role::Temp;
    made.extent.clear();
    made.strides = contiguous_strides(made.dims);
    const auto taken = [&](const Tensor& t) { return t.name == made.name; };
    for (int n = 0; n == 0 || any_of(kernel_.tensors, taken); ++n)
      made.name = n == 0 ? name + "_made" : fmt::format("{}_made_{}", name, n);
    const int to = static_cast<int>(kernel_.tensors.size());
    for (KernelStatement& s : kernel_.body) {
      if (s.target == output) s.target = to;
      map_exprs(s, [&](const Expr& e) { return with_tensor(e, output, to); });
    }
    for (BodySteps::Call& c : steps_.calls) std::replace(c.call.tensors.begin(), c.call.tensors.end(), output, to);
    for (Check& c : checks_) c.holds = with_tensor(c.holds, output, to);
    KernelStatement copy;
    copy.target = output;
    for (size_t k = 0; k < made.dims.size(); ++k) {
      copy.loops.push_back({fmt::format("m{}", k), made.dims[k]});
      copy.index.push_back(var_ref(copy.loops.back().name));
    }
    copy.value = read_of(to, made.dtype, copy.index);
    copy.formula = name + " = what was made above: nothing can fail from here on";
    kernel_.tensors.push_back(std::move(made));
    kernel_.body.push_back(std::move(copy));
  }

  std::set<size_t> cut_places() const {
    std::set<size_t> cuts = {items_.size()};
    for (size_t i = 0; i < items_.size(); ++i)
      if (items_[i].call) cuts.insert(i), cuts.insert(i + 1);
    for (const FoundSize& f : steps_.found) cuts.insert(f.part + 1);
    for (const size_t after : after_) cuts.insert(after);
    return cuts;
  }

  /// Items begin … end, with the checks that can be evaluated right before them but not earlier. A call has none: the
  /// part before it evaluates them.
  void add_part(size_t begin, size_t end, std::vector<Kernel>& parts) {
    Kernel out = part_before(begin);
    for (size_t c = 0; c < checks_.size(); ++c)
      if (after_[c] == begin) out.checks.push_back(checks_[c]);
    if (items_[begin].call && !out.checks.empty()) {
      parts.push_back(out);
      out.checks.clear();
    }
    for (size_t i = begin; i < end; ++i) {
      if (items_[i].call) out.call = *items_[i].call;
      else out.body.push_back(*items_[i].statement);
    }
    parts.push_back(std::move(out));
  }

  /// An empty part that knows the extents found before item `begin`.
  Kernel part_before(size_t begin) const {
    Kernel out;
    out.name = kernel_.name;
    out.op = kernel_.op;
    out.tensors = kernel_.tensors;
    out.sizes = kernel_.sizes;
    out.attrs = kernel_.attrs;
    out.facts = kernel_.facts;
    out.reassociate = kernel_.reassociate;
    for (const FoundSize& f : steps_.found) {
      if (none_of(out.sizes, [&](const Size& s) { return s.name == f.name; }))  // a graph has those of its values
        out.sizes.push_back({f.name, 0, constant_value(simplify(f.bound)).value_or(INT64_MAX)});
      if (f.part < begin) out.facts.push_back(apply(ScalarOp::Le, {size_ref(f.name), f.bound}));
    }
    return out;
  }

  /// In each part, a tensor that no other part uses is a temporary, one that it makes for others an output, and one
  /// made by others an input.
  void give_roles() {
    std::vector<std::set<size_t>> users(kernel_.tensors.size()), makers(kernel_.tensors.size());
    for (size_t p = 0; p < kernel_.parts.size(); ++p) {
      const Kernel& k = kernel_.parts[p];
      std::set<int> reads;
      const auto add = [&](const Item& item) {
        for (const int t : written(item)) makers[static_cast<size_t>(t)].insert(p);
        for (const int t : read(item)) reads.insert(t);
      };
      for (const KernelStatement& s : k.body) add({&s, nullptr});
      if (k.call) add({nullptr, &*k.call});
      for (const Check& c : k.checks) note_reads(c.holds, reads);
      for (const int t : reads) users[static_cast<size_t>(t)].insert(p);
    }
    for (const FoundSize& f : kernel_.found) users[static_cast<size_t>(f.tensor)].insert(kernel_.parts.size());
    for (size_t t = 0; t < kernel_.tensors.size(); ++t)
      for (size_t p = 0; p < kernel_.parts.size(); ++p) {
        Role& role = kernel_.parts[p].tensors[t].role;
        if (role != Role::Temp && role != Role::Output) continue;
        std::set<size_t> all = users[t];
        all.insert(makers[t].begin(), makers[t].end());
        const bool makes = makers[t].count(p) != 0, called = kernel_.parts[p].call.has_value();
        if (role == Role::Temp && !called && all.size() <= 1 && (makes || all.empty())) continue;
        role = makes ? Role::Output : Role::Input;
      }
  }

  BodySteps steps_;
  Kernel& kernel_;
  std::vector<Check> checks_;
  std::vector<size_t> after_;
  std::vector<Item> items_;
};

}  // namespace

void cut_into_parts(const BodySteps& steps, Kernel& kernel) {
  if (!steps.empty()) PartCutter(steps, kernel).run();
}

}  // namespace tenon
