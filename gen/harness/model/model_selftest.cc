// Drawing of inputs, in C++ and in C, and the text of a self-test.
#include "harness/model/model_selftest.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <set>

#include "harness/library_names.h"
#include "harness/model/model_code.h"
#include "harness/model/model_state.h"
#include "support/check.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

constexpr int64_t most_elements = 256;

/// The generator of Knuth's MMIX; only its upper bits are used, because the lower ones have short periods.
uint64_t next(uint64_t& state) { return state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); }

/// (k - 8)/8 for k = 0 … 15 in 16 bits.
constexpr uint16_t f16_values[16] = {0xbc00, 0xbb00, 0xba00, 0xb900, 0xb800, 0xb600, 0xb400, 0xb000,
                                     0x0000, 0x3000, 0x3400, 0x3600, 0x3800, 0x3900, 0x3a00, 0x3b00};
constexpr uint16_t bf16_values[16] = {0xbf80, 0xbf60, 0xbf40, 0xbf20, 0xbf00, 0xbec0, 0xbe80, 0xbe00,
                                      0x0000, 0x3e00, 0x3e80, 0x3ec0, 0x3f00, 0x3f20, 0x3f40, 0x3f60};

template <class T>
void put(TensorData& t, T v) {
  const size_t at = t.bytes.size();
  t.bytes.resize(at + sizeof v);
  std::memcpy(t.bytes.data() + at, &v, sizeof v);
}

double fraction(uint64_t drawn) { return (static_cast<double>(drawn >> 40) - 8388608.0) / 8388608.0; }

uint64_t whole(DType type, uint64_t drawn, int pattern) {
  if (pattern >= 2) return pattern == 2 ? 0 : 1;
  return pattern == 0 && bytes_of(type) == 1 && type != DType::Bool ? drawn >> 56 : drawn >> 63;
}

void draw_element(TensorData& t, uint64_t& state, int pattern) {
  const DType real = real_of(t.dtype);
  for (int part = 0; part < (is_complex(t.dtype) ? 2 : 1); ++part) {
    const uint64_t drawn = next(state);
    if (is_half(real)) put(t, (real == DType::F16 ? f16_values : bf16_values)[drawn >> 60]);
    else if (real == DType::F32) put(t, static_cast<float>(fraction(drawn)));
    else if (real == DType::F64) put(t, fraction(drawn));
    else
      for (uint64_t v = whole(real, drawn, pattern), k = 0; k < static_cast<uint64_t>(bytes_of(real)); ++k)
        put(t, static_cast<uint8_t>(v >> (8 * k)));
  }
}

/// Whether the pattern makes all numbers of a type equal, so that nothing is drawn.
bool is_fixed(DType type, int pattern) { return !is_half(type) && !is_float(real_of(type)) && pattern >= 2; }

/// The C expression that is one drawn number.
std::string drawn_in_c(DType type, const std::string& c_type, int pattern) {
  if (is_half(type)) return "values[next(&state) >> 60]";
  if (is_float(type)) return fmt::format("({})((double)(next(&state) >> 40) - 8388608.0) / 8388608", c_type);
  if (is_fixed(type, pattern)) return pattern == 2 ? "0" : "1";
  const bool byte = pattern == 0 && bytes_of(type) == 1 && type != DType::Bool;
  if (byte && is_signed_int(type)) return "(int8_t)((int)((next(&state) >> 56) ^ 128) - 128)";
  return fmt::format("({})(next(&state) >> {})", c_type, byte ? 56 : 63);
}

std::string draw_function(DType type, const std::string& c_type, int pattern) {
  const DType real = real_of(type);
  std::string out = fmt::format("static void draw_{}({} *data, int64_t n, uint64_t state) {{\n", name_of(type), c_type),
              body;
  if (is_half(type)) {
    const auto hexadecimal = [](uint16_t v) { return fmt::format("0x{:04x}", v); };
    out += fmt::format("  static const uint16_t values[16] = {{{}}};\n",
                       joined(type == DType::F16 ? f16_values : bf16_values, ", ", hexadecimal));
  }
  const std::string element =
      drawn_in_c(real, is_complex(type) ? std::string(dtype_row(real).c_type) : c_type, pattern);
  if (is_complex(type)) body = fmt::format("    data[i].re = {0};\n    data[i].im = {0};\n", element);
  else body = fmt::format("    data[i] = {};\n", element);
  if (is_fixed(type, pattern)) out += "  (void)state;\n";
  return out + fmt::format("  for (int64_t i = 0; i < n; ++i) {{\n{}  }}\n}}\n", body);
}

