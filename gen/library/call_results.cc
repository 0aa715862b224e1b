// Results of calls in a body: their destinations, checks of their shapes, and messages for mismatches.
#include <fmt/format.h>

#include "algebra/simplify.h"
#include "library/bind_steps.h"
#include "library/body_expander.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {

/// Whether the result of a call is made in dims other than those of what it is given to.
bool BodyExpander::is_copied(const std::string& given, const BoundTensor& made) const {
  const auto t = scope_.tensors.find(given);
  if (t != scope_.tensors.end() && !is_contiguous(kernel_.tensor(t->second.tensor))) return true;
  return !is_plain(made.stored) || (t != scope_.tensors.end() && !is_plain(dims_in_calls(given, t->second)));
}

/// Whether a pack whose rank only a call of the library tells is in the shape of the tensor.
bool BodyExpander::has_any_rank(const BoundTensor& t) const {
  const std::vector<Expr>& dims = kernel_.tensor(t.tensor).dims;
  return any_of(dims, [&](const Expr& e) {
    const auto* size = std::get_if<SizeRef>(&e->node);
    return size && scope_.any_rank.contains(size->name);
  });
}

/// A value with its dims as the definition has them, or else as the kernel does.
std::string BodyExpander::shape_of(const std::string& name) const {
  const TensorDef* own = def_.input(name) ? def_.input(name) : def_.output(name);
  std::vector<std::string> dims;
  for (const Dim& dim : own ? own->dims : std::vector<Dim>()) dims.push_back(print(dim));
  const BoundTensor& t = scope_.tensors.at(name);
  if (!own)
    for (const Expr& e : kernel_.tensor(t.tensor).dims) dims.push_back(to_text(e));
  return fmt::format("{}[{}]", name, joined(dims, ", "));
}

/// Why an expression cannot be an argument: its tensors must have the same shape.
void BodyExpander::no_argument(const Syntax& arg) {
  std::vector<std::string> names;
  each_within(arg, [&](const Syntax& e) {
    const BoundTensor* t = e.is(SyntaxKind::name) ? find_value(scope_.tensors, e.text) : nullptr;
    if (t && t->tensor >= 0 && !contains(names, e.text)) names.push_back(e.text);
  });
  if (names.size() < 2)
    return expr_.error(Code::E0425, arg, "an input of an op is a tensor, or an expression over whole tensors");
  expr_.error(Code::E0425, arg, fmt::format("the tensors of '{}' have different shapes", print(arg)),
              {"they are " + joined(names, ", ", [&](const auto& name) { return "'" + shape_of(name) + "'"; }),
               "an argument is computed from tensors of one shape: define a value first, t[…] = …, and pass t"});
}

/// Translates the names and numbers of a mismatch to those of this op, which does not show the dimensions of packs.
void BodyExpander::note_arguments(const Statement& s, const OpDef& callee, Diagnostic& d) const {
  size_t place = 0;
  for (const Syntax& arg : s.value.children) {
    const bool keyword = arg.kind == SyntaxKind::keyword;
    const Syntax& given = keyword ? arg.children[0] : arg;
    const std::string& input = keyword                        ? arg.text
                               : place < callee.inputs.size() ? callee.inputs[place].name
                                                              : callee.name;
    if (!keyword) ++place;
    const auto t = given.kind == SyntaxKind::name ? scope_.tensors.find(given.text) : scope_.tensors.end();
    if (t == scope_.tensors.end() || t->second.tensor < 0) continue;
    if (d.code == Code::E0429 && d.span.end == s.value.span.end && has_any_rank(t->second)) d.span = arg.span;
    const TensorDef* own = def_.input(given.text) ? def_.input(given.text) : def_.output(given.text);
    d.notes.push_back(fmt::format("{} is '{}' here", input, shape_of(given.text)));
    for (const Dim& dim : own ? own->dims : std::vector<Dim>()) {
      const auto pack = scope_.binding.packs.find(dim.name);
      if (dim.kind != DimKind::pack || pack == scope_.binding.packs.end()) continue;
      const std::string note = fmt::format(
          "*{0} is any number of dimensions, in this kernel {1}: write them out where {2} needs a certain number",
          dim.name, pack->second.size(), callee.name);
      if (!contains(d.notes, note)) d.notes.push_back(note);
    }
  }
}

