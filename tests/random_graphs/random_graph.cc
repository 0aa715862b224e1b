// Random graphs as YAML and files.
#include "random_graphs/random_graph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

namespace tenon_test {
namespace {

std::string type_text(const TensorData& t, int64_t open = 0) {
  std::vector<std::string> dims;
  for (const int64_t d : t.dims) dims.push_back(open != 0 && d == open ? "N" : fmt::to_string(d));
  return fmt::format("\"{}[{}]\"", name_of(t.dtype), fmt::join(dims, ", "));
}

struct ArgumentText {
  std::string operator()(const std::string& v) const { return "'" + v + "'"; }
  std::string operator()(DType v) const { return std::string(name_of(v)); }
  std::string operator()(double v) const {
    const std::string s = fmt::format("{}", v);
    return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
  }
  std::string operator()(const std::vector<double>& list) const {
    std::string out;
    for (const double v : list) out += (out.empty() ? "" : ", ") + (*this)(v);
    return "[" + out + "]";
  }
  template <class T>
  std::string operator()(const T& v) const {
    return to_text(AttrValue(v));
  }
};

std::string call_text(const RandomGraph& g, const RandomNode& n) {
  std::vector<std::string> results, arguments;
  for (const int v : n.outputs) results.push_back(g.values[static_cast<size_t>(v)].name);
  for (const int v : n.inputs) arguments.push_back(v < 0 ? "none" : g.values[static_cast<size_t>(v)].name);
  while (!arguments.empty() && arguments.back() == "none") arguments.pop_back();
  for (const auto& [name, value] : n.attrs) arguments.push_back(name + "=" + std::visit(ArgumentText{}, value));
  return fmt::format("  {} = {}({})\n", fmt::join(results, ", "), n.op, fmt::join(arguments, ", "));
}

std::string npy_type(DType d) {
  if (d == DType::Bool) return "|b1";
  if (d == DType::BF16) return "<V2";
  const char kind = is_small(d) || is_unsigned_int(d) ? 'u' : is_signed_int(d) ? 'i' : is_complex(d) ? 'c' : 'f';
  return fmt::format("{}{}{}", bytes_of(d) == 1 ? '|' : '<', kind, bytes_of(d));
}

void write_npy(const TensorData& t, const std::filesystem::path& path) {
  std::string shape;
  for (const int64_t d : t.dims) shape += fmt::format("{}, ", d);
  const std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", npy_type(t.dtype), shape);
  std::ofstream out(path, std::ios::binary);
  out << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << fmt::format("{:<117}\n", header);
  out.write(reinterpret_cast<const char*>(t.bytes.data()), static_cast<std::streamsize>(t.bytes.size()));
}

}  // namespace

int64_t maximum_size(const RandomGraph& g) { return g.open + 3; }

std::vector<int> values_from(const RandomGraph& g, From from) {
  std::vector<int> out;
  for (size_t v = 0; v < g.values.size(); ++v)
    if (g.values[v].from == from) out.push_back(static_cast<int>(v));
  return out;
}

std::string yaml_text(const RandomGraph& g) {
  std::string out = "graph: random\n";
  const auto inputs = values_from(g, From::Input), parameters = values_from(g, From::Parameter);
  if (g.open != 0) out += fmt::format("sizes: {{N: 1..{}}}\n", maximum_size(g));
  if (!inputs.empty()) out += "inputs:\n";
  for (const int v : inputs)
    out += fmt::format("  {}: {}\n", g.values[static_cast<size_t>(v)].name,
                       type_text(g.values[static_cast<size_t>(v)].data, g.open));
  if (!parameters.empty()) out += "parameters:\n";
  for (const int v : parameters)
    out += fmt::format("  {0}: {{type: {1}, from: {0}.npy}}\n", g.values[static_cast<size_t>(v)].name,
                       type_text(g.values[static_cast<size_t>(v)].data));
  out += "main: |\n";
  for (const RandomNode& n : g.nodes) out += call_text(g, n);
  std::vector<std::string> outputs;
  for (const int v : g.outputs) outputs.push_back(g.values[static_cast<size_t>(v)].name);
  return out + fmt::format("outputs: [{}]\n", fmt::join(outputs, ", "));
}

void write_graph(const RandomGraph& g, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "graph.yaml") << yaml_text(g);
  for (const int v : values_from(g, From::Parameter))
    write_npy(g.values[static_cast<size_t>(v)].data, folder / (g.values[static_cast<size_t>(v)].name + ".npy"));
}

RandomGraph without_unread(const RandomGraph& g) {
  std::vector<bool> needed(g.values.size());
  for (const int v : g.outputs) needed[static_cast<size_t>(v)] = true;
  std::vector<bool> kept(g.nodes.size());
  for (size_t n = g.nodes.size(); n-- > 0;) {
    for (const int v : g.nodes[n].outputs) kept[n] = kept[n] || needed[static_cast<size_t>(v)];
    if (!kept[n]) continue;
    for (const int v : g.nodes[n].outputs) needed[static_cast<size_t>(v)] = true;  // a node has all of its results
    for (const int v : g.nodes[n].inputs)
      if (v >= 0) needed[static_cast<size_t>(v)] = true;
  }
  std::vector<int> at(g.values.size(), -1);
  RandomGraph out;
  out.open = g.open;
  out.size = g.size;
  for (size_t v = 0; v < g.values.size(); ++v) {
    if (!needed[v]) continue;
    at[v] = static_cast<int>(out.values.size());
    out.values.push_back(g.values[v]);
  }
  for (size_t n = 0; n < g.nodes.size(); ++n) {
    if (!kept[n]) continue;
    RandomNode node = g.nodes[n];
    for (int& v : node.inputs) v = v < 0 ? v : at[static_cast<size_t>(v)];
    for (int& v : node.outputs) v = at[static_cast<size_t>(v)];
    out.nodes.push_back(std::move(node));
  }
  for (const int v : g.outputs) out.outputs.push_back(at[static_cast<size_t>(v)]);
  return out;
}

}  // namespace tenon_test