/// Numbers of one element: one, or real and imaginary part.
std::vector<double> parts_of(const TensorData& t, int64_t i) {
  const auto floating = [&](auto zero, int64_t at) {
    std::memcpy(&zero, t.bytes.data() + static_cast<size_t>(at) * sizeof zero, sizeof zero);
    return static_cast<double>(zero);
  };
  if (t.dtype == DType::C64) return {floating(0.0f, 2 * i), floating(0.0f, 2 * i + 1)};
  if (t.dtype == DType::C128) return {floating(0.0, 2 * i), floating(0.0, 2 * i + 1)};
  if (t.dtype == DType::U64) return {static_cast<double>(static_cast<uint64_t>(int_element(t, i)))};
  return {is_float(t.dtype) ? real_element(t, i) : static_cast<double>(int_element(t, i))};
}

std::string number_in_c(double v) {
  if (std::isnan(v)) return "IS_NAN";
  if (std::isinf(v)) return v > 0 ? "IS_INFINITE" : "-IS_INFINITE";
  const std::string text = fmt::format("{}", v);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class SelftestWriter {
 public:
  SelftestWriter(const ExecutionPlan& plan, const ModelFrame& frame, const Selftest& test)
      : plan_(plan), frame_(frame), test_(test), arena_(plan, frame.name) {}

  std::string text() const {
    const std::vector<HoleValue> holes = {{"arena_parameter", arena_.divided() ? arena_.parameter() + ", " : ""},
                                          {"drawing", drawing()},
                                          {"wanted", wanted()},
                                          {"storage", storage()},
                                          {"inputs", inputs()},
                                          {"state_argument", state_text(plan_, "state, ")},
                                          {"checks", checks()}};
    return fill_template(plan_, frame_, "c/model_selftest.c.in", holes, features());
  }

 private:
  const PlanBuffer& buffer(int i) const { return plan_.buffer(i); }
  std::string c_type(DType d) const { return element_type(d, frame_.name); }

  int64_t count(const PlanBuffer& b) const {
    SizeValues sizes = test_.sizes;
    for (const GraphSize& s : plan_.sizes) sizes.emplace(s.name, s.hi);
    const std::vector<int64_t> dims = mapped(b.dims, [&](const SizeExpr& d) { return evaluate(d, sizes).value_or(0); });
    return element_count(dims);
  }

  std::set<DType> drawn_types() const {
    std::set<DType> out;
    for (const int i : plan_.inputs) out.insert(buffer(i).dtype);
    return out;
  }

  std::string drawing() const {
    std::string out;
    for (const DType d : drawn_types()) out += "\n" + draw_function(d, c_type(d), test_.pattern);
    return out;
  }

  /// Only the functions that the checks call: outputs without elements compare nothing.
  std::vector<Feature> features() const {
    const std::set<DType> drawn = drawn_types();
    bool compares = false, halves = false;
    for (size_t o = 0; o < test_.outputs.size(); ++o) {
      if (test_.outputs[o].elements.empty()) continue;
      compares = true;
      halves = halves || is_half(buffer(plan_.outputs[o]).dtype);
    }
    return {{"draws", any_of(drawn, [&](DType d) { return !is_fixed(d, test_.pattern); })},
            {"halves", halves},
            {"comparison", compares}};
  }

  std::string wanted() const {
    std::string out;
    for (size_t o = 0; o < test_.outputs.size(); ++o) {
      const KeptOutput& k = test_.outputs[o];
      if (k.elements.empty()) continue;
      out += fmt::format("static const double wanted_{}[{}] = {{", buffer(plan_.outputs[o]).name, k.elements.size());
      for (size_t i = 0; i < k.elements.size(); ++i) out += (i % 8 ? " " : "\n  ") + number_in_c(k.elements[i]) + ",";
      out += "\n};\n";
    }
    return out;
  }

  std::string storage() const {
    std::string out;
    const auto place = [&](const char* kind, int i) {
      out += fmt::format("static {} {}_{}[{}];\n", c_type(buffer(i).dtype), kind, buffer(i).name,
                         std::max<int64_t>(1, count(buffer(i))));
    };
    for (const int i : plan_.inputs) place("in", i);
    for (const int o : plan_.outputs) place("out", o);
    return out;
  }

  std::string inputs() const {
    std::string out;
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      const PlanBuffer& b = buffer(plan_.inputs[i]);
      out += fmt::format("draw_{0}(in_{1}, {2}, {3});\nin.{1} = in_{1};\n", name_of(b.dtype), b.name, count(b), i + 1);
    }
    for (const auto& [name, value] : test_.sizes) out += fmt::format("in.{} = {};\n", name, value);
    for (const int o : plan_.outputs) out += fmt::format("out.{0} = out_{0};\n", buffer(o).name);
    return out;
  }

  /// Part `part` of element `index` of an output as a double.
  std::string element(const PlanBuffer& b, const std::string& index, int part) const {
    const std::string at = fmt::format("out_{}[{}]", b.name, index);
    if (is_complex(b.dtype)) return fmt::format("(double){}.{}", at, part ? "im" : "re");
    if (is_half(b.dtype)) return fmt::format("half({}, {})", at, b.dtype == DType::F16 ? 5 : 8);
    return "(double)" + at;
  }

  std::string checks() const {
    std::string out;
    for (size_t o = 0; o < test_.outputs.size(); ++o) {
      const PlanBuffer& b = buffer(plan_.outputs[o]);
      const KeptOutput& k = test_.outputs[o];
      const bool open = any_of(b.dims, [](const SizeExpr& d) { return !d.is_constant(); });
      for (size_t d = 0; open && d < k.dims.size(); ++d)
        out += fmt::format("right &= out.{}_shape[{}] == {};\n", b.name, d, k.dims[d]);
      const int64_t n = element_count(k.dims);
      if (!k.elements.empty()) out += element_checks(b, k, n);
      out += fmt::format("if (!right) {{\n  return {};\n}}\n", o + 1);
    }
    return out;
  }

  std::string element_checks(const PlanBuffer& b, const KeptOutput& k, int64_t n) const {
    const int parts = is_complex(b.dtype) ? 2 : 1;
    const auto kept = static_cast<int64_t>(k.elements.size()) / parts;
    const std::string tolerance = number_in_c(k.tolerance);
    const std::string place = kept == n ? "k" : fmt::format("k * {} / {}", n, kept);
    std::string out = fmt::format("for (int64_t k = 0; k < {}; ++k) {{\n", kept);
    for (int p = 0; p < parts; ++p)
      out += fmt::format("  right &= agrees({}, wanted_{}[{}], {}, &maximum);\n", element(b, place, p), b.name,
                         parts == 1 ? "k" : fmt::format("2 * k + {}", p), tolerance);
    out += "}\n";
    if (parts == 2 || !std::isfinite(k.mean)) return out;
    return out + fmt::format(
                     "double mean_{0} = 0;\nfor (int64_t k = 0; k < {1}; ++k) {{\n  mean_{0} += {2} / {1};\n}}\n"
                     "right &= agrees(mean_{0}, {3}, {4}, &maximum);\n",
                     b.name, n, element(b, "k", 0), number_in_c(k.mean),
                     number_in_c(std::max(k.tolerance, 1e-9 * std::abs(k.mean))));
  }

  const ExecutionPlan& plan_;
  const ModelFrame& frame_;
  const Selftest& test_;
  ModelArena arena_;
};

}  // namespace

