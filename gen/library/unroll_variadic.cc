// A definition with a variadic input → the definition for a given number of operands.
#include "library/unroll_variadic.h"

#include <fmt/format.h>

#include <set>

#include "ir/kernel/kernel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

Syntax plus(Syntax a, Syntax b) {
  const SourceSpan span = b.span;
  return binary_node("+", std::move(a), std::move(b), span);
}

bool mentions_call(const Syntax& s, Builtin function) {
  return any_within(s, [&](const Syntax& n) { return n.calls(function); });
}

bool has_own_extent(const TensorDef& t) {
  return any_of(t.dims, [](const Dim& d) { return d.per_operand; });
}

/// Whether a statement puts an operand at its number: it has an element even where the operand has none.
bool places_operands(const OpDef& def) {
  return any_of(def.body, [](const Statement& s) {
    return any_of(s.subs, [](const Syntax& sub) { return mentions_call(sub, Builtin::operand); });
  });
}

bool mentions_count(const OpDef& def) {
  const auto counts = [](const Syntax& s) { return mentions_call(s, Builtin::count); };
  return any_of(def.lets, [&](const LetDef& l) { return counts(l.value); }) || any_of(def.requires_, counts) ||
         any_of(def.index, [&](const IndexRange& r) { return counts(r.extent); }) ||
         any_of(def.body, [&](const Statement& s) {
           return any_within(s, [](const Syntax& n) { return n.calls(Builtin::count); });
         });
}

class Unroller {
 public:
  Unroller(const OpDef& def, int tensors, bool may_lack)
      : def_(def),
        output_(has_variadic_output(def)),
        tensor_(output_ ? def.outputs.back() : def.inputs.back()),
        tensors_(tensors),
        may_lack_(may_lack),
        steps_(may_lack && !output_ && (!has_own_extent(tensor_) || places_operands(def))),
        said_(names_said(def)) {
    for (const Dim& d : tensor_.dims)
      if (d.per_operand) own_.push_back(d.name);
    if (output_) extents_ = own_.at(0);
    for (const Statement& s : def_.body) {
      if (output_ && is_each(s)) note_variables(s.subs);
      each_expression(s, [&](const Syntax& e) {
        each_within(e, [&](const Syntax& n) {
          if (n.is(SyntaxKind::subscript) && n.text == tensor_.name) note_variables(n.children);
        });
      });
    }
    name_operands();
    name_values();
  }

  OpDef run() const {
    OpDef out = def_;
    unroll_tensor(output_ ? out.outputs : out.inputs);
    for (LetDef& l : out.lets) l.value = rewritten(l.value, -1);
    for (Syntax& r : out.requires_) r = rewritten(r, -1);
    for (IndexRange& r : out.index) r.extent = rewritten(r.extent, -1);
    if (may_lack_ && counts_operands(def_)) tell_given(out);
    if (output_) tell_extents(out);
    out.body.clear();
    for (const Statement& s : def_.body) {
      const bool each = is_each(s);
      for (int k = 0; k < (each ? tensors_ : 1); ++k) {
        Statement copy = s;
        for (Word& target : copy.targets) target.text = value_or(others_, target.text, target.text);
        if (output_ && each) copy.targets[0].text = of(tensor_.name, k);
        if (!output_ && each) copy.extents = collected(s);
        for (Syntax& sub : copy.subs) sub = rewritten(sub, each ? k : -1, steps_ && each);
        copy.value = rewritten(copy.value, each ? k : -1);
        for (Syntax& range : copy.ranges) range = rewritten(range, each ? k : -1);
        if (copy.where) copy.where = rewritten(*copy.where, each ? k : -1);
        out.body.push_back(std::move(copy));
      }
    }
    return out;
  }

 private:
  std::string of(const std::string& name, int k) const { return fmt::format("{}{}", value_or(stems_, name, name), k); }
  bool is_own(const std::string& name) const { return contains(own_, name); }

