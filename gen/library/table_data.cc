// Tables of a definition → their elements.
#include "library/table_data.h"

#include <fmt/format.h>

#include <charconv>

#include "ir/op/type_function.h"
#include "library/expand_body.h"
#include "oracle/run_kernel.h"
#include "support/ranges.h"

namespace tenon {
namespace {

class TableMaker {
 public:
  TableMaker(const OpLibrary& library, const std::map<std::string, DType>& types, Diagnostics& diagnostics)
      : library_(library), types_(types), diagnostics_(diagnostics) {}

  /// The result of the op's only statement.
  std::optional<TensorData> run(const OpDef& def) {
    const TensorDef& out = def.outputs[0];
    Kernel kernel;
    kernel.name = kernel.op = def.name;
    Scope scope;
    scope.def = &def;
    scope.binding.types = types_;
    Tensor t{out.name, Role::Output, *dtype_of_word(out.dtype, types_), {}, {}};
    BoundTensor& bound = scope.tensors[out.name];
    bound.tensor = 0;
    for (const Dim& d : out.dims) {
      t.dims.push_back(constant_int(d.value));
      bound.entries.push_back({t.dims.back()});
    }
    t.strides = contiguous_strides(t.dims);
    kernel.tensors.push_back(std::move(t));
    const std::size_t before = diagnostics_.size();
    expand_body(library_, scope, kernel, diagnostics_);
    if (diagnostics_.size() != before) return std::nullopt;
    OracleCall call;
    if (run_kernel(kernel, call) == OracleStatus::Done) return std::move(call.tensors[0]);
    diagnostics_.error(
        Code::E0236, def.body[0].value.span,
        fmt::format("the values of the table '{}' divide by zero, or an index in them is outside", out.name),
        {"its formula is computed when the code is generated, for all values of its variables"});
    return std::nullopt;
  }

  /// Stores a number that is written as it is, with or without a sign.
  static bool literal(const Syntax& s, TensorData& out, int64_t& at) {
    const bool negative = s.is(SyntaxKind::unary) && s.text == "-";
    const Syntax& bare = negative ? s.children[0] : s;
    Number n;
    DType from = DType::I64;
    if (bare.is(SyntaxKind::integer) || s.is(SyntaxKind::boolean)) {
      n.i = negative ? static_cast<int64_t>(-static_cast<uint64_t>(bare.integer)) : bare.integer;
    } else if (bare.is(SyntaxKind::real)) {
      from = DType::F64;
      n.f = negative ? -bare.real : bare.real;
    } else {
      return false;
    }
    store_number(out, at++, convert_number(n, from, dtype_row(out.dtype).compute));
    return true;
  }

  /// Nested lists in order, each number computed by itself.
  bool numbers(const OpDef& one, const Syntax& values, TensorData& out, int64_t& at) {
    if (values.is(SyntaxKind::list)) {
      return all_of(values.children, [&](const Syntax& child) { return numbers(one, child, out, at); });
    }
    if (literal(values, out, at)) return true;
    OpDef def = one;
    def.body[0].value = values;
    const auto made = run(def);
    if (!made) return false;
    store_number(out, at++, load_number(*made, 0));
    return true;
  }

 private:
  const OpLibrary& library_;
  const std::map<std::string, DType>& types_;
  Diagnostics& diagnostics_;
};

/// The op that makes a single element of the table.
OpDef element_op(const OpDef& op, const TableDef& table) {
  TableDef one = table;
  one.tensor.dims.clear();
  one.values = Syntax();
  return table_op(op, one);
}

}  // namespace

std::shared_ptr<const TensorData> table_data(const OpLibrary& library, const OpDef& def, const TableDef& table,
                                             const std::map<std::string, DType>& types, Diagnostics& diagnostics) {
  TableMaker maker(library, types, diagnostics);
  if (table.formula) {
    auto made = maker.run(table_op(def, table));
    return made ? std::make_shared<const TensorData>(std::move(*made)) : nullptr;
  }
  auto out = std::make_shared<TensorData>();
  out->dtype = *dtype_of_word(table.tensor.dtype, types);
  for (const Dim& d : table.tensor.dims) out->dims.push_back(d.value);
  out->bytes.assign(static_cast<size_t>(element_count(out->dims)) * static_cast<size_t>(bytes_of(out->dtype)), 0);
  int64_t at = 0;
  return maker.numbers(element_op(def, table), table.values, *out, at) ? out : nullptr;
}

std::shared_ptr<const TensorData> in_compute_type(const std::shared_ptr<const TensorData>& data) {
  const DType compute = dtype_row(data->dtype).compute;
  if (compute == data->dtype) return data;
  auto out = std::make_shared<TensorData>();
  out->dtype = compute;
  out->dims = data->dims;
  const int64_t n = element_count(data->dims);
  out->bytes.assign(static_cast<size_t>(n) * static_cast<size_t>(bytes_of(compute)), 0);
  for (int64_t k = 0; k < n; ++k) store_number(*out, k, convert_number(load_number(*data, k), data->dtype, compute));
  return out;
}

std::string unused_tensor_name(const Kernel& kernel, const std::string& name) {
  bool taken = false;
  std::vector<bool> numbers(kernel.tensors.size() + 2);  // after the name, found in one walk: there may be thousands
  for (const Tensor& t : kernel.tensors) {
    taken = taken || t.name == name;
    if (t.name.size() < name.size() + 2 || t.name[name.size()] != '_' || !t.name.starts_with(name)) continue;
    size_t number = 0;
    const char *first = t.name.data() + name.size() + 1, *last = t.name.data() + t.name.size();
    if (std::from_chars(first, last, number).ptr == last && number < numbers.size()) numbers[number] = true;
  }
  size_t unused = 1;
  while (numbers[unused]) ++unused;
  return taken ? fmt::format("{}_{}", name, unused) : name;
}

int constant_tensor(Kernel& kernel, const std::string& name, const std::shared_ptr<const TensorData>& data) {
  for (size_t t = 0; t < kernel.tensors.size(); ++t)
    if (kernel.tensors[t].data && *kernel.tensors[t].data == *data) return static_cast<int>(t);
  Tensor made{unused_tensor_name(kernel, name), Role::Constant, data->dtype, {}, {}};
  for (const int64_t n : data->dims) made.dims.push_back(constant_int(n));
  made.strides = contiguous_strides(made.dims);
  made.data = data;
  return kernel.add(std::move(made));
}

void declare_tables(const OpLibrary& library, Scope& scope, Kernel& kernel, Diagnostics& diagnostics) {
  const OpDef& def = *scope.def;
  for (const TableDef& table : def.tables) {
    const std::string& name = table.tensor.name;
    const bool passed = any_of(def.body, [&](const Statement& s) {
      return s.is_call && any_within(s.value, [&](const Syntax& n) { return n.is_name(name); });
    });
    if (!passed && none_of(def.body, [&](const Statement& s) { return reads(s, name); })) continue;
    const auto own = table_data(library, def, table, scope.binding.types, diagnostics);
    if (!own) continue;
    const auto data = passed ? own : in_compute_type(own);
    BoundTensor& bound = scope.tensors[name];
    for (const int64_t n : data->dims) bound.entries.push_back({constant_int(n)});
    bound.tensor = constant_tensor(kernel, name, data);
  }
}

}  // namespace tenon
