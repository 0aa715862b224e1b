// The bind function of an op.
#include "harness/library/library_bind.h"

#include <fmt/format.h>

#include "harness/library/library_attributes.h"
#include "harness/library_names.h"
#include "ir/nest/c_ast.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class BindWriter {
 public:
  BindWriter(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature)
      : op_(op), def_(*op.def), signature_(signature), index_parts_(index_parts(op)), s_{&op, &signature, {}, &body_} {
    s_.scope.def = &def_;
    s_.scope.defs = &defs;
    s_.scope.packs = {signature.packs.begin(), signature.packs.end()};
    find_types();
    find_real_lets();
  }

  CFunction function() {
    schedule();
    requirements(false);
    index_ranges();
    for (size_t k = 0; k < def_.outputs.size(); ++k) write_output(s_, def_.outputs[k], static_cast<int>(k));
    write_handover(s_, index_parts_);
    const std::set<std::string> read = variables_read(body_);
    std::set<std::string> sizes, unread;  // an unused size has no variable
    for (const std::string& size : s_.bound_sizes) {
      const std::string name = c_identifier(size);
      (read.count(name) ? sizes : unread).insert(name);
    }
    drop_assignments(body_, unread);
    CBlock body = head(sizes, read);
    std::move(body_.begin(), body_.end(), std::back_inserter(body));
    return {"", "static", "void", def_.name + "_bind", {"tn_frame *f"}, std::move(body), ""};
  }

 private:
  // ---- values known before the first statement

  void find_types() {
    for (const LibraryKernel& k : op_.kernels)
      for (const auto& [name, d] : k.call_types) (holds_reals(d) ? has_float_ : has_integer_).insert(name);
    s_.scope.float_types = has_float_;
  }

  bool is_dim(const std::string& name) const {
    const auto named = [&](const Dim& d) {
      return (d.kind == DimKind::size && d.name == name) ||
             any_of(d.parts, [&](const Dim& part) { return part.name == name; });
    };
    return any_of(tensors_of(def_), [&](const TensorDef* t) { return any_of(t->dims, named); });
  }

  bool is_extent(const std::string& name) const {
    if (is_dim(name)) return true;
    for (const IndexRange& r : def_.index)
      if (names_in(r.extent).count(name)) return true;
    return contains(signature_.symbols, name);
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
      const bool pack = contains(signature_.packs, n);
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
        if (any_of(d.parts, [&](const Dim& p) { return p.kind == DimKind::size && p.name == name; })) return true;
      }
    return false;
  }

  void schedule() {
    std::vector<const TensorDef*> open;
    for (const bool optional : {false, true})
      for (const TensorDef& t : def_.inputs)
        if (t.optional == optional && !has_broadcast(t) && !t.follows) open.push_back(&t);
    bool exact_done = false, broadcast_done = none_of(def_.inputs, has_broadcast);
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
      TENON_CHECK(s_.bound_lets.count(l.name), "{}: nothing determines {}", def_.name, l.name);
    for (const TensorDef& t : def_.inputs)
      if (t.follows) write_plain_input(s_, t);
  }

  /// int[*P] attributes whose pack is known.
  bool lists() {
    bool moved = false;
    for (const AttrDef& a : def_.attrs) {
      if (a.count != AttrCount::per_dim || lists_.count(a.name) || !s_.bound_packs.count(a.pack)) continue;
      const CExpr list = c_name(a.name);
      s_.add(c_paragraph(fmt::format("{}: one for each dimension of {}", c_identifier(a.name), a.pack)));
      s_.add(c_declare("tn_dims", c_identifier(a.name), attribute_field(a.name)));
      s_.call("per_dim", {address_of(list), c_name(a.pack), c_number(signature_.neutral.at(a.name))});
      if (const auto part = index_parts_.find({a.name, 0}); part != index_parts_.end())
        s_.call("within", {c_member(list, "dim"), c_member(list, "rank"), limit_of(part->second)});
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
    return *find_if(def_.inputs, [](const TensorDef& t) { return !t.follows; });
  }

  void let(const LetDef& l) {
    s_.add(c_paragraph(fmt::format("{} = {}", l.name, verbatim(comment_inside(print(l.value))))));
    if (l.pack) {
      list_let(l);
      if (l.name == op_.permuted) write_permuted(s_, c_text(operand_name(first_input(), false)));
      return;
    }
    const bool real = s_.scope.real_lets.count(l.name) != 0;
    by_type(l.value, [&] {
      s_.assign(c_name(l.name), real ? real_value(l.value, s_.scope) : integer_value(l.value, s_.scope));
    });
    write_element_checks(s_, l);
    if (!real) s_.bound_sizes.insert(l.name);
  }

  /// Does `write` twice where attributes of a type variable may be integers or reals.
  template <class Write>
  void by_type(const Syntax& value, Write write) {
    std::string both;
    for (const std::string& n : names_in(value)) {
      const AttrDef* a = def_.attr(n);
      if (a != nullptr && a->kind == AttrKind::type_variable && has_float_.count(a->type) &&
          has_integer_.count(a->type))
        both = a->type;
    }
    if (both.empty()) return write();
    CBlock as_real = s_.block(write);
    s_.scope.float_types.erase(both);
    CBlock as_integer = s_.block(write);
    s_.scope.float_types.insert(both);
    const CExpr type = c_index(frame_field("type"), c_number(type_variable(def_, both)));
    s_.add(c_if(runtime_value("is_float", {type}), std::move(as_real), std::move(as_integer)));
  }

  // ---- lists of sizes

  CExpr rank_of(const Syntax& s) const {
    if (s.kind == SyntaxKind::each) return rank_of(s.children[0]);
    if (s.calls(Builtin::concat)) return c_binary(rank_of(s.children[0]), "+", rank_of(s.children[1]));
    if (s.calls(Builtin::permute)) return rank_of(s.children[1]);
    if (s.calls(Builtin::keep) && s.children[1].is_name("true")) return rank_of(s.children[0]);
    if (s.calls(Builtin::keep))
      return c_conditional(condition_value(s.children[1], s_.scope), rank_of(s.children[0]), c_number(0));
    for (const std::string& n : names_in(s)) {
      if (s_.scope.packs.count(n)) return pack_rank(n);
      const AttrDef* a = def_.attr(n);
      if (a != nullptr && a->count == AttrCount::any) return c_member(attribute_field(n), "count");
      if (a != nullptr && a->count == AttrCount::per_dim) return c_member(c_name(n), "rank");
      if (a != nullptr && a->count == AttrCount::fixed) return c_number(a->length);
    }
    TENON_UNREACHABLE("{}: {} has no number of dimensions", def_.name, print(s));
  }

  CExpr element_of(const Syntax& s, const CExpr& at) const {
    if (s.kind == SyntaxKind::each) return element_of(s.children[0], at);
    if (s.calls(Builtin::concat)) {
      const CExpr first = rank_of(s.children[0]);
      return c_conditional(c_binary(at, "<", first), element_of(s.children[0], at),
                           element_of(s.children[1], c_binary(at, "-", first)));
    }
    if (s.calls(Builtin::permute))
      return runtime_call("at", {c_name(s.children[0].text), element_of(s.children[1], at)});
    if (s.calls(Builtin::keep)) return c_number(1);
    ArithmeticScope scope = s_.scope;
    scope.element = at;
    return integer_value(s, scope);
  }

  /// `for (int32_t k = 0; k < end; ++k)`
  void for_each_k(CExpr end, CStmt statement) {
    s_.add(
        {CFor{"int32_t", "k", c_number(0), c_binary(c_text("k"), "<", std::move(end)), "++k", {std::move(statement)}}});
  }

  void list_let(const LetDef& l) {
    const CExpr k = c_text("k");
    s_.call("set_rank", {c_name(l.name), rank_of(l.value)});
    for_each_k(pack_rank(l.name), c_assign(c_index(c_arrow(c_name(l.name), "dim"), k), element_of(l.value, k)));
  }

  // ---- preconditions

  bool about_attributes_only(const Syntax& s) const {
    for (const std::string& n : names_in(s))
      if (s_.scope.packs.count(n) || def_.let(n) || is_size(n) || def_.input(n)) return false;
    return true;
  }
  const char* error_of(const Syntax& s) const { return about_attributes_only(s) ? "ATTR" : "SHAPE"; }

  static CExpr not_negative(CExpr e) { return c_binary(std::move(e), ">=", c_number(0)); }

  void require_each(const Syntax& s, bool range) {
    ArithmeticScope scope = s_.scope;
    scope.element = c_text("k");
    const CExpr condition = range ? not_negative(integer_value(s, scope)) : condition_value(s, scope);
    for_each_k(rank_of(s), require(condition, error_of(s)));
  }

  /// Preconditions about lists are checked with the shapes, which determine the lengths of lists.
  void requirements(bool of_attributes) {
    for (const Syntax& r : def_.requires_) {
      const bool each = names_lists(r, s_.scope);
      if ((about_attributes_only(r) && !each) != of_attributes) continue;
      s_.add(c_paragraph("requires " + verbatim(comment_inside(print(r)))));
      if (each) require_each(r, false);
      else by_type(r, [&] { s_.add(require(condition_value(r, s_.scope), of_attributes ? "ATTR" : "SHAPE")); });
    }
  }

  /// Attributes that indices are computed with; lists for each dimension are checked where they are read.
  void parts_of_indices() {
    bool begun = false;
    for (const auto& [element, part] : index_parts_) {
      const AttrDef* a = def_.attr(element.first);
      if (a == nullptr || a->kind != AttrKind::integer || a->count == AttrCount::per_dim || a->count == AttrCount::any)
        continue;
      if (!std::exchange(begun, true)) s_.add(c_paragraph("parts of indices"));
      CExpr field = attribute_field(a->name);
      if (a->count == AttrCount::fixed) field = c_index(field, c_number(element.second));
      s_.call("within", {address_of(field), c_number(1), limit_of(part)});
    }
  }

  /// Ranges of index variables must not be negative; those that are extents of tensors are checked already.
  void index_ranges() {
    for (const IndexRange& r : def_.index) {
      if (r.pack) require_each(r.extent, true);
      if (r.pack || r.extent.kind == SyntaxKind::integer ||
          (r.extent.kind == SyntaxKind::name && is_dim(r.extent.text)))
        continue;
      s_.add(c_comment("range of " + r.name));
      s_.add(require(not_negative(integer_value(r.extent, s_.scope)), error_of(r.extent)));
    }
  }

  // ---- the beginning of the function

  /// Types that no required input determines; they follow from the others.
  bool has_implied_types() const {
    return any_of(def_.types, [&](const TypeVar& v) {
      return none_of(def_.inputs, [&](const TensorDef& t) { return t.dtype == v.name && !t.optional; });
    });
  }

  CBlock head(const std::set<std::string>& sizes, const std::set<std::string>& read) const {
    CBlock out;
    if (!def_.attrs.empty()) {
      out.push_back(c_declare(fmt::format("tn_{}_attrs", def_.name), "given", nullptr));
      out.push_back(c_declare(fmt::format("const tn_{}_attrs *", def_.name), "a", frame_field("typed")));
    }
    for (size_t k = 0; k < def_.inputs.size(); ++k) {
      const TensorDef& t = def_.inputs[k];
      const char* kind = t.optional ? "TN_OPTIONAL" : added_dim(def_, t) ? "TN_WIDENED" : "TN_REQUIRED";
      const CExpr open = runtime_call("input", {c_count(k), type_argument(def_, t.dtype), c_text(kind)});
      const std::string name = operand_name(t, false);
      out.push_back(read.count(name) ? c_declare("tn_operand *const", name, open) : c_evaluate(c_cast("void", open)));
    }
    for (size_t k = 0; k < signature_.packs.size(); ++k)
      if (const std::string name = c_identifier(signature_.packs[k]); read.count(name))
        out.push_back(c_declare("tn_dims *const", name, address_of(c_index(frame_field("pack"), c_count(k)))));
    declare_sizes(sizes, out);
    if (has_implied_types()) out.push_back(runtime_step("imply_types", {}));
    attributes(out);
    out.push_back(c_if(c_nonzero(frame_field("status")), {c_return(nullptr)}));
    return out;
  }

  /// The values of a typed call, or the caller's.
  void attributes(CBlock& out) const {
    if (def_.attrs.empty()) return out.push_back(runtime_step("attrs_done", {}));
    const CExpr a = c_text("a"), given = address_of(c_text("given"));
    out.push_back(c_if(c_binary(a, "==", c_text("NULL")),
                       {c_evaluate(c_call(def_.name + "_read_attributes", {c_text("f"), given})), c_assign(a, given)}));
    add_attribute_checks(def_, out);
  }

  /// Sizes start as 0, those that are found by broadcasting as 1.
  void declare_sizes(const std::set<std::string>& sizes, CBlock& out) const {
    CDeclarations integers{"int64_t", {}}, reals{"double", {}};
    for (const std::string& name : sizes) {
      const bool broadcast =
          !any_of(def_.inputs, [&](const TensorDef& t) { return !t.follows && has_plain(t, name); }) && !def_.let(name);
      integers.variables.push_back({name, c_number(broadcast ? 1 : 0)});
    }
    for (const std::string& l : s_.scope.real_lets) reals.variables.push_back({c_identifier(l), c_number(0)});
    for (CDeclarations& d : {std::ref(integers), std::ref(reals)})
      if (!d.variables.empty()) out.push_back({std::move(d)});
  }

  static bool has_plain(const TensorDef& t, const std::string& c_name) {
    for (const Dim& d : t.dims) {
      if (d.kind == DimKind::size && !d.broadcast && c_identifier(d.name) == c_name) return true;
      if (any_of(d.parts, [&](const Dim& p) { return c_identifier(p.name) == c_name; })) return true;
    }
    return false;
  }

  const LibraryOp& op_;
  const OpDef& def_;
  const BindSignature& signature_;
  const IndexParts index_parts_;
  CBlock body_;
  BindState s_;
  std::set<std::string> has_float_, has_integer_, lists_;
};

}  // namespace

CFunction bind_function(const LibraryOp& op, const OpLibrary& defs, const BindSignature& signature) {
  return BindWriter(op, defs, signature).function();
}

}  // namespace tenon
