// Reads the file, then checks each test against its op.
#include <fmt/format.h>

#include "opdef/check/check_op.h"
#include "opdef/read/read_op.h"
#include "opdef/read_tests.h"

namespace tenon {
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
  const std::string near = nearest_name(name, defs.names());
  return near.empty() ? "`tenon list ops` prints them; --defs adds your own" : fmt::format("did you mean '{}'?", near);
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
