// Calls of the host functions of recipes, which compute on shapes, constants and lists while the graph is read.
#include <fmt/format.h>

#include "frontend/recipe/host_call.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Null if there is none of this name.
const HostRow* find_function(const std::string& name) {
  for (const auto& rows : {value_functions(), tensor_functions()})
    for (const HostRow& row : rows)
      if (name == row.name) return &row;
  return nullptr;
}

bool has_tensor(const RecipeList& args) {
  return any_of(args, [](const RecipeValue& v) { return v.get<TensorRef>() != nullptr; });
}

/// Whether the call gives the op all attributes that it requires.
bool is_complete(const OpSignature& op, const HostArguments& given) {
  for (size_t a = 0; a < op.attrs.size(); ++a) {
    const bool by_place = given.args.size() > op.inputs.size() + a;
    if (op.attrs[a].required && !by_place &&
        none_of(given.keywords, [&](const RecipeKeyword& k) { return k.name == op.attrs[a].name; }))
      return false;
  }
  return true;
}

}  // namespace

bool call_host_function(RecipeContext& context, const std::string& name, const HostArguments& given, size_t offset,
                        RecipeValue& result) {
  const HostRow* const row = find_function(name);
  const bool keywords = row && (row->flags & kKeywords);
  if (!row || (!given.keywords.empty() && !keywords)) return false;
  // The name refers to an op if a tensor is passed and the function takes none, or if everything that the op needs is
  // given.
  const OpSignature* op = has_tensor(given.args) ? context.builder.semantics().find(name) : nullptr;
  if (op && (!(row->flags & kTensors) || (keywords && is_complete(*op, given)))) return false;
  if (given.args.size() < row->least || given.args.size() > row->most)
    throw RecipeError(offset, fmt::format("{} takes {} argument{}, not {}", name, row->least,
                                          row->least == 1 ? "" : "s", given.args.size()));
  result = row->function({context, given.args, offset, given});
  return true;
}

std::vector<std::string> host_functions() {
  std::vector<std::string> names;
  for (const auto& rows : {value_functions(), tensor_functions()})
    for (const HostRow& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace tenon
