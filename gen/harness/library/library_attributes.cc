// Attributes of an op in C.
#include "harness/library/library_attributes.h"

#include <fmt/format.h>

#include "harness/library/library_arithmetic.h"
#include "harness/library/runtime_calls.h"
#include "harness/library_names.h"
#include "ir/op/type_function.h"
#include "support/check.h"
#include "support/quoted.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// The C type that stores the values of an attribute: "int64_t", "double" or "tn_value".
std::string value_type(const AttrDef& a) {
  if (a.kind == AttrKind::real) return "double";
  if (a.kind == AttrKind::type_variable) return "tn_value";
  if (a.kind != AttrKind::dtype) return "int64_t";
  const auto d = dtype_from_name(a.type);
  TENON_CHECK(d, "attribute {}: type {}", a.name, a.type);
  return is_complex(*d) ? "tn_value" : is_float(*d) ? "double" : "int64_t";
}

/// The dtype of a tn_value attribute, in a function that has the frame or one that has parameters for types.
CExpr dtype_of(const OpDef& def, const AttrDef& a, bool in_frame) {
  if (a.kind == AttrKind::dtype) return c_text(dtype_constant(*dtype_from_name(a.type)));
  if (!in_frame) return type_from_parameters(def, a.type);
  return c_index(frame_field("type"), c_number(type_variable(def, a.type)));
}

std::string field_of(const AttrDef& a) {
  const std::string name = c_identifier(a.name), type = value_type(a);
  if (a.count == AttrCount::one) return fmt::format("{} {}", type, name);
  if (a.count == AttrCount::fixed) return fmt::format("{} {}[{}]", type, name, a.length);
  TENON_CHECK(type != "tn_value" && (a.count == AttrCount::any || type == "int64_t"), "attribute {}: a list of type {}",
              a.name, a.type);
  if (a.count == AttrCount::per_dim) return "tn_dims " + name;
  return fmt::format("{} {}", type == "double" ? "tn_reals" : "tn_ints", name);
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

bool is_infinity(const Syntax& s) { return s.kind == SyntaxKind::infinity; }
bool is_minus(const Syntax& s) { return s.kind == SyntaxKind::unary && s.text == "-"; }

CExpr default_value(const OpDef& def, const OpLibrary& defs, const AttrDef& a, const Syntax& value) {
  ArithmeticScope scope;
  scope.def = &def;
  scope.defs = &defs;
  const std::string type = value_type(a);
  if (type == "double") return real_value(value, scope);
  const auto [expression, kind] = arithmetic(value, scope);
  const bool real = kind == ArithmeticType::Real;
  if (type == "tn_value") return runtime_value(real ? "value" : "value_int", {dtype_of(def, a, false), expression});
  if (is_infinity(value)) return c_text("INT64_MAX");
  if (is_minus(value) && is_infinity(value.children[0])) return c_text("INT64_MIN");
  return real ? c_cast("int64_t", expression) : expression;
}

const Syntax& element(const Syntax& value, size_t k) {
  return value.kind == SyntaxKind::list ? value.children[std::min(k, value.children.size() - 1)] : value;
}

void add_default_list(const OpDef& def, const OpLibrary& defs, const AttrDef& a, CBlock& out) {
  const CExpr field = c_arrow(c_text("attrs"), c_identifier(a.name));
  const bool listed = a.value && a.value->kind == SyntaxKind::list;
  std::vector<CExpr> values;
  for (size_t k = 0; k < (!a.value ? 0 : listed ? a.value->children.size() : 1); ++k)
    values.push_back(default_value(def, defs, a, element(*a.value, k)));
  const auto n = static_cast<int64_t>(values.size());
  if (a.count == AttrCount::per_dim) {
    out.push_back(c_evaluate(c_call("memset", {address_of(field), c_number(0), c_unary("sizeof ", field)})));
    out.push_back(c_assign(c_member(field, "rank"), c_number(listed ? n : -1)));
    for (int64_t k = 0; listed && k < n; ++k)
      out.push_back(c_assign(c_index(c_member(field, "dim"), c_number(k)), values[static_cast<size_t>(k)]));
    return;
  }
  out.push_back(c_assign(c_member(field, "count"), c_number(n)));
  if (n == 0) return out.push_back(c_assign(c_member(field, "values"), c_text("NULL")));
  out.push_back({CScope{{c_declare_array("static const " + value_type(a), "values", "[]", c_list(std::move(values))),
                         c_assign(c_member(field, "values"), c_text("values"))}}});
}

void add_default(const OpDef& def, const OpLibrary& defs, const AttrDef& a, CBlock& out) {
  if (a.count == AttrCount::any || a.count == AttrCount::per_dim) return add_default_list(def, defs, a, out);
  const Syntax zero{SyntaxKind::integer, "0", 0, 0, {}, {}};
  const CExpr field = c_arrow(c_text("attrs"), c_identifier(a.name));
  for (int k = 0; k < (a.count == AttrCount::fixed ? a.length : 1); ++k)
    out.push_back(c_assign(a.count == AttrCount::fixed ? c_index(field, c_number(k)) : field,
                           default_value(def, defs, a, a.value ? element(*a.value, static_cast<size_t>(k)) : zero)));
}

/// Reads an attribute of a uniform call.
CStmt read_of(const OpDef& def, const AttrDef& a) {
  const std::string type = value_type(a);
  const bool fixed = a.count == AttrCount::fixed, real = type == "double";
  const CExpr field = attribute_field(a.name);
  std::vector<CExpr> args = {c_text("\"" + verbatim(a.name) + "\""), c_number(a.required() ? 1 : 0)};
  if (type == "tn_value") args.push_back(dtype_of(def, a, true));
  args.push_back(fixed ? field : address_of(field));
  if (a.count == AttrCount::per_dim) return runtime_step("attr_dims", std::move(args));
  if (a.count == AttrCount::any) return runtime_step(real ? "attr_reals" : "attr_ints", std::move(args));
  args.push_back(c_number(fixed ? a.length : 1));
  return runtime_step(type == "tn_value" ? "attr_value" : real ? "attr_real" : "attr_int", std::move(args));
}

}  // namespace

