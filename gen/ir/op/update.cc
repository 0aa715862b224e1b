// The symbols of updates, in the order of the enum.
#include "ir/op/update.h"

#include <algorithm>
#include <array>

namespace tenon {

namespace {

constexpr std::array<std::string_view, 9> kSymbols = {
    "=", "+=", "*=", "max=", "min=", "last=", "bit_xor=", "bit_or=", "bit_and="};

}  // namespace

std::string_view symbol_of(Update update) { return kSymbols[static_cast<std::size_t>(update)]; }

std::optional<Update> update_from_symbol(std::string_view symbol) {
  const auto at = std::find(kSymbols.begin(), kSymbols.end(), symbol);
  return at == kSymbols.end() ? std::nullopt : std::optional(static_cast<Update>(at - kSymbols.begin()));
}

}  // namespace tenon
