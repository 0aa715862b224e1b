// Which names of shapes are bound, and by what.
#include <fmt/format.h>

#include <set>

#include "opdef/check/check_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

class ShapeChecker {
 public:
  ShapeChecker(const OpDef& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {}

  void run() {
    for (const AttrDef& a : op_.attrs) known_.insert(a.name);
    for (const LetDef& l : op_.lets) known_.insert(l.name);
    for (const TensorDef& t : op_.inputs) check_input(t);
    bind_packs();
    check_splits();
    for (const AttrDef& a : op_.attrs) check_attr_pack(a);
    for (const TensorDef& t : op_.outputs) check_output(t);
    for (const auto* list : {&op_.inputs, &op_.outputs}) {
      for (const TensorDef& t : *list) check_storage(t);
    }
    check_variadic();
    check_variadic_outputs();
  }

 private:
  static std::string key(const Dim& d) { return (d.kind == DimKind::pack ? "*" : "") + d.name; }

  void check_input(const TensorDef& t) {
    for (const Dim& d : t.dims) {
      check_at(d, t);
      if (d.kind == DimKind::size || d.kind == DimKind::pack) clash(d);
      if (d.per_operand && !t.variadic) {
        diagnostics_.error(Code::E0434, d.span,
                           "'...' marks a size that differs between the operands of a variadic input",
                           {fmt::format("declare the input as `{}...`", t.name)});
      }
    }
  }

  /// One name is not a size here and a pack there. (It may be a tensor too, as K of attention is: the two never occur
  /// in the same place.)
  void clash(const Dim& d) {
    const std::string other = (d.kind == DimKind::pack ? "" : "*") + d.name;
    names_.insert(key(d));
    if (names_.count(other) != 0)
      diagnostics_.error(Code::E0416, d.span, fmt::format("'{}' is a size and a pack at once", d.name),
                         {"rename one of the two"});
  }
  void check_at(const Dim& d, const TensorDef& t) {
    if (d.at.empty()) return;
    const AttrDef* attr = op_.attr(d.at);
    const bool list = attr != nullptr && attr->count != AttrCount::one;
    const bool good = attr != nullptr && attr->kind == AttrKind::integer && (d.kind == DimKind::pack || !list) &&
                      d.kind != DimKind::integer && d.kind != DimKind::split;
    if (!good) {
      SourceSpan word = d.span;
      word.begin = word.end - std::min(word.end - word.begin, d.at.size());
      diagnostics_.error(Code::E0418, word,
                         attr == nullptr ? fmt::format("there is no attribute '{}'", d.at)
                                         : fmt::format("'{}' cannot choose dims by the attribute '{}'", print(d), d.at),
                         {"D@axis and *Q@axis need an attribute `axis: int`, *R@axes one of type int[]"});
    }
    const auto anchors = count_if(t.dims, [](const Dim& x) { return !x.at.empty(); });
    if (anchors > 1 && &d == &*find_if(t.dims, [](const Dim& x) { return !x.at.empty(); })) {
      diagnostics_.error(Code::E0419, d.span, fmt::format("'{}' has more than one '@'", t.name),
                         {"one attribute chooses the dims of a shape"});
    }
  }

  /// Number of packs in a shape whose length is not known yet.
  std::vector<const Dim*> open_packs(const TensorDef& t) const {
    std::vector<const Dim*> open;
    for (const Dim& d : t.dims) {
      const bool listed = !d.at.empty() && op_.attr(d.at) != nullptr && op_.attr(d.at)->count != AttrCount::one;
      if (d.kind == DimKind::pack && bound_packs_.count(d.name) == 0 && !listed) open.push_back(&d);
    }
    return open;
  }

  /// Tells packs apart: the rank gives the length of one open pack in a shape; an anchor the length of the pack before
  /// it too.
  void bind_packs() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const TensorDef& t : op_.inputs) {
        const bool anchored = added_dim(op_, t) || any_of(t.dims, [](const Dim& d) { return !d.at.empty(); });
        const std::size_t most = anchored ? (listed_anchor(t) ? t.dims.size() : 2) : 1;
        if (open_packs(t).size() > most) continue;
        for (const Dim& d : t.dims) changed |= d.kind == DimKind::pack && bound_packs_.insert(d.name).second;
      }
    }
    for (const TensorDef& t : op_.inputs) {
      const std::vector<const Dim*> open = open_packs(t);
      if (open.empty()) continue;
      diagnostics_.error(
          Code::E0419, open.back()->span,
          fmt::format("where the pack '{}' of '{}' begins cannot be determined", open.back()->name, t.name),
          {"put D@axis or *Q@axis between two packs, here or in the output, or let another input have "
           "one of them alone"});
      for (const Dim* d : open) bound_packs_.insert(d->name);
    }
  }

  bool listed_anchor(const TensorDef& t) const {
    return any_of(t.dims, [&](const Dim& d) {
      const AttrDef* a = op_.attr(d.at);
      return a != nullptr && a->count != AttrCount::one;
    });
  }

  /// The order in which a call learns its sizes: those of an input once at most one part of each of its split dims is
  /// not known; optional inputs may give the remaining ones.
  void check_splits() {
    std::vector<const TensorDef*> open;
    for (const TensorDef& t : op_.inputs) {
      open.push_back(&t);
      for (const Dim& d : t.dims) {
        if (d.kind == DimKind::size) sizes_.insert(d.name);
        for (const Dim& part : d.parts) sizes_.insert(part.name);
      }
    }
    for (const bool optional : {false, true})
      while (std::erase_if(open, [&](const TensorDef* t) { return t->optional <= optional && learn_sizes(*t); }))
        continue;
    for (const TensorDef* t : open)
      for (const Dim& d : t->dims) {
        if (is_solvable(d)) continue;
        const Dim& part = *open_parts(d).back();
        diagnostics_.error(
            Code::E0423, part.span, fmt::format("'{}' cannot be determined from the product {}", part.name, print(d)),
            {"all parts but one must be attributes, sizes of another input (without '~'), or lets of these"});
      }
    known_.insert(sizes_.begin(), sizes_.end());
  }

  /// Broadcast dims give no size: their extent may be 1.
  bool learn_sizes(const TensorDef& t) {
    if (!all_of(t.dims, [&](const Dim& d) { return is_solvable(d); })) return false;
    for (const Dim& d : t.dims) {
      if (d.kind == DimKind::size && !d.broadcast) known_.insert(d.name);
      for (const Dim& part : d.parts) known_.insert(part.name);
    }
    return true;
  }

  bool is_solvable(const Dim& d) const {
    const std::vector<const Dim*> open = open_parts(d);
    return open.empty() || (open.size() == 1 && op_.let(open[0]->name) == nullptr);
  }

  std::vector<const Dim*> open_parts(const Dim& split) const {
    std::vector<const Dim*> open;
    for (const Dim& part : split.parts) {
      const bool again = any_of(open, [&](const Dim* d) { return d->name == part.name; });
      if (part.kind == DimKind::size && !is_told(part.name)) open.push_back(&part);
      if (again) open.push_back(&part);
    }
    return open;
  }

  /// Whether a let is computed from known values only.
  bool is_told(const std::string& name) const {
    const LetDef* let = op_.let(name);
    if (let == nullptr) return known_.count(name) != 0 || sizes_.count(name) == 0;
    return is_told(let->value);
  }

  bool is_told(const Syntax& value) const {
    if (value.is(SyntaxKind::name) && !is_told(value.text)) return false;
    return all_of(value.children, [&](const Syntax& child) { return is_told(child); });
  }

  void check_attr_pack(const AttrDef& a) {
    if (a.count != AttrCount::per_dim || bound_packs_.count(a.pack) != 0) return;
    diagnostics_.error(Code::E0233, a.span,
                       fmt::format("no input has the pack '*{}' of the attribute '{}'", a.pack, a.name),
                       {"int[*S] has one value per dim of a pack of the inputs; int[] has any number"});
  }

  void want_size(const Dim& d) {
    if (known_.count(d.name) != 0) return;
    std::vector<std::string> known(known_.begin(), known_.end());
    diagnostics_.error(Code::E0417, d.span, fmt::format("the size '{}' is bound by no input, attribute or let", d.name),
                       {fmt::format("define it under `let`; {}", meant_note(d.name, known))});
  }

  void check_output(const TensorDef& t) {
    for (const Dim& d : t.dims) {
      check_at(d, t);
      if (d.per_operand) check_own_extent(d, t);
      if (d.broadcast)
        diagnostics_.error(Code::E0430, d.span, "an output has no broadcast dims",
                           {fmt::format("leave out the '~': an output has the full extent")});
      if (d.kind == DimKind::size) want_size(d);
      for (const Dim& part : d.parts) {
        if (part.kind == DimKind::size) want_size(part);
      }
      if (d.kind == DimKind::pack && bound_packs_.count(d.name) == 0 && op_.let(d.name) == nullptr &&
          !list_attr(d.name)) {
        diagnostics_.error(Code::E0417, d.span, fmt::format("the pack '*{}' is bound by no input or let", d.name),
                           {"packs come from inputs' shapes, or from a let such as {S: \"shape\"}"});
      }
    }
  }

  /// `D...` of an output: an element of a list for each tensor.
  void check_own_extent(const Dim& d, const TensorDef& t) {
    const AttrDef* attr = op_.attr(d.name);
    if (!t.variadic)
      diagnostics_.error(Code::E0434, d.span,
                         "'...' marks a size that differs between the tensors of a variadic output",
                         {fmt::format("declare the output as `{}...`", t.name)});
    else if (d.kind != DimKind::size || attr == nullptr || attr->kind != AttrKind::integer ||
             attr->count != AttrCount::any)
      diagnostics_.error(
          Code::E0434, d.span, fmt::format("'{}' is not an attribute of the type int[]", d.name),
          {"an element for each tensor of the variadic output: attrs: {D: \"int[]\"}, out: {Y...: \"T[D...]\"}"});
  }

  bool list_attr(const std::string& name) const {
    return op_.attr(name) != nullptr && op_.attr(name)->count != AttrCount::one;
  }

  void check_storage(const TensorDef& t) {
    std::vector<std::string> logical = mapped(t.dims, [&](const Dim& d) { return print(d); });
    sort(logical);
    const auto twice = std::adjacent_find(logical.begin(), logical.end());
    if (!t.storage.empty() && twice != logical.end()) {
      diagnostics_.error(
          Code::E0223, t.span,
          fmt::format("the stored order of '{}' is ambiguous: '{}' is the extent of two dims", t.name, *twice),
          {fmt::format("name their extents apart and require that they are equal: "
                       "in: {{{}: \"{}[N, M]\"}}, require: [N == M]",
                       t.name, t.dtype)});
      return;
    }
    const auto unknown = [&](const Syntax& n) {
      if (!n.is(SyntaxKind::name) && !n.is(SyntaxKind::subscript)) return false;
      return op_.attr(n.text) == nullptr &&
             none_of(op_.attrs, [&](const AttrDef& a) { return contains(a.words, n.text); });
    };
    for (const StorageRule& rule : t.storage) {
      if (const Syntax* name = rule.condition ? first_within(*rule.condition, unknown) : nullptr)
        diagnostics_.error(Code::E0401, name->span, fmt::format("there is no attribute '{}'", name->text),
                           {"the condition of an order in memory is on attributes"});
      std::vector<std::string> stored = mapped(rule.dims, [&](const Dim& d) { return print(d); });
      sort(stored);
      if (stored == logical) continue;
      const SourceSpan place = rule.dims.empty() ? rule.span : join(rule.dims.front().span, rule.dims.back().span);
      diagnostics_.error(Code::E0223, place,
                         fmt::format("the stored order of '{}' is not a rearrangement of its dims", t.name),
                         {fmt::format("list exactly these: {}", joined(logical, ", "))});
    }
  }

  void check_variadic() {
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      const TensorDef& t = op_.inputs[i];
      if (t.variadic && i + 1 != op_.inputs.size()) {
        diagnostics_.error(Code::E0434, t.span, fmt::format("the variadic input '{}' is not the last one", t.name),
                           {"put it after all other inputs"});
      }
    }
  }

  void check_variadic_outputs() {
    for (const TensorDef& t : op_.outputs) {
      if (!t.variadic) continue;
      const bool alone = op_.outputs.size() == 1 && (op_.inputs.empty() || !op_.inputs.back().variadic);
      if (!alone)
        diagnostics_.error(
            Code::E0434, t.span,
            fmt::format("the variadic output '{}' is not the only output, or is next to a variadic input", t.name),
            {"an op has one variadic tensor; give other outputs names of their own"});
      if (count_if(t.dims, [](const Dim& d) { return d.per_operand; }) != 1)
        diagnostics_.error(
            Code::E0434, t.span, fmt::format("nothing determines how many tensors the variadic output '{}' is", t.name),
            {"give it one dim `D...` with an attribute D of the type int[], which has an element for each"});
      if (!op_.impl.empty())
        diagnostics_.error(Code::E0434, t.span, fmt::format("the variadic output '{}' is that of a C template", t.name),
                           {"templates have outputs of fixed number"});
    }
  }

  const OpDef& op_;
  Diagnostics& diagnostics_;
  std::set<std::string> known_;  ///< sizes, attributes, lets
  std::set<std::string> sizes_;  ///< all that the inputs' shapes name
  std::set<std::string> bound_packs_;
  std::set<std::string> names_;
};

}  // namespace

void check_shapes(const OpDef& op, Diagnostics& diagnostics) { ShapeChecker(op, diagnostics).run(); }

}  // namespace tenon
