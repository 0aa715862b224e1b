// Building C expressions and statements.
#include "ir/nest/c_ast.h"

#include <fmt/format.h>

namespace tenon {
namespace {

template <class T>
CExpr make(T node) {
  return CExpr::made(std::move(node));
}

}  // namespace

CExpr c_text(std::string text) { return make(CText{std::move(text)}); }
CExpr c_number(int64_t value, std::string name) { return make(CNumber{value, std::move(name)}); }
CExpr c_unary(std::string_view op, CExpr operand) { return make(CUnary{op, std::move(operand)}); }
CExpr c_binary(CExpr left, std::string_view op, CExpr right) {
  return make(CBinary{op, std::move(left), std::move(right)});
}
CExpr c_equal(CExpr a, CExpr b) { return c_binary(std::move(a), "==", std::move(b)); }
CExpr c_less(CExpr a, CExpr b) { return c_binary(std::move(a), "<", std::move(b)); }
CExpr c_and(CExpr a, CExpr b) { return c_binary(std::move(a), "&&", std::move(b)); }
CExpr c_or(CExpr a, CExpr b) { return c_binary(std::move(a), "||", std::move(b)); }
CExpr c_call(std::string callee, std::vector<CExpr> args) { return make(CCall{std::move(callee), std::move(args)}); }
CExpr c_row(std::string_view spelling, std::vector<CExpr> args) { return make(CRow{spelling, std::move(args)}); }
CExpr c_index(CExpr base, CExpr index) { return make(CIndex{std::move(base), std::move(index)}); }
CExpr c_member(CExpr base, std::string field) { return make(CMember{std::move(base), std::move(field)}); }
CExpr c_arrow(CExpr base, std::string field) { return make(CMember{std::move(base), std::move(field), true}); }
CExpr c_cast(std::string type, CExpr operand) { return make(CCast{std::move(type), std::move(operand)}); }
CExpr c_conditional(CExpr cond, CExpr yes, CExpr no) {
  return make(CConditional{std::move(cond), std::move(yes), std::move(no)});
}
CExpr c_braces(std::string type, std::vector<CExpr> items) { return make(CBraces{std::move(type), std::move(items)}); }
CExpr c_list(std::vector<CExpr> items) { return c_braces("", std::move(items)); }
CExpr c_initializer(std::vector<CInit> items, bool rows) { return make(CInitializer{std::move(items), rows}); }
std::string index_literal(int64_t v) {
  if (v > INT32_MAX || v < -INT32_MAX) return v == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", v);
  return fmt::format("{}", v);
}
bool is_simple(const CExpr& e) {
  return std::holds_alternative<CText>(e->node) || std::holds_alternative<CNumber>(e->node);
}

CStmt c_declare(std::string type, std::string name, CExpr init) {
  return {CDeclaration{std::move(type), std::move(name), "", std::move(init)}};
}
CStmt c_declare_array(std::string type, std::string name, std::string suffix, CExpr init) {
  return {CDeclaration{std::move(type), std::move(name), std::move(suffix), std::move(init)}};
}
CStmt c_assign(CExpr to, CExpr value, std::string_view op) {
  return {CAssignment{std::move(to), op, std::move(value)}};
}
CStmt c_evaluate(CExpr value) { return {CEvaluation{std::move(value)}}; }
CStmt c_return(CExpr value) { return {CReturn{std::move(value)}}; }
CStmt c_comment(std::string text) { return {CComment{std::move(text)}}; }
CStmt c_paragraph(std::string text) { return {CComment{std::move(text), true}}; }
CStmt c_if(CExpr cond, CBlock then, CBlock otherwise) {
  return {CIf{std::move(cond), std::move(then), std::move(otherwise)}};
}

}  // namespace tenon
