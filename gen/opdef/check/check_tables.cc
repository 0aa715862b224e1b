// The constants of an op.
#include <fmt/format.h>

#include "ir/op/type_function.h"
#include "opdef/check/check_op.h"
#include "opdef/notation/call_table.h"
#include "support/ranges.h"

namespace tenon {

bool holds(DType type, const Syntax& value) {
  const Syntax& bare = without_sign(value);
  const bool negative = &bare != &value && bare.integer != 0;
  const auto magnitude = static_cast<std::uint64_t>(bare.integer);
  const DTypeRow& row = dtype_row(type);
  const int bits = is_small(type) ? row.key & 0xff : row.bits;
  if (is_unsigned_int(row.compute)) return !negative && (bits == 64 || magnitude < std::uint64_t{1} << bits);
  const std::uint64_t most = std::uint64_t{1} << (bits - 1);
  return negative ? magnitude <= most : magnitude < most;
}

namespace {

class TableChecker {
 public:
  TableChecker(const OpDef& op, const TableDef& table, const OpLibrary& library, Diagnostics& diagnostics)
      : table_(table), library_(library), diagnostics_(diagnostics) {
    const TypeVar* variable = op.type(table.tensor.dtype);
    if (variable != nullptr) types_ = dtypes_of(*variable);
    else if (const auto dtype = dtype_from_name(table.tensor.dtype)) types_ = {*dtype};
  }

  void numbers(const Syntax& s) {
    if (s.is(SyntaxKind::list)) {
      for (const Syntax& child : s.children) numbers(child);
    } else if (is_constant(s)) {
      fits(s);
    }
  }

 private:
  void refuse(const Syntax& s, std::string message, std::string note) {
    diagnostics_.error(Code::E0236, s.span, std::move(message), {std::move(note)});
  }

  bool is_constant(const Syntax& s) {
    const bool leaf =
        s.is(SyntaxKind::integer) || s.is(SyntaxKind::real) || s.is(SyntaxKind::infinity) || s.is(SyntaxKind::boolean);
    if (leaf) return true;
    const bool known = s.is(SyntaxKind::unary) || s.is(SyntaxKind::binary) ||
                       (s.is(SyntaxKind::call) && expression_function(s.text, library_));
    if (known) return all_of(s.children, [&](const Syntax& c) { return is_constant(c); });
    refuse(s, fmt::format("'{}' is not a number", print(s)),
           "values in lists are numbers; a formula over index variables is one text, with `of` naming them");
    return false;
  }

  void fits(const Syntax& s) {
    const Syntax& bare = without_sign(s);
    const bool literal = bare.is(SyntaxKind::integer) || bare.is(SyntaxKind::real) || bare.is(SyntaxKind::infinity) ||
                         s.is(SyntaxKind::boolean);
    for (const DType type : types_) {
      if (!literal || holds_reals(type)) continue;
      const bool zero_or_one = s.is(SyntaxKind::boolean) || (s.is(SyntaxKind::integer) && s.integer >> 1 == 0);
      const bool good = type == DType::Bool ? zero_or_one : bare.is(SyntaxKind::integer) && holds(type, s);
      if (good) continue;
      return refuse(s, fmt::format("'{}' is not a value of {}", print(s), name_of(type)),
                    fmt::format("the table is of type {}", table_.tensor.dtype));
    }
  }

  const TableDef& table_;
  const OpLibrary& library_;
  Diagnostics& diagnostics_;
  std::vector<DType> types_;
};

void check_type(const OpDef& op, const TableDef& table, Diagnostics& diagnostics) {
  const std::string& word = table.tensor.dtype;
  if (op.type(word) != nullptr || dtype_from_name(word)) return;
  diagnostics.error(Code::E0207, table.tensor.dtype_span,
                    fmt::format("'{}' is neither a type variable of this op nor a dtype", word),
                    {fmt::format("declare it, `types: {{{}: float}}`, or write a dtype", word)});
}

/// A read of a table that comes later; nullptr if there is none.
const Syntax* early_read(const Syntax& s, const OpDef& op, const TableDef& table) {
  const auto later = [&](const Syntax& read) {
    return [&](const TableDef& t) { return &t > &table && t.tensor.name == read.text; };
  };
  return first_within(s, [&](const Syntax& n) { return n.is(SyntaxKind::subscript) && any_of(op.tables, later(n)); });
}

}  // namespace

void check_tables(OpDef& op, const OpLibrary& library, Diagnostics& diagnostics) {
  for (TableDef& table : op.tables) {
    const std::size_t before = diagnostics.size();
    check_type(op, table, diagnostics);
    if (diagnostics.size() != before) continue;
    if (!table.formula) {
      TableChecker(op, table, library, diagnostics).numbers(table.values);
      continue;
    }
    if (const Syntax* early = early_read(table.values, op, table)) {
      diagnostics.error(
          Code::E0409, early->span, fmt::format("the table '{}' is read before it is defined", early->text),
          {fmt::format("tables are computed in order: put '{}' before '{}'", early->text, table.tensor.name)});
      continue;
    }
    OpDef formula = table_op(op, table);
    check_body(formula, library, diagnostics);
    table.order = formula.body[0].order;
  }
}

std::optional<Interval> values_of(const TableDef& table) {
  std::optional<Interval> range;
  const auto add = [&](const auto& self, const Syntax& s) -> bool {
    if (s.is(SyntaxKind::list)) return all_of(s.children, [&](const Syntax& c) { return self(self, c); });
    const Syntax& bare = without_sign(s);
    if (!bare.is(SyntaxKind::integer) || bare.integer < 0) return false;
    const std::int64_t v = &bare == &s ? bare.integer : -bare.integer;
    range = hull(range.value_or(Interval{v, v}), {v, v});
    return true;
  };
  return !table.formula && add(add, table.values) ? range : std::nullopt;
}

}  // namespace tenon
