// ONNX models as protocol buffers' own text, so that a bad one can be read: `graph { node { op_type: "Relu" input: "x"
// } }`.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "proto_bytes.h"

namespace tenon_test {

/// Text → the bytes of the file. Fields are those of the table; lists and enums' names are not read.
class OnnxText {
 public:
  explicit OnnxText(const std::string& text) : text_(text) {}
  std::string bytes() { return message("Model").text(); }

 private:
  struct Field {
    int number;
    const char* kind;  // "int", "text", or the message that it holds
  };
  /// The fields of gen/frontend/onnx/onnx.proto that bad models need.
  static const Field& field(const std::string& message, const std::string& name) {
    static const std::map<std::string, Field> fields = {{"Model.ir_version", {1, "int"}},
                                                        {"Model.graph", {7, "Graph"}},
                                                        {"Model.opset_import", {8, "Opset"}},
                                                        {"Opset.domain", {1, "text"}},
                                                        {"Opset.version", {2, "int"}},
                                                        {"Graph.node", {1, "Node"}},
                                                        {"Graph.name", {2, "text"}},
                                                        {"Graph.initializer", {5, "Tensor"}},
                                                        {"Graph.input", {11, "Value"}},
                                                        {"Graph.output", {12, "Value"}},
                                                        {"Graph.value_info", {13, "Value"}},
                                                        {"Node.input", {1, "text"}},
                                                        {"Node.output", {2, "text"}},
                                                        {"Node.name", {3, "text"}},
                                                        {"Node.op_type", {4, "text"}},
                                                        {"Node.attribute", {5, "Attribute"}},
                                                        {"Node.domain", {7, "text"}},
                                                        {"Attribute.name", {1, "text"}},
                                                        {"Attribute.i", {3, "int"}},
                                                        {"Attribute.s", {4, "text"}},
                                                        {"Attribute.ints", {8, "int"}},
                                                        {"Attribute.type", {20, "int"}},
                                                        {"Tensor.dims", {1, "int"}},
                                                        {"Tensor.data_type", {2, "int"}},
                                                        {"Tensor.name", {8, "text"}},
                                                        {"Tensor.raw_data", {9, "text"}},
                                                        {"Tensor.external_data", {13, "Entry"}},
                                                        {"Tensor.data_location", {14, "int"}},
                                                        {"Entry.key", {1, "text"}},
                                                        {"Entry.value", {2, "text"}},
                                                        {"Value.name", {1, "text"}},
                                                        {"Value.type", {2, "Type"}},
                                                        {"Type.tensor_type", {1, "TensorType"}},
                                                        {"TensorType.elem_type", {1, "int"}},
                                                        {"TensorType.shape", {2, "Shape"}},
                                                        {"Shape.dim", {1, "Dim"}},
                                                        {"Dim.dim_value", {1, "int"}},
                                                        {"Dim.dim_param", {2, "text"}}};
    const auto it = fields.find(message + "." + name);
    if (it == fields.end()) throw std::runtime_error("no field " + message + "." + name);
    return it->second;
  }

  /// The next word, string or sign; empty at the end. Comments go from # to the end of the line.
  std::string next() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '#'))
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    const std::size_t begin = at_;
    const auto word = [&] {
      return at_ < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' || text_[at_] == '-');
    };
    if (at_ < text_.size() && text_[at_] == '"') at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    else if (word())
      while (word()) ++at_;
    else if (at_ < text_.size()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Proto message(const std::string& kind) {
    Proto out;
    for (std::string name = next(); !name.empty() && name != "}"; name = next()) {
      const Field& f = field(kind, name);
      const std::string sign = next(), type = f.kind;
      if (sign == "{") {
        out.message(f.number, message(type));
        continue;
      }
      const std::string value = next();
      if (sign != ":" || value.empty()) throw std::runtime_error("no value of " + name);
      if (type == "int") out.number(f.number, std::strtoll(value.c_str(), nullptr, 10));
      else out.bytes(f.number, value.substr(1, value.size() - 2));
    }
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace tenon_test
