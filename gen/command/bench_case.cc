// Writes the files of cases and their labels.
#include "command/bench_case.h"

#include <fmt/format.h>

#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

std::string operand_line(const std::optional<TensorData>& t) {
  if (!t) return "0\n";
  const int type = dtype_row(t->dtype).key;
  std::string out = fmt::format("1 {} {} {}", type >> 8, type & 255, t->dims.size());
  for (const int64_t extent : t->dims) out += fmt::format(" {}", extent);
  return out + "\n";
}

std::string attribute_line(const TryAttr& a) {
  std::string out = fmt::format("{} {} {}", a.name, a.real ? 1 : 0, a.real ? a.f.size() : a.i.size());
  for (const int64_t v : a.i) out += fmt::format(" {}", v);
  for (const double v : a.f) out += fmt::format(" {:.17g}", v);
  return out + "\n";
}

/// One value stands for a list of equal ones.
template <class T>
std::string values_text(const std::vector<T>& values) {
  std::vector<std::string> texts = mapped(values, [&](const T v) { return fmt::format("{}", v); });
  for (const std::string& t : texts)
    if (t != texts[0]) return "[" + joined(texts, ",") + "]";
  return texts.empty() ? "[]" : texts[0];
}

}  // namespace

std::string case_file(const std::string& op, DType key, const TryCase& c) {
  const size_t rank = c.inputs.empty() || !c.inputs[0] ? c.outputs[0].dims.size() : c.inputs[0]->dims.size();
  std::string out = fmt::format("{} {} {} {} {} {}\n", op, dtype_row(key).key, rank, c.inputs.size(), c.outputs.size(),
                                c.attrs.size());
  for (const auto& t : c.inputs) out += operand_line(t);
  for (const TensorData& t : c.outputs) {
    const int type = dtype_row(t.dtype).key;
    out += fmt::format("{} {}\n", type >> 8, type & 255);
  }
  for (const TryAttr& a : c.attrs) out += attribute_line(a);
  for (const auto& t : c.inputs)
    if (t) out.append(reinterpret_cast<const char*>(t->bytes.data()), t->bytes.size());
  return out;
}

std::string case_label(const TryCase& c) {
  std::vector<std::string> words;
  for (const auto& t : c.inputs) {
    if (!t) continue;
    std::vector<std::string> extents;
    for (const int64_t extent : t->dims) extents.push_back(fmt::format("{}", extent));
    words.push_back(extents.empty() ? "scalar" : joined(extents, "x"));
  }
  for (const TryAttr& a : c.attrs)
    words.push_back(fmt::format("{}={}", a.name, a.real ? values_text(a.f) : values_text(a.i)));
  return joined(words, " ");
}

std::optional<Load> load_of(DType key, const std::optional<TimedWork>& work) {
  if (!work) return std::nullopt;
  return Load{key, work->operations, work->read, work->written};
}

}  // namespace tenon
