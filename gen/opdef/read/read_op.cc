// The keys of an op, each read into its place in OpDef.
#include "opdef/read/read_op.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "ir/op/type_function.h"
#include "opdef/notation/parse_body.h"
#include "opdef/read/yaml_shape.h"
#include "support/ranges.h"
#include "support/tokens.h"

namespace tenon {

namespace {

void read_types(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "types", "types: {T: float}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    if (!want_name(entry.key, entry.key.text, "a type variable", diagnostics)) continue;
    out.types.push_back({entry.key.text, words(entry.value, "a type variable", diagnostics), entry.key.span});
  }
}

/// The name used here for a type, or a class of types, of another language; empty for other words.
std::string called_here(const std::string& word) {
  if (const std::string name = dtype_called(word); !name.empty()) return fmt::format("write {}", name);
  if (word == "string" || word == "str") return "words to choose from are an enumeration: enum(first, second)";
  if (word == "list" || word == "array") return "a list has brackets: int[], float[], or float[4] for four values";
  if (is_type_class(word))
    return fmt::format("{} is a class: an attribute has one type, or that of a type variable", word);
  return "";
}

void check_attr_type(const AttrDef& attr, const OpDef& op, Diagnostics& diagnostics) {
  if (attr.kind != AttrKind::type_variable || op.type(attr.type) != nullptr || is_derived_type(attr.type)) return;
  std::vector<std::string> known = {"bool", "int", "float", "u64", "enum"};
  for (const TypeVar& t : op.types) known.push_back(t.name);
  std::vector<std::string> notes = {meant_note(attr.type, known)};
  notes.emplace_back("or a dtype, such as i32; `tenon list dtypes` prints them");
  if (const std::string here = called_here(attr.type); !here.empty()) notes = {here};
  diagnostics.error(Code::E0209, attr.type_span,
                    fmt::format("the attribute '{}' has the unknown type '{}'", attr.name, attr.type), notes);
}

/// Lists whose length the caller gives hold integers or real numbers; those of a pack hold integers.
void check_list_type(const AttrDef& attr, Diagnostics& diagnostics) {
  if (attr.count == AttrCount::one || attr.count == AttrCount::fixed) return;
  const auto dtype = dtype_from_name(attr.type);
  const bool of_any_type = attr.kind == AttrKind::type_variable || (dtype && is_complex(*dtype));
  const bool real = attr.kind == AttrKind::real || (attr.kind == AttrKind::dtype && dtype && is_float(*dtype));
  if (attr.count == AttrCount::any ? !of_any_type : !of_any_type && !real) return;
  diagnostics.error(
      Code::E0209, attr.type_span,
      fmt::format("the list '{}' cannot hold values of the type '{}'", attr.name, attr.type),
      {attr.count == AttrCount::any ? fmt::format("write \"float[]\", or give the list a length: \"{}[4]\"", attr.type)
                                    : "a list with a value per dimension holds integers"});
}

void read_attrs(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "attrs", "attrs: {axis: int = -1}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    AttrDef attr;
    attr.name = entry.key.text;
    attr.span = entry.key.span;
    if (!want_name(entry.key, attr.name, "an attribute", diagnostics)) continue;
    if (!want_text(entry.value, "an attribute", "`axis: int = -1`; a type with brackets needs quotes in {…}",
                   diagnostics))
      continue;
    const PlacedText text = placed_text(entry.value);
    if (parse_attr_type(text, attr, diagnostics)) {
      const bool derived = is_derived_type(attr.type);
      if (declare_derived_type(attr.type, attr.type_span, out, diagnostics) && derived && !is_derived_type(attr.type))
        attr.kind = AttrKind::dtype;
      check_attr_type(attr, out, diagnostics);
      check_list_type(attr, diagnostics);
    }
    out.attrs.push_back(std::move(attr));
  }
}

