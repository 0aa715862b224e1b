// The level that every C99 compiler takes: scalars only, no rows.
#include "isa/levels.h"

namespace tenon {

Isa portable_isa() {
  Isa isa;
  isa.name = "portable";
  isa.suffix = "portable";
  isa.vector_bits = 0;
  isa.vector_registers = 0;
  isa.fma = false;
  isa.masked_memory = false;
  return isa;
}

}  // namespace tenon
