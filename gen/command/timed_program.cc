// Compiles and runs the program of a model.
#include "command/timed_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "command/written_files.h"
#include "frontend/tensors/tensor_files.h"
#include "support/quoted.h"
#include "support/read_source.h"
#include "support/run_program.h"

namespace tenon {

bool TimedModel::compile() const { return compile_changed(folder_, built_, how_.compiler, "-o net") == 0; }

std::string TimedModel::command() const {
  std::string line = "exec " + shell_word(folder_ + "/net");
  for (const std::string& in : how_.inputs) line += " " + shell_word(in);
  return line;
}

std::optional<std::vector<TensorData>> TimedModel::outputs() const {
  std::string line = command();
  const auto name = [&](size_t i) { return fmt::format("{}/out{}.npy", folder_, i); };
  for (size_t i = 0; i < how_.outputs; ++i) line += " -o " + shell_word(name(i));
  if (run_shell_line(line) != 0) return std::nullopt;
  std::vector<TensorData> out;
  for (size_t i = 0; i < how_.outputs; ++i) {
    const auto bytes = read_bytes(name(i), name(i));
    if (!bytes) return std::nullopt;
    auto read = read_npy(*bytes, name(i));
    if (!read) return std::nullopt;
    out.push_back(std::move(read).value());
  }
  return out;
}

bool TimedModel::profile(int64_t repeat, KernelTimes& times) const {
  const std::string file = folder_ + "/profile";
  const std::string line = fmt::format("{} --repeat {} --profile=json >{}", command(), repeat, shell_word(file));
  if (run_shell_line(line) != 0) return false;
  const auto text = read_source(file);
  if (!text) return false;
  const size_t begin = (*text)->text().find('{');  // the outputs and the time of a run are before it
  return begin != std::string::npos && add_profile((*text)->text().substr(begin), times);
}

bool TimedModel::time(double us) {
  if (repeat_ == 0) {
    KernelTimes once;
    if (!profile(1, once)) return false;
    double sum = 0;
    for (const auto& [kernel, rounds] : once) sum += rounds.back();
    repeat_ = static_cast<int64_t>(std::clamp(us / std::max(sum, 1.0), 1.0, 1e4));
  }
  return profile(repeat_, times_);
}

std::vector<double> TimedProgram::totals() const {
  std::vector<double> out;
  for (const auto& [kernel, us] : times_)
    for (size_t r = 0; r < us.size(); ++r) {
      if (out.size() <= r) out.push_back(0);
      out[r] += us[r];
    }
  return out;
}

}  // namespace tenon
