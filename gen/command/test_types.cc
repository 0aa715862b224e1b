// Chooses dtypes for tests.
#include <fmt/format.h>

#include <cmath>

#include "command/select.h"
#include "command/try_case.h"
#include "ir/op/type_function.h"
#include "pipeline/run.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

std::vector<DType> chosen_keys(const OpDef& def, const std::vector<std::string>& names,
                               const std::vector<TestCase>& tests) {
  const std::vector<DType> taken = def.types.empty() ? std::vector<DType>{} : dtypes_of(def.types[0]);
  if (taken.empty()) return {};
  std::vector<DType> keys;
  const auto takes = [&](DType d) { return contains(taken, d); };
  const auto add = [&](DType d) {
    if (takes(d) && !contains(keys, d)) keys.push_back(d);
  };
  if (names.empty()) {
    add(takes(DType::F32) ? DType::F32 : taken[0]);
    for (const TestCase& t : tests)
      for (const auto& [var, dtype] : t.dtypes)
        if (var.text == def.types[0].name) add(*dtype_from_name(dtype.text));
    return keys;
  }
  if (names == std::vector<std::string>{"all"}) return taken;
  for (const std::string& name : names) add(named_dtype(name));
  if (!keys.empty()) return keys;
  std::vector<std::string_view> all;
  for (const DType d : taken) all.push_back(name_of(d));
  stop_run(exit_bad_command_line, fmt::format("--dtypes: {} takes none of these, but {}", def.name, joined(all, ", ")));
}

std::vector<DType> dtypes_to_make(const OpDef& def, std::vector<DType> keys, const std::vector<TestCase>& tests) {
  for (const TestCase& t : tests)
    for (const auto& [var, dtype] : t.dtypes)
      if (!keys.empty() && var.text != def.types[0].name) keys.push_back(*dtype_from_name(dtype.text));
  return keys;
}

namespace {

using Types = std::map<std::string, DType>;

/// Whether one of these tensors has integers, and is given numbers that are none: NaN and infinity, or fractions.
bool has_other_numbers(const std::vector<TensorDef>& tensors, const std::vector<std::pair<Word, Syntax>>& values,
                       const Types& types) {
  const auto other = [](const Syntax& s) {
    return s.is(SyntaxKind::infinity) || (s.is(SyntaxKind::name) && s.text == "nan") ||
           (s.is(SyntaxKind::real) && std::trunc(s.real) != s.real);
  };
  return any_of(values, [&](const auto& given) {
    const auto tensor = find_if(tensors, [&](const TensorDef& t) { return t.name == given.first.text; });
    if (tensor == tensors.end()) return false;
    const auto type = types.find(tensor->dtype);
    const auto dtype = type != types.end() ? std::optional(type->second) : dtype_from_name(tensor->dtype);
    return dtype && !holds_reals(*dtype) && any_within(given.second, other);
  });
}

}  // namespace

std::optional<std::map<std::string, DType>> types_of(const OpDef& def, const TestCase& test, std::optional<DType> key) {
  std::map<std::string, DType> types;
  for (const TypeVar& v : def.types) types[v.name] = &v == &def.types[0] ? *key : dtypes_of(v).front();
  for (const auto& [var, dtype] : test.dtypes) types[var.text] = *dtype_from_name(dtype.text);
  for (const TypeVar& v : def.types)
    if (v.derived) types[v.name] = *derived_dtype(v.name, types.at(std::string(variable_of_type(v.name))));
  return def.types.empty() || types[def.types[0].name] == *key ? std::optional(std::move(types)) : std::nullopt;
}

bool has_other_numbers(const OpDef& def, const TestCase& test, const std::map<std::string, DType>& types) {
  return has_other_numbers(def.inputs, test.inputs, types) || has_other_numbers(def.outputs, test.outputs, types);
}

const TensorData& first_tensor(const TryCase& c) {
  return c.inputs.empty() || !c.inputs[0] ? c.outputs[0] : *c.inputs[0];
}

}  // namespace tenon
