// The shapes of inputs in typed calls.
#include <fmt/format.h>

#include "harness/library/library_arithmetic.h"
#include "harness/library/library_dims.h"
#include "harness/library/runtime_calls.h"
#include "harness/library/typed_prototypes.h"
#include "ir/nest/c_ast.h"
#include "ir/text/print_c99.h"
#include "support/ranges.h"

namespace tenon {
namespace {

CExpr extent_of(const OpDef& def, const Dim& d) {
  if (d.kind == DimKind::integer) return c_number(d.value);
  return def.attr(d.name) ? attribute_field(d.name) : dims_field(d);
}

CBlock extents_of(const OpDef& def, const std::vector<Dim>& dims) {
  CBlock out;
  for (const Dim& d : dims) {
    if (d.kind == DimKind::pack) {
      out.push_back(runtime_step("extents", {address_of(dims_field(d))}));
      continue;
    }
    CExpr extent = extent_of(def, d.kind == DimKind::split ? d.parts[0] : d);
    for (size_t k = 1; k < d.parts.size(); ++k) extent = runtime_call("mul", {extent, extent_of(def, d.parts[k])});
    out.push_back(runtime_step("extent", {extent}));
  }
  return out;
}

/// The dims of a tensor in the order in which a rule stores them.
std::vector<Dim> stored_dims(const TensorDef& t, const StorageRule& r) {
  std::vector<Dim> out;
  for (const Dim& d : r.dims)
    for (const Dim& mine : t.dims)
      if (print(mine) == print(d)) out.push_back(mine);
  return out;
}

/// The stored order of an input, rule by rule.
CBlock shape_of(const OpDef& def, const TensorDef& t) {
  if (has_broadcast(t)) return {runtime_step("extents", {address_of(broadcast_field(t))})};
  const auto last = find_if(t.storage, [](const auto& r) { return !r.condition; });
  CBlock out = extents_of(def, last == t.storage.end() ? t.dims : stored_dims(t, *last));
  ArithmeticScope scope;
  scope.def = &def;
  for (auto r = last; r != t.storage.begin();) {
    --r;
    out = {c_if(condition_value(*r->condition, scope), extents_of(def, stored_dims(t, *r)), std::move(out))};
  }
  return out;
}

std::string text_of(const CBlock& body) { return print_c99(CFunction{"", "", "void", "", {}, body, ""}); }

/// Inputs whose shapes are returned by the same statements share them.
std::vector<CCase> cases(const OpDef& def) {
  std::vector<CCase> out;
  for (size_t i = 0; i < def.inputs.size(); ++i) {
    CBlock body = shape_of(def, def.inputs[i]);
    const auto same = find_if(out, [text = text_of(body)](const CCase& c) { return text_of(c.body) == text; });
    if (same != out.end()) same->values.push_back(static_cast<int64_t>(i));
    else out.push_back({{static_cast<int64_t>(i)}, std::move(body)});
  }
  return out;
}

}  // namespace

CFunction typed_shapes(const LibraryOp& op) {
  const std::string& name = op.def->name;
  CBlock choice = {{CSwitch{c_text("k"), cases(*op.def)}}}, body;
  const std::set<std::string> read = variables_read(choice);
  if (read.count("dims"))
    body.push_back(c_declare(fmt::format("const tn_{}_dims *", name), "dims", frame_field("dims")));
  if (read.count("a")) body.push_back(c_declare(fmt::format("const tn_{}_attrs *", name), "a", frame_field("typed")));
  if (read.count("f")) body.push_back(std::move(choice[0]));
  else  // all inputs are numbers
    for (const char* unused : {"f", "k"}) body.push_back(c_evaluate(c_cast("void", c_text(unused))));
  return {"", "static", "void", name + "_shapes", {"tn_frame *f", "int k"}, std::move(body), ""};
}

}  // namespace tenon
