// Constants of a model: as C, where short ones are readable numbers and long ones strings, or as one block of bytes.
#include "harness/model/model_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "harness/common_text.h"
#include "harness/library_names.h"

namespace tenon {
namespace {

constexpr int64_t kReadable = 1024;     ///< the maximum number of elements that are written as numbers
constexpr size_t kAlignedBytes = 512;   ///< smaller constants would waste more than they gain
constexpr size_t kUsualCharacters = 3;  ///< a byte takes up to four; reserved pages that are not touched take no memory

bool is_readable(const TensorData& t) {
  const int64_t n = static_cast<int64_t>(t.bytes.size()) / bytes_of(t.dtype);
  if (n == 0 || n > kReadable || is_complex(t.dtype)) return false;
  if (!is_float(t.dtype)) return true;
  for (int64_t i = 0; i < n; ++i)
    if (!std::isfinite(real_element(t, i))) return false;
  return t.dtype == DType::F32 || t.dtype == DType::F64;
}

std::string numbers(const TensorData& t, int64_t n) {
  std::string out;
  for (int64_t i = 0; i < n; ++i) {
    const std::string s = number_text(t, i) + (i + 1 < n ? "," : "");
    out += (i % 8 == 0 ? (i ? "\n  " : "  ") : " ") + s;
  }
  return out + "\n";
}

bool is_aligned(const TensorData& t, bool asked) { return asked && t.bytes.size() >= kAlignedBytes; }

/// Whether numbers have more than one byte.
bool has_byte_order(const TensorData& t) { return !t.bytes.empty() && bytes_of(real_of(t.dtype)) > 1; }

/// The same numbers with the bytes of each in that order; real and imaginary part are numbers of their own.
std::shared_ptr<const TensorData> in_order(const std::shared_ptr<const TensorData>& data, ByteOrder order) {
  if (order == ByteOrder::little || !has_byte_order(*data)) return data;
  auto out = std::make_shared<TensorData>(*data);
  const auto width = static_cast<ptrdiff_t>(bytes_of(real_of(out->dtype)));
  for (auto at = out->bytes.begin(); at != out->bytes.end(); at += width) std::reverse(at, at + width);
  return out;
}

/// Equal contents have the same number; only the first buffer of each is written.
class Contents {
 public:
  /// The number of what `t` holds, and whether it is new.
  std::pair<size_t, bool> number_of(const TensorData& t) {
    const std::string_view bytes(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
    auto& same = by_hash_[std::hash<std::string_view>()(bytes)];
    for (const auto& [other, number] : same)
      if (other->dtype == t.dtype && other->bytes == t.bytes) return {number, false};
    same.emplace_back(&t, count_);
    return {count_++, true};
  }

 private:
  std::unordered_map<size_t, std::vector<std::pair<const TensorData*, size_t>>> by_hash_;
  size_t count_ = 0;
};

/// One constant as a union of its bytes and its values, so that its type is right however it is spelled.
class ConstantText {
 public:
  explicit ConstantText(const WeightDefinition& d) : t_(*d.data), name_(d.name), readable_(d.readable) {
    count_ = static_cast<int64_t>(t_.bytes.size()) / bytes_of(t_.dtype);
  }

  /// `after`: what follows the name, such as its alignment.
  std::string declaration(const std::string& label, const std::string& type, const std::string& after) const {
    const std::string values = fmt::format("  {} values[{}];\n", type, std::max<int64_t>(1, count_));
    const ByteRows r = byte_rows(t_.bytes.size());
    const std::string bytes = readable_ ? "" : fmt::format("  unsigned char bytes[{}][{}];\n", r.rows, r.width);
    return fmt::format("/* {} */\nextern const union {} {{\n{}{}}} {}{};\n", label, name_, bytes, values, name_, after);
  }

  void append_definition(std::string& out) const {
    out += fmt::format("const union {0} {0} = {{{{\n", name_);
    if (readable_) out += numbers(t_, count_);
    else if (t_.bytes.empty()) out += "{0}\n";
    else append_byte_rows(t_.bytes.data(), t_.bytes.size(), out);
    out += "}};\n\n";
  }

 private:
  const TensorData& t_;
  std::string name_;
  int64_t count_ = 0;
  bool readable_;
};

}  // namespace

ModelWeights model_weights(const ExecutionPlan& plan, const std::string& prefix, const WeightsStorage& storage) {
  ModelWeights out;
  Contents contents;
  std::vector<CExpr> values;
  const std::string macro = upper_case(prefix) + "_ALIGNED";
  size_t room = 0;  // a growing blob that doubles its capacity would take three times its size
  for (const PlanBuffer& b : plan.buffers)
    if (b.kind == BufferKind::Constant && storage.form != WeightsForm::c) room += (b.data->bytes.size() + 63) / 64 * 64;
  out.blob.reserve(room);
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& b = plan.buffers[i];
    if (b.kind != BufferKind::Constant) continue;
    const auto [number, fresh] = contents.number_of(*b.data);
    const bool readable = storage.form == WeightsForm::c && is_readable(*b.data);
    out.ordered = out.ordered || (!readable && has_byte_order(*b.data));
    const auto data = fresh && !readable ? in_order(b.data, storage.order) : b.data;
    if (fresh && storage.form == WeightsForm::c) {
      const WeightDefinition d{fmt::format("{}_w{}", prefix, number), data, readable};
      out.declarations += ConstantText(d).declaration(b.name, element_type(b.dtype, prefix),
                                                      is_aligned(*b.data, storage.aligned) ? " " + macro : "");
      values.push_back(c_member(c_text(d.name), "values"));
      out.definitions.push_back(d);
      out.bytes += static_cast<int64_t>(b.data->bytes.size());
    } else if (fresh) {
      const CExpr at = c_binary(c_text("weights"), "+", c_number(static_cast<int64_t>(out.blob.size())));
      values.push_back(c_cast(fmt::format("const {} *", element_type(b.dtype, prefix)), c_cast("const void *", at)));
      out.blob.append(reinterpret_cast<const char*>(data->bytes.data()), data->bytes.size());
      out.blob.resize((out.blob.size() + 63) / 64 * 64);
      out.bytes = static_cast<int64_t>(out.blob.size());
    }
    out.values[static_cast<int>(i)] = values[number];
  }
  return out;
}

void append_definitions(const std::vector<WeightDefinition>& definitions, std::string& out) {
  size_t bytes = 0;
  for (const WeightDefinition& d : definitions) bytes += d.data->bytes.size();
  out.reserve(out.size() + kUsualCharacters * bytes);
  for (const WeightDefinition& d : definitions) ConstantText(d).append_definition(out);
}

}  // namespace tenon
