// Reads or makes the contents of parameters.
#include "frontend/yaml/read_parameter.h"

#include <fmt/format.h>

#include <filesystem>

#include "frontend/recipe/recipe_value.h"
#include "frontend/recipe/run_recipe.h"
#include "frontend/tensors/tensor_files.h"

namespace tenon {
namespace {

template <class T>
T take(Result<T> result) {
  if (!result.ok()) throw ParameterFileError(result.diagnostics().sorted().front());
  return std::move(result).value();
}

std::vector<int64_t> numeric_dims(const TensorType& type) {
  std::vector<int64_t> dims;
  for (const SizeExpr& d : type.dims) {
    if (!d.is_constant()) throw RecipeError(0, fmt::format("a parameter's extents are numbers, not {}", to_text(d)));
    dims.push_back(d.value);
  }
  return dims;
}

TensorData from_file(const ParameterSource& s) {
  const std::vector<uint8_t> bytes = take(read_bytes(*parameter_file(s), s.from));
  if (s.from.ends_with(".npy")) return take(read_npy(bytes, s.from));
  if (s.from.ends_with(".npz")) return take(read_npz(bytes, s.name, s.from));
  return take(read_safetensors(bytes, s.name, s.from));
}

// The attributes written in the call, and those that the parameter's type and position imply.
Attributes call_attributes(const RecipeExpr& call, const OpSignature& signature, const ParameterSource& s,
                           const OpSemantics& semantics) {
  GraphBuilder builder(semantics, "parameter");
  const RecipeFunctions none;
  RecipeContext context{builder, none};
  RecipeScope scope;
  Attributes attrs;
  for (const RecipeExpr& a : call.args) {
    if (a.kind != RecipeExpr::Kind::keyword)
      throw RecipeError(a.offset, "attributes are given by name, as in randn(std=0.1)");
    const AttrSignature* known = signature.attr(a.text);
    if (!known)
      throw RecipeError(a.offset, fmt::format("{} has no attribute '{}'; its call: {}", call.text, a.text,
                                              call_text(call.text, signature)));
    std::string error;
    if (!to_attribute(evaluate_recipe(context, a.args[0], scope), *known, attrs[a.text], error))
      throw RecipeError(a.offset, error);
  }
  for (const AttrSignature& k : signature.attrs) {
    if (k.name == "shape") attrs.try_emplace("shape", numeric_dims(*s.type));
    if (k.name == "dtype") attrs.try_emplace("dtype", s.type->dtype);
    if (k.name == "seed") attrs.try_emplace("seed", static_cast<int64_t>(s.position));
  }
  return attrs;
}

TensorData from_call(const ParameterSource& s, const OpSemantics& semantics) {
  if (s.from.find('(') == std::string::npos)
    throw RecipeError(0, "`from` is a .npy, .npz or .safetensors file, or a call such as randn(std=0.1)");
  RecipeExpr call = parse_recipe_expr(s.from);
  if (call.kind != RecipeExpr::Kind::call)
    throw RecipeError(0, "`from` is a .npy, .npz or .safetensors file, or a call such as randn(std=0.1)");
  if (!s.type) throw RecipeError(0, "a parameter that is made needs its `type`");
  const OpSignature* signature = semantics.find(call.text);
  if (!signature || !signature->inputs.empty())
    throw RecipeError(call.offset,
                      fmt::format("'{}' is not an op that makes a tensor from attributes alone", call.text));
  if (!semantics.evaluate) throw RecipeError(call.offset, "nothing here evaluates ops");
  ComputedTensors made = semantics.evaluate(call.text, {}, call_attributes(call, *signature, s, semantics), 1);
  if (made.outputs.empty())
    throw RecipeError(call.offset, made.error.empty()
                                       ? fmt::format("'{}' cannot be computed before run time", call.text)
                                       : made.error);
  return std::move(made.outputs[0]);
}

}  // namespace

TensorData read_parameter(const ParameterSource& source, const OpSemantics& semantics) {
  TensorData data = parameter_file(source) ? from_file(source) : from_call(source, semantics);
  if (!source.type) return data;
  const std::vector<int64_t> dims = numeric_dims(*source.type);
  if (data.dtype == DType::U8 && is_small(source.type->dtype)) data.dtype = source.type->dtype;  // one code per byte
  if (data.dtype == source.type->dtype && data.dims == dims) return data;
  throw RecipeError(0,
                    fmt::format("the type stated is {}[{}], but the contents are {}[{}]", name_of(source.type->dtype),
                                fmt::join(dims, ", "), name_of(data.dtype), fmt::join(data.dims, ", ")));
}

std::optional<std::string> parameter_file(const ParameterSource& s) {
  for (const char* ending : {".npy", ".npz", ".safetensors"})
    if (s.from.ends_with(ending)) return (std::filesystem::path(s.folder) / s.from).string();
  return std::nullopt;
}

}  // namespace tenon
