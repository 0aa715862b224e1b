// The bind function of an op.
#include "harness/library/library_bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/library/index_parts.h"
#include "harness/library/library_attributes.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/quoted.h"

namespace tenon {
namespace {

/// Places where `word` stands as an identifier of its own (no field, no part of a longer one, not in a comment).
std::vector<size_t> uses_of(const std::string& text, const std::string& word) {
  std::vector<size_t> out;
  size_t comment = text.find("/*"), behind = 0;  // the first comment that does not end before `at`
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    for (; comment < at && (behind = text.find("*/", comment + 2)) < at; comment = text.find("/*", behind)) {
    }
    if (comment < at) continue;
    const bool begins = at == 0 || !(is_word(text[at - 1]) || text[at - 1] == '>' || text[at - 1] == '.');
    const size_t end = at + word.size();
    if (begins && (end == text.size() || !is_word(text[end]))) out.push_back(at);
  }
  return out;
}

/// Whether the statement that begins at `at` is one call.
bool is_call(const std::string& text, size_t at, size_t end) {
  const size_t open = text.find('(', at);
  if (open >= end || !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                                  text.begin() + static_cast<std::ptrdiff_t>(open), is_word))
    return false;
  size_t close = open;
  for (int depth = 0; close < end; ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  return close + 1 == end;
}

/// A size that nothing reads has no variable: `N = tn_rt_size(…)`, which checks something, becomes
/// `(void)tn_rt_size(…)`. False if the size is read somewhere.
bool drop_unread(std::string& text, const std::string& name) {
  const std::string assign = name + " = ";
  const std::vector<size_t> uses = uses_of(text, name);
  for (size_t at : uses)
    if (text.compare(at, assign.size(), assign) != 0) return false;
  for (auto at = uses.rbegin(); at != uses.rend(); ++at) {
    const size_t value = *at + assign.size(), end = text.find(';', value);
    const bool call = is_call(text, value, end);
    if (!call) text.insert(end, ")");
    text.replace(*at, assign.size(), call ? "(void)" : "(void)(");
  }
  return true;
}

class BindWriter {
 public:
  BindWriter(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature)
      : op_(op), def_(*op.def), signature_(signature), index_parts_(index_parts(op)) {
    s_ = {&op, &signature, {}, {}, {}, {}, &body_};
    s_.scope.def = &def_;
    s_.scope.defs = &defs;
    s_.scope.packs = {signature.packs.begin(), signature.packs.end()};
    find_types();
    find_real_lets();
  }

  void write(TextWriter& out) {
    body_.indent();
    schedule();
    requirements(false);
    index_ranges();
    for (size_t k = 0; k < def_.outputs.size(); ++k) write_output(s_, def_.outputs[k], static_cast<int>(k));
    hand_over();
    std::string body = body_.take();
    std::vector<std::string> sizes;
    for (const std::string& name : s_.bound_sizes)
      if (!drop_unread(body, c_identifier(name))) sizes.push_back(c_identifier(name));
    head(sizes, body, out);
    out.write_verbatim(body);
    out.line("}");
  }

 private:
  // ---- what is known before a line is written

  void find_types() {
    for (const LibraryKernel& k : op_.kernels)
      for (const auto& [name, d] : k.call_types) (holds_reals(d) ? has_float_ : has_integer_).insert(name);
    s_.scope.float_types = has_float_;
  }

  bool is_extent(const std::string& name) const {
    for (const TensorDef* t : tensors_of(def_))
      for (const Dim& d : t->dims) {
        if (d.kind == DimKind::size && d.name == name) return true;
        if (std::any_of(d.parts.begin(), d.parts.end(), [&](const Dim& p) { return p.name == name; })) return true;
      }
    for (const IndexRange& r : def_.index)
      if (names_in(r.extent).count(name)) return true;
    return std::find(signature_.symbols.begin(), signature_.symbols.end(), name) != signature_.symbols.end();
  }

  void find_real_lets() {
    for (const LetDef& l : def_.lets)
      if (!l.pack && !is_extent(l.name) && arithmetic(l.value, s_.scope).type == ArithmeticType::Real)
        s_.scope.real_lets.insert(l.name);
  }

  // ---- the order of lines: inputs and lets as soon as what they need is known

  bool list_known(const std::string& name) const {
    const AttrDef* a = def_.attr(name);
    return a == nullptr || a->count != AttrCount::per_dim || lists_.count(name) != 0;
  }

