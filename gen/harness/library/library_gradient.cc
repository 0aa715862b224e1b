// What the runtime of a library has for gradients.
#include "harness/library/library_gradient.h"

#include <fmt/format.h>

#include <array>

#include "harness/library/library_header.h"

namespace tenon {
namespace {

constexpr std::array kParts = {"operands.h", "output.c", "close.c", "repeats.c", "calls.c"};

std::string path_of(const std::string& part) { return fmt::format("runtime/library_gradient_{}.in", part); }

std::string text_of(const std::string& part, bool wanted, const LibraryOptions& options) {
  return wanted ? fill_template(options, path_of(part), {}) : "";
}

constexpr const char* kValues =
    "if (source.from == TN_FROM_EXTENT) {\n"
    "  p->size[n] = s == NULL ? 1 : s->extent[source.b];\n"
    "}\n"
    "if (source.from == TN_FROM_REPEATS) {\n"
    "  p->size[n] = repeats_of(f, operand_of(f, p, k), source.b);\n"
    "}\n";

constexpr const char* kCall =
    "if (is_gradient(f->op)) {\n"
    "  return call_gradients(f);\n"
    "}\n";

}  // namespace

std::vector<std::string> gradient_template_names() {
  std::vector<std::string> out;
  for (const char* part : kParts) out.push_back(path_of(part));
  return out;
}

std::string gradient_sources(bool wanted) {
  return wanted ? "TN_FROM_EXTENT,      /* a: which argument of the kernel, b: dimension of it */\n"
                  "TN_FROM_REPEATS,     /* the same: how often the call repeats what the gradient belongs to */\n"
                : "";
}

std::string gradient_operands(bool wanted, const LibraryOptions& options) {
  return text_of("operands.h", wanted, options);
}

std::vector<HoleValue> gradient_holes(const std::string& part, bool wanted, const LibraryOptions& options) {
  if (part == "operands")
    return {{"gradient_output", text_of("output.c", wanted, options)},
            {"gradient_close", text_of("close.c", wanted, options)}};
  if (part != "run") return {};
  return {{"gradient_values", wanted ? kValues : ""},
          {"gradient_frame", wanted ? "const tn_frame *f, " : ""},
          {"gradient_operand", wanted ? "f, " : ""},
          {"gradient_repeats", text_of("repeats.c", wanted, options)},
          {"gradient_calls", text_of("calls.c", wanted, options)},
          {"gradient_call", wanted ? kCall : ""},
          {"entry_inputs", wanted ? "(e->present & ((1u << f->op->info.n_in) - 1))" : "e->present"}};
}

}  // namespace tenon
