// Statements that the interpreter carries out a line at a time: the bytes that it makes element by element.
#include "oracle/run_lines.h"

#include "catch.h"
#include "library/bind_node.h"
#include "library/expand_library.h"
#include "random_call.h"
#include "shipped_library.h"

namespace run_lines_test {

using namespace tenon;

namespace {

/// The kernel of an op for one dtype; nothing where the op does not take it or is a C template.
std::optional<Kernel> kernel_of(const std::string& op, DType type) {
  const auto library = expand_library(tenon_test::shipped_ops(), {{op}, {type}});
  if (!library || library->ops.empty() || library->ops[0].kernels.empty()) return std::nullopt;
  const Kernel& k = library->ops[0].kernels[0].kernel;
  return is_opaque(k) ? std::nullopt : std::optional<Kernel>(k);
}

/// Runs of calls that may leave tensors go element by element.
OracleCall run(const Kernel& kernel, const OracleCall& given, bool by_elements) {
  OracleCall call = given;
  call.any_sizes = by_elements;
  CHECK(run_kernel(kernel, call) == OracleStatus::Done);
  return call;
}

void check_same_bytes(const Kernel& kernel, const OracleCall& given) {
  const OracleCall lines = run(kernel, given, false), elements = run(kernel, given, true);
  for (size_t t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].role == Role::Output) CHECK(lines.tensors[t].bytes == elements.tensors[t].bytes);
}

TensorData random_tensor(DType type, const std::vector<int64_t>& dims, std::mt19937& random) {
  TensorData t{type, dims, {}};
  t.bytes.resize(static_cast<size_t>(element_count(dims) * bytes_of(type)));
  for (int64_t k = 0; k < element_count(dims); ++k) {
    const auto n = static_cast<int64_t>(random() % 7) - (is_signed_int(type) ? 3 : 0);
    store_number(t, k, {type == DType::Bool ? n % 2 : n, static_cast<long double>(n) / 4});
  }
  return t;
}

GivenTensor tensor_of(DType type, const std::vector<int64_t>& dims) {
  GivenTensor g;
  g.present = true;
  g.dtype = type;
  for (const int64_t d : dims) g.dims.push_back(constant_int(d));
  return g;
}

}  // namespace

TEST_CASE("interpreter: lines have the bytes of elements, in every op that is shipped") {
  std::mt19937 random(11);
  for (const DType type : {DType::F32, DType::BF16, DType::F64, DType::I8, DType::U8, DType::I32, DType::U64}) {
    size_t tried = 0;
    for (const auto& [name, def] : tenon_test::shipped_ops().ops) {
      const auto kernel = kernel_of(name, type);
      const auto call = kernel ? tenon_test::random_call(*kernel, random) : std::nullopt;
      if (!call || call->status != OracleStatus::Done) continue;
      INFO(kernel->name);
      check_same_bytes(*kernel, call->given);
      ++tried;
    }
    CHECK(tried > 20);
  }
}

TEST_CASE("interpreter: lines of more elements than one piece, on all processors") {
  const std::pair<const char*, std::vector<DType>> calls[] = {{"dequantize", {DType::I8, DType::F32, DType::I8}},
                                                              {"mul", {DType::F32, DType::F32}},
                                                              {"sub", {DType::I32, DType::I32}},
                                                              {"where", {DType::Bool, DType::U8, DType::U8}}};
  std::mt19937 random(3);
  for (const auto& [op, types] : calls) {
    // The second operand is one column, the third one row.
    const std::vector<std::vector<int64_t>> dims = {{130, 1100}, {130, 1}, {1, 1100}};
    OracleCall call;
    std::vector<GivenTensor> given;
    for (size_t i = 0; i < types.size(); ++i) {
      call.tensors.push_back(random_tensor(types[i], dims[i], random));
      given.push_back(tensor_of(types[i], dims[i]));
    }
    Diagnostics diagnostics;
    const auto node =
        expand_node({tenon_test::shipped_ops(), *tenon_test::shipped_ops().op(op), given}, {}, diagnostics);
    INFO(op << ": " << diagnostics.text());
    REQUIRE(node);
    check_same_bytes(node->kernel, call);
  }
}

}  // namespace run_lines_test