  bool known(const Syntax& value) const {
    for (const std::string& n : names_in(value)) {
      const bool pack = std::find(signature_.packs.begin(), signature_.packs.end(), n) != signature_.packs.end();
      if (pack          ? !s_.bound_packs.count(n)
          : def_.let(n) ? !s_.bound_lets.count(n)
                        : is_size(n) && !s_.bound_sizes.count(n))
        return false;
      if (!list_known(n)) return false;
    }
    return true;
  }

  /// A size symbol of the inputs.
  bool is_size(const std::string& name) const {
    if (def_.attr(name)) return false;
    for (const TensorDef& t : def_.inputs)
      for (const Dim& d : t.dims) {
        if (t.follows) break;
        if (d.kind == DimKind::size && d.name == name) return true;
        if (std::any_of(d.parts.begin(), d.parts.end(),
                        [&](const Dim& p) { return p.kind == DimKind::size && p.name == name; }))
          return true;
      }
    return false;
  }

  void schedule() {
    std::vector<const TensorDef*> open;
    for (const bool optional : {false, true})
      for (const TensorDef& t : def_.inputs)
        if (t.optional == optional && !has_broadcast(t) && !t.follows) open.push_back(&t);
    bool exact_done = false, broadcast_done = std::none_of(def_.inputs.begin(), def_.inputs.end(), has_broadcast);
    requirements(true);
    parts_of_indices();
    for (;;) {
      bool moved = lists() || lets();
      for (auto t = open.begin(); t != open.end() && !moved; ++t)
        if (can_bind(s_, **t) &&
            (!(*t)->optional || exact_done || broadcast_done)) {  // sizes come from inputs that are always there
          write_plain_input(s_, **t);
          open.erase(t);
          moved = true;
          break;
        }
      if (!moved && !broadcast_done) {
        exact_done ? write_broadcast_inputs(s_) : write_exact_sizes(s_);
        broadcast_done = exact_done;
        exact_done = moved = true;
      }
      if (!moved) break;
    }
    TENON_CHECK(open.empty() && broadcast_done, "{}: no order in which the shapes can be bound", def_.name);
    for (const LetDef& l : def_.lets)
      TENON_CHECK(s_.bound_lets.count(l.name), "{}: nothing tells {}", def_.name, l.name);
    for (const TensorDef& t : def_.inputs)
      if (t.follows) write_plain_input(s_, t);
  }

  /// int[*P] attributes whose pack is known.
  bool lists() {
    bool moved = false;
    for (const AttrDef& a : def_.attrs) {
      if (a.count != AttrCount::per_dim || lists_.count(a.name) || !s_.bound_packs.count(a.pack)) continue;
      const std::string name = c_identifier(a.name);
      body_.line().print_line("/* {}: one for each dimension of {} */", name, a.pack);
      body_.print_line("tn_dims {} = a->{};", name, name);
      body_.print_line("tn_rt_per_dim(f, &{}, {}, {});", name, c_identifier(a.pack), signature_.neutral.at(a.name));
      if (const auto part = index_parts_.find({a.name, 0}); part != index_parts_.end())
        body_.print_line("tn_rt_within(f, {}.dim, {}.rank, {});", name, name, most_of(part->second));
      moved = lists_.insert(a.name).second;
    }
    return moved;
  }

  bool lets() {
    bool moved = false;
    for (const LetDef& l : def_.lets) {
      if (s_.bound_lets.count(l.name) || !known(l.value)) continue;
      let(l);
      s_.bound_lets.insert(l.name);
      if (l.pack) s_.bound_packs.insert(l.name);
      moved = true;
    }
    return moved;
  }

  /// The first input that determines shapes.
  const TensorDef& first_input() const {
    return *std::find_if(def_.inputs.begin(), def_.inputs.end(), [](const TensorDef& t) { return !t.follows; });
  }

  void let(const LetDef& l) {
    const std::string name = c_identifier(l.name);
    body_.line().print_line("/* {} = {} */", l.name, verbatim(comment_inside(print(l.value))));
    if (l.pack) {
      list_let(l);
      if (l.name == op_.permuted)
        body_.print_line("tn_rt_permute(f, {}, {}, &{});", operand_name(first_input(), false),
                         position(signature_.packs, l.name), c_identifier(l.value.children[1].text));
      return;
    }
    const bool real = s_.scope.real_lets.count(l.name) != 0;
    const auto value = [&] { return real ? real_text(l.value, s_.scope) : integer_text(l.value, s_.scope); };
    by_type(l.value, [&](const std::string& end) { body_.print_line("{} = {};{}", name, value(), end); });
    write_element_checks(s_, l);
    s_.bound_sizes.insert(real ? "" : l.name);
    s_.bound_sizes.erase("");
  }

