// One small function per C template, and the table of them.
#include "oracle/run_frame.h"

#include "oracle/jpeg.h"
#include "oracle/sorting.h"
#include "support/check.h"
#include "support/ranges.h"

namespace tenon {

size_t FrameData::parameter(const std::string& name) const {
  const auto& all = kernel_.call->frame->parameters;
  const auto at = find_if(all, [&](const FrameParameter& p) { return p.name == name; });
  TENON_CHECK(at != all.end(), "{} has no parameter {}", kernel_.call->frame->name, name);
  return static_cast<size_t>(at - all.begin());
}

void FrameData::put(const std::string& name, int64_t i, const Number& v) const {
  if (has(name)) store_number(tensor(name), i, v);
}

int64_t FrameData::size(const std::string& name) const {
  return evaluate_size(kernel_.call->values[parameter(name)][0], call_);
}

std::vector<int64_t> FrameData::pack(const std::string& name) const {
  return mapped(kernel_.call->values[parameter(name)], [&](const Expr& e) { return evaluate_size(e, call_); });
}

void FrameData::set_extent(const std::string& name, int64_t value) const {
  if (!has(name)) return;
  store_number(tensor(name), 0, {value});
  call_.sizes[kernel_.tensor(index_of(name)).extent] = value;
}

bool FrameData::before(const std::string& name, const Number& a, const Number& b) const {
  const DType type = tensor(name).dtype;
  if (is_nan(a, type)) return false;
  return is_nan(b, type) || less(a, b, type);
}

namespace {

struct Row {
  const char* name;
  void (*run)(const FrameData&);
};

constexpr Row kRows[] = {{"sort", oracle_sort},
                         {"nonzero", oracle_nonzero},
                         {"compress", oracle_compress},
                         {"unique", oracle_unique},
                         {"searchsorted", oracle_searchsorted},
                         {"non_max_suppression", oracle_non_max_suppression},
                         {"decode_jpeg", oracle_decode_jpeg}};

}  // namespace

bool run_frame(const Kernel& kernel, OracleCall& call) {
  const auto row = find_if(kRows, [&](const Row& r) { return r.name == kernel.call->frame->name; });
  if (row == std::end(kRows)) return false;
  row->run(FrameData(kernel, call));
  return true;
}

std::vector<std::string> oracle_frames() {
  return mapped(kRows, [&](const Row& r) { return std::string(r.name); });
}

}  // namespace tenon
