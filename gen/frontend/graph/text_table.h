// The strings of a model: a program has only numbers, so a tensor of strings becomes a tensor of indices into one
// table.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace tenon {

class TextTable {
 public:
  /// The number of a text: that of its first use, in order.
  int64_t number_of(const std::string& text);
  /// Marks the value as holding such numbers.
  void mark(ValueId value) { values_.insert(value); }
  bool holds_texts(ValueId value) const { return values_.count(value) > 0; }
  /// The table as a sentence, empty where there is no text.
  std::string to_sentence() const;

 private:
  std::vector<std::string> texts_;
  std::map<std::string, int64_t> numbers_;
  std::set<ValueId> values_;
};

}  // namespace tenon
