// Writes the wire format of protocol buffers, for ONNX models that tests make by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tenon_test {

/// The bytes of one message; fields are appended in the order of the calls.
class Proto {
 public:
  Proto& number(int field, int64_t v) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(static_cast<uint64_t>(v));
    return *this;
  }
  Proto& bytes(int field, const std::string& v) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(v.size());
    text_ += v;
    return *this;
  }
  Proto& message(int field, const Proto& p) { return bytes(field, p.text_); }
  Proto& real(int field, float v) {
    varint(static_cast<uint64_t>(field) << 3 | 5);
    char raw[4];
    std::memcpy(raw, &v, 4);
    text_.append(raw, 4);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void varint(uint64_t v) {
    for (; v >= 128; v >>= 7) text_ += static_cast<char>(v | 128);
    text_ += static_cast<char>(v);
  }
  std::string text_;
};

/// Pieces of ONNX models.
namespace onnx {

inline Proto tensor(const std::string& name, int type, const std::vector<int64_t>& dims, const std::string& raw) {
  Proto t;
  for (int64_t d : dims) t.number(1, d);
  return t.number(2, type).bytes(8, name).bytes(9, raw);
}
inline Proto ints_tensor(const std::string& name, const std::vector<int64_t>& v) {
  return tensor(name, 7, {static_cast<int64_t>(v.size())},
                std::string(reinterpret_cast<const char*>(v.data()), v.size() * 8));
}
inline Proto floats_tensor(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& v) {
  return tensor(name, 1, dims, std::string(reinterpret_cast<const char*>(v.data()), v.size() * 4));
}
/// The extent -1 is the open size "N", -2 is "M", -3 is "?", as some exporters call what they do not know,
/// and others below 0 have no name.
inline Proto value(const std::string& name, const std::vector<int64_t>& dims, int type = 1) {
  constexpr const char* names[] = {"N", "M", "?", ""};
  Proto shape;
  for (int64_t d : dims)
    shape.message(1, d < 0 ? Proto().bytes(2, names[std::min<int64_t>(-d, 4) - 1]) : Proto().number(1, d));
  return Proto().bytes(1, name).message(2, Proto().message(1, Proto().number(1, type).message(2, shape)));
}
/// A value whose type the file leaves open.
inline Proto untyped(const std::string& name) { return Proto().bytes(1, name); }
inline Proto int_attr(const std::string& name, int64_t v) { return Proto().bytes(1, name).number(3, v).number(20, 2); }
inline Proto ints_attr(const std::string& name, const std::vector<int64_t>& v) {
  Proto a;
  a.bytes(1, name);
  for (int64_t i : v) a.number(8, i);
  return a.number(20, 7);
}
inline Proto text_attr(const std::string& name, const std::string& v) {
  return Proto().bytes(1, name).bytes(4, v).number(20, 3);
}
inline Proto node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<Proto>& attrs = {},
                  const std::string& name = "") {
  Proto n;
  for (const std::string& i : inputs) n.bytes(1, i);
  for (const std::string& o : outputs) n.bytes(2, o);
  if (!name.empty()) n.bytes(3, name);
  n.bytes(4, op);
  for (const Proto& a : attrs) n.message(5, a);
  return n;
}

struct Graph {
  std::vector<Proto> nodes, inputs, outputs, initializers;
};
inline std::string model(const Graph& g, int64_t opset) {
  Proto graph;
  for (const Proto& n : g.nodes) graph.message(1, n);
  graph.bytes(2, "g");
  for (const Proto& t : g.initializers) graph.message(5, t);
  for (const Proto& v : g.inputs) graph.message(11, v);
  for (const Proto& v : g.outputs) graph.message(12, v);
  return Proto().number(1, 8).message(7, graph).message(8, Proto().number(2, opset)).text();
}

}  // namespace onnx
}  // namespace tenon_test
