// Expressions over the frame of a call.
#include "harness/library/runtime_calls.h"

#include <fmt/format.h>

#include "harness/library_names.h"
#include "support/check.h"

namespace tenon {

CExpr runtime_value(std::string_view function, std::vector<CExpr> args) {
  return c_call(fmt::format("tn_rt_{}", function), std::move(args));
}

CExpr runtime_call(std::string_view function, std::vector<CExpr> args) {
  args.insert(args.begin(), c_text("f"));
  return runtime_value(function, std::move(args));
}

CStmt runtime_step(std::string_view function, std::vector<CExpr> args) {
  return c_evaluate(runtime_call(function, std::move(args)));
}

CStmt require(CExpr condition, std::string_view error) {
  return runtime_step("require", {std::move(condition), c_text(fmt::format("TN_E_{}", error))});
}

CExpr address_of(CExpr e) { return c_unary("&", std::move(e)); }
CExpr c_count(size_t n) { return c_number(static_cast<int64_t>(n)); }
CExpr c_mask(unsigned bits) { return c_text(fmt::format("0x{:x}", bits)); }
CExpr c_name(std::string_view name) { return c_text(c_identifier(name)); }
CExpr attribute_field(std::string_view name) { return c_arrow(c_text("a"), c_identifier(name)); }
CExpr pack_rank(std::string_view name) { return c_arrow(c_name(name), "rank"); }
CExpr frame_field(const char* field) { return c_arrow(c_text("f"), field); }

CExpr type_argument(const OpDef& def, std::string_view type) {
  if (const int variable = type_variable(def, type); variable >= 0)
    return c_binary(c_text("TN_TYPE_VARIABLE"), "+", c_number(variable));
  const auto d = dtype_from_name(type);
  TENON_CHECK(d, "{}: type {}", def.name, type);
  return c_text(dtype_constant(*d));
}

}  // namespace tenon
