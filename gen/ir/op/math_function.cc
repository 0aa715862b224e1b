// The tables and the text form of math functions.
#include "ir/op/math_function.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

bool MathOpRow::is_operator() const {
  return spelling == "and" || spelling == "or" || spelling == "not" ||
         std::isalpha(static_cast<unsigned char>(spelling[0])) == 0;
}

const std::vector<MathOpRow>& all_math_ops() {
  static const std::vector<MathOpRow> rows = {
#define MATH_OP(e, ...) {MathOp::e, __VA_ARGS__},
#include "ir/op/math_op.def"
#undef MATH_OP
  };
  return rows;
}

const MathOpRow& math_op_row(MathOp op) { return all_math_ops()[static_cast<size_t>(op)]; }

const MathFunction* MathLibrary::find(std::string_view name, DType dtype) const {
  const auto entry = functions.find(name);
  if (entry == functions.end()) return nullptr;
  return find_value(entry->second, dtype);
}

namespace {

std::string list(const std::vector<MathExpr>& args) {
  return joined(args, ", ", [](const MathExpr& a) { return to_text(a); });
}

std::string text_of(const MathNumber& n) {
  if (std::isnan(n.value)) return "nan";
  if (std::isinf(n.value)) return n.value > 0 ? "inf" : "(-inf)";
  std::string s = fmt::format("{}", n.value);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return n.value < 0 ? fmt::format("({})", s) : s;
}
std::string text_of(const MathInteger& n) {
  return n.bits < 4096 ? fmt::format("{}", n.bits) : fmt::format("{:#x}", n.bits);
}
std::string text_of(const MathName& n) { return n.name; }
std::string text_of(const MathCall& n) { return fmt::format("{}({})", n.function, list(n.args)); }
std::string text_of(const MathApply& n) {
  const MathOpRow& row = math_op_row(n.op);
  if (!row.is_operator()) return fmt::format("{}({})", row.spelling, list(n.args));
  if (n.args.size() == 1)
    return fmt::format("({}{}{})", row.spelling, row.spelling == "not" ? " " : "", to_text(n.args[0]));
  return fmt::format("({} {} {})", to_text(n.args[0]), row.spelling, to_text(n.args[1]));
}

std::string text_of(const MathLet& s) { return fmt::format("{} = {}", s.name, to_text(s.value)); }
std::string text_of(const MathUnpack& s) { return fmt::format("{} = {}", joined(s.names, ", "), text_of(s.call)); }
std::string text_of(const MathRare& s) {
  return fmt::format("{} = rare({}, {}, {})", s.name, to_text(s.when), to_text(s.unlikely), to_text(s.usual));
}

}  // namespace

std::string bound_text(const MathFunction& f) {
  if (!f.c_function.empty()) return "of <math.h>";
  if (f.ulp) return *f.ulp == 0 ? "exact" : fmt::format("error below {} ULP", *f.ulp);
  if (!f.error) return "exact";
  const std::string relative = fmt::format("{} of the value", f.error->relative);
  if (f.error->absolute == 0) return "error below " + relative;
  if (f.error->relative == 0) return fmt::format("error below {}", f.error->absolute);
  return fmt::format("error below {} + {}", relative, f.error->absolute);
}

std::string to_text(const MathExpr& e) {
  return std::visit([](const auto& n) { return text_of(n); }, e.node);
}

std::string to_text(const MathFunction& f) {
  std::string out = fmt::format("{} {}(", f.name, name_of(f.dtype));
  for (const MathParameter& p : f.parameters)
    out += fmt::format("{}{}{}", &p == &f.parameters[0] ? "" : ", ", p.type == MathType::Int ? "int " : "", p.name);
  out += f.ulp     ? fmt::format(") within {} ULP\n", *f.ulp)
         : f.error ? fmt::format(") within {} of the value + {}\n", f.error->relative, f.error->absolute)
                   : ")\n";
  if (!f.c_function.empty()) return out + fmt::format("  -> C {}\n", f.c_function);
  if (!f.by_fma.empty()) out += fmt::format("  with FMA: {}\n", f.by_fma);
  if (!f.by_lookup.empty()) out += fmt::format("  with tables: {}\n", f.by_lookup);
  for (const MathStep& s : f.steps)
    out += fmt::format("  {}\n", std::visit([](const auto& n) { return text_of(n); }, s));
  return out + fmt::format("  -> {}\n", list(f.results));
}

std::string to_text(const MathLibrary& library) {
  std::string out;
  for (const auto& [name, dtypes] : library.functions)
    for (const auto& [dtype, f] : dtypes) out += to_text(f);
  return out;
}

}  // namespace tenon
