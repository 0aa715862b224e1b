// The comment above a kernel: formula, fused ops, types, blueprint, cost.
#include <fmt/format.h>

#include <set>

#include "emit/emitter.h"
#include "ir/kernel/kernel_cost.h"
#include "support/joined.h"

namespace tenon::emit {
namespace {

/// Breaks the words of a paragraph at 110 columns; continuation lines are indented.
void append_wrapped(std::string& out, std::string_view text) {
  size_t column = 0;
  while (!text.empty()) {
    const size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    if (column > 0 && column + word.size() > 110) {
      if (out.back() == ' ') out.pop_back();
      out += "\n    ", column = 4;
    }
    out += word;
    column += word.size();
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') out += '\n', column = 0;
    else out += ' ', ++column;
    text.remove_prefix(end + 1);
  }
  out += '\n';
}

std::string tensor_types(const Kernel& k) {
  std::string s;
  for (const Tensor& t : k.tensors) {
    if (t.role == Role::Temp) continue;
    if (!s.empty()) s += ", ";
    s += fmt::format("{} {}[", t.name, name_of(t.dtype));
    for (size_t i = 0; i < t.dims.size(); ++i) s += (i ? ", " : "") + to_text(t.dims[i], tensor_names(k));
    s += ']';
  }
  return s;
}

/// The definition's text; for fused statements, a text made from the statement.
std::string formula_of(const Kernel& k, const KernelStatement& s) {
  if (!s.formula.empty() && k.fused.size() < 2) return s.formula;
  constexpr std::string_view updates[] = {"=", "+=", "*=", "max=", "min=", "="};
  const std::vector<std::string> names = tensor_names(k);
  const std::string index = joined(s.index, ", ", [&](const Expr& i) { return to_text(i, names); });
  std::string value = to_text(s.value, names);
  if (value.size() > 400) value = value.substr(0, 400) + " …";
  return fmt::format("{}[{}] {} {}", names[static_cast<size_t>(s.target)], index,
                     updates[static_cast<size_t>(s.update)], value);
}

/// The types that reductions accumulate in.
std::string accumulators(const Kernel& k) {
  std::set<std::string_view> names;
  for_each_statement(k, [&](const KernelStatement& s) {
    walk(s.value, [&](const Expr& e) {
      if (std::holds_alternative<Reduce>(e->node)) names.insert(name_of(e->type));
      return true;
    });
  });
  return joined(names, ", ");
}

std::string compute_types(const Kernel& k) {
  std::set<std::string_view> names;
  for (const Tensor& t : k.tensors) names.insert(name_of(dtype_row(t.dtype).compute));
  return joined(names, ", ");
}

}  // namespace

std::string banner_text(const KernelBanner& banner, const std::string& blueprint) {
  std::string out = banner.what;
  append_wrapped(out,
                 fmt::format("{}; {}", banner.types, blueprint.empty() ? "plain loops" : "blueprint " + blueprint));
  out += banner.cost;
  out.pop_back();
  for (size_t at; (at = out.find("*/")) != std::string::npos;) out.insert(at + 1, " ");
  for (size_t at; (at = out.find("/*")) != std::string::npos;) out.insert(at + 1, " ");
  return out;
}

}  // namespace tenon::emit

namespace tenon {

KernelBanner banner_of(const Kernel& k) {
  KernelBanner out;
  std::string last;
  for_each_statement(k, [&](const KernelStatement& s) {
    if (std::string formula = emit::formula_of(k, s); formula != last)
      emit::append_wrapped(out.what, last = std::move(formula));
  });
  if (out.what.empty() && !k.doc.empty()) emit::append_wrapped(out.what, k.doc);
  if (k.fused.size() > 1) {
    std::string fused = "fused:";
    for (const std::string& f : k.fused) fused += ' ' + f;
    emit::append_wrapped(out.what, fused);
  }
  emit::append_wrapped(out.what, "tensors: " + emit::tensor_types(k));
  const std::string sums = emit::accumulators(k);
  out.types = fmt::format("computes in {}{}", emit::compute_types(k), sums.empty() ? "" : ", accumulates in " + sums);
  const CostFormula cost = cost_formula(k);
  emit::append_wrapped(out.cost, fmt::format("cost: {} operations, {} bytes", cost.operations, cost.bytes));
  return out;
}

}  // namespace tenon
