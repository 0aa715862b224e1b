// The C programs that `tenon try` compiles next to a library.
#include "command/try_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "command/select.h"
#include "library/unroll_variadic.h"
#include "support/joined.h"
#include "support/read_source.h"
#include "support/text_template.h"

namespace tenon {
namespace {

/// Bytes of the numbers that a tensor stores: complex numbers are two.
size_t number_bytes(DType t) { return size_t(std::max(bytes_of(t) / (is_complex(t) ? 2 : 1), 1)); }

/// Bits of the numbers as integers: bytes would have the order of this machine, not of the one that the program runs
/// on.
template <class Bits>
std::string numbers_text(const std::vector<unsigned char>& bytes) {
  std::string out;
  for (size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    out += fmt::format("{:#x},{}", bits, (at / sizeof bits) % 24 == 23 ? "\n" : "");
  }
  return out.empty() ? "0" : out;
}

std::string numbers_text(const TensorData& t) {
  switch (number_bytes(t.dtype)) {
    case 1: return numbers_text<uint8_t>(t.bytes);
    case 2: return numbers_text<uint16_t>(t.bytes);
    case 4: return numbers_text<uint32_t>(t.bytes);
    default: return numbers_text<uint64_t>(t.bytes);
  }
}

/// A tensor of the driver without memory, for an absent input.
const TensorData* present(const std::optional<TensorData>& t) { return t ? &*t : nullptr; }
const TensorData* present(const TensorData& t) { return &t; }

/// The driver's arrays and tensors.
template <class T>
std::string tensors_text(const std::vector<T>& list, const char* kind) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorData* t = present(list[i]);
    if (!t) continue;
    std::string shape;
    for (const int64_t d : t->dims) shape += fmt::format("{}, ", d);
    const size_t word = number_bytes(t->dtype);
    out += fmt::format("static union {{ uint{}_t numbers[{}]; double align; int64_t word; }} {}{} = {{{{{}}}}};\n",
                       8 * word, std::max<size_t>(t->bytes.size() / word, 1), kind, i, numbers_text(*t));
    out += fmt::format("static int64_t {}{}_shape[] = {{{}0}};\n", kind, i, shape);
  }
  return out;
}

template <class T>
std::string tensor_rows(const std::vector<T>& list, const char* kind) {
  const std::string none = "{NULL, {1, 0}, 0, {2, 32, 1}, NULL, NULL, 0},\n";
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorData* t = present(list[i]);
    const int key = t ? dtype_row(t->dtype).key : 0;
    out += t ? fmt::format("{{{0}{1}.numbers, {{1, 0}}, {2}, {{{3}, {4}, 1}}, {0}{1}_shape, NULL, 0}},\n", kind, i,
                           t->dims.size(), key >> 8, key & 255)
             : none;
  }
  return out.empty() ? none : out;
}

/// The driver's attributes: their lists, and the rows that point to them.
std::string attr_lists(const std::vector<TryAttr>& attrs) {
  std::string out;
  for (size_t k = 0; k < attrs.size(); ++k) {
    std::string values;
    for (const int64_t v : attrs[k].i) values += v == INT64_MIN ? "INT64_MIN, " : fmt::format("{}, ", v);
    for (const double v : attrs[k].f)
      values += std::isnan(v)   ? "0.0 / 0.0, "
                : std::isinf(v) ? (v > 0 ? "1.0 / 0.0, " : "-1.0 / 0.0, ")
                                : fmt::format("{:.17g}, ", v);
    out += fmt::format("static const {} attr{}[] = {{{}0}};\n", attrs[k].real ? "double" : "int64_t", k, values);
  }
  return out;
}

std::string attr_rows(const std::vector<TryAttr>& attrs) {
  std::string out;
  for (size_t k = 0; k < attrs.size(); ++k)
    out += attrs[k].real ? fmt::format("{{\"{}\", {}, NULL, attr{}}},\n", attrs[k].name, attrs[k].f.size(), k)
                         : fmt::format("{{\"{}\", {}, attr{}, NULL}},\n", attrs[k].name, attrs[k].i.size(), k);
  return out.empty() ? "{NULL, 0, NULL, NULL},\n" : out;
}

