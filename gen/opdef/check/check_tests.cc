// Checks of an op's tests: their names are the op's, their values fit.
#include <fmt/format.h>

#include "opdef/check/check_op.h"
#include "opdef/read/yaml_shape.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

namespace {

bool is_extent(const Syntax& s) { return s.is(SyntaxKind::integer) && s.integer >= 0; }
bool is_shape(const Syntax& s) { return s.is(SyntaxKind::list) && all_of(s.children, is_extent); }

bool is_literal(const Syntax& s) {
  if (s.is(SyntaxKind::list)) return all_of(s.children, is_literal);
  if (s.is(SyntaxKind::unary) && s.text == "-") return is_literal(s.children[0]);
  return s.is(SyntaxKind::integer) || s.is(SyntaxKind::real) || s.is(SyntaxKind::infinity) ||
         s.is(SyntaxKind::boolean) || s.is_name("nan");
}

class TestChecker {
 public:
  TestChecker(const OpDef& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {
    for (const TensorDef& t : op.inputs) {
      inputs_.push_back(t.name);
      for (const Dim& d : t.dims) add_names(d);
    }
    for (const TensorDef& t : op.outputs)
      for (int k = 0; k < (t.variadic ? 8 : 1); ++k)
        outputs_.push_back(t.variadic ? fmt::format("{}{}", t.name, k) : t.name);
    for (const AttrDef& a : op.attrs) attrs_.push_back(a.name);
  }

  void check(const TestCase& test) {
    for (const auto& [name, value] : test.sizes) check_size(name, value);
    for (const auto& [name, value] : test.attrs) check_attr(name, value);
    for (const auto& [name, value] : test.shapes)
      check_named(name, value, inputs_, is_shape(value), "a list of extents");
    for (const auto& [name, value] : test.inputs)
      check_named(name, value, inputs_, is_literal(value), "nested lists of numbers");
    for (const auto& [name, value] : test.outputs)
      check_named(name, value, outputs_, is_literal(value), "nested lists of numbers");
    for (const auto& [name, dtype] : test.dtypes) {
      if (op_.type(name.text) == nullptr) unknown(name, type_names());
    }
    for (const Word& word : test.absent) {
      const TensorDef* input = op_.input(word.text);
      if (input == nullptr) unknown(word, inputs_);
      else if (!input->optional)
        diagnostics_.error(Code::E0226, word.span,
                           fmt::format("'{}' is an input that '{}' always has", word.text, op_.name),
                           {"only inputs marked `?` can be absent"});
    }
  }

 private:
  void add_names(const Dim& d) {
    if (d.kind == DimKind::size || d.kind == DimKind::pack) sizes_.push_back(d.name);
    for (const Dim& part : d.parts) add_names(part);
  }

  std::vector<std::string> type_names() const { return mapped(op_.types, &TypeVar::name); }

  void unknown(const Word& name, const std::vector<std::string>& known) {
    diagnostics_.error(Code::E0226, name.span,
                       fmt::format("'{}' names nothing of the op '{}' here", name.text, op_.name),
                       {meant_note(name.text, known)});
  }

  void unfit(const Word& name, const Syntax& value, std::string_view wanted) {
    diagnostics_.error(Code::E0227, value.span.known() ? value.span : name.span,
                       fmt::format("'{}' does not fit '{}'", print(value), name.text),
                       {fmt::format("write {}", wanted)});
  }

  void check_size(const Word& name, const Syntax& value) {
    if (!contains(sizes_, name.text)) {
      unknown(name, concat(sizes_, attrs_));
    } else if (!is_extent(value) && !is_shape(value)) {
      unfit(name, value, "an integer from 0, or a list of such for a pack");
    }
  }

  void check_attr(const Word& name, const Syntax& value) {
    const AttrDef* attr = op_.attr(name.text);
    if (attr == nullptr) return unknown(name, attrs_);
    const bool list = value.is(SyntaxKind::list);
    const bool good = list ? attr->count != AttrCount::one &&
                                 all_of(value.children, [&](const Syntax& v) { return value_fits(*attr, v); })
                           : value_fits(*attr, value);
    if (!good)
      unfit(name, value,
            attr->kind == AttrKind::enumeration ? fmt::format("one of its words: {}", joined(attr->words, ", "))
                                                : fmt::format("a value of type {}", attr->type));
  }

  void check_named(const Word& name, const Syntax& value, const std::vector<std::string>& known, bool good,
                   std::string_view wanted) {
    if (!contains(known, name.text)) unknown(name, known);
    else if (!good) unfit(name, value, wanted);
  }

  const OpDef& op_;
  Diagnostics& diagnostics_;
  std::vector<std::string> inputs_, outputs_, attrs_, sizes_;
};

}  // namespace

void check_tests(const OpDef& op, Diagnostics& diagnostics) {
  TestChecker checker(op, diagnostics);
  for (const TestCase& test : op.tests) checker.check(test);
}

}  // namespace tenon