std::vector<std::string> types_of_attributes(const OpDef& def) {
  std::vector<std::string> out;
  for (const TypeVar& v : def.types)
    if (any_of(def.attrs, [&](const AttrDef& a) {
          return a.kind == AttrKind::type_variable && variable_of_type(a.type) == v.name;
        }))
      out.push_back(v.name);
  return out;
}

int kept_scalars(const AttrDef& list) { return list.length * (value_type(list) == "tn_value" ? 2 : 1); }

CExpr type_from_parameters(const OpDef& def, const std::string& word) {
  const TypeVar& variable = *def.type(variable_of_type(word));
  const CExpr given = c_name(variable.name);
  if (!is_derived_type(word)) return c_cast("int32_t", given);
  const auto constant = [](DType d) { return c_text(dtype_constant(d)); };
  const std::vector<DType> all = dtypes_of(variable);
  CExpr out = constant(*derived_dtype(word, all.back()));
  for (size_t k = all.size() - 1; k-- > 0;)
    if (derived_dtype(word, all[k]) != derived_dtype(word, all.back()))
      out = c_conditional(c_binary(given, "==", constant(all[k])), constant(*derived_dtype(word, all[k])), out);
  return out;
}

CFunction defaults_prototype(const OpDef& def) {
  std::vector<std::string> params = {fmt::format("tn_{}_attrs *attrs", def.name)};
  for (const std::string& v : types_of_attributes(def)) params.push_back("tn_dtype " + c_identifier(v));
  return {"", "", "void", fmt::format("tn_{}_defaults", def.name), std::move(params), {}, ""};
}

CStruct attribute_struct(const OpDef& def) {
  CStruct out{"", fmt::format("tn_{}_attrs", def.name), {}};
  for (const AttrDef& a : def.attrs) out.fields.push_back({field_of(a), verbatim(comment_inside(field_comment(a)))});
  return out;
}

void add_attribute_functions(const OpDef& def, const OpLibrary& defs, std::vector<CItem>& out) {
  if (def.attrs.empty()) return;
  CFunction defaults = defaults_prototype(def);
  for (const AttrDef& a : def.attrs) add_default(def, defs, a, defaults.body);
  std::vector<CExpr> args = {c_text("a")};
  for (const std::string& v : types_of_attributes(def))
    args.push_back(c_cast("tn_dtype", c_index(frame_field("type"), c_number(type_variable(def, v)))));
  CBlock body = {c_evaluate(c_call(defaults.name, std::move(args)))};
  for (const AttrDef& a : def.attrs) body.push_back(read_of(def, a));
  body.push_back(runtime_step("attrs_done", {}));
  out.push_back(std::move(defaults));
  out.push_back(CFunction{"",
                          "static",
                          "void",
                          def.name + "_read_attributes",
                          {"tn_frame *f", fmt::format("tn_{}_attrs *a", def.name)},
                          std::move(body),
                          ""});
}

void add_attribute_checks(const OpDef& def, CBlock& out) {
  for (const AttrDef& a : def.attrs) {
    const size_t values = a.kind == AttrKind::boolean ? 2 : a.kind == AttrKind::enumeration ? a.words.size() : 0;
    if (values == 0 || a.count == AttrCount::any || a.count == AttrCount::per_dim) continue;
    for (int k = 0; k < (a.count == AttrCount::fixed ? a.length : 1); ++k) {
      CExpr field = attribute_field(a.name);
      if (a.count == AttrCount::fixed) field = c_index(field, c_number(k));
      out.push_back(
          require(c_binary(c_binary(field, ">=", c_number(0)), "&&", c_binary(field, "<", c_count(values))), "ATTR"));
    }
  }
}

}  // namespace tenon
