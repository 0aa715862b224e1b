// The objects that statements of a nest use: variables, buffers, and whether they can fail.
#pragma once

#include <set>
#include <string>

#include "ir/nest/loop_nest.h"

namespace tenon {

struct NestSurvey {
  std::set<std::string> vars;      ///< free ones
  std::set<std::string> assigned;  ///< those of them that get a value
  std::set<int> buffers;
  std::set<int> stored;   ///< those of them that statements store to, not counting what calls do
  bool loads = false;     ///< reads memory
  bool parallel = false;  ///< has a loop that workers may share
  bool fails = false;     ///< may leave the kernel with a status

  void add(const Operand& value);
  void add(const Block& block);
  void add(const Stmt& statement);
  void add_loop(const SFor& loop);  ///< its body, without its variable

 private:
  void merge(const NestSurvey& inner);
};

}  // namespace tenon
