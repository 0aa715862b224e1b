// The typed functions of an op as its header declares them.
#include "harness/library/typed_prototypes.h"

#include <fmt/format.h>

#include "harness/library/library_attributes.h"
#include "harness/library/library_dims.h"
#include "harness/library_names.h"
#include "ir/op/type_function.h"
#include "support/ranges.h"

namespace tenon {

TypedPrototypes::TypedPrototypes(const LibraryOp& op, bool threads)
    : op_(op), def_(*op.def), threads_(threads), has_dims_(!dims_fields(op).empty()) {}

std::vector<const LibraryKernel*> TypedPrototypes::variants() const {
  std::vector<const LibraryKernel*> out;
  for (const LibraryKernel& k : op_.kernels)
    if (none_of(out, [&](const auto* o) { return o->call_types == k.call_types; })) out.push_back(&k);
  return out;
}

DType TypedPrototypes::dtype_of(const LibraryKernel& k, const TensorDef& t) const {
  return *dtype_of_word(t.dtype, k.call_types);
}

std::string TypedPrototypes::name_of_variant(const LibraryKernel& k, bool context) const {
  std::string text = "tn_" + (def_.types.empty() ? unreserved(def_.name, NamesOf::function) : def_.name);
  for (const TypeVar& v : def_.types)
    if (!v.derived) text += fmt::format("_{}", name_of(k.call_types.at(v.name)));
  return context ? text + "_on" : text;
}

std::vector<std::string> TypedPrototypes::leading_parameters(bool context) const {
  std::vector<std::string> out;
  if (context) out.push_back("const tn_context *context");
  if (has_dims_) out.push_back(fmt::format("const tn_{}_dims *dims", def_.name));
  if (!def_.attrs.empty()) out.push_back(fmt::format("const tn_{}_attrs *attrs", def_.name));
  return out;
}

CFunction TypedPrototypes::call(const LibraryKernel& k, bool context) const {
  std::vector<std::string> params = leading_parameters(context);
  const auto add = [&](const char* constant, const TensorDef& t) {
    params.push_back(fmt::format("{}{} *{}{}", constant, dtype_row(dtype_of(k, t)).c_type, c_identifier(t.name),
                                 t.optional ? " /* or NULL */" : ""));
  };
  for (const TensorDef& t : def_.inputs) add("const ", t);
  for (const TensorDef& t : def_.outputs) add("", t);
  for (const std::string& e : written_extents(def_)) params.push_back("int64_t *" + c_identifier(e));
  params.push_back("void *workspace");
  params.push_back("size_t workspace_bytes");
  return {"", "", "int", name_of_variant(k, context), std::move(params), {}, ""};
}

CFunction TypedPrototypes::workspace(const LibraryKernel& k, bool context) const {
  return {"", "", "size_t", name_of_variant(k, context) + "_workspace", leading_parameters(context), {}, ""};
}

CFunction TypedPrototypes::shape() const {
  std::vector<std::string> params = leading_parameters(false);
  for (const std::string& v : types_of_attributes(def_)) params.push_back("tn_dtype " + c_identifier(v));
  for (const TensorDef& t : def_.outputs)
    params.push_back(has_shape_array(t)
                         ? fmt::format("int64_t {}[{}]", shape_parameter(t), t.dims.size())
                         : fmt::format("tn_dims *{}{}", shape_parameter(t), t.optional ? " /* or NULL */" : ""));
  return {"", "", "int", fmt::format("tn_{}_shape", def_.name), std::move(params), {}, ""};
}

bool has_shape_array(const TensorDef& t) {
  return !t.dims.empty() && none_of(t.dims, [](const Dim& d) { return d.kind == DimKind::pack; });
}

std::string shape_parameter(const TensorDef& t) { return c_identifier(t.name) + "_shape"; }

}  // namespace tenon
