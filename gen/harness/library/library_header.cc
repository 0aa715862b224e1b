// The headers of a library.
#include "harness/library/library_header.h"

#include <fmt/format.h>

#include "harness/library/typed_prototypes.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/long_lines.h"
#include "support/text_template.h"
#include "support/version.h"

namespace tenon {
namespace {

std::string dtype_list() {
  return joined(all_dtypes(), ",\n",
                [](const DTypeRow& r) { return fmt::format("{} = 0x{:03x}", dtype_constant(r.dtype), r.key); });
}

std::string guard_of(const Isa& isa) { return isa.guard.empty() ? "1" : std::string(isa.guard); }

}  // namespace

std::string fill_template(const LibraryOptions& options, const std::string& path, const std::vector<HoleValue>& holes) {
  const auto text = options.templates.find(path);
  TENON_CHECK(text != options.templates.end(), "template {} was not read", path);
  return broken_if_code(path, TextTemplate(path, text->second)
                                  .fill(holes, {{"threads", options.threads},
                                                {"pool", has_pool(options)},
                                                {"mpi", false},
                                                {"adapters", has_pool(options)},
                                                {"gradients", options.gradients},
                                                {"joins", options.joins},
                                                {"merges", options.merges},
                                                {"steps", options.steps},
                                                {"libm", options.libm},
                                                {"freestanding", options.freestanding}}));
}

std::string library_header(const Library& library, const LibraryTexts& texts, const LibraryOptions& options) {
  std::string typed;
  for (const LibraryOp& op : library.ops) typed += typed_declarations(op, options.threads ? share_note(op, texts) : "");
  const std::string uniform = options.registry ? fill_template(options, "runtime/library_uniform.h.in", {}) +
                                                     fill_template(options, "runtime/library_calls.h.in", {})
                                               : "";
  const std::vector<HoleValue> holes = {
      {"title", fmt::format("A library of {} operators. Statuses: 0, or one of the TN_E_… below.", library.ops.size())},
      {"guard", "TN_H"},
      {"version", std::string(kVersion)},
      {"version_number", version_number()},
      {"dtypes", dtype_list()},
      {"uniform", uniform},
      {"typed", with_broken_lines(std::move(typed))}};
  return fill_template(options, "runtime/library.h.in", holes);
}

std::string library_internal_header(const LibraryLimits& limits, const LibraryTexts& texts,
                                    const LibraryOptions& options) {
  std::string levels, guards;
  for (const LevelTexts& l : texts.levels) {
    levels += fmt::format("{}{},", levels.empty() ? "" : "\n", level_constant(*l.isa));
    guards += fmt::format("#if {}\n#define TN_HAS_{} 1\n#else\n#define TN_HAS_{} 0\n#endif\n", guard_of(*l.isa),
                          upper_case(l.isa->suffix), upper_case(l.isa->suffix));
  }
  const std::string uniform = options.registry ? "" : "\n" + fill_template(options, "runtime/library_uniform.h.in", {});
  const std::vector<HoleValue> holes = {{"header", verbatim(options.prefix + ".h")},
                                        {"memory", fill_template(options, "runtime/memory_functions.h.in", {})},
                                        {"uniform", uniform},
                                        {"max_extents", fmt::format("{}", limits.extents)},
                                        {"max_extent_outputs", fmt::format("{}", limits.extent_outputs)},
                                        {"max_types", fmt::format("{}", limits.types)},
                                        {"max_view", fmt::format("{}", limits.view)},
                                        {"max_values", fmt::format("{}", limits.values)},
                                        {"max_kept", fmt::format("{}", limits.kept)},
                                        {"max_kernel_dims", fmt::format("{}", limits.kernel_dims)},
                                        {"levels", levels},
                                        {"level_guards", guards}};
  return fill_template(options, "runtime/library_internal.h.in", holes);
}

}  // namespace tenon
