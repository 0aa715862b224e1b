// Takes offsets apart into digits, as a number is into tens and ones, and looks for one that differs between
// iterations.
#include "algebra/separate_iterations.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "algebra/nest_accesses.h"
#include "ir/graph/size_expr.h"
#include "ir/number/interval.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// An offset of a write and one of another access in another iteration.
struct Pair {
  Polynomial here, there;
};

/// The multiple of a stride that is split off a constant: an offset of -1 belongs to the next digit, one just below the
/// stride to the digit itself unless other terms reduce it.
enum class Rounding { Nearest, Down };

/// The terms that are multiples of a stride, divided by it, and the others.
struct Digits {
  Polynomial high, low;
};
Digits digits_by(const Polynomial& p, const Polynomial& stride, Rounding rounding) {
  Digits out;
  const auto& [by, times] = *stride.terms.begin();
  for (const auto& [monomial, coefficient] : p.terms) {
    Monomial rest;
    if (coefficient % times == 0 && divide(monomial, by, rest)) out.high.add(rest, coefficient / times);
    else if (by.empty() && monomial.empty()) {
      const int64_t multiple = floor_quotient(coefficient + (rounding == Rounding::Nearest ? times / 2 : 0), times);
      out.high.add({}, multiple);
      out.low.add({}, coefficient - multiple * times);
    } else {
      out.low.add(monomial, coefficient);
    }
  }
  return out;
}

class Prover {
 public:
  explicit Prover(LoopAccesses loop) : loop_(std::move(loop)) {}

  std::vector<std::string> faults(const LoopNest& nest) {
    std::vector<std::string> out = loop_.faults;
    std::set<int> told;
    for (const Access& write : loop_.accesses) {
      if (!write.writes) continue;
      for (const Access& other : loop_.accesses) {
        const bool looked_at = other.writes && &other < &write;  // two writes as the same two the other way round
        if (looked_at || !same_memory(nest, write.buffer, other.buffer) || told.count(write.buffer) ||
            are_apart(write, other))
          continue;
        told.insert(write.buffer);
        out.push_back(fmt::format("{}: an iteration writes element {}, and another one may {} element {}",
                                  nest.buffers[static_cast<size_t>(write.buffer)].name, print(write.offset),
                                  other.writes ? "write" : "read", print(other.offset)));
      }
    }
    return out;
  }

 private:
  LoopAccesses loop_;
  mutable std::map<std::string, bool> below_;  ///< what is_below has said

  static bool same_memory(const LoopNest& nest, int a, int b) {
    const auto is_shared = [&](int i) {
      const Buffer& x = nest.buffers[static_cast<size_t>(i)];
      return x.storage == Storage::Tensor && nest.kernel->tensor(x.tensor).shared;
    };
    return a == b || (is_shared(a) && is_shared(b));
  }

