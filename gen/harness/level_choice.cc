// Checks and rows of levels.
#include "harness/common_text.h"
#include "harness/library_names.h"
#include "ir/text/print_c99.h"
#include "support/quoted.h"

namespace tenon {
namespace {

/// `static int runs_LEVEL(const features *cpu)`
CFunction level_check(const Isa& isa) {
  const CExpr cpu = c_text("cpu");
  CExpr runs;
  if (!isa.guard.empty()) runs = c_text("TN_HAS_" + upper_case(isa.suffix));
  for (const std::string_view feature : isa.needs) {
    const CExpr has = c_arrow(cpu, std::string(feature));
    runs = runs ? c_and(runs, has) : has;
  }
  CFunction f{"", "static", "int", "runs_" + std::string(isa.suffix), {"const features *cpu"}, {}, ""};
  if (isa.needs.empty()) f.body.push_back(c_evaluate(c_cast("void", cpu)));
  f.body.push_back(c_return(runs ? runs : c_number(1)));
  return f;
}

}  // namespace

std::vector<HoleValue> level_choice_holes(const std::vector<const Isa*>& levels) {
  CFile checks;
  std::string rows;
  for (const Isa* isa : levels) {
    CFunction check = level_check(*isa);
    rows += print_c99(c_list({c_text('"' + c_string_inside(isa->name) + '"'), c_text(check.name)})) + ",\n";
    checks.items.push_back(std::move(check));
  }
  return {{"level_checks", print_c99(checks)}, {"level_rows", rows}};
}

}  // namespace tenon