void read_tensor(const YamlEntry& entry, bool input, OpDef& out, Diagnostics& diagnostics) {
  TensorDef tensor;
  tensor.name = entry.key.text;
  tensor.span = entry.key.span;
  if (tensor.name.ends_with("...")) tensor.variadic = true, tensor.name.resize(tensor.name.size() - 3);
  if (input && tensor.name.ends_with('?')) tensor.optional = true, tensor.name.pop_back();
  if (!want_name(entry.key, tensor.name, input ? "an input" : "an output", diagnostics)) return;
  if (!want_text(entry.value, "a tensor", "X: T[N, M]; in {…} the type needs quotes: {X: \"T[N]\"}", diagnostics))
    return;
  if (parse_tensor_type(placed_text(entry.value), tensor, diagnostics))
    declare_derived_type(tensor.dtype, tensor.dtype_span, out, diagnostics);
  (input ? out.inputs : out.outputs).push_back(std::move(tensor));
}

void read_inputs(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "in", "in: {X: \"T[N]\"}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) read_tensor(entry, true, out, diagnostics);
}

void read_outputs(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "out", "out: {Y: \"T[N]\"}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) read_tensor(entry, false, out, diagnostics);
}

/// One rule, `{if: transA, as: [K, M]}`.
void read_storage_rule(const YamlNode& node, TensorDef& tensor, Diagnostics& diagnostics) {
  if (!want_map(node, "storage", "{if: transA, as: [K, M]}", diagnostics)) return;
  refuse_unknown_keys(node, {"if", "as"}, "storage", diagnostics);
  StorageRule rule;
  rule.span = node.span;
  if (const YamlNode* condition = node.find("if");
      condition != nullptr && want_text(*condition, "if", "if: transA", diagnostics)) {
    rule.condition.emplace();
    if (!parse_expression(placed_text(*condition), *rule.condition, diagnostics)) return;
  }
  const YamlNode* order = node.find("as");
  if (order == nullptr) {
    diagnostics.error(Code::E0203, node.span, "a stored order needs the key `as`", {"write {if: transA, as: [K, M]}"});
    return;
  }
  for (const Word& word : words(*order, "as", diagnostics)) {
    TensorDef single;  // an entry of a stored order is written as in a shape
    const PlacedText entry{
        "T[" + word.text + "]",
        std::vector<std::uint32_t>(word.text.size() + 4, static_cast<std::uint32_t>(word.span.begin)), word.span.file};
    if (parse_tensor_type(entry, single, diagnostics) && single.dims.size() == 1) {
      single.dims[0].span = word.span;
      rule.dims.push_back(std::move(single.dims[0]));
    }
  }
  tensor.storage.push_back(std::move(rule));
}

void read_storage(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "storage", "storage: {A: {if: transA, as: [K, M]}}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    TensorDef* tensor = nullptr;
    std::vector<std::string> known;
    for (auto* list : {&out.inputs, &out.outputs}) {
      for (TensorDef& t : *list) {
        known.push_back(t.name);
        if (t.name == entry.key.text) tensor = &t;
      }
    }
    if (tensor == nullptr) {
      diagnostics.error(Code::E0222, entry.key.span, fmt::format("'{}' is not a tensor of this op", entry.key.text),
                        {meant_note(entry.key.text, known)});
    } else if (entry.value.is_sequence()) {
      for (const YamlNode& rule : entry.value.items) read_storage_rule(rule, *tensor, diagnostics);
    } else {
      read_storage_rule(entry.value, *tensor, diagnostics);
    }
  }
}

void read_lets(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "let", "let: {Ho: H - R + 1}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    LetDef let;
    let.name = entry.key.text;
    let.span = entry.key.span;
    if (!want_name(entry.key, let.name, "a let", diagnostics)) continue;
    if (!want_text(entry.value, "a let", "Ho: H - R + 1", diagnostics)) continue;
    if (!parse_expression(placed_text(entry.value), let.value, diagnostics)) let.value = Syntax();
    let.written = let.value.calls(Builtin::upto);
    out.lets.push_back(std::move(let));
  }
}

