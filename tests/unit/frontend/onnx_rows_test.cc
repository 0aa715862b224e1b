// The shipped rows against the shipped definitions: attributes that a recipe gives an op exist, and ops that do not are
// said.
#include <algorithm>
#include <set>

#include "catch.h"
#include "onnx_table_files.h"
#include "semantics/library_semantics.h"
#include "shipped_library.h"

namespace onnx_rows_test {

using namespace tenon;
namespace fs = std::filesystem;

namespace {

bool takes(const OpSignature& s, const std::string& name) {
  const auto named = [&](const auto& k) { return k.name == name; };
  return std::any_of(s.attrs.begin(), s.attrs.end(), named) || std::any_of(s.inputs.begin(), s.inputs.end(), named);
}

struct Missing {
  const OnnxTable& table;
  const OpSemantics& semantics;
  std::set<std::string> ops, attrs;

  void check_call(const std::string& op, const std::vector<RecipeExpr>& args) {
    const OpSignature* s = semantics.find(op);
    if (!s) {
      ops.insert(op);
      return;
    }
    for (const RecipeExpr& a : args) {
      if (a.kind != RecipeExpr::Kind::keyword) continue;
      // What an op has no use for is for its other form, as the momentum of a batch norm.
      const OpSignature* training = semantics.find(op + "_training");
      if (!takes(*s, a.text) && !(training && takes(*training, a.text))) attrs.insert(op + "(" + a.text + "=…)");
    }
  }

  void check(const RecipeExpr& e) {
    for (const RecipeExpr& a : e.args) check(a);
    if (e.kind != RecipeExpr::Kind::call || table.functions.count(e.text)) return;
    const std::vector<std::string> host = host_functions();
    if (e.text == "chain") check_call(e.args[0].text, {});
    // apply(op, …) names its op when the recipe runs
    else if (e.text != "apply" && std::find(host.begin(), host.end(), e.text) == host.end()) check_call(e.text, e.args);
  }
};

}  // namespace

TEST_CASE("frontend: every op that a row names is in the library, every attribute one of its op") {
  const OnnxTable table = *read_onnx_table(tenon_test::onnx_table_files(fs::path(TENON_CHECKOUT) / "opdefs"));
  const OpSemantics semantics = library_semantics(tenon_test::shipped_ops());
  Missing missing{table, semantics, {}, {}};
  for (const OnnxRow& row : table.rows) {
    if (!row.same.empty()) missing.check_call(row.same, {});
    for (const RecipeStatement& s : row.recipe) missing.check(s.value);
  }
  for (const auto& [name, f] : table.functions)
    for (const RecipeStatement& s : f.body) missing.check(s.value);
  CHECK(missing.attrs == std::set<std::string>{});
  CHECK(missing.ops == std::set<std::string>{});
}

}  // namespace onnx_rows_test