/// A result assigned to an output has its extents. Extents known only in a call of the kernel are checked there.
bool BodyExpander::fits_output(const Statement& s, const OpDef& callee, const Word& given, const BoundTensor& made) {
  const auto t = scope_.tensors.find(given.text);
  if (t == scope_.tensors.end() || t->second.tensor < 0) return true;
  const auto extents = [&](const BoundTensor& b, const StoredDims& dims) {
    const std::vector<Expr>& own = kernel_.tensor(b.tensor).dims;
    return dims.empty() ? own : stored_extents(own, dims);
  };
  const std::vector<Expr> have = extents(made, made.stored),
                          want = extents(t->second, dims_in_calls(given.text, t->second));
  const auto refuse = [&](std::string message) {
    Diagnostic d{Code::E0603, Severity::error, given.span, "", std::move(message), {}};
    d.notes = {fmt::format("the output is '{}', the result [{}]", shape_of(given.text),
                           joined(have, ", ", [](const Expr& e) { return to_text(e); }))};
    note_arguments(s, callee, d);
    diagnostics_.add(std::move(d));
    return false;
  };
  if (have.size() != want.size())
    return refuse(fmt::format("'{}' has {} dimension{}, the result of {} {}", given.text, want.size(),
                              want.size() == 1 ? "" : "s", callee.name, have.size()));
  for (size_t k = 0; k < have.size(); ++k) {
    const auto a = constant_value(simplify(have[k])), b = constant_value(simplify(want[k]));
    if (a && b && *a != *b)
      return refuse(
          fmt::format("dimension {} of '{}' is {}, that of the result of {} {}", k, given.text, *b, callee.name, *a));
    require_sizes(kernel_, apply(ScalarOp::Eq, {have[k], want[k]}), "the extents of " + given.text);
  }
  return true;
}

/// The destination of a call's result: an output of this op, or a new intermediate. A result whose dims are split or
/// rearranged on either side is copied.
void BodyExpander::name_result(const std::string& given, BoundTensor& made, const std::vector<BoundTensor>& inputs) {
  const auto t = scope_.tensors.find(given);
  defined_.push_back(t == scope_.tensors.end() ? made.tensor : t->second.tensor);
  if (is_copied(given, made)) {
    kernel_.tensor(made.tensor).name = unused_name(given + "_parts");
  } else if (t != scope_.tensors.end()) {
    made.tensor = t->second.tensor;
  } else {
    Tensor& result = kernel_.tensor(made.tensor);
    if (result.name != given) result.name = unused_name(given);
    BoundTensor mine;
    mine.tensor = made.tensor;
    mine.entries = entries_for_caller(made, inputs);
    mine.open = true;
    scope_.tensors[given] = std::move(mine);
  }
}

/// The extents of the parts that the checks know the results by.
void BodyExpander::know_parts(const Statement& s) {
  for (size_t k = 0; k < std::min(s.targets.size(), s.parts.size()); ++k) {
    const auto t = scope_.tensors.find(s.targets[k].text);
    if (t == scope_.tensors.end() || s.parts[k].size() != t->second.entries.size() || def_.output(t->first)) continue;
    for (const std::vector<Syntax>& entry : s.parts[k]) {
      t->second.parts.emplace_back();
      for (const Syntax& extent : entry) t->second.parts.back().push_back(expr_.index(extent));
    }
  }
}

void BodyExpander::copy_results(const Statement& s, const OpDef& callee, const Scope& inner) {
  for (size_t k = 0; k < s.targets.size(); ++k) {
    const std::string& given = s.targets[k].text;
    const BoundTensor& made = inner.tensors.at(callee.outputs[k].name);
    if (!is_copied(given, made)) continue;
    if (const auto t = scope_.tensors.find(given); t != scope_.tensors.end()) {
      copy_stored(kernel_, t->second, dims_in_calls(given, t->second), made, made.stored);
      continue;
    }
    BoundTensor mine = stored_view(kernel_, made, made.stored);
    mine.open = true;
    kernel_.tensor(mine.tensor).name = unused_name(given);
    defined_.push_back(mine.tensor);
    scope_.tensors[given] = std::move(mine);
  }
}

}  // namespace tenon
