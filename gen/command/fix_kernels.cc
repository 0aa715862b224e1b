// Entries of --fix → fixed values of kernels.
#include "command/fix_kernels.h"

#include <fmt/format.h>

#include <memory>

#include "command/fix_text.h"
#include "command/fix_values.h"
#include "command/select.h"
#include "differentiate/gradient_ops.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// Whether the kernel has no statements: a C template computes all of it.
bool is_template(const Kernel& k) { return k.parts.empty() ? k.call.has_value() : all_of(k.parts, is_template); }

bool same_values(const KnownValues& a, const KnownValues& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x.first, y.first) && same(x.second, y.second); });
}

class LibraryFixer {
 public:
  LibraryFixer(const OpLibrary& defs, Library& library) : defs_(defs), library_(library) {}

  Diagnostics run(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto entries = parse_fix(std::make_shared<const SourceFile>("--fix", text));
      diagnostics_.append(entries.diagnostics());
      if (!entries) continue;
      for (const FixEntry& entry : *entries)
        if (LibraryOp* op = op_of(entry)) add(entry, *op);
    }
    // The most specific body comes first: another entry may match the same call.
    for (LibraryOp& op : library_.ops)
      for (LibraryKernel& k : op.kernels)
        stable_sort(k.fixed,
                    [](const FixedValues& a, const FixedValues& b) { return a.asked.size() > b.asked.size(); });
    return std::move(diagnostics_);
  }

 private:
  LibraryOp* op_of(const FixEntry& entry) {
    const std::string& name = entry.op.text;
    const auto at = find_if(library_.ops, [&](const LibraryOp& op) { return op.def->name == name; });
    if (at == library_.ops.end()) {
      const bool known = defs_.op(name) || name == gradient_name(differentiated_op(defs_, name));
      fail(entry.op.span, known ? fmt::format("'{}' is not among the ops chosen", name) : unknown_op(defs_, name),
           known ? "--ops chooses them, --grad adds gradients" : "an entry is about an op: gemm: M=64 N=64 K=64");
      return nullptr;
    }
    if (!all_of(at->kernels, [](const auto& k) { return is_template(k.kernel); })) return &*at;
    fail(entry.op.span, fmt::format("'{}' is a C template, which is the same for all sizes", name),
         "ops whose definition has a body can have fixed sizes");
    return nullptr;
  }

  void add(const FixEntry& entry, LibraryOp& op) {
    const auto names = fixed_names(op, entry, diagnostics_);
    if (!names) return;
    for (const auto& [name, fixed] : *names)
      if (!any_depends(op, name)) return fail_idle(entry.op.text, name, fixed);
    bool added = false;
    for (LibraryKernel& k : op.kernels) {
      if (is_template(k.kernel)) continue;
      KernelValues made = kernel_values(op, k, *names);
      if (made.conflict) {
        const SourceSpan at = made.conflict->binding ? made.conflict->binding->name.span : entry.op.span;
        return diagnostics_.error(Code::E0903, at, made.conflict->what, {"no call could have these values"});
      }
      if (made.values.asked.empty()) continue;
      made.values.text = to_text(entry);
      added = true;
      if (!put(std::move(made.values), k))
        return fail(entry.op.span, "another entry has the same values", "leave out one of the two");
    }
    if (!added)
      diagnostics_.error(Code::E0903, entry.op.span,
                         fmt::format("none of the dtypes chosen of '{}' has these values", op.def->name),
                         {"attributes of a tensor's type have values of that type; those of complex types stay open"});
  }

  static bool put(FixedValues values, LibraryKernel& k) {
    for (const FixedValues& known : k.fixed)
      if (same_values(known.asked, values.asked)) return false;
    k.fixed.push_back(std::move(values));
    return true;
  }

  static bool any_depends(const LibraryOp& op, const std::string& name) {
    return any_of(op.kernels, [&](const LibraryKernel& k) { return depends_on(op, k, name); });
  }

  void fail_idle(const std::string& op, const std::string& name, const FixedName& fixed) {
    fail(fixed.binding->name.span, fmt::format("no kernel of '{}' reads '{}'", op, name),
         "it only tells which dims are which: fix the sizes and packs that follow from it");
  }

  void fail(const SourceSpan& span, const std::string& what, const std::string& advice) {
    diagnostics_.error(Code::E0902, span, what, {advice});
  }

  const OpLibrary& defs_;
  Library& library_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics fix_library(const OpLibrary& defs, const std::vector<std::string>& texts, Library& library) {
  return LibraryFixer(defs, library).run(texts);
}

void fix_kernels(const Run& run, const OpLibrary& defs, const std::vector<std::string>& texts, Library& library) {
  if (run.report(fix_library(defs, texts, library))) throw Stop{exit_bad_command_line};
}

}  // namespace tenon
