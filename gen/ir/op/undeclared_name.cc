// Looks a name up in all that a definition declares.
#include "ir/op/undeclared_name.h"

#include "support/ranges.h"

namespace tenon {
namespace {

bool declares(const TensorDef& t, const std::string& name) {
  return t.name == name || any_of(t.dims, [&](const Dim& d) {
           return d.name == name || any_of(d.parts, [&](const Dim& p) { return p.name == name; });
         });
}

bool declares(const OpDef& def, const std::string& name) {
  const auto has = [&](const TensorDef& t) { return declares(t, name); };
  return def.attr(name) || def.let(name) || def.table(name) || any_of(def.inputs, has) || any_of(def.outputs, has) ||
         any_of(def.index, [&](const IndexRange& r) { return r.name == name; });
}

}  // namespace

std::string undeclared_name(const OpDef& def, std::string wish) {
  while (declares(def, wish)) wish += "_";
  return wish;
}

}  // namespace tenon
