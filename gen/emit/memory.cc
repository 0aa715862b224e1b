// Loads and stores: single elements, vectors at any element's address, the first lanes of a vector, lanes with a
// stride.
#include <fmt/format.h>

#include "emit/emitter.h"
#include "support/check.h"

namespace tenon::emit {
namespace {

CExpr element(Emitter& e, int buffer, const Operand& offset) {
  return c_index(c_text(e.buffer_name(buffer)), e.index(offset));
}
CExpr address(Emitter& e, int buffer, const Operand& offset) { return c_unary("&", element(e, buffer, offset)); }

CExpr vector_at(Emitter& e, CExpr at, const OperandType& t, std::string_view qualifiers) {
  const std::string type = std::string(qualifiers) + e.memory_type(t.dtype, t.lanes) + " *";
  return c_unary("*", c_cast(type, std::move(at)));
}

/// A function of this file that takes a pointer to elements of `type`.
struct MemoryPiece {
  std::string_view op;
  OperandType type;
  std::string result;
  std::vector<std::string> params;
  std::string_view comment = {};
  bool apart = false;  ///< not inlined: gcc would keep an address for each lane on the caller's stack
};

/// Calls it; `make` writes its body.
CExpr call_memory_piece(Emitter& e, const MemoryPiece& piece, std::vector<CExpr> args,
                        const std::function<void(CBlock&)>& make) {
  CFunction f;
  f.name = e.piece_name(piece.op, piece.type);
  if (!e.needs.has(f.name)) {
    f.comment = piece.comment;
    f.specifiers = piece.apart ? e.apart_specifiers() : e.piece_specifiers();
    f.result = piece.result;
    f.params = piece.params;
    make(f.body);
    e.needs.add_function(f);
  }
  return c_call(f.name, std::move(args));
}

/// The level's instruction that moves the first n elements from or to p, given for floats; null if it has none.
CExpr masked(Emitter& e, std::string_view op, const OperandType& t, const char* value) {
  const bool pairs = is_complex(t.dtype);
  const DType d = pairs ? real_of(t.dtype) : t.dtype;
  const IsaRow* row = e.isa.row(op, d, pairs ? 2 * t.lanes : t.lanes);
  if (!row) return nullptr;
  std::vector<CExpr> args = {c_text("p"), c_text("n")};
  if (pairs) {
    args[0] = c_cast(value ? "void *" : "const void *", args[0]);
    args[1] = c_binary(c_text("2"), "*", args[1]);
  }
  if (value) args.push_back(c_text(value));
  return c_row(row->spelling, std::move(args));
}

std::string pointer_to(Emitter& e, const OperandType& t) { return fmt::format("const {} *p", e.storage_type(t.dtype)); }

/// A vector of at most 32 bytes whose first n elements are moved in parts of 2^i bytes, one for each bit of n. Words
/// are little-endian, as on all levels with vectors.
struct PartedVector {
  DType dtype;         ///< of the lanes
  int lanes, scalars;  ///< scalars: lanes of one element
  int bytes;           ///< of an element

  explicit PartedVector(const OperandType& t)
      : dtype(is_complex(t.dtype) ? real_of(t.dtype) : t.dtype),
        lanes(is_complex(t.dtype) ? 2 * t.lanes : t.lanes),
        scalars(lanes / t.lanes),
        bytes(bytes_of(t.dtype)) {}

