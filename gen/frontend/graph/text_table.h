// The texts of a model: a program has numbers only, so a tensor of texts is one of their numbers in one table.
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
  /// From here on the value is known to hold such numbers.
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