  /// What the definition declares, and the words of its body but for the values that it assigns.
  static std::set<std::string> names_said(const OpDef& def) {
    std::set<std::string> out, values;
    for (const Statement& s : def.body) {
      for (const Word& target : s.targets) values.insert(target.text);
      each_expression(s, [&](const Syntax& e) { each_within(e, [&](const Syntax& n) { out.insert(n.text); }); });
    }
    std::erase_if(out, [&](const std::string& name) { return values.contains(name); });
    for (const std::vector<TensorDef>& list : {def.inputs, def.outputs})
      for (const TensorDef& t : list) {
        out.insert(t.name);
        for (const Dim& d : t.dims) out.insert(d.name);
        for (const Dim& d : t.dims)
          for (const Dim& part : d.parts) out.insert(part.name);
      }
    for (const AttrDef& a : def.attrs) out.insert(a.name);
    for (const LetDef& l : def.lets) out.insert(l.name);
    for (const IndexRange& r : def.index) out.insert(r.name);
    for (const TableDef& t : def.tables) out.insert(t.tensor.name);
    return out;
  }

  /// What is said keeps its name, also if it is that of an operand, of its extent or variable, or of what is made of
  /// these: they get other ones.
  void name_operands() {
    for (const std::string& name : concat(own_, std::vector{tensor_.name})) {
      std::string stem = name;
      const auto is_taken = [&](const std::string& said) {
        return is_numbered(said, stem, "") || is_numbered(said, stem, presence_of("")) ||
               is_numbered(said, "at_" + stem, "") || is_numbered(said, "before_" + stem, "");
      };
      while (any_of(said_, is_taken)) stem += "_";
      if (stem != name) stems_[name] = stem;
    }
    all_ = unsaid("sum_of_" + extents_);
    count_ = unsaid(tensor_.name + "_count");
  }

  /// Whether a name is `front`, a number and `back`.
  static bool is_numbered(const std::string& name, const std::string& front, const std::string& back) {
    if (name.size() <= front.size() + back.size() || !name.starts_with(front) || !name.ends_with(back)) return false;
    const size_t end = name.size() - back.size();
    return name.find_first_not_of("0123456789", front.size()) >= end;
  }

  std::string unsaid(std::string name) const {
    while (said_.contains(name)) name += "_";
    return name;
  }

  /// Values of the body that are called like one of the tensors get other names.
  void name_values() {
    std::set<std::string> used;
    for (const Statement& s : def_.body)
      for (const Word& target : s.targets) used.insert(target.text);
    for (int k = 0; k < tensors_; ++k) {
      const std::string name = of(tensor_.name, k);
      std::string other = name + "_value";
      while (used.contains(other) || said_.contains(other)) other += "_";
      if (used.contains(name) && !def_.output(name)) others_[name] = other;
    }
  }

  /// Whether the statement is expanded to one statement per tensor.
  bool is_each(const Statement& s) const {
    return output_ ? !s.is_call && s.targets[0].text == tensor_.name : reads(s, tensor_.name);
  }

  /// The extents of an intermediate that all operands make.
  std::vector<std::optional<Syntax>> collected(const Statement& s) const {
    return mapped(s.subs, [&](const Syntax& sub) {
      const Syntax* along = nullptr;
      const std::optional<Syntax> extent = collected_extent(sub, &along);
      return extent ? std::optional(rewritten(*extent, -1)) : std::nullopt;
    });
  }

  void unroll_tensor(std::vector<TensorDef>& list) const {
    list.pop_back();
    for (int k = 0; k < tensors_; ++k) {
      TensorDef t = tensor_;
      t.name = of(tensor_.name, k);
      t.variadic = false;
      t.optional = may_lack_ && k > 0;
      number_own(t.dims, k);
      for (StorageRule& r : t.storage) number_own(r.dims, k);
      list.push_back(std::move(t));
    }
  }

  void number_own(std::vector<Dim>& dims, int k) const {
    for (Dim& d : dims) {
      if (d.per_operand) d.name = of(d.name, k);
      d.per_operand = false;
    }
  }

