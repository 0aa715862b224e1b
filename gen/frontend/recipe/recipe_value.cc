// Conversions of recipe values to attributes and to text.
#include "frontend/recipe/recipe_value.h"

#include <fmt/format.h>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

using AttrKind = AttrSignature::Kind;

std::string wanted_text(const AttrSignature& s) {
  switch (s.kind) {
    case AttrKind::boolean: return "true or false";
    case AttrKind::integer: return s.list ? "integers" : "an integer";
    case AttrKind::real:
    case AttrKind::element: return s.list ? "numbers" : "a number";
    case AttrKind::word: return fmt::format("one of {}", joined(s.words, ", "));
    case AttrKind::dtype: return "a dtype";
    case AttrKind::text: return "text";
  }
  return {};
}

bool boolean_attribute(const RecipeValue& v, AttrValue& result) {
  if (const bool* b = v.get<bool>()) result = *b;
  else if (const SizeExpr* n = v.get<SizeExpr>(); n && (n->is(0) || n->is(1))) result = n->is(1);
  else return false;
  return true;
}

bool scalar_attribute(const RecipeValue& v, const AttrSignature& s, AttrValue& result) {
  const SizeExpr* whole = v.get<SizeExpr>();
  const double* real = v.get<double>();
  const std::string* text = v.get<std::string>();
  switch (s.kind) {
    case AttrKind::boolean: return boolean_attribute(v, result);
    case AttrKind::integer:
      if (const bool* b = v.get<bool>()) return result = int64_t{*b}, true;
      if (!whole) return false;
      if (whole->is_constant()) result = whole->value;
      else result = *whole;
      return true;
    case AttrKind::real:
      if (real) return result = *real, true;
      if (whole && whole->is_constant()) return result = static_cast<double>(whole->value), true;
      return false;
    case AttrKind::element:
      if (real) return result = *real, true;
      if (whole && whole->is_constant()) return result = whole->value, true;
      if (whole) return result = *whole, true;
      if (const bool* b = v.get<bool>()) return result = int64_t{*b}, true;
      return false;
    case AttrKind::word:
      if (!text || !contains(s.words, *text)) return false;
      return result = *text, true;
    case AttrKind::dtype:
      if (const DType* d = v.get<DType>()) return result = *d, true;
      return false;
    case AttrKind::text:
      if (text) return result = *text, true;
      return false;
  }
  return false;
}

bool list_attribute(const RecipeList& list, const AttrSignature& s, AttrValue& result) {
  if (s.kind == AttrKind::integer || s.kind == AttrKind::boolean) {
    std::vector<SizeExpr> sizes;
    if (!to_sizes(list, sizes)) return false;
    std::vector<int64_t> plain;
    for (const SizeExpr& e : sizes)
      if (e.is_constant()) plain.push_back(e.value);
    if (plain.size() == sizes.size()) result = std::move(plain);
    else result = std::move(sizes);
    return true;
  }
  if (s.kind == AttrKind::real || s.kind == AttrKind::element) {
    std::vector<double> reals;
    std::vector<int64_t> wholes;
    for (const RecipeValue& e : list) {
      AttrValue one;
      if (!scalar_attribute(e, s, one)) return false;
      if (const int64_t* n = std::get_if<int64_t>(&one)) wholes.push_back(*n);
      reals.push_back(std::holds_alternative<double>(one) ? std::get<double>(one) : static_cast<double>(wholes.back()));
    }
    if (s.kind == AttrKind::element && wholes.size() == list.size() && !list.empty()) result = std::move(wholes);
    else result = std::move(reals);
    return true;
  }
  std::vector<std::string> words;
  for (const RecipeValue& e : list) {
    if (!e.get<std::string>()) return false;
    words.push_back(*e.get<std::string>());
  }
  result = std::move(words);
  return true;
}

struct ValueText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(const SizeExpr& e) const { return to_text(e); }
  std::string operator()(double d) const { return fmt::format("{}", d); }
  std::string operator()(const std::string& s) const { return "'" + s + "'"; }
  std::string operator()(DType d) const { return std::string(name_of(d)); }
  std::string operator()(TensorRef) const { return "a tensor"; }
  std::string operator()(const OpenParts&) const { return "as many tensors as sizes say"; }
  std::string operator()(const SharedList& shared) const {
    const RecipeList& list = *shared.list;
    std::string text = "[";
    for (const RecipeValue& e : list) text += (text.size() > 1 ? ", " : "") + to_text(e);
    return text + "]";
  }
};

}  // namespace

std::string kind_of(const RecipeValue& value) {
  static constexpr const char* kinds[] = {
      "nothing", "true or false", "an integer", "a number",
      "text",    "a dtype",       "a tensor",   "a sequence whose length run time decides",
      "a list"};
  return kinds[value.v.index()];
}

std::string to_text(const RecipeValue& value) { return std::visit(ValueText{}, value.v); }

bool to_sizes(const RecipeValue& value, std::vector<SizeExpr>& result) {
  const RecipeList* list = value.get<RecipeList>();
  if (!list) return false;
  for (const RecipeValue& e : *list) {
    if (const SizeExpr* n = e.get<SizeExpr>()) result.push_back(*n);
    else if (const bool* b = e.get<bool>()) result.emplace_back(int64_t{*b});
    else return false;
  }
  return true;
}

bool to_attribute(const RecipeValue& value, const AttrSignature& signature, AttrValue& result, std::string& error) {
  bool fits = false;
  if (const RecipeList* list = value.get<RecipeList>())
    fits = signature.list && list_attribute(*list, signature, result);
  else fits = scalar_attribute(value, signature, result);
  if (!fits) error = fmt::format("{} takes {}, not {}", signature.name, wanted_text(signature), to_text(value));
  return fits;
}

}  // namespace tenon