  /// Writes a line twice where attributes of a type variable may be integers or reals.
  template <class Line>
  void by_type(const Syntax& value, Line line) {
    std::string both;
    for (const std::string& n : names_in(value)) {
      const AttrDef* a = def_.attr(n);
      if (a != nullptr && a->kind == AttrKind::type_variable && has_float_.count(a->type) &&
          has_integer_.count(a->type))
        both = a->type;
    }
    if (both.empty()) return line("");
    body_.print_line("if (tn_rt_is_float(f->type[{}]))", type_variable(def_, both));
    body_.indent();
    line("");
    body_.dedent();
    body_.line("else");
    body_.indent();
    s_.scope.float_types.erase(both);
    line("");
    s_.scope.float_types.insert(both);
    body_.dedent();
  }

  // ---- lists of sizes

  std::string rank_text(const Syntax& s) const {
    if (s.kind == SyntaxKind::each) return rank_text(s.children[0]);
    if (s.kind == SyntaxKind::call && s.text == "concat")
      return fmt::format("{} + {}", rank_text(s.children[0]), rank_text(s.children[1]));
    if (s.kind == SyntaxKind::call && s.text == "permute") return rank_text(s.children[1]);
    if (s.kind == SyntaxKind::call && s.text == "keep")
      return fmt::format("({} ? {} : 0)", condition_text(s.children[1], s_.scope), rank_text(s.children[0]));
    for (const std::string& n : names_in(s)) {
      if (s_.scope.packs.count(n)) return c_identifier(n) + "->rank";
      const AttrDef* a = def_.attr(n);
      if (a != nullptr && a->count == AttrCount::any) return fmt::format("a->{}.count", c_identifier(n));
      if (a != nullptr && a->count == AttrCount::per_dim) return c_identifier(n) + ".rank";
      if (a != nullptr && a->count == AttrCount::fixed) return fmt::format("{}", a->length);
    }
    TENON_UNREACHABLE("{}: {} has no number of dimensions", def_.name, print(s));
  }

  std::string element_text(const Syntax& s, const std::string& at) const {
    if (s.kind == SyntaxKind::each) return element_text(s.children[0], at);
    const bool call = s.kind == SyntaxKind::call;
    if (call && s.text == "concat") {
      const std::string first = rank_text(s.children[0]);
      return fmt::format("({} < {} ? {} : {})", at, first, element_text(s.children[0], at),
                         element_text(s.children[1], fmt::format("{} - ({})", at, first)));
    }
    if (call && s.text == "permute")
      return fmt::format("tn_rt_at(f, {}, {})", c_identifier(s.children[0].text), element_text(s.children[1], at));
    if (call && (s.text == "ones" || s.text == "keep")) return "1";
    if (call && s.text == "reverse")
      return element_text(s.children[0], fmt::format("{} - 1 - ({})", rank_text(s.children[0]), at));
    ArithmeticScope scope = s_.scope;
    scope.element = at;
    return integer_text(s, scope);
  }

  void list_let(const LetDef& l) {
    const std::string name = c_identifier(l.name);
    body_.print_line("tn_rt_set_rank(f, {}, {});", name, rank_text(l.value));
    body_.print_line("for (int32_t k = 0; k < {}->rank; ++k)", name);
    const auto in = body_.indented();
    body_.print_line("{}->dim[k] = {};", name, element_text(l.value, "k"));
  }

  // ---- preconditions

  bool about_attributes_only(const Syntax& s) const {
    for (const std::string& n : names_in(s))
      if (s_.scope.packs.count(n) || def_.let(n) || is_size(n) || def_.input(n)) return false;
    return true;
  }

  void require_each(const Syntax& s, bool range) {
    ArithmeticScope scope = s_.scope;
    scope.element = "k";
    const std::string condition = range ? integer_text(s, scope) + " >= 0" : condition_text(s, scope);
    body_.print_line("for (int32_t k = 0; k < {}; ++k)", rank_text(s));
    const auto in = body_.indented();
    body_.print_line("tn_rt_require(f, {}, TN_E_{});", condition, about_attributes_only(s) ? "ATTR" : "SHAPE");
  }