  int size() const { return lanes / scalars * bytes; }
  /// The lines for the part of so many bytes; none where elements are longer.
  std::string part(int part_bytes, std::string_view lines) const {
    if (part_bytes < bytes || part_bytes >= size()) return {};
    const int elements = part_bytes / bytes;
    return fmt::format("  if ((n & {0}) != 0) {{\n", elements) +
           fmt::format(fmt::runtime(lines), fmt::arg("n", elements), fmt::arg("bytes", part_bytes),
                       fmt::arg("bits", 8 * part_bytes)) +
           "  }\n";
  }
};

/// From the last part to the first: each is before those that are there.
std::string load_parts(Emitter& e, const OperandType& t) {
  const PartedVector v(t);
  const std::string type = e.c_type(t);
  if (e.isa.masked_memory || v.size() > 32)  // of several registers: next to narrower elements, rarely
    return fmt::format("  {} v = {{0}};\n  memcpy(&v, p, (size_t)n * sizeof *p);\n  return v;\n", type);
  std::string lines =
      fmt::format("  if (n == {}) {{\n    return *(const {} *)p;\n  }}\n", t.lanes, e.memory_type(t.dtype, t.lanes)) +
      "  uint64_t word = 0;\n  p += n;\n";
  for (const int bytes : {1, 2, 4})
    lines += v.part(bytes, fmt::format("    uint{}_t part;\n    p -= {{n}};\n    memcpy(&part, p, {{bytes}});\n"
                                       "    word = word << {{bits}} | part;\n",
                                       8 * bytes));
  if (v.size() <= 8) return lines + fmt::format("  {} v;\n  memcpy(&v, &word, sizeof v);\n  return v;\n", type);
  lines += "  uint64_t next = 0;\n" + v.part(8, "    p -= {n};\n    next = word;\n    memcpy(&word, p, 8);\n");
  const std::string pair = e.vector_type(DType::U64, 2);
  if (v.size() == 16) return lines + fmt::format("  return ({})({}){{word, next}};\n", type, pair);
  const std::string four = e.vector_type(DType::U64, 4);
  lines += v.part(16, fmt::format("    {0} first;\n    memcpy(&first, p - {{n}}, 16);\n"
                                  "    return ({1})({2}){{{{first[0], first[1], word, next}}}};\n",
                                  pair, type, four));
  return lines + fmt::format("  return ({})({}){{word, next, 0, 0}};\n", type, four);
}

std::string store_parts(Emitter& e, const OperandType& t) {
  const PartedVector v(t);
  if (e.isa.masked_memory || v.size() > 32) return "  memcpy(p, &v, (size_t)n * sizeof *p);\n";
  std::string rest = "v", lines = fmt::format("  if (n == {}) {{\n    *({} *)p = v;\n    return;\n  }}\n", t.lanes,
                                              e.memory_type(t.dtype, t.lanes));
  if (v.size() == 32) {
    const std::string half = e.vector_type(v.dtype, v.lanes / 2);
    const auto lanes = [&](int from) {
      std::string list;
      for (int l = from; l < from + v.lanes / 2; ++l) list += fmt::format(", {}", l);
      return fmt::format("half = __builtin_shufflevector(v, v{});\n", list);
    };
    lines += fmt::format("  {} {}", half, lanes(0)) +
             v.part(16, "    memcpy(p, &half, 16);\n" +
                            (v.bytes < 16 ? "    p += {n};\n    " + lanes(v.lanes / 2) : std::string()));
    rest = "half";
  }
  if (v.bytes > 8) return lines;
  if (v.size() >= 16)
    lines += fmt::format("  const {0} words = ({0}){1};\n  uint64_t word = words[0];\n", e.vector_type(DType::U64, 2),
                         rest) +
             v.part(8, std::string("    memcpy(p, &word, 8);\n") +
                           (v.bytes < 8 ? "    p += {n};\n    word = words[1];\n" : ""));
  else lines += "  uint64_t word = 0;\n  memcpy(&word, &v, sizeof v);\n";
  for (const int bytes : {4, 2, 1})
    lines += v.part(bytes, std::string("    memcpy(p, &word, {bytes});\n") +
                               (v.bytes < bytes ? "    p += {n};\n    word >>= {bits};\n" : ""));
  return lines;
}

CExpr load_first(Emitter& e, const OperandType& t, CExpr at, CExpr count) {
  const std::string type = e.c_type(t);
  const MemoryPiece piece{"load_first", t, type, {pointer_to(e, t), "int64_t n"}, "n elements, then zeros"};
  return call_memory_piece(e, piece, {std::move(at), std::move(count)}, [&](CBlock& body) {
    if (const CExpr v = masked(e, "load_masked", t, nullptr)) {
      body.push_back(c_return(is_int(t.dtype) ? c_cast(type, v) : v));
      return;
    }
    body.push_back({CBodyLines{load_parts(e, t)}});
  });
}

CStmt store_first(Emitter& e, const OperandType& t, CExpr at, CExpr count, CExpr value) {
  const std::string type = e.c_type(t);
  const MemoryPiece piece{
      "store_first", t, "void", {e.storage_type(t.dtype) + " *p", "int64_t n", type + " v"}, "the first n lanes"};
  return c_evaluate(call_memory_piece(e, piece, {std::move(at), std::move(count), std::move(value)}, [&](CBlock& body) {
    if (const CExpr stored = masked(e, "store_masked", t, "v")) body.push_back(c_evaluate(stored));
    else body.push_back({CBodyLines{store_parts(e, t)}});
  }));
}

/// For each size of parts, down to one element: if the first n elements are at least one part, `lines` and return.
/// Two parts that may overlap are all elements then.
std::string overlapping_parts(Emitter& e, const PartedVector& v, std::string_view lines) {
  std::string text;
  for (const int bytes : {16, 8, 4, 2, 1}) {
    if (bytes < v.bytes || bytes >= v.size()) continue;
    const std::string type = bytes == 16 ? e.vector_type(DType::U64, 2) : fmt::format("uint{}_t", 8 * bytes);
    text += fmt::format("  if (n >= {}) {{\n", bytes / v.bytes) +
            fmt::format(fmt::runtime(lines), fmt::arg("n", bytes / v.bytes), fmt::arg("bytes", bytes),
                        fmt::arg("type", type), fmt::arg("part", bytes == 16 ? "half" : "word")) +
            "    return;\n  }\n";
  }
  return text;
}

/// Whether the level has no masks and an element is no longer than a word.
bool moves_parts(Emitter& e, const OperandType& t) {
  const PartedVector v(t);
  return !e.isa.masked_memory && !masked(e, "store_masked", t, "v") && v.bytes <= 8 && v.size() <= 32;
}

/// The first elements of a run to another place.
CStmt copy_first(Emitter& e, const OperandType& t, CExpr to, CExpr from, CExpr count) {
  const std::string stored = e.storage_type(t.dtype), vector = e.memory_type(t.dtype, t.lanes);
  const MemoryPiece piece{"copy_first",
                          t,
                          "void",
                          {stored + " *p", "const " + stored + " *from", "int64_t n"},
                          "the first n of the elements of a vector, by two moves that may overlap"};
  std::vector<CExpr> args = {std::move(to), std::move(from), std::move(count)};
  return c_evaluate(call_memory_piece(e, piece, std::move(args), [&](CBlock& body) {
    body.push_back({CBodyLines{
        fmt::format("  if (n == {0}) {{\n    *({1} *)p = *(const {1} *)from;\n    return;\n  }}\n", t.lanes, vector) +
        overlapping_parts(e, PartedVector(t),
                          "    {type} first, last;\n    memcpy(&first, from, {bytes});\n"
                          "    memcpy(&last, from + (n - {n}), {bytes});\n    memcpy(p, &first, {bytes});\n"
                          "    memcpy(p + (n - {n}), &last, {bytes});\n")}});
  }));
}

/// The first lanes of a vector whose lanes are equal.
CStmt fill_first(Emitter& e, const OperandType& t, CExpr to, CExpr count, CExpr value) {
  const PartedVector v(t);
  const std::string type = e.c_type(t), pair = e.vector_type(DType::U64, 2);
  const MemoryPiece piece{"fill_first",
                          t,
                          "void",
                          {e.storage_type(t.dtype) + " *p", "int64_t n", type + " v"},
                          "the first n of equal lanes, by two moves that may overlap"};
  std::vector<CExpr> args = {std::move(to), std::move(count), std::move(value)};
  return c_evaluate(call_memory_piece(e, piece, std::move(args), [&](CBlock& body) {
    std::string lines = fmt::format("  if (n == {}) {{\n    *({} *)p = v;\n    return;\n  }}\n", t.lanes,
                                    e.memory_type(t.dtype, t.lanes));
    if (v.size() == 32) {
      const std::string four = e.vector_type(DType::U64, 4);
      lines += fmt::format("  const {0} half = __builtin_shufflevector(({1})v, ({1})v, 0, 1);\n", pair, four);
    }
    if (v.size() >= 16)
      lines += fmt::format("  const uint64_t word = {}[0];\n", v.size() == 32 ? "half" : fmt::format("(({})v)", pair));
    else lines += "  uint64_t word = 0;\n  memcpy(&word, &v, sizeof v);\n";
    body.push_back({CBodyLines{lines + overlapping_parts(e, v,
                                                         "    memcpy(p, &{part}, {bytes});\n"
                                                         "    memcpy(p + (n - {n}), &{part}, {bytes});\n")}});
  }));
}

CExpr gather(Emitter& e, const OperandType& t, CExpr at, CExpr stride) {
  const std::string type = e.c_type(t);
  const MemoryPiece piece{"gather", t, type, {pointer_to(e, t), "int64_t stride"}, "elements `stride` apart"};
  return call_memory_piece(e, piece, {std::move(at), std::move(stride)}, [&](CBlock& body) {
    std::vector<CExpr> lanes = {c_text("p[0]"), c_text("p[stride]")};
    for (int l = 2; l < t.lanes; ++l) lanes.push_back(c_text(fmt::format("p[{} * stride]", l)));
    if (is_complex(t.dtype)) lanes = complex_lanes(lanes);
    body.push_back(c_return(c_braces(type, std::move(lanes))));
  });
}

CExpr gather_first(Emitter& e, const OperandType& t, CExpr at, CExpr stride, CExpr count) {
  const std::string type = e.c_type(t);
  const MemoryPiece piece{"gather_first",
                          t,
                          type,
                          {pointer_to(e, t), "int64_t stride", "int64_t n"},
                          "n elements `stride` apart, then zeros",
                          true};
  return call_memory_piece(e, piece, {std::move(at), std::move(stride), std::move(count)}, [&](CBlock& body) {
    const CExpr all = gather(e, t, c_text("p"), c_text("stride"));
    body.push_back({CIf{c_binary(c_text("n"), "==", c_number(t.lanes)), {c_return(all)}, {}}});
    // in an array: a vector would be stored and reloaded for each element
    body.push_back({CBodyLines{
        fmt::format("  {} v[{}] = {{0}};\n  for (int64_t l = 0; l < n; ++l) {{\n    v[l] = p[l * stride];\n  }}\n",
                    e.storage_type(t.dtype), t.lanes)}});
    body.push_back(c_return(vector_at(e, c_text("v"), t, "const ")));
  });
}

/// The first lanes of a vector whose elements are one before the other, from `at` on backwards.
CExpr reversed_first(Emitter& e, const OperandType& t, CExpr at, CExpr count) {
  const std::string type = e.c_type(t);
  const MemoryPiece piece{
      "reversed_first", t, type, {pointer_to(e, t), "int64_t n"}, "n elements from p on backwards, then zeros"};
  return call_memory_piece(e, piece, {std::move(at), std::move(count)}, [&](CBlock& body) {
    std::vector<CExpr> args = {c_text("run"), c_text("run")};
    for (int l = t.lanes; l-- > 0;) args.push_back(c_text(std::to_string(l)));
    const CExpr reversed = c_call("__builtin_shufflevector", std::move(args));
    const auto run = [&](CExpr v) { return c_declare("const " + type, "run", std::move(v)); };
    if (const IsaRow* row = e.isa.row("load_masked_last", t.dtype, t.lanes)) {
      // through an integer: memory before the elements may be outside the tensor
      const std::string first =
          fmt::format("(const {} *)((uintptr_t)p - {} * sizeof *p)", e.storage_type(t.dtype), t.lanes - 1);
      const CExpr last = c_row(row->spelling, {c_text(first), c_text("n")});
      body.push_back(run(is_float(t.dtype) ? last : c_cast(type, last)));
      body.push_back(c_return(reversed));
      return;
    }
    const CExpr whole = vector_at(e, c_text(fmt::format("(p - {})", t.lanes - 1)), t, "const ");
    body.push_back({CIf{c_binary(c_text("n"), "==", c_number(t.lanes)), {run(whole), c_return(reversed)}, {}}});
    body.push_back(run(load_first(e, t, c_text("p - (n - 1)"), c_text("n"))));
    // after the lanes without an element in the reversed vector
    body.push_back({CBodyLines{fmt::format("  {} v[{}] = {{0}};\n", e.storage_type(t.dtype), 2 * t.lanes)}});
    body.push_back(c_assign(vector_at(e, c_text("v"), t, ""), reversed));
    body.push_back(c_return(vector_at(e, c_text(fmt::format("(v + {} - n)", t.lanes)), t, "const ")));
  });
}

/// The loaded value as the nest sees it: bools become conditions or masks.
CExpr as_value(Emitter& e, const OperandType& t, CExpr moved_value) {
  if (t.dtype != DType::Bool) return moved_value;
  const CExpr differs = c_binary(std::move(moved_value), "!=", c_text("0"));
  if (t.lanes == 1) return differs;
  TENON_CHECK(t.mask_bits == 8, "a load of bools with masks of {} bits", t.mask_bits);
  return c_cast(e.c_type(t), differs);
}

/// Whether `active` selects fewer than all lanes, or possibly so.
bool partial(Emitter& e, const Operand& active, int lanes) { return active && e.known(active) != lanes; }

}  // namespace

CExpr load_value(Emitter& e, const OperandNode& node, const VLoad& n) {
  const OperandType& t = node.type;
  const OperandType m{moved_type(t.dtype), t.lanes, 0};
  if (!partial(e, n.active, t.lanes))
    return as_value(e, t,
                    t.lanes == 1
                        ? element(e, n.buffer, n.offset)
                        : vector_at(e, address(e, n.buffer, n.offset), m, n.once ? "const volatile " : "const "));
  if (t.lanes > 1) return as_value(e, t, load_first(e, m, address(e, n.buffer, n.offset), e.index(n.active)));
  const CExpr zero = is_complex(t.dtype) ? literal(e, VConst{}, t) : c_text("0");
  return c_conditional(c_binary(e.index(n.active), ">", c_text("0")), as_value(e, t, element(e, n.buffer, n.offset)),
                       zero);
}

CExpr gather_value(Emitter& e, const OperandNode& node, const VGather& n) {
  const OperandType& t = node.type;
  const OperandType m{moved_type(t.dtype), t.lanes, 0};
  if (t.lanes == 1) return load_value(e, node, VLoad{n.buffer, n.offset, n.active});
  if (e.known(n.stride) == 1) return load_value(e, node, VLoad{n.buffer, n.offset, n.active});
  const CExpr at = address(e, n.buffer, n.offset), stride = e.index(n.stride);
  if (partial(e, n.active, t.lanes) && e.known(n.stride) == -1)
    return as_value(e, t, reversed_first(e, m, at, e.index(n.active)));
  if (partial(e, n.active, t.lanes)) return as_value(e, t, gather_first(e, m, at, stride, e.index(n.active)));
  return as_value(e, t, gather(e, m, at, stride));
}

CStmt store_value(Emitter& e, const SStore& n) {
  const OperandType& t = n.value->type;
  const auto* apply = std::get_if<VApply>(&n.value->node);
  if (apply && apply->op == ScalarOp::Philox && t.lanes > 1 && apply->args[0]->type.lanes == 1)
    return c_evaluate(store_philox(e, *n.value, *apply, address(e, n.buffer, n.offset)));
  const OperandType m{moved_type(t.dtype), t.lanes, 0};
  if (t.lanes > 1 && t.dtype != DType::Bool && partial(e, n.active, t.lanes) && moves_parts(e, m)) {
    const auto* run = std::get_if<VLoad>(&n.value->node);
    CExpr at = address(e, n.buffer, n.offset), count = e.index(n.active);
    if (run && run->active == n.active)
      return copy_first(e, m, std::move(at), address(e, run->buffer, run->offset), std::move(count));
    if (std::holds_alternative<VSplat>(n.value->node))
      return fill_first(e, m, std::move(at), std::move(count), e.operand(n.value));
  }
  CExpr value = t.dtype == DType::Bool ? cast_value(e, {DType::U8, t.lanes, 0}, n.value) : e.operand(n.value);
  if (partial(e, n.active, t.lanes)) {
    if (t.lanes > 1) return store_first(e, m, address(e, n.buffer, n.offset), e.index(n.active), std::move(value));
    return {CIf{c_binary(e.index(n.active), ">", c_text("0")),
                {c_assign(element(e, n.buffer, n.offset), std::move(value))},
                {}}};
  }
  if (t.lanes == 1) return c_assign(element(e, n.buffer, n.offset), std::move(value));
  return c_assign(vector_at(e, address(e, n.buffer, n.offset), m, ""), std::move(value));
}

}  // namespace tenon::emit