  std::string given(int k) const { return presence_of(of(tensor_.name, k)); }
  std::string step(int k) const { return "at_" + of(tensor_.name, k); }
  std::string before(int k) const { return "before_" + of(extents_, k); }

  /// Whether operand k is given, as 1 or 0: the number of times that its statements are executed.
  void tell_given(OpDef& out) const {
    std::vector<LetDef> lets;
    for (int k = 1; k < tensors_; ++k) {
      const SourceSpan& span = tensor_.span;
      lets.push_back({given(k),
                      call_node("select", {call_node("given", {name_node(of(tensor_.name, k), span)}),
                                           number_node(1, span), number_node(0, span)}),
                      false, false, span});
      if (steps_) out.index.push_back({step(k), false, name_node(given(k), span), span});
    }
    out.lets.insert(out.lets.begin(), lets.begin(), lets.end());
  }

  /// The elements of the list as lets. Where outputs may be absent, the offset of each and their sum are lets, too:
  /// kernels skip an absent one because its extent is 0.
  void tell_extents(OpDef& out) const {
    std::vector<LetDef> lets;
    for (int k = 0; k < tensors_; ++k) {
      Syntax element = call_node("element", {name_node(extents_, tensor_.span), number_node(k, tensor_.span)});
      lets.push_back({of(extents_, k), std::move(element), false, false, tensor_.span});
    }
    for (int k = 1; may_lack_ && k <= tensors_; ++k) {
      const Syntax last = name_node(of(extents_, k - 1), tensor_.span);
      lets.push_back({k < tensors_ ? before(k) : all_,
                      k == 1 ? last : plus(name_node(before(k - 1), tensor_.span), last), false, false, tensor_.span});
    }
    if (may_lack_ && mentions_count(def_))
      lets.push_back({count_, call_node("elements", {name_node(extents_, tensor_.span)}), false, false, tensor_.span});
    out.lets.insert(out.lets.begin(), lets.begin(), lets.end());
  }

  /// Variables over a dim that differs between the tensors range over another extent in each statement, so each has
  /// names of its own.
  void note_variables(const std::vector<Syntax>& subs) {
    for (size_t i = 0; i < std::min(tensor_.dims.size(), subs.size()); ++i)
      if (tensor_.dims[i].per_operand && subs[i].kind == SyntaxKind::name) own_.push_back(subs[i].text);
  }

  Syntax sum(const std::string& name, int count, const SourceSpan& span) const {
    Syntax out = number_node(0, span);
    for (int k = 0; k < count; ++k)
      out = k == 0 ? name_node(of(name, k), span) : plus(std::move(out), name_node(of(name, k), span));
    return out;
  }

  Syntax count(const SourceSpan& span) const {
    if (!may_lack_) return number_node(tensors_, span);
    if (output_) return name_node(count_, span);
    Syntax out = number_node(1, span);
    for (int k = 1; k < tensors_; ++k) out = plus(std::move(out), name_node(given(k), span));
    return out;
  }

  Syntax offset(const std::string& name, int k, const SourceSpan& span) const {
    if (may_lack_ && output_ && name == extents_ && k > 0) return name_node(before(k), span);
    return sum(name, std::max(k, 0), span);
  }

  /// `steps`: the operand's number is the position of a loop that runs once per such operand.
  Syntax rewritten(const Syntax& s, int k, bool steps = false) const {
    if (s.kind == SyntaxKind::call && s.children.size() == 1) {
      const std::string& arg = s.children[0].text;
      if (s.calls(Builtin::sum_of))
        return may_lack_ && output_ && arg == extents_ ? name_node(all_, s.span) : sum(arg, tensors_, s.span);
      if (s.calls(Builtin::offset) && is_own(arg)) return offset(arg, k, s.span);
      if (s.calls(Builtin::operand))
        return steps && k > 0 ? plus(number_node(k, s.span), name_node(step(k), s.span)) : number_node(k, s.span);
      if (s.calls(Builtin::count) && arg == tensor_.name) return count(s.span);
    }
    Syntax out = s;
    if (s.kind == SyntaxKind::subscript || s.kind == SyntaxKind::name) out.text = value_or(others_, s.text, s.text);
    if (k >= 0 && s.kind == SyntaxKind::subscript && s.text == tensor_.name) out.text = of(tensor_.name, k);
    if (k >= 0 && s.kind == SyntaxKind::name && is_own(s.text)) out.text = of(s.text, k);
    for (Syntax& c : out.children) c = rewritten(c, k, steps);
    return out;
  }

