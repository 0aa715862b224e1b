// Numbers of texts.
#include "frontend/graph/text_table.h"

#include <fmt/format.h>

namespace tenon {

int64_t TextTable::number_of(const std::string& text) {
  const auto [it, fresh] = numbers_.emplace(text, static_cast<int64_t>(texts_.size()));
  if (fresh) texts_.push_back(text);
  return it->second;
}

std::string TextTable::to_sentence() const {
  std::string list;
  for (size_t i = 0; i < texts_.size(); ++i) list += fmt::format("{}{} \"{}\"", i == 0 ? "" : ", ", i, texts_[i]);
  return list.empty() ? "" : "Numbers that stand for texts: " + list;
}

}  // namespace tenon
