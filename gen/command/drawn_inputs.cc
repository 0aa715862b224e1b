// Draws inputs and writes them.
#include "command/drawn_inputs.h"

#include <fmt/format.h>

#include <cstdio>
#include <random>

#include "frontend/tensors/tensor_files.h"
#include "ir/graph/size_bounds.h"
#include "oracle/number.h"
#include "pipeline/run.h"

namespace tenon {

std::vector<std::string> drawn_inputs(const Graph& graph, const std::string& folder) {
  std::mt19937_64 random(1);
  std::vector<std::string> files;
  for (const ValueId id : graph.inputs) {
    const Value& v = graph.value(id);
    TensorData data{v.dtype, {}, {}};
    for (const SizeExpr& e : v.dims) data.dims.push_back(maximum_value(e, graph.sizes).value_or(1));
    const int64_t n = element_count(data.dims);
    data.bytes.resize(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(v.dtype)));
    for (int64_t k = 0; k < n; ++k) {
      const auto drawn = static_cast<int64_t>(random() >> 40);
      store_number(data, k, {drawn % 2, static_cast<long double>(drawn) * 0x1p-24L});
    }
    files.push_back(fmt::format("{}/in{}.npy", folder, files.size()));
    write_for_program(files.back(), npy_bytes(data));
  }
  return files;
}

void write_for_program(const std::string& path, const std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if ((file && std::fclose(file) != 0) || !written) stop_run(exit_run_failed, fmt::format("{}: cannot write", path));
}

}  // namespace tenon