  /// Those about lists come with the shapes, which say how long a list is.
  void requirements(bool of_attributes) {
    for (const Syntax& r : def_.requires_) {
      const bool each = names_lists(r, s_.scope);
      if ((about_attributes_only(r) && !each) != of_attributes) continue;
      body_.line().print_line("/* requires {} */", verbatim(comment_inside(print(r))));
      if (each) require_each(r, false);
      else
        by_type(r, [&](const std::string&) {
          body_.print_line("tn_rt_require(f, {}, TN_E_{});", condition_text(r, s_.scope),
                           of_attributes ? "ATTR" : "SHAPE");
        });
    }
  }

  /// Attributes that indices are computed with; lists for each dimension are checked where they are read.
  void parts_of_indices() {
    bool begun = false;
    for (const auto& [element, part] : index_parts_) {
      const AttrDef* a = def_.attr(element.first);
      if (a == nullptr || a->kind != AttrKind::integer || a->count == AttrCount::per_dim || a->count == AttrCount::any)
        continue;
      if (!begun) body_.line().line("/* parts of indices */");
      begun = true;
      const std::string at = a->count == AttrCount::fixed ? fmt::format("[{}]", element.second) : "";
      body_.print_line("tn_rt_within(f, &a->{}{}, 1, {});", c_identifier(a->name), at, most_of(part));
    }
  }

  /// Ranges of index variables must not be negative; those that are sizes are checked already.
  void index_ranges() {
    for (const IndexRange& r : def_.index) {
      if (r.pack) require_each(r.extent, true);
      if (r.pack || r.extent.kind == SyntaxKind::name || r.extent.kind == SyntaxKind::integer) continue;
      body_.print_line("tn_rt_require(f, {} >= 0, TN_E_{}); /* range of {} */", integer_text(r.extent, s_.scope),
                       about_attributes_only(r.extent) ? "ATTR" : "SHAPE", r.name);
    }
  }

  // ---- what kernels take

  std::string scalar_text(const ScalarSlot& slot) const {
    const AttrDef* a = def_.attr(slot.name);
    if (a == nullptr)
      return s_.scope.real_lets.count(slot.name)
                 ? fmt::format(".f = {}", c_identifier(slot.name))
                 : fmt::format(".{}{}",
                               let_is_real_in_kernels(slot.name) ? "f = (double)" : "i = ", c_identifier(slot.name));
    const std::string field = fmt::format("a->{}{}", c_identifier(a->name),
                                          a->count == AttrCount::fixed ? fmt::format("[{}]", slot.element) : "");
    if (a->kind == AttrKind::type_variable)
      return fmt::format(" = tn_rt_scalar(f->type[{}], &{}, {})", type_variable(def_, a->type), field, slot.part);
    if (a->kind == AttrKind::real) return fmt::format(".f = {}", field);
    if (a->kind == AttrKind::dtype) {
      const DType d = *dtype_from_name(a->type);
      if (is_complex(d)) return fmt::format(" = tn_rt_scalar({}, &{}, {})", dtype_constant(d), field, slot.part);
      return fmt::format(".{} = {}", is_float(d) ? "f" : "i", field);
    }
    return fmt::format(".i = {}", field);
  }

  bool let_is_real_in_kernels(const std::string& name) const {
    for (const LibraryKernel& k : op_.kernels)
      for (const Attr& a : k.kernel.attrs)
        if (a.name == name) return is_float(a.dtype);
    return false;
  }

  void hand_over() {
    if (signature_.symbols.empty() && signature_.scalars.empty() && signature_.lists.empty() &&
        signature_.values.empty())
      return;
    body_.line().line("/* what the kernels take */");
    for (size_t k = 0; k < signature_.symbols.size(); ++k)
      body_.print_line("f->symbol[{}] = {};", k, symbol_text(signature_.symbols[k]));
    for (size_t k = 0; k < signature_.scalars.size(); ++k)
      body_.print_line("f->scalar[{}]{};", k, scalar_text(signature_.scalars[k]));
    int kept = 0;  // a list within the struct goes with it
    for (size_t k = 0; k < signature_.values.size(); ++k) {
      const AttrDef& list = *def_.attr(signature_.values[k]);
      const std::string name = c_identifier(list.name);
      if (list.count == AttrCount::any) {
        body_.print_line("f->values[{}] = a->{}.values;", k, name);
        continue;
      }
      body_.print_line("memcpy(f->kept + {}, a->{}, sizeof a->{});", kept, name, name);
      body_.print_line("f->values[{}] = f->kept + {};", k, kept);
      kept += kept_scalars(list);
    }
    for (size_t k = 0; k < signature_.lists.size(); ++k)
      body_.print_line("tn_rt_give_list(f, {}, &{}, {});", k, c_identifier(signature_.lists[k]),
                       signature_.neutral.at(signature_.lists[k]));
  }