void read_requires(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  const auto one = [&](const YamlNode& text) {
    Syntax condition;
    if (!want_text(text, "require", "require: [stride[0] > 0]", diagnostics)) return;
    if (parse_expression(placed_text(text), condition, diagnostics)) out.requires_.push_back(std::move(condition));
  };
  if (node.is_sequence()) {
    for (const YamlNode& item : node.items) one(item);
  } else if (!node.is_null()) {
    one(node);
  }
}

void read_index(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_map(node, "index", "index: {r: \"kernel[0]\"}", diagnostics)) return;
  for (const YamlEntry& entry : node.entries) {
    IndexRange range;
    range.pack = entry.key.text.starts_with('*');
    range.name = entry.key.text.substr(range.pack ? 1 : 0);
    range.span = entry.key.span;
    if (!want_name(entry.key, range.name, "an index variable", diagnostics)) continue;
    if (!want_text(entry.value, "the range of an index variable", "r: \"kernel[0]\"", diagnostics)) continue;
    if (!parse_expression(placed_text(entry.value), range.extent, diagnostics)) range.extent = Syntax();
    out.index.push_back(std::move(range));
  }
}

void read_body(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_text(node, "body", "body: Y[i] = X[i] + 1", diagnostics)) return;
  std::set<std::string> extents;
  for (const LetDef& let : out.lets)
    if (let.written) extents.insert(let.name);
  out.body = parse_body(placed_text(node), diagnostics, extents);
}

/// `X: expression` or `X: dX[i, j] = expression`.
void read_closed_grad(const YamlEntry& entry, OpDef& out, Diagnostics& diagnostics) {
  if (!want_text(entry.value, "a closed gradient", "X: \"dY[i]*2\"", diagnostics)) return;
  ClosedGrad grad;
  grad.input = entry.key.text;
  grad.span = entry.key.span;
  const PlacedText text = placed_text(entry.value);
  Diagnostics quiet;
  const std::vector<Token> tokens = tokenize(text, quiet);
  const bool statement =
      tokens.size() > 2 && tokens[0].kind == TokenKind::name && tokens[0].text == "d" + grad.input && tokens[1].is("[");
  if (!statement) {
    if (parse_expression(text, grad.value, diagnostics)) out.closed_grads.push_back(std::move(grad));
    return;
  }
  std::vector<Statement> parsed = parse_body(text, diagnostics);
  if (parsed.size() != 1) return;
  grad.implied = false;
  grad.subs = std::move(parsed[0].subs);
  grad.value = std::move(parsed[0].value);
  out.closed_grads.push_back(std::move(grad));
}

void read_grad(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (node.is_scalar() && node.text == "none") {
    out.grad = GradKind::none;
    return;
  }
  if (!want_map(node, "grad", "grad: none, or grad: {X: \"dY[i]*2\"}", diagnostics)) return;
  out.grad = GradKind::closed;
  for (const YamlEntry& entry : node.entries) {
    if (out.input(entry.key.text) == nullptr) {
      const std::vector<std::string> known = mapped(out.inputs, &TensorDef::name);
      diagnostics.error(Code::E0221, entry.key.span, fmt::format("'{}' is not an input of this op", entry.key.text),
                        {meant_note(entry.key.text, known)});
    } else {
      read_closed_grad(entry, out, diagnostics);
    }
  }
}

void read_doc(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (want_text(node, "doc", "doc: a line about the op", diagnostics)) out.doc = node.text;
}

void read_kind(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_text(node, "kind", "kind: composite", diagnostics)) return;
  out.kind = node.text;
  if (out.kind != "composite") {
    diagnostics.error(Code::E0228, node.span, fmt::format("there is no kind of op '{}'", out.kind),
                      {"write `kind: composite`, or leave it out"});
  }
}

