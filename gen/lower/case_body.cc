// Planned cases → statements, with a function for each copy.
#include "lower/case_body.h"

#include <iterator>

#include "algebra/nest_survey.h"
#include "lower/generate/generate.h"
#include "lower/kernel/kernel_ranges.h"
#include "lower/kernel/variants.h"
#include "lower/kernel/whole_copy.h"
#include "lower/nest/rename_nest.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// A part of a body; a copy becomes a call.
Block part_of(const PlannedCase& p, const Isa& isa, NestTarget to, const std::vector<std::string>& taken) {
  if (!p.copy) return body_of(p, isa, to, taken);
  std::vector<Buffer> buffers = tensor_buffers(p.copy->kernel);
  const Block body = body_of(p, isa, {buffers, to.functions, true});
  to.functions.push_back(copy_function(*p.copy, buffers, body));
  return {copy_call(*p.copy, static_cast<int>(to.functions.size()) - 1)};
}

}  // namespace

Block described(std::string_view what, Block body) {
  if (!what.empty()) body.insert(body.begin(), s_comment(std::string(what)));
  return body;
}

Block body_of(const PlannedCase& p, const Isa& isa, NestTarget to, const std::vector<std::string>& taken) {
  if (!p.parts.empty()) {
    Block all;
    std::vector<std::string> names = taken;
    for (const PlannedCase& part : p.parts) {
      Block one = part_of(part, isa, to, names);
      append(names, declared_names(one));
      std::move(one.begin(), one.end(), std::back_inserter(all));
    }
    return all;
  }
  if (!p.of->holds) return Generator(p.of->kernel, p.tree, isa, to, taken).run();
  const Isa scalars = without_vectors(isa);
  Block then = body_of(*p.then, isa, to, taken);
  Block otherwise = body_of(*p.otherwise, p.of->fork.otherwise_scalar ? scalars : isa, to, taken);
  return {s_if(size_number(p.of->holds), described(p.of->fork.what, std::move(then)), std::move(otherwise))};
}

WrittenChecks checks_of(const Kernel& k, const Isa& isa) {
  WrittenChecks out;
  if (k.checks.empty()) return out;
  Kernel checked = checks_without_temps(k);
  simplify_checks(checked);
  std::vector<Buffer> buffers = tensor_buffers(k);
  out.body = Generator(checked, {}, isa, {buffers, out.functions}).run_checks();
  return out;
}

void collect_notes(const PlannedCase& p, std::vector<std::string>& out) {
  const auto add = [&](const std::vector<std::string>& notes) {
    for (const std::string& n : notes)
      if (!contains(out, n)) out.push_back(n);
  };
  for (const PlannedCase& part : p.parts) collect_notes(part, out);
  if (p.then) collect_notes(*p.then, out);
  if (p.otherwise) collect_notes(*p.otherwise, out);
  if (p.of->parts.empty() && !p.of->holds) {
    add(p.of->kernel.notes);
    add(p.tree.notes);
  }
}

}  // namespace tenon
