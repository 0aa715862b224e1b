// Attributes of an op in C.
#include "harness/library/library_attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/library/library_arithmetic.h"
#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "ir/op/type_function.h"
#include "ir/text/print_c99.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/quoted.h"

namespace tenon {
namespace {

/// How the values of an attribute are held: "int64_t", "double" or "tn_value".
std::string value_type(const AttrDef& a) {
  if (a.kind == AttrKind::real) return "double";
  if (a.kind == AttrKind::type_variable) return "tn_value";
  if (a.kind != AttrKind::dtype) return "int64_t";
  const auto d = dtype_from_name(a.type);
  TENON_CHECK(d, "attribute {}: type {}", a.name, a.type);
  return is_complex(*d) ? "tn_value" : is_float(*d) ? "double" : "int64_t";
}

/// C expression of the dtype of a tn_value attribute, over `type`: int32_t or tn_dtype by type variable.
std::string dtype_of(const OpDef& def, const AttrDef& a, bool in_frame) {
  if (a.kind == AttrKind::dtype) return dtype_constant(*dtype_from_name(a.type));
  return in_frame ? fmt::format("f->type[{}]", type_variable(def, a.type)) : type_from_parameters(def, a.type);
}

std::string field_of(const AttrDef& a) {
  const std::string name = c_identifier(a.name), type = value_type(a);
  if (a.count == AttrCount::one) return fmt::format("{} {};", type, name);
  if (a.count == AttrCount::fixed) return fmt::format("{} {}[{}];", type, name, a.length);
  TENON_CHECK(type != "tn_value" && (a.count == AttrCount::any || type == "int64_t"), "attribute {}: a list of type {}",
              a.name, a.type);
  if (a.count == AttrCount::per_dim) return fmt::format("tn_dims {};", name);
  return fmt::format("{} {};", type == "double" ? "tn_reals" : "tn_ints", name);
}

std::string field_comment(const AttrDef& a) {
  std::string text;
  if (a.kind == AttrKind::boolean) text = "0 or 1";
  if (a.kind == AttrKind::enumeration)
    for (size_t k = 0; k < a.words.size(); ++k) text += fmt::format("{}{} {}", k ? ", " : "", k, a.words[k]);
  if (a.kind == AttrKind::u64) text = "the bits of an unsigned number";
  if (a.kind == AttrKind::type_variable) text = "of type " + a.type;
  if (a.count == AttrCount::per_dim)
    text += fmt::format("{}one for each dimension of {}, or rank -1", text.empty() ? "" : "; ", a.pack);
  text += text.empty() ? "" : "; ";
  return text + (a.value ? "default " + print(*a.value) : "required");
}

ArithmeticScope constant_scope(const OpDef& def, const OpLibrary& defs) {
  ArithmeticScope scope;
  scope.def = &def;
  scope.defs = &defs;
  return scope;
}

std::string default_text(const OpDef& def, const OpLibrary& defs, const AttrDef& a, const Syntax& value) {
  const ArithmeticValue v = arithmetic(value, constant_scope(def, defs));
  const std::string text = print_c99(v.value);
  if (value_type(a) == "double") return print_c99(real_value(value, constant_scope(def, defs)));
  if (value_type(a) == "int64_t" && text.find("inf") != std::string::npos)
    return text[0] == '-' ? "INT64_MIN" : "INT64_MAX";
  if (value_type(a) == "int64_t") return v.type == ArithmeticType::Real ? fmt::format("(int64_t){}", text) : text;
  if (v.type == ArithmeticType::Real) return fmt::format("tn_rt_value({}, {})", dtype_of(def, a, false), text);
  return fmt::format("tn_rt_value_int({}, {})", dtype_of(def, a, false), text);
}

const Syntax& element(const Syntax& value, size_t k) {
  return value.kind == SyntaxKind::list ? value.children[std::min(k, value.children.size() - 1)] : value;
}

void write_default_list(const OpDef& def, const OpLibrary& defs, const AttrDef& a, TextWriter& out) {
  const std::string name = c_identifier(a.name);
  const Syntax* value = a.value ? &*a.value : nullptr;
  const size_t n = value == nullptr ? 0 : value->kind == SyntaxKind::list ? value->children.size() : 1;
  if (a.count == AttrCount::per_dim) {
    out.print_line("memset(&attrs->{0}, 0, sizeof attrs->{0});", name);
    out.print_line("attrs->{}.rank = {};", name, a.value && value->kind == SyntaxKind::list ? static_cast<int>(n) : -1);
    for (size_t k = 0; value != nullptr && value->kind == SyntaxKind::list && k < n; ++k)
      out.print_line("attrs->{}.dim[{}] = {};", name, k, default_text(def, defs, a, element(*value, k)));
    return;
  }
  out.print_line("attrs->{}.count = {};", name, n);
  if (n == 0) {
    out.print_line("attrs->{}.values = NULL;", name);
    return;
  }
  std::vector<std::string> values;
  for (size_t k = 0; k < n; ++k) values.push_back(default_text(def, defs, a, element(*value, k)));
  out.line("{");
  {
    const auto in = out.indented();
    out.print_line("static const {} values[] = {{{}}};", value_type(a), joined(values, ", "));
    out.print_line("attrs->{}.values = values;", name);
  }
  out.line("}");
}

void write_default(const OpDef& def, const OpLibrary& defs, const AttrDef& a, TextWriter& out) {
  if (a.count == AttrCount::any || a.count == AttrCount::per_dim) return write_default_list(def, defs, a, out);
  const size_t n = a.count == AttrCount::fixed ? static_cast<size_t>(a.length) : 1;
  const Syntax zero{SyntaxKind::integer, "0", 0, 0, {}, {}};
  for (size_t k = 0; k < n; ++k) {
    const std::string at = a.count == AttrCount::fixed ? fmt::format("[{}]", k) : "";
    out.print_line("attrs->{}{} = {};", c_identifier(a.name), at,
                   default_text(def, defs, a, a.value ? element(*a.value, k) : zero));
  }
}

void write_read(const OpDef& def, const AttrDef& a, TextWriter& out) {
  const std::string type = value_type(a), name = c_identifier(a.name);
  const int required = a.required() ? 1 : 0;
  const int n = a.count == AttrCount::fixed ? a.length : 1;
  const std::string to = a.count == AttrCount::fixed ? fmt::format("a->{}", name) : fmt::format("&a->{}", name);
  if (a.count == AttrCount::per_dim)
    return void(out.print_line("tn_rt_attr_dims(f, \"{}\", {}, {});", verbatim(a.name), required, to));
  if (a.count == AttrCount::any)
    return void(out.print_line("tn_rt_attr_{}(f, \"{}\", {}, {});", type == "double" ? "reals" : "ints",
                               verbatim(a.name), required, to));
  if (type == "tn_value")
    return void(out.print_line("tn_rt_attr_value(f, \"{}\", {}, {}, {}, {});", verbatim(a.name), required,
                               dtype_of(def, a, true), to, n));
  out.print_line("tn_rt_attr_{}(f, \"{}\", {}, {}, {});", type == "double" ? "real" : "int", verbatim(a.name), required,
                 to, n);
}

}  // namespace

std::vector<std::string> types_of_attributes(const OpDef& def) {
  std::vector<std::string> out;
  for (const TypeVar& v : def.types)
    if (std::any_of(def.attrs.begin(), def.attrs.end(), [&](const AttrDef& a) {
          return a.kind == AttrKind::type_variable && variable_of_type(a.type) == v.name;
        }))
      out.push_back(v.name);
  return out;
}

int kept_scalars(const AttrDef& list) { return list.length * (value_type(list) == "tn_value" ? 2 : 1); }

std::string type_from_parameters(const OpDef& def, const std::string& word) {
  const TypeVar& variable = *def.type(variable_of_type(word));
  const std::string given = c_identifier(variable.name);
  if (!is_derived_type(word)) return fmt::format("(int32_t){}", given);
  const std::vector<DType> all = dtypes_of(variable);
  std::string text;
  for (size_t k = 0; k + 1 < all.size(); ++k)
    if (derived_dtype(word, all[k]) != derived_dtype(word, all.back()))
      text +=
          fmt::format("{} == {} ? {} : ", given, dtype_constant(all[k]), dtype_constant(*derived_dtype(word, all[k])));
  return fmt::format("({}{})", text, dtype_constant(*derived_dtype(word, all.back())));
}

std::string defaults_parameters(const OpDef& def) {
  std::string out = fmt::format("(tn_{}_attrs *attrs", def.name);
  for (const std::string& v : types_of_attributes(def)) out += ", tn_dtype " + c_identifier(v);
  return out + ")";
}

void write_attribute_struct(const OpDef& def, TextWriter& out) {
  if (def.attrs.empty()) return;
  out.line("typedef struct {");
  {
    const auto in = out.indented();
    for (const AttrDef& a : def.attrs)
      out.print_line("{} /* {} */", field_of(a), verbatim(comment_inside(field_comment(a))));
  }
  out.print_line("}} tn_{}_attrs;", def.name);
}

void write_attribute_functions(const OpDef& def, const OpLibrary& defs, TextWriter& out) {
  if (def.attrs.empty()) return;
  out.print_line("void tn_{}_defaults{}", def.name, defaults_parameters(def)).line("{");
  {
    const auto in = out.indented();
    for (const AttrDef& a : def.attrs) write_default(def, defs, a, out);
  }
  out.line("}").line();
  out.print_line("static void {}_read_attributes(tn_frame *f, tn_{}_attrs *a)", def.name, def.name).line("{");
  {
    const auto in = out.indented();
    std::string types;
    for (const std::string& v : types_of_attributes(def))
      types += fmt::format(", (tn_dtype)f->type[{}]", type_variable(def, v));
    out.print_line("tn_{}_defaults(a{});", def.name, types);
    for (const AttrDef& a : def.attrs) write_read(def, a, out);
    out.line("tn_rt_attrs_done(f);");
  }
  out.line("}").line();
}

void add_attribute_checks(const OpDef& def, CBlock& out) {
  for (const AttrDef& a : def.attrs) {
    const size_t values = a.kind == AttrKind::boolean ? 2 : a.kind == AttrKind::enumeration ? a.words.size() : 0;
    if (values == 0 || a.count == AttrCount::any || a.count == AttrCount::per_dim) continue;
    for (int k = 0; k < (a.count == AttrCount::fixed ? a.length : 1); ++k) {
      CExpr field = attribute_field(a.name);
      if (a.count == AttrCount::fixed) field = c_index(field, c_number(k));
      out.push_back(require(c_binary(c_binary(field, ">=", c_number(0)), "&&",
                                     c_binary(field, "<", c_number(static_cast<int64_t>(values)))),
                            "ATTR"));
    }
  }
}

}  // namespace tenon
