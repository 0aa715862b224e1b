// x86-64-v3-vnni and x86-64-v4-vnni: four products of unsigned by signed bytes, added to 32 bits at once.
#include "isa/levels.h"

namespace tenon {

Isa x86_64_v3_vnni_isa() {
  Isa isa = x86_64_v3_isa();
  isa.base = isa.name;
  isa.name = "x86-64-v3-vnni";
  isa.suffix = "x86_64_v3_vnni";
  isa.target = "avxvnni,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt";
  isa.needs.emplace_back("avxvnni");
  isa.rows =
      extend_rows(std::move(isa.rows),
                  {{"dot4_unsigned", DType::I32, 8, "_mm256_dpbusd_avx_epi32((__m256i)$2, (__m256i)$0, (__m256i)$1)"}});
  return isa;
}

Isa x86_64_v4_vnni_isa() {
  Isa isa = x86_64_v4_isa();
  isa.base = isa.name;
  isa.name = "x86-64-v4-vnni";
  isa.suffix = "x86_64_v4_vnni";
  isa.target = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt";
  isa.needs.emplace_back("avx512vnni");
  isa.rows =
      extend_rows(std::move(isa.rows),
                  {{"dot4_unsigned", DType::I32, 16, "_mm512_dpbusd_epi32((__m512i)$2, (__m512i)$0, (__m512i)$1)"}});
  return isa;
}

}  // namespace tenon
