// Random numbers of adjacent iterations: each Philox block is computed once and its words are stored for all iterations
// that share it.
#include <fmt/format.h>

#include "lower/generate/generate.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// In the memo, after the values of all parts: the block of part 0, 1, …
constexpr int kBlocks = -2;

int native_lanes(const Isa& isa, DType type) { return std::max(1, isa.vector_bits / (8 * bytes_of(type))); }

}  // namespace

int Generator::words_buffer(DType type, int64_t elements) {
  const auto same = [](const Buffer& b) { return b.storage == Storage::Stack && b.name.rfind("words", 0) == 0; };
  const auto before = count_if(buffers_, same);
  const std::string name = before == 0 ? "words" : fmt::format("words{}", before + 1);
  buffers_.push_back({name, type, Storage::Stack, -1, v_int(elements), true});
  return static_cast<int>(buffers_.size()) - 1;
}

/// Writes `f(group)` for the blocks that all iterations at hand read, and for those after, which they read unless the
/// first iteration is the first of its block.
void Generator::for_groups(const WordBlocks& b, FunctionRef<void(int)> f) {
  for (int g = 0; g < b.groups; ++g) f(g);
  if (!b.and_next) return;
  Block next = block([&] { f(b.groups); });
  out_->push_back(s_if(v_apply(ScalarOp::Ne, {b.first, v_int(0)}), std::move(next)));
}

/// The words of the blocks that `iterations` from those of `part` on need.
Generator::WordBlocks Generator::words_of_blocks(const Apply& philox, const RandomRun& run, DType type, int part,
                                                 int iterations) {
  const Expr &seed = philox.args[0], &counter = philox.args[1];
  if (const Bundle* known = memo_.find(counter, kBlocks - part)) {
    const WordBlocks& b = word_blocks_[static_cast<size_t>(*constant_value((*known)[0]))];
    if (same(b.seed, seed) && buffers_[static_cast<size_t>(b.buffer)].dtype == type) return b;
  }
  const int lanes = native_lanes(isa_, DType::U64);
  WordBlocks b{seed, 0, lanes, (iterations + run.period * lanes - 1) / (run.period * lanes), false, nullptr};
  b.and_next = b.groups * lanes * run.period < iterations + run.period - 1;
  b.buffer = words_buffer(type, int64_t{4} * lanes * (b.groups + (b.and_next ? 1 : 0)));
  b.first = named("first", v_apply(ScalarOp::BitAnd, {scalar(run.number, part), v_int(run.period - 1)}));
  const Operand key = scalar(seed, 0), block = named("block", scalar(counter, part));
  for_groups(b, [&](int g) {
    const Operand from = g == 0 ? block : block + v_int(int64_t{g} * lanes, DType::U64);
    const OperandType words{type, 4 * lanes, 0};
    out_->push_back(
        s_store(b.buffer, v_int(int64_t{4} * g * lanes), v_apply_as(ScalarOp::Philox, {key, from, v_int(0)}, words)));
  });
  memo_.put(counter, kBlocks - part, {v_int(static_cast<int64_t>(word_blocks_.size()))});
  word_blocks_.push_back(b);
  return b;
}

/// A buffer with the word of each iteration from the first of the first block on.
int Generator::words_in_turn(const WordBlocks& b, const RandomRun& run) {
  if (run.in_order()) return b.buffer;
  const DType type = buffers_[static_cast<size_t>(b.buffer)].dtype;
  const int in_group = run.period * b.lanes, lanes = std::min(in_group, native_lanes(isa_, type));
  const int to = words_buffer(type, int64_t{in_group} * (b.groups + (b.and_next ? 1 : 0)));
  const auto word = [&](int iteration) {
    return 4 * (iteration / run.period) + run.words[static_cast<size_t>(iteration % run.period)];
  };
  const auto turned = [&](int at) {
    if (lanes == 1) return v_load(b.buffer, type, v_int(word(at)));
    std::vector<int> pick;
    int low = word(at), high = word(at);
    for (int l = 0; l < lanes; ++l) low = std::min(low, word(at + l)), high = std::max(high, word(at + l));
    const int first = low / lanes * lanes, second = high / lanes * lanes;
    for (int l = 0; l < lanes; ++l) {
      const int w = word(at + l);
      pick.push_back(w < first + lanes ? w - first : lanes + w - second);
    }
    return v_shuffle(v_load(b.buffer, type, v_int(first), lanes), v_load(b.buffer, type, v_int(second), lanes), pick);
  };
  for_groups(b, [&](int g) {
    for (int l = 0; l < in_group; l += lanes)
      out_->push_back(s_store(to, v_int(int64_t{g} * in_group + l), turned(g * in_group + l)));
  });
  return to;
}

Bundle Generator::random_words(const Expr& e, const Apply& philox, const RandomRun& run) {
  const int together = lanes_.rows ? 1 : lanes_.parts;
  Bundle out;
  for (int part = 0; part < lanes_.parts; part += together) {
    const WordBlocks b = words_of_blocks(philox, run, e->type, part, lanes_.lanes * together);
    const int buffer = words_in_turn(b, run);
    for (int u = 0; u < together; ++u)
      out.push_back(v_load(buffer, e->type, b.first + v_int(int64_t{u} * lanes_.lanes), lanes_.lanes));
  }
  return out;
}

/// In lanes as narrow as the others, whatever the type of the number. A distance to the bound beyond the lanes is the
/// same as the next one to them.
Bundle Generator::compared_number(ScalarOp op, const ComparedNumber& c) {
  const int lanes = lanes_.lanes, bits = std::clamp(isa_.vector_bits / lanes, 8, 64);
  const DType type = bits == 8 ? DType::I8 : bits == 16 ? DType::I16 : bits == 32 ? DType::I32 : DType::I64;
  Bundle out;
  for (int u = 0; u < lanes_.parts; ++u) {
    const Operand first = scalar(c.number, u), bound = scalar(c.bound, u);
    Operand numbers = v_ramp(v_int(0, type), lanes), limit = bound;
    if (c.modulus > 0) {
      const Operand mask = v_int(c.modulus - 1);
      numbers = v_ramp(v_cast(v_apply(ScalarOp::BitAnd, {first, mask}), type), lanes);
      numbers = v_apply(ScalarOp::BitAnd, {numbers, v_splat(v_int(c.modulus - 1, type), lanes)});
    } else {
      limit = v_apply(ScalarOp::Max, {limit, first - v_int(1)});
      limit = v_apply(ScalarOp::Min, {limit, first + v_int(lanes)}) - first;
    }
    limit = v_splat(v_cast(limit, type), lanes);
    out.push_back(c.bound_first ? v_apply(op, {limit, numbers}) : v_apply(op, {numbers, limit}));
  }
  return out;
}

}  // namespace tenon
