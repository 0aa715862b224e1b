// The constants that kernels of an op read, as C arrays.
#include "harness/library/constant_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/constant_text.h"
#include "harness/library_names.h"
#include "support/check.h"

namespace tenon {

ConstantTables::ConstantTables(const LibraryOp& op) {
  for (const LibraryKernel& k : op.kernels)
    for (const Tensor& t : k.kernel.tensors) {
      if (!t.data || std::any_of(tables_.begin(), tables_.end(), [&](const Table& o) { return *o.data == *t.data; }))
        continue;
      const std::string name = fmt::format("{}_{}_{}", op.def->name, c_identifier(t.name), tenon::name_of(t.dtype));
      Table made{name, t.data.get()};
      for (int n = 1; std::any_of(tables_.begin(), tables_.end(), [&](const Table& o) { return o.name == made.name; });
           ++n)
        made.name = fmt::format("{}_{}", name, n);
      tables_.push_back(std::move(made));
    }
}

std::string ConstantTables::name_of(const TensorData& data) const {
  const auto at = std::find_if(tables_.begin(), tables_.end(), [&](const Table& t) { return *t.data == data; });
  TENON_CHECK(at != tables_.end(), "a constant that no kernel has");
  return has_number_texts(data) ? at->name : at->name + ".values";
}

void ConstantTables::write(TextWriter& out) const {
  for (const Table& t : tables_) {
    const TensorData& data = *t.data;
    const int64_t n = element_count(data.dims);
    const bool numbers = has_number_texts(data);
    const std::string type(dtype_row(data.dtype).c_type);
    const int64_t room = std::max<int64_t>(n, 1);
    if (numbers) {
      out.print_line("static const {} {}[{}] = {{", type, t.name, room);
    } else {
      const bool wide = real_of(data.dtype) == DType::F64;
      out.print_line("static const union {{")
          .print_line("    uint{}_t bits[{}];", wide ? 64 : 32, room * (is_complex(data.dtype) ? 2 : 1));
      out.print_line("    {} values[{}];", type, room).print_line("}} {} = {{{{", t.name);
    }
    std::string line;
    for (int64_t k = 0; k < n; ++k) {
      const std::string text = (numbers ? number_text(data, k) : bits_text(data, k)) + (k + 1 < n ? "," : "");
      if (!line.empty() && line.size() + text.size() > 100) out.print_line("    {}", std::exchange(line, ""));
      line += (line.empty() ? "" : " ") + text;
    }
    out.print_line("    {}", n == 0 ? "0" : line).line(numbers ? "};" : "}};");
  }
}

}  // namespace tenon
