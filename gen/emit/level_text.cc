// The text around the functions of a level: guard, headers, checks of the compiler's mode, the target attribute, vector
// types.
#include <fmt/format.h>

#include "emit/emitter.h"
#include "emit/kernel_to_c.h"

namespace tenon {

namespace {

/// Whether the text of a level without a target attribute takes fused multiply-add away from clang, which with
/// -ffp-contract=fast fuses in spite of the pragma. __FMA__ is a macro of x86; other processors keep it.
bool hides_fma(const Isa& isa) { return !isa.fma && isa.target.empty(); }

/// How gcc compiles the functions of a level. After the headers: each of the functions of a header of intrinsics would
/// have the options too, which takes a sixth of the time of a small file.
std::string gcc_options(const Isa& isa) {
  std::string s = fmt::format(R"(
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#if __GNUC__ == 12 && __GNUC_MINOR__ < 3{}
/* The vectoriser of this compiler fuses multiplications with alternating additions and subtractions nevertheless. */
#pragma GCC optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif
)",
                              isa.fma ? "" : " && defined(__FMA__)");
  if (isa.vector_bits > 0) s += "#pragma GCC optimize(\"no-predictive-commoning\")\n";
  return s + "#endif\n";
}

}  // namespace

std::string level_begin(const Isa& isa, const EmitOptions& options) {
  std::string s;
  if (!isa.guard.empty()) s += fmt::format("#if {}\n\n", isa.guard);
  s += R"(#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0) || \
    (defined(__GCC_IEC_559) && __GCC_IEC_559 == 0)
#error "these functions need IEEE arithmetic: compile without -ffast-math, its parts, and -ffp-contract=fast"
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float and double have to be evaluated as such: compile with -fexcess-precision=fast; on x86 -msse2 -mfpmath=sse"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

)";
  if (options.math_header) s += "#include <math.h>\n";
  s += "#include <stddef.h>\n#include <stdint.h>\n";
  if (options.string_header) s += "#include <string.h>\n";
  if (isa.vector_bits > 0) {
    s += R"(
/* Vectors wider than a register are passed between static functions only: no caller sees the calling convention. */
#pragma GCC diagnostic ignored "-Wpsabi"
#if !defined(__clang__) && !defined(__OPTIMIZE__)
/* Without optimisation the intrinsics' header has macros instead of functions, and their text converts signs. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif
)";
  }
  if (isa.header.ends_with("mmintrin.h"))
    s += R"(
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__ == 0
#define _MM_MALLOC_H_INCLUDED /* gcc's headers of intrinsics take in stdlib.h for functions that are not used here */
#endif
)";
  if (!isa.header.empty()) s += fmt::format("#include <{}>\n", isa.header);
  s += gcc_options(isa);
  if (!isa.target.empty())
    s += fmt::format("\n#define {} __attribute__((target(\"{}\")))\n", emit::target_macro(isa, options), isa.target);
  if (hides_fma(isa))
    s += R"(
#if defined(__clang__) && defined(__FMA__)
/* With -ffp-contract=fast clang fuses in spite of the pragma above, unless there is nothing to fuse with. */
#pragma clang attribute push(__attribute__((target("no-fma"))), apply_to = function)
#endif
)";
  return s;
}

std::string level_end(const Isa& isa, const EmitOptions&) {
  std::string s;
  if (hides_fma(isa)) s += "#if defined(__clang__) && defined(__FMA__)\n#pragma clang attribute pop\n#endif\n";
  if (!isa.guard.empty()) s += "#endif\n";
  return s;
}

std::vector<CItem> needed_items(const EmitNeeds& needs) {
  std::vector<CItem> items;
  std::string types;
  for (const auto& [name, line] : needs.types()) types += line + '\n';
  if (!types.empty()) items.emplace_back(CLines{types});
  for (const CFunction& f : needs.functions()) items.emplace_back(f);
  return items;
}

}  // namespace tenon
