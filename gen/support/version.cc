// The version as a number.
#include "support/version.h"

namespace tenon {

std::string version_number() {
  int number = 0, part = 0;
  for (const char c : kVersion) {
    if (c == '.') number = number * 100 + part, part = 0;
    else part = part * 10 + (c - '0');
  }
  return std::to_string(number * 100 + part);
}

}  // namespace tenon