  std::string symbol_text(const std::string& name) const {
    for (const AttrDef& list : def_.attrs)
      if (name == count_of(list.name)) return fmt::format("a->{}.count", c_identifier(list.name));
    const AttrDef* a = def_.attr(name);
    return a != nullptr ? "a->" + c_identifier(name) : c_identifier(name);
  }

  // ---- the beginning of the function

  std::string type_text(const TensorDef& t) const {
    const int variable = type_variable(def_, t.dtype);
    if (variable >= 0) return fmt::format("TN_TYPE_VARIABLE + {}", variable);
    const auto d = dtype_from_name(t.dtype);
    TENON_CHECK(d, "{}: type {}", def_.name, t.dtype);
    return dtype_constant(*d);
  }

  /// Types that no required input determines; they follow from the others.
  bool has_implied_types() const {
    return std::any_of(def_.types.begin(), def_.types.end(), [&](const TypeVar& v) {
      return std::none_of(def_.inputs.begin(), def_.inputs.end(),
                          [&](const TensorDef& t) { return t.dtype == v.name && !t.optional; });
    });
  }

  void head(const std::vector<std::string>& sizes, const std::string& body, TextWriter& out) {
    out.print_line("static void {}_bind(tn_frame *f)", def_.name).line("{");
    const auto in = out.indented();
    if (!def_.attrs.empty()) {
      out.print_line("tn_{}_attrs given;", def_.name);
      out.print_line("const tn_{}_attrs *a = f->typed;", def_.name);
    }
    for (size_t k = 0; k < def_.inputs.size(); ++k) {
      const TensorDef& t = def_.inputs[k];
      const std::string open = fmt::format("tn_rt_input(f, {}, {}, TN_{})", k, type_text(t),
                                           t.optional           ? "OPTIONAL"
                                           : added_dim(def_, t) ? "WIDENED"
                                                                : "REQUIRED");
      if (uses_of(body, operand_name(t, false)).empty()) out.print_line("(void){};", open);
      else out.print_line("tn_operand *const {} = {};", operand_name(t, false), open);
    }
    for (size_t k = 0; k < signature_.packs.size(); ++k)
      if (const std::string name = c_identifier(signature_.packs[k]); !uses_of(body, name).empty())
        out.print_line("tn_dims *const {} = &f->pack[{}];", name, k);
    declare_sizes(sizes, out);
    if (has_implied_types()) out.line("tn_rt_imply_types(f);");
    if (def_.attrs.empty()) {
      out.line("tn_rt_attrs_done(f);");
    } else {
      out.line("if (a == NULL) {");
      out.print_line("    {}_read_attributes(f, &given);", def_.name);
      out.line("    a = &given;");
      out.line("}");
      write_attribute_checks(def_, out);
    }
    out.line("if (f->status != 0)").line("    return;");
  }

  /// Sizes start as 0, those that are found by broadcasting as 1.
  void declare_sizes(const std::vector<std::string>& sizes, TextWriter& out) const {
    std::vector<std::string> texts;
    for (const std::string& name : sizes) {
      const bool broadcast = !std::any_of(def_.inputs.begin(), def_.inputs.end(), [&](const TensorDef& t) {
        return !t.follows && has_plain(t, name);
      }) && !def_.let(name);
      texts.push_back(fmt::format("{} = {}", name, broadcast ? 1 : 0));
    }
    if (!texts.empty()) out.print_line("int64_t {};", joined(texts, ", "));
    std::vector<std::string> reals;
    for (const std::string& l : s_.scope.real_lets) reals.push_back(c_identifier(l) + " = 0");
    if (!reals.empty()) out.print_line("double {};", joined(reals, ", "));
  }

  static bool has_plain(const TensorDef& t, const std::string& c_name) {
    for (const Dim& d : t.dims) {
      if (d.kind == DimKind::size && !d.broadcast && c_identifier(d.name) == c_name) return true;
      if (std::any_of(d.parts.begin(), d.parts.end(), [&](const Dim& p) { return c_identifier(p.name) == c_name; }))
        return true;
    }
    return false;
  }

  const LibraryOp& op_;
  const OpDef& def_;
  const BindSignature& signature_;
  const IndexParts index_parts_;
  TextWriter body_{4};
  BindState s_;
  std::set<std::string> has_float_, has_integer_, lists_;
};

}  // namespace

void write_bind_function(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature, TextWriter& out) {
  BindWriter(op, defs, signature).write(out);
}

}  // namespace tenon