  const OpDef& def_;
  bool output_;  ///< the variadic tensor is the output, not the last input
  const TensorDef& tensor_;
  int tensors_;
  bool may_lack_;
  bool steps_;  ///< statements of operands that are not there are carried out no times by a loop of their own
  std::set<std::string> said_;
  std::vector<std::string> own_;
  std::map<std::string, std::string> stems_;   ///< what comes before the number, where that is not the name
  std::map<std::string, std::string> others_;  ///< value of the body → its name here
  std::string extents_;                        ///< of a variadic output: the list that has an extent for each
  std::string all_, count_;                    ///< and the lets that are their sum and their number
};

}  // namespace

bool is_variadic(const OpDef& def) { return !def.inputs.empty() && def.inputs.back().variadic; }

bool has_variadic_output(const OpDef& def) { return !def.outputs.empty() && def.outputs.back().variadic; }

const std::string* extents_of_outputs(const OpDef& def) {
  if (!has_variadic_output(def)) return nullptr;
  for (const Dim& d : def.outputs.back().dims)
    if (d.per_operand) return &d.name;
  return nullptr;
}

bool counts_operands(const OpDef& def) {
  return is_variadic(def) && (!has_own_extent(def.inputs.back()) || mentions_count(def));
}

bool may_lack_tensors(const OpDef& def) {
  if (has_variadic_output(def)) return true;
  if (!is_variadic(def) || def.inputs.size() != 1) return false;
  const auto placed = [&](const Statement& s) {
    return !reads(s, def.inputs[0].name) ||
           any_of(s.subs, [](const Syntax& sub) { return mentions_call(sub, Builtin::operand); });
  };
  return has_own_extent(def.inputs[0]) || all_of(def.body, placed);
}

OpDef unroll_variadic(const OpDef& def, int tensors) { return Unroller(def, tensors, false).run(); }
OpDef unroll_optional(const OpDef& def, int tensors) { return Unroller(def, tensors, true).run(); }

std::optional<std::shared_ptr<const OpDef>> unroll_call(const OpDef& def, size_t inputs,
                                                        const std::map<std::string, BoundAttr>& attrs,
                                                        const SourceSpan& place, Diagnostics& diagnostics) {
  if (is_variadic(def)) {
    const size_t others = def.inputs.size() - 1;
    if (inputs > others) return std::make_shared<const OpDef>(unroll_variadic(def, static_cast<int>(inputs - others)));
    diagnostics.error(Code::E0605, place, fmt::format("{}: input {} is missing", def.name, def.inputs.back().name));
    return std::nullopt;
  }
  const std::string* list = extents_of_outputs(def);
  if (!list) return nullptr;
  const auto extents = attrs.find(*list);
  const auto& preset = def.attr(*list)->value;  // without one the call is refused for that
  const size_t outputs = extents != attrs.end()                   ? extents->second.elements.size()
                         : preset && preset->is(SyntaxKind::list) ? preset->children.size()
                                                                  : 1;
  if (outputs > 0) return std::make_shared<const OpDef>(unroll_variadic(def, static_cast<int>(outputs)));
  diagnostics.error(
      Code::E0425, place,
      fmt::format("{}: '{}' has no elements that are known here, and there is an output for each", def.name, *list));
  return std::nullopt;
}

}  // namespace tenon