/// The names of the levels that the library has, as C.
std::string level_names(const TryOptions& options) {
  return joined(chosen_levels(options.selection.isas), ", ",
                [](const Isa* isa) { return fmt::format("\"{}\"", isa->name); });
}

/// The names of the outputs as C; a variadic one is several.
std::string output_names(const OpDef& def, size_t outputs) {
  std::vector<std::string> names;
  for (size_t k = 0; k < outputs; ++k)
    names.push_back(def.outputs.back().variadic ? fmt::format("\"{}{}\"", def.outputs.back().name, k)
                                                : fmt::format("\"{}\"", def.outputs[k].name));
  return joined(names, ", ");
}

SourceFileRef template_file(Run& run, const char* name) {
  return run.open(read_source((run.dirs().templates / "c" / name).string()));
}

/// The parts of the case that both programs use.
std::vector<HoleValue> common_holes(const OpDef& def, const TryCase& c, const TryOptions& options) {
  return {{"op", def.name},
          {"rank", fmt::format("{}", first_tensor(c).dims.size())},
          {"data", tensors_text(c.inputs, "in") + tensors_text(c.outputs, "want") + attr_lists(c.attrs)},
          {"inputs", tensor_rows(c.inputs, "in")},
          {"wanted", tensor_rows(c.outputs, "want")},
          {"attrs", attr_rows(c.attrs)},
          {"n_attrs", fmt::format("{}", c.attrs.size())},
          {"levels", level_names(options)},
          {"n_inputs", fmt::format("{}", c.inputs.size())},
          {"n_outputs", fmt::format("{}", c.outputs.size())}};
}

/// The gradients that the op has in this case: the position of each one's input, and its name.
std::vector<std::pair<size_t, std::string>> gradients_of(const OpDef& def, const OpDef& gradient, const TryCase& c) {
  const int operands = static_cast<int>(c.inputs.size() + 1 - def.inputs.size());
  const std::vector<TensorDef> inputs = is_variadic(def) ? unroll_variadic(def, operands).inputs : def.inputs;
  std::vector<std::pair<size_t, std::string>> out;
  for (const TensorDef& t : gradient.outputs)
    for (size_t i = 0; i < c.inputs.size(); ++i)
      if (inputs[i].name == t.like) out.emplace_back(i, t.name);
  return out;
}

}  // namespace

std::string try_driver(Run& run, const OpDef& def, DType key, const TryCase& c, const TryOptions& options) {
  const SourceFileRef file = template_file(run, "try_main.c.in");
  std::string limits;
  for (const double limit : c.limits) limits += fmt::format("{},\n", limit);
  auto holes = common_holes(def, c, options);
  holes.push_back({"key", fmt::format("{}", dtype_row(key).key)});
  holes.push_back({"dtype", std::string(name_of(key))});
  holes.push_back({"limits", limits});
  holes.push_back({"names", output_names(def, c.outputs.size())});
  holes.push_back({"asked", options.selection.isas.empty() ? "0" : "1"});
  return TextTemplate(file->name(), file->text()).fill(holes);
}

std::string try_gradient_driver(Run& run, const TriedGradient& tried, const TryCase& c, const TryOptions& options) {
  const auto& [def, gradient, key] = tried;
  const SourceFileRef file = template_file(run, "try_grad_main.c.in");
  std::string places, names;
  const auto gradients = gradients_of(def, gradient, c);
  for (const auto& [input, name] : gradients) {
    places += fmt::format("{}{}", places.empty() ? "" : ", ", input);
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
  }
  auto holes = common_holes(def, c, options);
  holes.push_back({"key", fmt::format("{}", dtype_row(key).key)});
  // without type variables the entries are found by their first tensors: a gradient by that of an output
  holes.push_back({"gradient_key", fmt::format("{}", dtype_row(def.types.empty() ? DType::F64 : key).key)});
  holes.push_back({"inputs_of", places});
  holes.push_back({"names", names});
  holes.push_back({"n_gradients", fmt::format("{}", gradients.size())});
  holes.push_back({"last", gradient.inputs.back().follows ? "1" : "0"});
  return TextTemplate(file->name(), file->text()).fill(holes);
}

}  // namespace tenon
