// Reads the test, then checks it against its op.
#include <utility>

#include "opdef/check/check_op.h"
#include "opdef/read/read_op.h"
#include "opdef/read_tests.h"

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

}  // namespace tenon
