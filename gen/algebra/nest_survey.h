// The objects that statements of a nest use: variables and buffers; and whether statements can fail.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/nest/loop_nest.h"

namespace tenon {

struct NestSurvey {
  std::set<std::string> vars;      ///< free ones
  std::set<std::string> assigned;  ///< those of them that get a value
  std::set<int> buffers;
  std::set<int> stored;   ///< those of them that statements store to, not counting what calls do
  bool loads = false;     ///< reads memory
  bool parallel = false;  ///< has a loop that workers may share

  void add(const Operand& value);
  void add(const Block& block);
  void add(const Stmt& statement);
  void add_loop(const SFor& loop);  ///< its body, without its variable

 private:
  void merge(const NestSurvey& inner);
};

/// Whether the statements may leave the kernel with a status, themselves or by what they call of `functions`.
bool may_fail(const Block& block, const std::vector<InnerFunction>& functions);
bool may_fail(const Stmt& statement, const std::vector<InnerFunction>& functions);

/// The names that a block declares itself.
std::vector<std::string> declared_names(const Block& block);
/// Adds all names that a block declares, in blocks inside of it too.
void add_declared_names(const Block& block, std::set<std::string>& names);

/// The block without names that no statement after them reads: constants may have taken their places.
Block without_unread(const Block& block);

/// Bytes moved by the loads and stores of one run, per buffer: an estimate for the largest sizes, used to compare
/// buffers. Bounds of loops that data decide count as one iteration, the two sides of a condition as half of each;
/// frames are not counted.
std::vector<double> bytes_moved(const LoopNest& nest);

struct InnerLoop {
  std::string var;
  int lanes = 1;            ///< elements that one instruction takes at most
  bool contiguous = false;  ///< of a scalar loop: it goes through memory element by element, without strides
  bool rest = false;        ///< of a scalar loop: what a loop over vectors in front of it leaves
  std::string why;          ///< of a scalar loop: what keeps it from vectors
};

/// The innermost loops of a nest and of its functions, in the order of the text. C templates are one scalar loop each.
std::vector<InnerLoop> inner_loops(const LoopNest& nest);

}  // namespace tenon