  /// Whether the two never touch the same element in two iterations. Digits that are bounded by themselves are tried
  /// first: facts about one access serve all of its pairs. The stride of the iterations may be one of other accesses.
  bool are_apart(const Access& write, const Access& other) const {
    Facts facts = write.facts;
    for (const Polynomial& f : other.facts) facts.push_back(loop_.known.elsewhere(f));
    std::vector<const Polynomial*> own = {&write.offset, &other.offset}, all;
    for (const Access& a : loop_.accesses) all.push_back(&a.offset);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::vector<Pair> digits =
          digits_of(write, other, strides_of(attempt < 2 ? own : all), attempt == 1 ? &facts : nullptr);
      if (all_of(loop_.numbers, [&](const Polynomial& number) {
            return any_of(digits, [&](const Pair& digit) { return differs(digit, number, facts); });
          }))
        return true;
    }
    return false;
  }

  /// Equal offsets have equal digits: terms below a stride never reach it. `both`: facts of the pair, where it may
  /// be the lower terms of one of them that bound the other.
  std::vector<Pair> digits_of(const Access& write, const Access& other, const std::vector<Polynomial>& strides,
                              const Facts* both) const {
    std::vector<Pair> out;
    Polynomial here = write.offset, there = other.offset;
    for (const Polynomial& stride : strides) {
      Digits mine = digits_by(here, stride, Rounding::Nearest), others = digits_by(there, stride, Rounding::Nearest);
      const auto below = bounded_digits(here, stride, write.facts),
                 others_below = below ? bounded_digits(there, stride, other.facts) : std::nullopt;
      const Polynomial moved = loop_.known.elsewhere(others.low);
      if (others_below) mine = *below, others = *others_below;
      else if (!both || !stay_close(stride - Polynomial::constant(1), mine.low, moved, *both)) continue;
      out.push_back({mine.high, loop_.known.elsewhere(others.high)});
      here = mine.low, there = others.low;
    }
    out.push_back({here, loop_.known.elsewhere(there)});
    return out;
  }

  /// The digits by a stride, where it is proved that the low one is below it.
  std::optional<Digits> bounded_digits(const Polynomial& offset, const Polynomial& stride, const Facts& facts) const {
    for (const Rounding rounding : {Rounding::Nearest, Rounding::Down})
      if (Digits digits = digits_by(offset, stride, rounding); is_below(digits.low, stride, facts)) return digits;
    // The multiple of a vector's length below the end of a block has no term of the block.
    for (const Polynomial& number : loop_.numbers)
      if (Digits digits{number, offset - stride * number}; is_below(digits.low, stride, facts)) return digits;
    return std::nullopt;
  }

  /// Whether a value is from 0 to below the stride.
  bool is_below(const Polynomial& value, const Polynomial& stride, const Facts& facts) const {
    std::string key = print(value) + " < " + print(stride);
    for (const Polynomial& f : facts) key += ", " + print(f);
    const auto [at, fresh] = below_.try_emplace(std::move(key), false);
    if (fresh)
      at->second =
          loop_.known.proves(value, facts) && loop_.known.proves(stride - Polynomial::constant(1) - value, facts);
    return at->second;
  }

  /// Whether two values differ by at most this distance.
  bool stay_close(const Polynomial& most, const Polynomial& here, const Polynomial& there, const Facts& facts) const {
    const auto proves = [&](const Polynomial& p) { return loop_.known.proves(p, facts); };
    if (proves(here) && proves(there) && proves(most - here) && proves(most - there)) return true;
    return proves(most - here + there) && proves(most + here - there);
  }

  /// The coefficients of the loops' quantities, the largest first.
  std::vector<Polynomial> strides_of(const std::vector<const Polynomial*>& offsets) const {
    std::vector<Polynomial> out;
    for (const Polynomial* p : offsets)
      for (const auto& [monomial, coefficient] : p->terms) {
        std::vector<QuantityName> fixed;
        for (const QuantityName& name : monomial)
          if (!loop_.known.varies(name)) fixed.push_back(name);
        const bool varies = fixed.size() != monomial.size();
        Polynomial stride;
        stride.add(Monomial::product(std::move(fixed)), std::abs(coefficient));
        if (varies && !contains(out, stride)) out.push_back(std::move(stride));
      }
    stable_sort(out, [](const Polynomial& a, const Polynomial& b) {
      const auto& [m, x] = *a.terms.begin();
      const auto& [n, y] = *b.terms.begin();
      return m.size() != n.size() ? m.size() > n.size() : x > y;
    });
    return out;
  }

  /// Whether a digit differs wherever an index of the iteration differs.
  bool differs(const Pair& digit, const Polynomial& number, const Facts& facts) const {
    const Polynomial one = Polynomial::constant(1), step = loop_.known.elsewhere(number) - number;
    for (const Polynomial& order : {step - one, -step - one}) {
      Facts with = facts;
      with.push_back(order);
      const Polynomial distance = digit.there - digit.here;
      if (!loop_.known.proves(distance - one, with) && !loop_.known.proves(-distance - one, with)) return false;
    }
    return true;
  }
};

}  // namespace

std::vector<std::string> find_shared_writes(const LoopNest& phase, const Block& count) {
  return Prover(accesses_of(phase, count)).faults(phase);
}

}  // namespace tenon
