// Chooses the ops that are differentiated, and says why one is not.
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "command/select.h"
#include "differentiate/gradient_ops.h"
#include "library/expand_library.h"
#include "support/print_to.h"
#include "support/ranges.h"

namespace tenon {
namespace {

[[noreturn]] void refuse(const std::string& op, const std::string& why) {
  stop_run(exit_bad_command_line, fmt::format("'{}' has no gradient: {}", op, why));
}

/// Takes gradients out of the ops that are named; returns the ops that they are of.
std::vector<std::string> take_gradients(const OpLibrary& defs, KernelSelection& chosen) {
  std::vector<std::string> named, others;
  if (!chosen.ops) return named;
  for (const std::string& name : *chosen.ops) {
    const std::string op = differentiated_op(defs, name);
    if (name != gradient_name(op)) {
      others.push_back(name);
      continue;
    }
    if (const std::string why = no_gradient(*defs.op(op)); !why.empty()) refuse(op, why);
    named.push_back(op);
  }
  chosen.ops = others;
  return named;
}

/// Ops whose gradients exist but cannot be derived yet, so that users are told instead of finding them missing.
void warn_of_left_out(const std::map<std::string, std::string>& left_out) {
  for (const auto& [name, why] : left_out)
    print_to(stderr, "tenon: warning: --grad: '{}' has no gradient: {}\n", name, why);
}

}  // namespace

std::string differentiated_op(const OpLibrary& defs, const std::string& name) {
  const std::string suffix = gradient_name("");
  for (size_t at = name.rfind(suffix); at != std::string::npos && at > 0; at = name.rfind(suffix, at - 1))
    if (defs.op(name.substr(0, at)) && !defs.op(name)) return name.substr(0, at);
  return "";
}

Library kernels_and_gradients(Run& run, const OpLibrary& defs, const LibOptions& o) {
  KernelSelection forward = o.selection;
  const std::vector<std::string> named = take_gradients(defs, forward);
  const bool has_user_files = !o.definitions.empty();
  Library library;
  if (named.empty() || !forward.ops->empty()) library = chosen_kernels(run, defs, forward, has_user_files);
  LibrarySelection all = selected(defs, forward, has_user_files);
  append(all.ops, named);
  std::map<std::string, std::string> left_out;
  std::erase_if(all.ops, [&](const std::string& name) {
    const std::string why = no_gradient(*defs.op(name));
    if (!why.empty() && without_gradient(*defs.op(name)).empty()) left_out[name] = why;
    return !why.empty() || defs.op(gradient_name(name));
  });
  GradientOps gradients = gradient_ops(expand_for_gradients(defs, all), defs);
  for (const std::string& name : named)
    if (const auto why = gradients.why.find(name); why != gradients.why.end()) refuse(name, why->second);
  left_out.merge(gradients.why);
  if (!run.control().quiet) warn_of_left_out(left_out);
  gradients.library = run.stage("gradients", std::move(gradients.library));
  std::move(gradients.library.ops.begin(), gradients.library.ops.end(), std::back_inserter(library.ops));
  sort(library.ops, [](const LibraryOp& a, const LibraryOp& b) { return a.def->name < b.def->name; });
  return library;
}

}  // namespace tenon
