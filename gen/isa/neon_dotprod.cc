// neon-dotprod: four products of signed bytes, added to 32 bits at once (ARMv8.2's optional instructions).
#include "isa/levels.h"

namespace tenon {

Isa neon_dotprod_isa() {
  Isa isa = neon_isa();
  isa.base = isa.name;
  isa.name = "neon-dotprod";
  isa.suffix = "neon_dotprod";
  isa.guard =
      "defined(__aarch64__) && ((defined(__clang__) && __clang_major__ >= 16) || "
      "(!defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 12))";
  isa.target = "arch=armv8.2-a+dotprod";
  isa.needs.emplace_back("asimddp");
  isa.rows = extend_rows(std::move(isa.rows),
                         {{"dot4", DType::I32, 4, "vdotq_s32((int32x4_t)$2, (int8x16_t)$0, (int8x16_t)$1)"}});
  return isa;
}

}  // namespace tenon