void read_impl(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  if (!want_text(node, "impl", "impl: templates/c/sort.c.in", diagnostics)) return;
  out.impl = node.text;
  out.impl_span = node.span;
  const std::string_view path = out.impl;
  const bool placed = path.starts_with("templates/c/") && path.ends_with(".c.in") && path.size() > 17;
  if (!placed || !is_name(path.substr(12, path.size() - 17))) {
    diagnostics.error(Code::E0230, node.span, fmt::format("'{}' is not the path of a C template", out.impl),
                      {"write templates/c/<name>.c.in"});
  }
}

void read_save(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  out.save = words(node, "save", diagnostics);
}
void read_numerics_key(const YamlNode& node, OpDef& out, Diagnostics& diagnostics) {
  read_numerics(node, out.numerics, diagnostics);
}
void read_name_again(const YamlNode&, OpDef&, Diagnostics&) {}

struct KeyRow {
  std::string_view key;
  void (*read)(const YamlNode&, OpDef&, Diagnostics&);
};

/// Every key, in the order in which they are read: tensors before what names them.
constexpr KeyRow kKeys[] = {
    {"op", read_name_again},         {"doc", read_doc},       {"kind", read_kind},        {"impl", read_impl},
    {"types", read_types},           {"attrs", read_attrs},   {"in", read_inputs},        {"out", read_outputs},
    {"storage", read_storage},       {"let", read_lets},      {"require", read_requires}, {"index", read_index},
    {"tables", read_tables},         {"body", read_body},     {"grad", read_grad},        {"save", read_save},
    {"numerics", read_numerics_key}, {"expand", read_expand}, {"tests", read_tests}};

void require_key(const YamlNode& map, const OpDef& op, std::string_view key, std::string_view example,
                 Diagnostics& diagnostics) {
  if (map.find(key) != nullptr) return;
  diagnostics.error(Code::E0203, op.span, fmt::format("op '{}' lacks the key `{}`", op.name, key),
                    {fmt::format("write {}", example)});
}

}  // namespace

const std::vector<std::string>& op_keys() {
  static const std::vector<std::string> keys = [] {
    return mapped(kKeys, [&](const KeyRow& row) { return std::string(row.key); });
  }();
  return keys;
}

bool read_op(const YamlNode& map, OpDef& out, Diagnostics& diagnostics) {
  const std::size_t first = diagnostics.size();
  refuse_unknown_keys(map, op_keys(), "an op", diagnostics);
  bool whole = diagnostics.size() == first;  // an unknown key may be a misspelling of a missing one
  const bool misspelt = !whole;
  for (const KeyRow& row : kKeys) {
    const YamlNode* value = map.find(row.key);
    if (value == nullptr) continue;
    const std::size_t before = diagnostics.size();
    row.read(*value, out, diagnostics);
    static constexpr std::array<std::string_view, 7> kDeclarations = {"types", "attrs", "in",    "out",
                                                                      "let",   "index", "tables"};
    const bool declares = contains(kDeclarations, row.key);
    whole = whole && !(declares && diagnostics.size() != before);
  }
  whole = whole && map.find("out") != nullptr;
  if (misspelt) return false;
  require_key(map, out, "out", "out: {Y: \"T[N]\"}", diagnostics);
  if (whole && out.outputs.empty()) {
    whole = false;
    diagnostics.error(Code::E0203, out.span, fmt::format("op '{}' has no output", out.name),
                      {"write out: {Y: \"T[N]\"}"});
  }
  const bool body = map.find("body") != nullptr;
  const bool impl = map.find("impl") != nullptr;
  if (body == impl) {
    diagnostics.error(
        Code::E0229, out.span,
        fmt::format("op '{}' has {}", out.name, body ? "both a body and an impl" : "neither a body nor an impl"),
        {"write the mathematics under `body`, or name a C template under `impl`"});
  }
  return whole && body != impl;
}

}  // namespace tenon
