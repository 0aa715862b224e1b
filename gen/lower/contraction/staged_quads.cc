// Words of four bytes as the copy of the left side holds them: put together, and moved to the sign that the level's
// instruction gives them; words of two or four numbers that overlap.
#include "lower/contraction/contraction_staging.h"

namespace tenon {
namespace {

OperandType words(int lanes) { return {DType::I32, lanes, 0}; }

/// Adding or subtracting 128 flips the highest bit of a byte.
Operand with_offset(const Staging& s, const Operand& word) {
  if (s.b.c.left_offset == 0) return word;
  return v_apply(ScalarOp::BitXor, {word, v_constant({INT32_C(-2139062144), 0}, words(word->type.lanes))});
}

/// A byte of any type in the low bits of a word.
Operand low_byte(const Operand& byte) {
  const int lanes = byte->type.lanes;
  if (byte->type.dtype == DType::I8)
    return v_cast(v_apply_as(ScalarOp::Bits, {byte}, {DType::U8, lanes, 0}), DType::I32);
  if (byte->type.dtype == DType::U8) return v_cast(byte, DType::I32);
  return v_apply(ScalarOp::BitAnd, {byte, v_constant({0xff, 0}, words(lanes))});
}

/// A vector of words of four bytes, the first of which begins at `at` and each other one a byte after the one before.
/// Quarters get the bytes that their words share, then each puts its words together.
Operand overlapping_words(const Staging& s, int buffer, const Operand& at, Block& out) {
  ContractionBuilder& b = s.b;
  const int lanes = b.lanes(), loaded = std::max(16, 2 * lanes);
  const OperandType shared{b.staged_type(), 4 * lanes, 0};
  std::vector<int> quarters, bytes;
  for (int word = 0; word < lanes; ++word) {
    quarters.push_back(word / 4 + std::min(word % 4, 1));
    for (int k = 0; k < 4; ++k) bytes.push_back(word / 4 * 16 + word % 4 + k);
  }
  out.push_back(s_let(b.local("bytes"), v_load(buffer, shared.dtype, at, loaded)));
  Operand v = v_var(b.local("bytes"), {shared.dtype, loaded, 0});
  if (lanes > 4) {
    v = v_apply_as(ScalarOp::Bits, {v}, words(loaded / 4));
    out.push_back(s_let(b.local("quarters"), v_apply_as(ScalarOp::Bits, {v_shuffle(v, v, quarters)}, shared)));
    v = v_var(b.local("quarters"), shared);
  }
  return v_apply_as(ScalarOp::Bits, {v_shuffle(v, v, bytes)}, words(lanes));
}

/// The low half of each number stays what it is, so that a copy whose border is filled once can be put together again.
Block window_pairs(Staging& s) {
  ContractionBuilder& b = s.b;
  const int lanes = b.lanes();
  b.buffers[static_cast<size_t>(s.buffer)].elements = s.elements + v_int(2 * lanes);  // vectors run past the last one
  const std::string i = b.local("word"), high = b.local("next");
  const auto numbers = [&](const Operand& at) { return v_load(s.buffer, DType::I32, at, lanes); };
  Block each{s_let(high, numbers(v_var(i) + v_int(1)))};
  each.push_back(s_store(s.buffer, v_var(i), word_of(numbers(v_var(i)), v_var(high, words(lanes)))));
  return {s_for(i, v_int(0), s.elements, lanes, std::move(each))};
}

}  // namespace

Operand load_quads(const Staging& s, const std::vector<Operand>& bytes) {
  Operand word = low_byte(bytes[0]);
  for (int k = 1; k < 4; ++k) {
    const Operand count = v_constant({8 * k, 0}, words(word->type.lanes));
    word = v_apply(ScalarOp::BitOr, {word, v_apply(ScalarOp::Shl, {low_byte(bytes[static_cast<size_t>(k)]), count})});
  }
  return with_offset(s, word);
}

Block window_words(Staging& s) {
  ContractionBuilder& b = s.b;
  if (!b.staged_as) return window_pairs(s);
  const int bytes = s.buffer, lanes = b.lanes();
  // vectors run past the last byte, and strips past the last word
  const Operand slack = v_int(2 * lanes), words = s.elements + slack;
  b.buffers[static_cast<size_t>(bytes)].elements = words + v_int(std::max(16, 2 * lanes));
  s.buffer = b.add_buffer("words", b.c.accumulator, Storage::Workspace, words);
  const std::string i = b.local("word");
  Block each;
  const Operand found = overlapping_words(s, bytes, v_var(i), each);
  each.push_back(s_store(s.buffer, v_var(i), with_offset(s, found)));
  return {s_for(i, v_int(0), s.elements, lanes, std::move(each))};
}

Operand splat_quad(const Staging& s, const Operand& byte) {
  if (const auto known = constant_value(byte)) {
    const auto low = static_cast<uint32_t>((*known + s.b.c.left_offset) & 0xff);
    return v_const(static_cast<int32_t>(low * 0x01010101u), words(1));
  }
  return with_offset(s, v_apply(ScalarOp::Mul, {low_byte(byte), v_const(0x01010101, words(1))}));
}

Operand dense_quads(const Staging& s, const Operand& bytes) {
  return with_offset(s, v_apply_as(ScalarOp::Bits, {bytes}, words(bytes->type.lanes / 4)));
}

}  // namespace tenon
