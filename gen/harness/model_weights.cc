// Constants of a model as C: short ones readable, long ones as 64-bit words, which compilers read fast.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>

#include "harness/model_output.h"

namespace tenon {
namespace {

constexpr int64_t kReadable = 64;   ///< up to so many elements are written as numbers

std::string storage_type(DType d) { return std::string(dtype_row(d).c_type); }

bool is_readable(const TensorData& t, int64_t n) {
  if (n > kReadable || is_complex(t.dtype)) return false;
  if (!is_float(t.dtype)) return true;
  for (int64_t i = 0; i < n; ++i)
    if (!std::isfinite(real_element(t, i))) return false;
  return t.dtype == DType::F32 || t.dtype == DType::F64;
}

std::string number(const TensorData& t, int64_t i) {
  if (t.dtype == DType::F32) {
    std::string s = fmt::format("{}", static_cast<float>(real_element(t, i)));
    return s + (s.find_first_of(".e") == std::string::npos ? ".0f" : "f");
  }
  if (t.dtype == DType::F64) {
    std::string s = fmt::format("{}", real_element(t, i));
    return s + (s.find_first_of(".e") == std::string::npos ? ".0" : "");
  }
  const int64_t v = int_element(t, i);
  if (t.dtype == DType::U64) return fmt::format("UINT64_C({})", static_cast<uint64_t>(v));
  if (t.dtype == DType::I64) return v == INT64_MIN ? "INT64_MIN" : fmt::format("INT64_C({})", v);
  if (t.dtype == DType::U32) return fmt::format("{}u", v);
  return v == INT32_MIN ? "INT32_MIN" : fmt::format("{}", v);
}

std::string numbers(const TensorData& t, int64_t n) {
  std::string out;
  for (int64_t i = 0; i < n; ++i) {
    const std::string s = number(t, i) + (i + 1 < n ? "," : "");
    out += (i % 8 == 0 ? (i ? "\n    " : "    ") : " ") + s;
  }
  return out + "\n";
}

std::string words(const TensorData& t) {
  std::string out;
  const size_t n = (t.bytes.size() + 7) / 8;
  out.reserve(n * 22);
  static const char hex[] = "0123456789abcdef";
  for (size_t i = 0; i < n; ++i) {
    uint64_t w = 0;
    for (size_t b = 0; b < 8 && i * 8 + b < t.bytes.size(); ++b) w |= static_cast<uint64_t>(t.bytes[i * 8 + b]) << (8 * b);
    out += i % 5 == 0 ? (i ? "\n    0x" : "    0x") : " 0x";
    for (int shift = 60; shift >= 0; shift -= 4) out += hex[w >> shift & 15];
    out += i + 1 < n ? "u," : "u";
  }
  return out + "\n";
}

}  // namespace

WeightsText weights_text(const ExecutionPlan& plan, const std::string& prefix) {
  WeightsText out;
  std::map<std::pair<DType, std::vector<uint8_t>>, std::string> known;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& b = plan.buffers[i];
    if (b.kind != BufferKind::Constant) continue;
    const TensorData& t = *b.data;
    const auto [it, fresh] = known.emplace(std::pair{t.dtype, t.bytes}, fmt::format("{}_w{}", prefix, known.size()));
    out.names[static_cast<int>(i)] = it->second + ".values";
    if (!fresh) continue;
    const std::string& name = it->second;
    const int64_t n = std::max<int64_t>(1, static_cast<int64_t>(t.bytes.size()) / bytes_of(t.dtype));
    const bool readable = is_readable(t, static_cast<int64_t>(t.bytes.size()) / bytes_of(t.dtype)) && !t.bytes.empty();
    const size_t word_count = std::max<size_t>(1, (t.bytes.size() + 7) / 8);
    const std::string comment = fmt::format("/* {} */\n", b.original.empty() ? b.name : b.name);
    out.declarations += fmt::format("{}extern const union {} {{\n    uint64_t words[{}];\n    {} values[{}];\n}} {};\n", comment, name, word_count, storage_type(t.dtype), n, name);
    if (readable)
      out.definitions += fmt::format("const union {} {} = {{.values = {{\n{}}}}};\n\n", name, name, numbers(t, n));
    else
      out.definitions += fmt::format("const union {} {} = {{{{\n{}}}}};\n\n", name, name, t.bytes.empty() ? "    0\n" : words(t));
    out.bytes += static_cast<int64_t>(t.bytes.size());
  }
  return out;
}

}  // namespace tenon
