// Reads tests from texts of their own.
#include "opdef/read_tests.h"

#include <fmt/format.h>

#include <utility>

#include "opdef/check/check_op.h"
#include "opdef/read/read_op.h"

namespace tenon {

std::optional<TestCase> read_one_test(const SourceFileRef& text, const OpDef& op, Diagnostics& diagnostics) {
  const auto documents = read_yaml(text);
  diagnostics.append(documents.diagnostics());
  if (!documents) return std::nullopt;
  OpDef tested = op;
  tested.tests.clear();
  Diagnostics found;
  if (documents->size() == 1 && !(*documents)[0].is_null()) read_test((*documents)[0], tested, found);
  else
    found.error(Code::E0227, {text, 0, text->text().size()}, "one test is expected here",
                {"write sizes and attributes by their names: M=100, axis=1"});
  if (!found.has_errors()) check_tests(tested, found);
  diagnostics.append(found);
  return found.has_errors() ? std::nullopt : std::optional(std::move(tested.tests[0]));
}

namespace {

const char* const kForm = "write `bench: {gemm: [{shapes: {A: [64, 64], B: [64, 64]}}]}`";

/// The map of ops; null, with a message, where the file has another form.
const YamlNode* ops_of(const std::vector<YamlNode>& documents, const SourceFileRef& file, Diagnostics& diagnostics) {
  const YamlNode* root = documents.size() == 1 && documents[0].is_map() ? &documents[0] : nullptr;
  const YamlNode* ops = root ? root->find("bench") : nullptr;
  if (!ops) {
    diagnostics.error(Code::E0203, root ? root->span : SourceSpan{file, 0, 0}, "the key `bench` is expected here",
                      {kForm});
    return nullptr;
  }
  for (const YamlEntry& e : root->entries)
    if (e.key.text != "bench")
      diagnostics.error(Code::E0201, e.key.span, fmt::format("unknown key '{}'", e.key.text), {kForm});
  if (ops->is_map()) return ops;
  diagnostics.error(Code::E0202, ops->span, "a map of ops is expected here", {kForm});
  return nullptr;
}

std::string unknown_op_note(const std::string& name, const OpLibrary& defs) {
  return did_you_mean(name, defs.names(), "`tenon list ops` prints them; --defs adds your own");
}

/// Nothing after an error.
std::vector<TestCase> tests_of(const YamlNode& list, const OpDef& def, Diagnostics& diagnostics) {
  OpDef tested = def;
  tested.tests.clear();
  Diagnostics found;
  read_tests(list, tested, found);
  if (!found.has_errors()) check_tests(tested, found);
  diagnostics.append(found);
  return found.has_errors() ? std::vector<TestCase>{} : std::move(tested.tests);
}

}  // namespace

Result<TimedTests> read_timed_tests(const SourceFileRef& file, const OpLibrary& defs) {
  Diagnostics diagnostics;
  TimedTests out;
  const auto documents = read_yaml(file);
  diagnostics.append(documents.diagnostics());
  if (!documents) return diagnostics;
  const YamlNode* ops = ops_of(*documents, file, diagnostics);
  if (!ops) return diagnostics;
  for (const YamlEntry& e : ops->entries) {
    const OpDef* def = defs.op(e.key.text);
    if (def) out.emplace_back(e.key.text, tests_of(e.value, *def, diagnostics));
    else
      diagnostics.error(Code::E0226, e.key.span, fmt::format("there is no op '{}'", e.key.text),
                        {unknown_op_note(e.key.text, defs)});
  }
  if (diagnostics.has_errors()) return diagnostics;
  return out;
}

}  // namespace tenon
