// The four functions that every C compiler may call, hosted or not.
#include "harness/memory_functions.h"

namespace tenon {

std::string memory_functions(bool freestanding) {
  const std::string declarations =
      "#include <stddef.h>\n"
      "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
      "void *memcpy(void *to, const void *from, size_t bytes);\n"
      "void *memmove(void *to, const void *from, size_t bytes);\n"
      "void *memset(void *to, int byte, size_t bytes);\n"
      "int memcmp(const void *a, const void *b, size_t bytes);\n"
      "#ifdef __cplusplus\n}\n#endif\n";
  const std::string why = "/* Compilers without a C library have no string.h, but call these four by themselves. */\n";
  if (freestanding) return why + declarations;
  return why + "#if defined(__STDC_HOSTED__) && __STDC_HOSTED__ == 0\n" + declarations +
         "#else\n#include <string.h>\n#endif\n";
}

}  // namespace tenon
