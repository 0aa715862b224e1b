// What windows add at the places of their maxima, by nests at all levels, beside the oracle.
#include <cmath>
#include <limits>

#include "catch.h"
#include "differentiate/gradient_ops.h"
#include "differentiate/node_gradient.h"
#include "isa/all_isas.h"
#include "library/bind_node.h"
#include "library/expand_library.h"
#include "lower/lower_kernel.h"
#include "nest/run_nest.h"
#include "shipped_library.h"

namespace placed_windows_test {

using namespace tenon;

namespace {

using Ints = std::vector<int64_t>;

/// Windows over an image or a volume: an element of each list for each of the last dims of `shape`.
struct Windows {
  std::string op;
  DType type;
  Ints shape, kernel, stride, pads, dilation;
};

/// How many windows there are along each dim.
Ints counts_of(const Windows& w) {
  Ints out;
  const size_t rank = w.kernel.size();
  for (size_t d = 0; d < rank; ++d)
    out.push_back(
        (w.shape[d + 2] + w.pads[d] + w.pads[d + rank] - w.dilation[d] * (w.kernel[d] - 1) - 1) / w.stride[d] + 1);
  return out;
}

TensorData data_of(DType type, const Ints& dims) {
  TensorData data;
  data.dtype = type;
  data.dims = dims;
  int64_t elements = 1;
  for (const int64_t d : dims) elements *= d;
  data.bytes.resize(static_cast<size_t>(elements * bytes_of(type)));
  return data;
}

/// Few values, so that many are equal, and some that are not numbers or the lowest there is.
TensorData image_of(const Windows& w) {
  TensorData data = data_of(w.type, w.shape);
  const int64_t elements = static_cast<int64_t>(data.bytes.size()) / bytes_of(w.type);
  for (int64_t i = 0, x = 7; i < elements; ++i, x = (x * 1103 + 12345) % 65536) {
    long double v = static_cast<long double>(x / 64 % 5);
    if (x % 23 == 0) v = std::numeric_limits<long double>::quiet_NaN();
    if (x % 5 == 0) v = -std::numeric_limits<long double>::infinity();
    store_number(data, i, {0, v});
  }
  return data;
}

/// Whole numbers, whose sums are exact.
TensorData terms_of(const Windows& w) {
  Ints dims(w.shape.begin(), w.shape.begin() + 2);
  for (const int64_t n : counts_of(w)) dims.push_back(n);
  TensorData data = data_of(w.type, dims);
  const int64_t elements = static_cast<int64_t>(data.bytes.size()) / bytes_of(w.type);
  for (int64_t i = 0; i < elements; ++i) store_number(data, i, {0, static_cast<long double>(i * i % 13 - 5)});
  return data;
}

void compare(const Kernel& kernel, const OracleCall& given, const std::function<LoopNest(const Isa&)>& lowered) {
  OracleCall want = given;
  REQUIRE(run_kernel(kernel, want) == OracleStatus::Done);
  for (const std::string_view level : {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    OracleCall got = given;
    INFO(level);
    const NestRun run = run_nest(lowered(*isa_from_name(level)), got);
    CHECK(run.fault == "");
    REQUIRE(run.status == OracleStatus::Done);
    for (size_t t = 0; t < kernel.tensors.size(); ++t)
      if (kernel.tensors[t].role == Role::Output) CHECK(got.tensors[t].bytes == want.tensors[t].bytes);
  }
}

std::string shown(const Windows& w) {
  std::string out = w.op;
  for (const Ints* list : {&w.shape, &w.kernel, &w.stride, &w.pads, &w.dilation}) {
    out += ";";
    for (const int64_t v : *list) out += " " + std::to_string(v);
  }
  return out;
}

/// The gradient with sizes and attributes that the call has.
Kernel open_gradient(const Windows& w) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  const GradientOps made = gradient_ops(expand_for_gradients(defs, {{w.op}, {w.type}}), defs);
  for (const LibraryKernel& k : made.library.ops[0].kernels)
    if (k.kernel.name.ends_with("dX")) return k.kernel;
  FAIL("no gradient of " << w.op);
  return {};
}

OracleCall call_of(const Kernel& k, const Windows& w) {
  OracleCall call;
  const bool volume = w.kernel.size() == 3;
  const Ints counts = counts_of(w);
  const std::vector<std::string> in =
      volume ? std::vector<std::string>{"N", "C", "D", "H", "W"} : std::vector<std::string>{"N", "C", "H", "W"};
  const std::vector<std::string> out =
      volume ? std::vector<std::string>{"Do", "Ho", "Wo"} : std::vector<std::string>{"Ho", "Wo"};
  for (size_t d = 0; d < in.size(); ++d) call.sizes[in[d]] = w.shape[d];
  for (size_t d = 0; d < out.size(); ++d) call.sizes[out[d]] = counts[d];
  const auto list = [](const Ints& values) {
    std::vector<Number> numbers;
    for (const int64_t v : values) numbers.push_back({v, 0});
    return numbers;
  };
  call.attrs = {
      {"kernel", list(w.kernel)}, {"stride", list(w.stride)}, {"pads", list(w.pads)}, {"dilation", list(w.dilation)}};
  for (const Tensor& t : k.tensors)
    call.tensors.push_back(t.role != Role::Input ? TensorData{} : t.name == "X" ? image_of(w) : terms_of(w));
  return call;
}

/// The same in a model, where they are numbers.
Kernel fixed_gradient(const Windows& w) {
  const OpLibrary& defs = tenon_test::shipped_ops();
  Diagnostics diagnostics;
  std::vector<Expr> dims;
  for (const int64_t d : w.shape) dims.push_back(constant_int(d));
  const Attributes attrs = {{"kernel", w.kernel}, {"stride", w.stride}, {"pads", w.pads}, {"dilation", w.dilation}};
  const auto call = expand_node({defs, *defs.op(w.op), {{true, w.type, dims}}, attrs}, {}, diagnostics, true);
  REQUIRE(call);
  const GradientKernel made = node_gradient(call->kernel, "X", {"Y"}, DerivativeTable(defs));
  REQUIRE(made.kernel);
  return *made.kernel;
}

const std::vector<Windows>& windows() {
  static const std::vector<Windows> all = {
      {"maxpool2d", DType::F32, {2, 2, 6, 20}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 2, 7, 37}, {2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},  // the last line is in no window
      {"maxpool2d", DType::F32, {1, 1, 7, 37}, {2, 2}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 2, 9, 38}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 2, 8, 37}, {3, 3}, {2, 2}, {0, 2, 0, 2}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 2, 6, 21}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 1, 6, 3}, {3, 3}, {1, 1}, {2, 2, 2, 2}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 1, 5, 40}, {3, 2}, {1, 1}, {0, 1, 0, 1}, {2, 3}},
      {"maxpool2d", DType::F32, {1, 1, 9, 26}, {3, 4}, {4, 1}, {1, 1, 1, 1}, {1, 2}},
      {"maxpool2d", DType::F32, {1, 1, 9, 30}, {2, 5}, {1, 2}, {0, 2, 0, 2}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 1, 9, 30}, {1, 2}, {2, 2}, {0, 0, 0, 0}, {1, 1}},  // every other line is in none
      {"maxpool2d", DType::F32, {1, 1, 9, 30}, {5, 5}, {1, 1}, {2, 2, 2, 2}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 2, 8, 30}, {5, 5}, {1, 1}, {0, 0, 0, 0}, {1, 1}},  // places in lines to come
      {"maxpool2d", DType::F32, {1, 2, 8, 30}, {3, 3}, {1, 1}, {0, 0, 0, 0}, {1, 1}},
      {"maxpool2d", DType::F32, {1, 1, 9, 31}, {3, 3}, {3, 3}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool2d", DType::F64, {1, 2, 6, 21}, {3, 3}, {2, 2}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool2d", DType::F16, {1, 1, 6, 21}, {3, 3}, {1, 1}, {1, 1, 1, 1}, {1, 1}},
      {"maxpool3d", DType::F32, {1, 2, 4, 5, 21}, {2, 2, 2}, {2, 2, 2}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}},
      {"maxpool3d", DType::F32, {1, 1, 4, 5, 12}, {2, 2, 2}, {1, 1, 1}, {0, 1, 0, 1, 0, 1}, {1, 1, 1}},
      {"maxpool3d", DType::F32, {1, 1, 5, 5, 13}, {3, 3, 3}, {2, 2, 2}, {1, 1, 1, 1, 1, 1}, {1, 1, 1}},
  };
  return all;
}

}  // namespace

TEST_CASE("placed windows: gradients in a library are those of the oracle") {
  for (const Windows& w : windows()) {
    INFO(shown(w));
    const Kernel k = open_gradient(w);
    compare(k, call_of(k, w), [&](const Isa& isa) { return library_nest(k, tenon_test::shipped_blueprints(), isa); });
  }
}

TEST_CASE("placed windows: gradients in a model are those of the oracle") {
  for (const Windows& w : windows()) {
    INFO(shown(w));
    const Kernel k = fixed_gradient(w);
    compare(k, call_of(k, w), [&](const Isa& isa) { return lower_kernel(k, tenon_test::shipped_blueprints(), isa); });
  }
}

}  // namespace placed_windows_test
