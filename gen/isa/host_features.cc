// Feature bits of the processor, and the registers that the operating system saves.
#include <iterator>

#include "isa/levels.h"
#include "support/check.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include "support/ranges.h"
#endif

namespace tenon {
#if defined(__x86_64__)
namespace {

enum Register { Eax, Ebx, Ecx, Edx };

/// Registers that have to be saved on a switch of tasks: bits of xgetbv.
constexpr unsigned kNone = 0, kAvx = 0x06, kAvx512 = 0xe6;

struct Feature {
  std::string_view name;
  unsigned leaf;
  Register word;
  unsigned bit, saved, part = 0;
};
constexpr Feature kFeatures[] = {
    {"sse4_2", 1, Ecx, 20, kNone},       {"popcnt", 1, Ecx, 23, kNone},     {"lzcnt", 0x80000001u, Ecx, 5, kNone},
    {"avx", 1, Ecx, 28, kAvx},           {"fma", 1, Ecx, 12, kAvx},         {"f16c", 1, Ecx, 29, kAvx},
    {"bmi", 7, Ebx, 3, kNone},           {"bmi2", 7, Ebx, 8, kNone},        {"avx2", 7, Ebx, 5, kAvx},
    {"avx512f", 7, Ebx, 16, kAvx512},    {"avx512dq", 7, Ebx, 17, kAvx512}, {"avx512cd", 7, Ebx, 28, kAvx512},
    {"avx512bw", 7, Ebx, 30, kAvx512},   {"avx512vl", 7, Ebx, 31, kAvx512}, {"avx512vnni", 7, Ecx, 11, kAvx512},
    {"avx512fp16", 7, Edx, 23, kAvx512}, {"avxvnni", 7, Eax, 4, kAvx, 1},
};

/// 0 where the system saves none of the wide registers.
unsigned saved_registers() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c >> 27 & 1u) == 0) return 0;
  unsigned low = 0, high = 0;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

}  // namespace

bool host_has(std::string_view feature) {
  const auto f = find_if(kFeatures, [&](const Feature& row) { return row.name == feature; });
  TENON_CHECK(f != std::end(kFeatures), "no row of host_features.cc is called {}", feature);
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(f->leaf, f->part, &a, &b, &c, &d) || (saved_registers() & f->saved) != f->saved) return false;
  const unsigned word = f->word == Eax ? a : f->word == Ebx ? b : f->word == Ecx ? c : d;
  return (word >> f->bit & 1u) != 0;
}
#else
bool host_has(std::string_view) { return true; }
#endif

}  // namespace tenon