std::string selftest_type_fault(DType type) {
  return is_small(type) ? fmt::format("numbers of type {} are neither drawn nor compared", name_of(type)) : "";
}

TensorData draw_input(DType type, std::vector<int64_t> dims, int input, int pattern) {
  TensorData out{type, std::move(dims), {}};
  uint64_t state = static_cast<uint64_t>(input) + 1;
  for (int64_t n = element_count(out.dims); n > 0; --n) draw_element(out, state, pattern);
  return out;
}

double unit_of(DType type) {
  switch (type) {
    case DType::F64: return 0x1p-52;
    case DType::F16: return 0x1p-10;
    case DType::BF16: return 0x1p-7;
    default: return 0x1p-23;
  }
}

KeptOutput keep_output(const TensorData& output, const std::vector<TensorData>& disturbed,
                       std::optional<DType> narrowest) {
  // Reordered sums round differently from the perturbed runs: allow `units` ULP plus `times` their deviation.
  constexpr double units = 64, times = 16;
  KeptOutput out;
  out.dims = output.dims;
  const int64_t n = element_count(output.dims), kept = std::min(n, most_elements);
  double maximum = 0, sum = 0, apart = 0;
  for (int64_t i = 0; i < n; ++i)
    for (const double v : parts_of(output, i)) {
      if (std::isfinite(v)) maximum = std::max(maximum, std::abs(v));
      sum += v / static_cast<double>(n);
    }
  for (const TensorData& d : disturbed)
    for (int64_t i = 0; d.dims == output.dims && i < n; ++i) {
      const std::vector<double> exact = parts_of(output, i), off = parts_of(d, i);
      for (size_t p = 0; p < exact.size(); ++p)
        if (std::isfinite(exact[p] - off[p])) apart = std::max(apart, std::abs(exact[p] - off[p]));
    }
  for (int64_t k = 0; k < kept; ++k) append(out.elements, parts_of(output, k * n / kept));
  out.mean = sum;
  if (is_float(output.dtype) || is_complex(output.dtype))
    out.tolerance = units * unit_of(narrowest.value_or(DType::F32)) * maximum + times * apart;
  else if (narrowest && bytes_of(output.dtype) == 1 && output.dtype != DType::Bool)
    out.tolerance = 1 + apart;  // quantization steps
  return out;
}

std::string selftest_source(const ExecutionPlan& plan, const ModelFrame& frame, const Selftest& test) {
  return SelftestWriter(plan, frame, test).text();
}

}  // namespace tenon
