// A small C: expressions, statements, functions, objects and files as values. emit and harness build it, print_c99
// spells it.
//
//   expr := text | number | unary a | a binary b | callee(expr…) | row(expr…) | base[expr] | base.field | base->field
//           | (type)a | c ? a : b | (type){expr…} | {.name = expr, …}
//   stmt := declaration | declarations | assignment | expr; | for | if | switch | { stmt… } | return | comment | lines
//   item := function | object | struct | lines
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/counted.h"

namespace tenon {

struct CExprNode;
using CExpr = Counted<CExprNode>;

/// An identifier, a literal, or any other text with the precedence of one.
struct CText {
  std::string text;
};
/// An integer in an index or a bound; `name`: the variable whose value it is, "" for none.
struct CNumber {
  int64_t value = 0;
  std::string name;
};
struct CUnary {
  std::string_view op;
  CExpr operand;
};
struct CBinary {
  std::string_view op;
  CExpr left, right;
};
struct CCall {
  std::string callee;
  std::vector<CExpr> args;
};
/// A row of an ISA table: `$0`, `$1`, … in the spelling stand for the arguments.
struct CRow {
  std::string_view spelling;
  std::vector<CExpr> args;
};
struct CIndex {
  CExpr base, index;
};
struct CMember {
  CExpr base;
  std::string field;
  bool pointer = false;  ///< `base->field`
};
struct CCast {
  std::string type;
  CExpr operand;
};
struct CConditional {
  CExpr cond, yes, no;
};
/// A compound literal; `{…}` alone, an initialiser, when the type is empty.
struct CBraces {
  std::string type;
  std::vector<CExpr> items;
};

/// A member or an element of an initialiser.
struct CInit {
  CExpr value;
  std::string member = {};   ///< its name; "" for elements, and for members in order
  std::string comment = {};  ///< after it
  std::string guard = {};    ///< a condition of the preprocessor without which NULL is in its place
};
/// `{.member = value, …}`; `rows`: one to a line.
struct CInitializer {
  std::vector<CInit> items;
  bool rows = false;
};

struct CExprNode : CountedNode {
  std::variant<CText, CNumber, CUnary, CBinary, CCall, CRow, CIndex, CMember, CCast, CConditional, CBraces,
               CInitializer>
      node;
};

struct CStmt;
using CBlock = std::vector<CStmt>;

/// `type name suffix = init;` — the suffix is an array bound or an attribute, the initialiser may be null.
struct CDeclaration {
  std::string type, name, suffix;
  CExpr init;
};
/// `declarator = init;`, of which `init` may be null: "static const int32_t table[]" outside of functions.
struct CObject {
  std::string declarator;
  CExpr init;
};
/// `type a = x, b[] = {y};`: variables of one type.
struct CDeclarations {
  std::string type;
  std::vector<CObject> variables;
};
/// `to op value;` with op one of = += and so on.
struct CAssignment {
  CExpr to;
  std::string_view op;
  CExpr value;
};
struct CEvaluation {
  CExpr value;
};
/// `for (type var = begin; cond; step)`; the step is an expression without semicolon. Without a type, the variable is
/// declared before and the loop begins with its value: `for (; cond; step)`.
struct CFor {
  std::string type, var;
  CExpr begin, cond;
  std::string step;
  CBlock body;
  int unroll = 0;  ///< iterations that a compiler should compile as one; 0: as it likes
};
struct CIf {
  CExpr cond;
  CBlock then, otherwise;
};
/// One body for all of these values, followed by a break.
struct CCase {
  std::vector<int64_t> values;
  CBlock body;
};
/// Other values do nothing.
struct CSwitch {
  CExpr value;
  std::vector<CCase> cases;
};
struct CScope {
  CBlock body;
};
struct CReturn {
  CExpr value;
};
struct CBreak {};
struct CComment {
  std::string text;
  bool apart = false;  ///< begins a paragraph: a blank line is before it
};
/// Lines of a body, printed verbatim, each ending in a newline.
struct CBodyLines {
  std::string text;
};

struct CStmt {
  std::variant<CDeclaration, CDeclarations, CAssignment, CEvaluation, CFor, CIf, CSwitch, CScope, CReturn, CBreak,
               CComment, CBodyLines>
      node;
};

/// A definition: `specifiers result name(params) { body }`, below its comment.
struct CFunction {
  std::string comment;     ///< lines without comment marks; "" for none
  std::string specifiers;  ///< "static inline", attributes; "" for none
  std::string result;
  std::string name;
  std::vector<std::string> params;  ///< "const float *restrict X"; none prints as void
  CBlock body;
  std::string text;  ///< the definition verbatim, when it is not made of the parts above
};

/// Text that is printed verbatim: directives, typedefs, tables.
struct CLines {
  std::string text;
};

struct CField {
  std::string declarator;    ///< "int64_t stride[2]"
  std::string comment = {};  ///< after it
};
/// `typedef struct { … } name;`, below its comment.
struct CStruct {
  std::string comment;
  std::string name;
  std::vector<CField> fields;
};

using CItem = std::variant<CLines, CFunction, CObject, CStruct>;

struct CFile {
  std::vector<CItem> items;
};

// ---- building
CExpr c_text(std::string text);
CExpr c_number(int64_t value, std::string name = {});
CExpr c_unary(std::string_view op, CExpr operand);
CExpr c_binary(CExpr left, std::string_view op, CExpr right);
CExpr c_equal(CExpr a, CExpr b);
CExpr c_nonzero(CExpr a);
CExpr c_less(CExpr a, CExpr b);
CExpr c_and(CExpr a, CExpr b);
CExpr c_or(CExpr a, CExpr b);
CExpr c_call(std::string callee, std::vector<CExpr> args);
CExpr c_row(std::string_view spelling, std::vector<CExpr> args);
CExpr c_index(CExpr base, CExpr index);
CExpr c_member(CExpr base, std::string field);
CExpr c_arrow(CExpr base, std::string field);
CExpr c_cast(std::string type, CExpr operand);
CExpr c_conditional(CExpr cond, CExpr yes, CExpr no);
CExpr c_braces(std::string type, std::vector<CExpr> items);
CExpr c_initializer(std::vector<CInit> items, bool rows = false);
/// `{a, b}`: members or elements in order.
CExpr c_list(std::vector<CExpr> items);
/// The spelling of an index constant, independent of its size.
std::string index_literal(int64_t v);
/// An identifier or literal: may be repeated in an expression without computing anything twice.
bool is_simple(const CExpr&);

CStmt c_declare(std::string type, std::string name, CExpr init = nullptr);
CStmt c_declare_array(std::string type, std::string name, std::string suffix, CExpr init = nullptr);
CStmt c_assign(CExpr to, CExpr value, std::string_view op = "=");
CStmt c_evaluate(CExpr value);
CStmt c_return(CExpr value);
CStmt c_comment(std::string text);
/// A comment that begins a paragraph.
CStmt c_paragraph(std::string text);
CStmt c_if(CExpr cond, CBlock then, CBlock otherwise = {});

/// Identifiers whose values the statements use. An assignment `x = …` does not read x, `x += …` does.
std::set<std::string> variables_read(const CBlock&);

/// Assignments to variables that are not needed become `(void)value;`: a call may check something.
void drop_assignments(CBlock&, const std::set<std::string>& not_needed);

}  // namespace tenon
