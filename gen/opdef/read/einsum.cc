// Subscripts → the text of a definition.
#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "opdef/read/definition_text.h"
#include "support/joined.h"
#include "support/ranges.h"

namespace tenon {
namespace {

/// One operand: letters in order, '.' for the dims of an ellipsis.
using Labels = std::string;

constexpr char kDots = '.';

struct EinsumError {
  std::string message;
};

Labels labels_of(std::string_view text) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      labels += text[i];
    } else if (text.substr(i, 3) == "..." && labels.find(kDots) == Labels::npos) {
      labels += kDots;
      i += 2;
    } else {
      throw EinsumError{fmt::format(
          "'{}' has no meaning in subscripts: letters, one '...' an operand, ',' and '->' have", text.substr(i, 1))};
    }
  }
  return labels;
}

struct Subscripts {
  std::vector<Labels> operands;
  Labels result;
};

Labels implied_result(const std::vector<Labels>& operands) {
  Labels all, result;
  for (const Labels& o : operands) all += o;
  if (all.find(kDots) != Labels::npos) result += kDots;
  std::string sorted = all;
  sort(sorted);
  for (const char c : sorted)
    if (c != kDots && count_of(all, c) == 1) result += c;
  return result;
}

Subscripts parse(std::string_view subscripts) {
  std::string text;
  for (const char c : subscripts)
    if (c != ' ') text += c;
  Subscripts s;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  size_t begin = 0;
  for (size_t comma = left.find(',');; comma = left.find(',', begin)) {
    s.operands.push_back(labels_of(
        std::string_view(left).substr(begin, comma == std::string::npos ? std::string::npos : comma - begin)));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  s.result =
      arrow == std::string::npos ? implied_result(s.operands) : labels_of(std::string_view(text).substr(arrow + 2));
  for (const char c : s.result) {
    if (count_of(s.result, c) > 1) throw EinsumError{fmt::format("'{}' occurs twice in the result", c)};
    if (none_of(s.operands, [c](const Labels& o) { return o.find(c) != Labels::npos; }))
      throw EinsumError{
          fmt::format("'{}' of the result is in no operand", c == kDots ? std::string("...") : std::string(1, c))};
  }
  return s;
}

std::string variable(char c) {
  if (c == kDots) return "*dots";
  return std::isupper(static_cast<unsigned char>(c)) ? fmt::format("up_{}", static_cast<char>(std::tolower(c)))
                                                     : std::string(1, c);
}

std::string indices(const Labels& labels) { return joined(labels, ",", variable); }

/// A product after the letters that neither a later operand nor the result needs have been summed.
Labels needed(const Labels& have, const Subscripts& s, size_t next) {
  Labels later = s.result, out;
  for (size_t k = next; k < s.operands.size(); ++k) later += s.operands[k];
  for (const char c : have)
    if (later.find(c) != Labels::npos && out.find(c) == Labels::npos) out += c;
  return out;
}

std::string statement(const std::string& target, const Labels& to, const Labels& from, const std::string& product) {
  Labels gone;
  for (const char c : from)
    if (to.find(c) == Labels::npos && gone.find(c) == Labels::npos) gone += c;
  const std::string value = gone.empty() ? product : fmt::format("sum[{}]({})", indices(gone), product);
  return fmt::format("      {}[{}] = {}\n", target, indices(to), value);
}

std::string body_of(const Subscripts& s) {
  const auto read = [&](size_t k) { return fmt::format("X{}[{}]", k, indices(s.operands[k])); };
  if (s.operands.size() == 1) return statement("Y", s.result, s.operands[0], read(0));
  std::string text, left = read(0);
  Labels have = s.operands[0];
  for (size_t k = 1; k < s.operands.size(); ++k) {
    const bool last = k + 1 == s.operands.size();
    const Labels all = have + s.operands[k], kept = last ? s.result : needed(all, s, k + 1);
    const std::string target = last ? "Y" : fmt::format("product{}", k);
    text += statement(target, kept, all, left + "*" + read(k));
    left = fmt::format("{}[{}]", target, indices(kept));
    have = kept;
  }
  return text;
}

std::string name_of(const Subscripts& s) {
  std::string name = "einsum";
  const auto add = [&](const Labels& labels) {
    name += '_';
    for (const char c : labels) name += c == kDots ? "dots" : std::string(1, c);
  };
  for (const Labels& o : s.operands) add(o);
  name += "_to";
  add(s.result);
  return name;
}

std::string definition(const Subscripts& s, std::string_view subscripts, const std::string& name) {
  const bool spreads = count_if(s.operands, [](const Labels& o) { return o.find(kDots) != Labels::npos; }) > 1;
  const auto shape = [&](const Labels& labels, bool input) {
    return joined(labels, ",", [&](char c) {
      return c == kDots ? std::string(input && spreads ? "~*Dots" : "*Dots") : fmt::format("N{}", c);
    });
  };
  std::string text = fmt::format(
      "ops:\n  - op: {}\n    doc: \"sum of products by the subscripts {}\"\n    types: {{T: number}}\n    in:\n", name,
      subscripts);
  for (size_t k = 0; k < s.operands.size(); ++k)
    text += fmt::format("      X{}: \"T[{}]\"\n", k, shape(s.operands[k], true));
  return text + fmt::format("    out: {{Y: \"T[{}]\"}}\n    body: |\n{}", shape(s.result, false), body_of(s));
}

}  // namespace

DefinitionText einsum_definition(std::string_view subscripts) {
  constexpr size_t longest_name = 64;
  try {
    const Subscripts s = parse(subscripts);
    const std::string name = name_of(s);
    if (name.size() > longest_name) return {"", "", "the subscripts are too long"};
    return {name, definition(s, subscripts, name), ""};
  } catch (const EinsumError& e) {
    return {"", "", e.message};
  }
}

}  // namespace tenon
