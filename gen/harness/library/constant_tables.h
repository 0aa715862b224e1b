// The constants that kernels of an op read, as C arrays: each once, whatever levels and types read it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/kernel/library.h"
#include "ir/nest/c_ast.h"

namespace tenon {

class ConstantTables {
 public:
  explicit ConstantTables(const LibraryOp& op);

  /// The C expression that points to the elements.
  std::string name_of(const TensorData& data) const;
  void add(std::vector<CItem>& out) const;

 private:
  struct Table {
    std::string name;
    const TensorData* data;
  };
  std::vector<Table> tables_;
};

}  // namespace tenon
