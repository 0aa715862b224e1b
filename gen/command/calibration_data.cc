// Reads examples, and splits files that hold several.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "command/drawn_inputs.h"
#include "frontend/tensors/tensor_files.h"
#include "ir/graph/size_bounds.h"
#include "pipeline/read_data.h"
#include "support/joined.h"

namespace tenon {
namespace {

namespace fs = std::filesystem;

class CallCutter {
 public:
  CallCutter(Run& run, const Graph& graph, const std::string& folder) : run_(run), graph_(graph), folder_(folder) {}

  /// The files of one input, one a call.
  CallFiles files_of(ValueId input, const fs::path& dir) {
    const Value& v = graph_.value(input);
    const std::vector<std::string> files = files_ending(dir, ".npy");
    if (files.empty())
      stop_run(exit_bad_input,
               fmt::format("--data: {} has no .npy file for the input {} {}", dir.string(), v.original, type_text(v)));
    CallFiles out;
    for (const std::string& file : files) {
      run_.depends_on(file);
      const TensorData data = run_.open(read_npy(run_.open(read_bytes(file, file)), file));
      if (!fits(v, data))
        stop_run(exit_bad_input, fmt::format("{}: it holds {}, which is no example, and no stack of examples, of the "
                                             "input {} {}",
                                             file, text_of(data), v.original, type_text(v)));
      cut(v, data, file, out);
    }
    return out;
  }

 private:
  static std::string text_of(const TensorData& t) {
    return fmt::format("{}[{}]", name_of(t.dtype), joined(t.dims, ", ", [](int64_t d) { return fmt::to_string(d); }));
  }

  Interval extent(const Value& v, size_t axis) const { return bounds_of(v.dims[axis], graph_.sizes); }

  bool fits(const Value& v, const TensorData& data) const {
    if (data.dtype != v.dtype || data.dims.size() != v.dims.size()) return false;
    for (size_t d = 0; d < v.dims.size(); ++d) {
      const Interval e = extent(v, d);
      if (d == 0 ? data.dims[d] < e.lo || (e.lo == e.hi && e.lo > 0 && data.dims[d] % e.lo != 0)
                 : data.dims[d] < e.lo || data.dims[d] > e.hi)
        return false;
    }
    return true;
  }

  void cut(const Value& v, const TensorData& data, const std::string& file, CallFiles& out) {
    const int64_t rows = v.dims.empty() ? 1 : std::max<int64_t>(extent(v, 0).hi, 1);
    if (v.dims.empty() || data.dims[0] <= rows) {
      out.push_back(file);
      return;
    }
    const size_t row_bytes = data.bytes.size() / static_cast<size_t>(data.dims[0]);
    for (int64_t begin = 0; begin < data.dims[0]; begin += rows) {
      TensorData part{data.dtype, data.dims, {}};
      part.dims[0] = std::min(rows, data.dims[0] - begin);
      const auto first = data.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(begin) * row_bytes);
      part.bytes.assign(first, first + static_cast<std::ptrdiff_t>(static_cast<size_t>(part.dims[0]) * row_bytes));
      out.push_back(fmt::format("{}/part{}.npy", folder_, parts_++));
      write_for_program(out.back(), npy_bytes(part));
    }
  }

  Run& run_;
  const Graph& graph_;
  const std::string& folder_;
  int parts_ = 0;
};

}  // namespace

std::vector<CallFiles> calibration_calls(Run& run, const Graph& graph, const std::string& dir,
                                         const std::string& folder) {
  std::error_code gone;
  if (!fs::is_directory(dir, gone)) stop_run(exit_bad_input, fmt::format("--data: {} is no folder", dir));
  CallCutter cutter(run, graph, folder);
  std::vector<CallFiles> calls;
  for (const ValueId input : graph.inputs) {
    const std::string& name = graph.value(input).original;
    const CallFiles files = cutter.files_of(input, graph.inputs.size() == 1 ? fs::path(dir) : fs::path(dir) / name);
    if (input == graph.inputs[0]) calls.resize(files.size());
    if (files.size() != calls.size())
      stop_run(exit_bad_input, fmt::format("--data: the input {} has {} examples, those before it {}", name,
                                           files.size(), calls.size()));
    for (size_t c = 0; c < files.size(); ++c) calls[c].push_back(files[c]);
  }
  return calls;
}

}  // namespace tenon
