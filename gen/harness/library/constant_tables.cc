// The constants that kernels of an op read, as C arrays.
#include <fmt/format.h>

#include "harness/common_text.h"
#include "harness/library/kernel_forms.h"
#include "harness/library_names.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {

ConstantTables::ConstantTables(const LibraryOp& op) {
  for (const LibraryKernel& k : op.kernels)
    for (const Tensor& t : k.kernel.tensors) {
      if (!t.data || any_of(tables_, [&](const Table& o) { return *o.data == *t.data; })) continue;
      const std::string name = fmt::format("{}_{}_{}", op.def->name, c_identifier(t.name), tenon::name_of(t.dtype));
      Table made{name, t.data.get()};
      for (int n = 1; any_of(tables_, [&](const Table& o) { return o.name == made.name; }); ++n)
        made.name = fmt::format("{}_{}", name, n);
      tables_.push_back(std::move(made));
    }
}

std::string ConstantTables::name_of(const TensorData& data) const {
  const auto at = find_if(tables_, [&](const Table& t) { return *t.data == data; });
  TENON_CHECK(at != tables_.end(), "a constant that no kernel has");
  return has_number_texts(data) ? at->name : at->name + ".values";
}

namespace {

/// The elements, as many in a row as a line takes.
CExpr elements_of(const TensorData& data, bool numbers) {
  constexpr size_t kColumns = 100;
  std::vector<CInit> rows;
  std::string row;
  const int64_t n = element_count(data.dims);
  for (int64_t k = 0; k < n; ++k) {
    const std::string text = numbers ? number_text(data, k) : bits_text(data, k);
    if (!row.empty() && row.size() + text.size() > kColumns) rows.push_back({c_text(std::exchange(row, ""))});
    row += (row.empty() ? "" : ", ") + text;
  }
  rows.push_back({c_text(n == 0 ? "0" : row)});
  return c_initializer(std::move(rows), true);
}

}  // namespace

void ConstantTables::add(std::vector<CItem>& out) const {
  for (const Table& t : tables_) {
    const TensorData& data = *t.data;
    const std::string type(dtype_row(data.dtype).c_type);
    const int64_t elements = std::max<int64_t>(element_count(data.dims), 1);
    if (has_number_texts(data)) {
      out.push_back(CObject{fmt::format("static const {} {}[{}]", type, t.name, elements), elements_of(data, true)});
      continue;
    }
    const int bits = real_of(data.dtype) == DType::F64 ? 64 : 32;
    const std::string declarator =
        fmt::format("static const union {{\n  uint{}_t bits[{}];\n  {} values[{}];\n}} {}", bits,
                    elements * (is_complex(data.dtype) ? 2 : 1), type, elements, t.name);
    out.push_back(CObject{declarator, c_braces("", {elements_of(data, false)})});
  }
}

}  // namespace tenon
