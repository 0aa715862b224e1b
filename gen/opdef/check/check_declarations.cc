// Types, attributes and names of an op.
#include <fmt/format.h>

#include <map>
#include <set>

#include "ir/op/type_function.h"
#include "opdef/check/check_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

bool is_number(const Syntax& s) {
  return s.is(SyntaxKind::integer) || s.is(SyntaxKind::real) || s.is(SyntaxKind::infinity);
}

class DeclarationChecker {
 public:
  DeclarationChecker(const OpDef& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {}

  bool run() {
    check_types();
    for (const AttrDef& attr : op_.attrs) check_attr(attr);
    for (const auto* list : {&op_.inputs, &op_.outputs}) {
      for (const TensorDef& tensor : *list) check_dtype(tensor);
    }
    const bool distinct = check_clashes();
    check_sizes();
    check_expand();
    check_save();
    return distinct;
  }

 private:
  void check_types() {
    for (const TypeVar& type : op_.types) {
      if (dtype_from_name(type.name) || is_type_class(type.name)) {
        diagnostics_.error(Code::E0416, type.span, fmt::format("'{}' is a type already", type.name),
                           {"call the type variable T, or another name of its own"});
      }
      for (const Word& word : type.classes) {
        if (is_type_class(word.text) || dtype_from_name(word.text)) continue;
        std::vector<std::string> known = class_names();
        for (const DTypeRow& row : all_dtypes()) known.emplace_back(row.name);
        diagnostics_.error(Code::E0206, word.span, fmt::format("there is no class of types '{}'", word.text),
                           {meant_note(word.text, known)});
      }
      if (!type.derived && !is_used(type)) {
        diagnostics_.error(Code::E0208, type.span, fmt::format("no input or output has the type '{}'", type.name),
                           {"remove it, or use it under `in` or `out`"});
      }
    }
  }

  static std::vector<std::string> class_names() {
    return {"float", "int", "uint", "real", "complex", "number", "index", "bool", "any", "small"};
  }

  bool is_used(const TypeVar& type) const {
    const auto has = [&](const TensorDef& t) {
      return t.dtype == type.name || variable_of_type(t.dtype) == type.name || t.dtype.empty();
    };  // empty: did not read
    return any_of(op_.inputs, has) || any_of(op_.outputs, has);
  }

  std::vector<std::string> type_names() const {
    std::vector<std::string> names = mapped(op_.types, &TypeVar::name);
    for (const DTypeRow& row : all_dtypes()) names.emplace_back(row.name);
    return names;
  }

  void check_dtype(const TensorDef& tensor) {
    if (tensor.dtype.empty() || op_.type(tensor.dtype) != nullptr || dtype_from_name(tensor.dtype)) return;
    if (is_derived_type(tensor.dtype)) return;  // reported when it was read
    const bool is_class = is_type_class(tensor.dtype);
    diagnostics_.error(
        Code::E0207, tensor.dtype_span,
        fmt::format("'{}' is neither a type variable of this op nor a dtype", tensor.dtype),
        {is_class ? fmt::format("it is a class of types: declare a variable, `types: {{T: {}}}`, and write T[…]",
                                tensor.dtype)
                  : fmt::format("declare it, `types: {{{}: float}}`, or {}", tensor.dtype,
                                meant_note(tensor.dtype, type_names()))});
  }

  void check_attr(const AttrDef& attr) {
    if (attr.value) check_default(attr, *attr.value);
  }

  void check_default(const AttrDef& attr, const Syntax& value) {
    if (!value.is(SyntaxKind::list)) return check_element(attr, value);
    if (attr.count == AttrCount::one) {
      diagnostics_.error(Code::E0210, value.span, fmt::format("'{}' has one value, not a list", attr.name),
                         {fmt::format("declare it as {}[{}] for a list", attr.type, value.children.size())});
      return;
    }
    if (attr.count == AttrCount::fixed && value.children.size() != static_cast<std::size_t>(attr.length)) {
      diagnostics_.error(
          Code::E0212, value.span,
          fmt::format("'{}' has {} values, its default {}", attr.name, attr.length, value.children.size()),
          {"give as many, or one that stands for all"});
    }
    for (const Syntax& element : value.children) check_element(attr, element);
  }

  void check_element(const AttrDef& attr, const Syntax& value) {
    const TypeVar* type = value.is(SyntaxKind::boolean) ? op_.type(attr.type) : nullptr;
    const bool no_bool = type != nullptr && !class_allows(*type, DType::Bool);
    if (value_fits(attr, value) && !no_bool) return;
    const std::string note =
        attr.kind == AttrKind::enumeration ? fmt::format("its words are: {}", joined(attr.words, ", "))
        : attr.type == "bool"              ? "write true or false"
        : any_within(value, [](const Syntax& n) { return n.is(SyntaxKind::binary); })
            ? fmt::format("write a number of type {}: an expression needs a name under `let`", attr.type)
            : fmt::format("write a value of type {}", attr.type);
    diagnostics_.error(Code::E0210, value.span,
                       fmt::format("'{}' is not a default for the attribute '{}'", print(value), attr.name), {note});
  }

  /// Tensors, attributes, lets and index entries share one space of names; sizes and packs of shapes must not be
  /// tensors. False if a name has two meanings.
  bool check_clashes() {
    const std::size_t before = diagnostics_.size();
    std::map<std::string, std::string_view> seen;
    const auto claim = [&](const std::string& name, const SourceSpan& span, std::string_view what) {
      const auto [earlier, fresh] = seen.emplace(name, what);
      if (!fresh)
        diagnostics_.error(Code::E0416, span,
                           fmt::format("the name '{}' of {} is that of {} already", name, what, earlier->second),
                           {"rename one of the two"});
    };
    for (const AttrDef& a : op_.attrs) claim(a.name, a.span, "an attribute");
    for (const TensorDef& t : op_.inputs) claim(t.name, t.span, "an input");
    for (const TensorDef& t : op_.outputs) claim(t.name, t.span, "an output");
    for (const LetDef& l : op_.lets) claim(l.name, l.span, "a let");
    for (const IndexRange& r : op_.index) claim(r.name, r.span, "an index variable");
    for (const TableDef& t : op_.tables) claim(t.tensor.name, t.tensor.span, "a table");
    std::set<std::string> sizes;
    for (const TensorDef& t : op_.inputs)
      for (const Dim& d : t.dims) sizes.insert(d.name);
    for (const IndexRange& r : op_.index)
      if (sizes.count(r.name) != 0)
        diagnostics_.error(Code::E0416, r.span, fmt::format("the index variable '{}' is a size already", r.name),
                           {"rename one of the two"});
    return diagnostics_.size() == before;
  }

  void check_sizes() {
    const auto limit = [&](std::size_t count, std::size_t most, std::string_view what) {
      if (count > most)
        diagnostics_.error(Code::E0232, op_.span,
                           fmt::format("op '{}' has {} {}, at most {} are allowed", op_.name, count, what, most),
                           {"split the op, or use a variadic input"});
    };
    const bool several =
        !op_.outputs.empty() && op_.outputs.back().variadic;  // a library takes up to eight, and uses a bit per tensor
    limit(op_.inputs.size(), several ? 24 : 32, "inputs");
    limit(op_.outputs.size(), 16, "outputs");
    limit(op_.attrs.size(), 32, "attributes");
    for (const auto* list : {&op_.inputs, &op_.outputs}) {
      for (const TensorDef& t : *list) limit(t.dims.size(), 16, "entries in a shape");
    }
  }

  bool class_allows(const TypeVar& type, DType dtype) const {
    return any_of(type.classes, [&](const Word& w) {
      return is_type_class(w.text) ? in_type_class(dtype, w.text) : dtype_from_name(w.text) == dtype;
    });
  }

  void check_expand() {
    for (const auto& [name, dtypes] : op_.expand.dtypes) {
      const TypeVar* type = name.text.empty() ? (op_.types.empty() ? nullptr : &op_.types[0]) : op_.type(name.text);
      if (type == nullptr) {
        diagnostics_.error(Code::E0225, name.span,
                           name.text.empty() ? "this op has no type variable"
                                             : fmt::format("this op has no type variable '{}'", name.text),
                           {"`expand: {dtypes: …}` chooses among the dtypes of type variables"});
        continue;
      }
      for (const Word& dtype : dtypes) {
        if (!class_allows(*type, *dtype_from_name(dtype.text)))
          diagnostics_.error(Code::E0225, dtype.span, fmt::format("{} does not allow {}", type->name, dtype.text),
                             {fmt::format("{} ranges over {}", type->name,
                                          type->classes.empty() ? "nothing" : type->classes[0].text)});
      }
    }
    for (const auto& [name, values] : op_.expand.attrs) {
      const AttrDef* attr = op_.attr(name.text);
      if (attr == nullptr) {
        const std::vector<std::string> known = mapped(op_.attrs, &AttrDef::name);
        diagnostics_.error(Code::E0225, name.span, fmt::format("this op has no attribute '{}'", name.text),
                           {meant_note(name.text, known)});
        continue;
      }
      for (const Syntax& value : values) {
        if (!value.is(SyntaxKind::list) && !value_fits(*attr, value))
          diagnostics_.error(Code::E0225, value.span,
                             fmt::format("'{}' is not a value of the attribute '{}'", print(value), attr->name),
                             {fmt::format("write values of type {}", attr->type)});
      }
    }
  }

  /// Values that statements define, for `save` and `reassociate`.
  void check_save() {
    std::vector<std::string> defined;
    for (const Statement& s : op_.body) {
      for (const Word& target : s.targets) defined.push_back(target.text);
    }
    const auto known = [&](const Word& w) { return contains(defined, w.text); };
    for (const Word& word : op_.save) {
      if (!known(word))
        diagnostics_.error(Code::E0220, word.span, fmt::format("the body computes no '{}'", word.text),
                           {meant_note(word.text, defined)});
    }
    for (const Word& word : op_.numerics.reassociate) {
      if (!known(word))
        diagnostics_.error(Code::E0231, word.span, fmt::format("the body computes no '{}'", word.text),
                           {meant_note(word.text, defined)});
    }
  }

  const OpDef& op_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool value_fits(const AttrDef& attr, const Syntax& value) {
  const Syntax& bare = without_sign(value);
  switch (attr.kind) {
    case AttrKind::boolean: return value.is(SyntaxKind::boolean);
    case AttrKind::integer: return bare.is(SyntaxKind::integer);
    case AttrKind::u64: return value.is(SyntaxKind::integer);
    case AttrKind::real: return is_number(bare);
    case AttrKind::dtype: {
      const DType type = *dtype_from_name(attr.type);
      return is_int(type) ? bare.is(SyntaxKind::integer) && holds(type, value) : is_number(bare);
    }
    case AttrKind::enumeration: return value.is(SyntaxKind::name) && contains(attr.words, value.text);
    case AttrKind::type_variable: return is_number(bare) || value.is(SyntaxKind::boolean);
  }
  return false;
}

bool check_declarations(const OpDef& op, Diagnostics& diagnostics) { return DeclarationChecker(op, diagnostics).run(); }

}  // namespace tenon
