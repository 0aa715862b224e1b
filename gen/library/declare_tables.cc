// The tables that a body names as tensors of its kernel.
#include <algorithm>

#include "library/table_data.h"

namespace tenon {
namespace {

bool reads(const Statement& s, const std::string& table) {
  const auto any = [&](const std::vector<Syntax>& all) {
    return std::any_of(all.begin(), all.end(), [&](const Syntax& one) { return tenon::reads(one, table); });
  };
  return tenon::reads(s.value, table) || any(s.subs) || any(s.ranges) || (s.where && tenon::reads(*s.where, table));
}

}  // namespace

void declare_tables(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics) {
  const OpDef& def = *scope.def;
  for (const TableDef& table : def.tables) {
    const std::string& name = table.tensor.name;
    const bool passed = std::any_of(def.body.begin(), def.body.end(), [&](const Statement& s) {
      return s.is_call && any_within(s.value, [&](const Syntax& n) { return n.is_name(name); });
    });
    if (!passed && std::none_of(def.body.begin(), def.body.end(), [&](const Statement& s) { return reads(s, name); }))
      continue;
    const auto own = table_data(library, def, table, scope.binding.types, diagnostics);
    if (!own) continue;
    const auto data = passed ? own : in_compute_type(own);
    BoundTensor& bound = scope.tensors[name];
    for (const int64_t n : data->dims) bound.entries.push_back({constant_int(n)});
    bound.tensor = constant_tensor(kernel, name, data);
  }
}

}  // namespace tenon
